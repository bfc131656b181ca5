// Looking back for counts: how many elements the tiles before one keep, from the messages of the groups that have them.
//
// As in look_back.cl, a group that has waited long enough counts the first tile that is missing itself and posts what it
// found, so the call ends whatever the device does. Sums of counts are exact in any order, so a message says either what
// its tile keeps, or what all tiles up to it keep, and whoever reads it takes what there is.

#define NO_TILE 0xffffffffu

// A message is the number of the call, a bit that says that all tiles up to this one are counted, and COUNT_BITS of the
// count. The bits above those, which only such a sum has, are in a second word.
enum { COUNT_BITS = 31 };
#define COUNTS_ALL (1u << COUNT_BITS)

// Where runs are measured or folded, as many words behind these tell the last kept one. They have the same value whether all
// tiles are counted or this one alone, unless that keeps none: then they are written by who has counted all.
//
// Of a partition into three, as many words behind these tell the second count, where all tiles are counted. Both counts of one
// tile are in the first word.
#if defined(TELLS_LAST) || defined(THREE_WAYS)
enum { MESSAGE_OF_TILE = 2 * COUNT_WORDS };
#else
enum { MESSAGE_OF_TILE = COUNT_WORDS };
#endif
enum { SECOND_AT = 15 };  // where the second count of one tile begins in that word

static inline void post_count(__global ulong *messages, uint tile, uint call, kept_of_tiles kept, bool counts_all) {
#ifdef TELLS_LAST
  if (kept.last != 0) {
    __global ulong *last = messages + MESSAGE_OF_TILE * (ulong)tile + COUNT_WORDS;
    if (COUNT_WORDS == 2) message_write(last + 1, (ulong)call << 32 | kept.last >> COUNT_BITS);
    message_write(last, (ulong)call << 32 | ((uint)kept.last & (COUNTS_ALL - 1)));
  }
#endif
#ifdef THREE_WAYS
  if (counts_all) {
    __global ulong *second = messages + MESSAGE_OF_TILE * (ulong)tile + COUNT_WORDS;
    if (COUNT_WORDS == 2) message_write(second + 1, (ulong)call << 32 | kept.second >> COUNT_BITS);
    message_write(second, (ulong)call << 32 | ((uint)kept.second & (COUNTS_ALL - 1)));
  } else {
    kept.count |= kept.second << SECOND_AT;
  }
#endif
  if (COUNT_WORDS == 2 && counts_all)
    message_write(messages + MESSAGE_OF_TILE * (ulong)tile + 1, (ulong)call << 32 | kept.count >> COUNT_BITS);
  message_write(messages + MESSAGE_OF_TILE * (ulong)tile,
                (ulong)call << 32 | (counts_all ? COUNTS_ALL : 0) | ((uint)kept.count & (COUNTS_ALL - 1)));
}

// Whether the message is there.
static inline bool read_count(__global ulong *messages, uint tile, uint call, kept_of_tiles *kept, bool *counts_all) {
  const ulong word = message_read(messages + MESSAGE_OF_TILE * (ulong)tile);
#ifdef TELLS_LAST
  // Before it is known whether somebody asks for it, so that both are under way together.
  const ulong last = message_read(messages + MESSAGE_OF_TILE * (ulong)tile + COUNT_WORDS);
#endif
  bool there = (uint)(word >> 32) == call;
  *counts_all = there && ((uint)word & COUNTS_ALL) != 0;
  kept->count = (uint)word & (COUNTS_ALL - 1);
  if (COUNT_WORDS == 2 && *counts_all) {
    const ulong upper = message_read(messages + MESSAGE_OF_TILE * (ulong)tile + 1);
    *counts_all = there = (uint)(upper >> 32) == call;
    kept->count |= (ulong)(uint)upper << COUNT_BITS;
  }
#ifdef TELLS_LAST
  kept->last = 0;
  if (there && kept->count > 0) {
    there = (uint)(last >> 32) == call;
    kept->last = (uint)last;
    if (COUNT_WORDS == 2) {
      const ulong upper = message_read(messages + MESSAGE_OF_TILE * (ulong)tile + COUNT_WORDS + 1);
      there = there && (uint)(upper >> 32) == call;
      kept->last |= (ulong)(uint)upper << COUNT_BITS;
    }
    *counts_all = *counts_all && there;
  }
#endif
#ifdef THREE_WAYS
  kept->second = kept->count >> SECOND_AT;
  if (!*counts_all) {
    kept->count &= (1u << SECOND_AT) - 1;
  } else {
    __global ulong *at = messages + MESSAGE_OF_TILE * (ulong)tile + COUNT_WORDS;
    const ulong second = message_read(at);
    there = (uint)(second >> 32) == call;
    kept->second = (uint)second;
    if (COUNT_WORDS == 2) {
      const ulong upper = message_read(at + 1);
      there = there && (uint)(upper >> 32) == call;
      kept->second |= (ulong)(uint)upper << COUNT_BITS;
    }
    *counts_all = there;
  }
#endif
  return there;
}

#if GROUP_SIZE == 1
typedef struct {
  uint unused;
} look_memory;
#define LOOK_MEMORY(name) look_memory name

// Looks `looks` times for what the tiles before one keep together. Gives NO_TILE where all is there, else the tile that
// must be counted first.
INLINE uint look_back_counts(kept_of_tiles *before, __global ulong *messages, uint tile, uint call, uint looks, look_memory look,
                      __local uint *exchange) {
  *before = kept_of_none();
  uint looked = 1;
  for (uint at = tile - 1;;) {
    kept_of_tiles kept;
    bool counts_all;
    if (read_count(messages, at, call, &kept, &counts_all)) {
      *before = kept_together(kept, *before);
      if (counts_all) return NO_TILE;
      --at;
    } else if (looked < looks) {
      pause_for(looked == 1 ? FIRST_PAUSE : NEXT_PAUSE);
      ++looked;
    } else {
      return at;
    }
  }
}
#else

// Of each lane set: whether one of its lanes has found what counts all, that sum with what the lanes before that one count,
// else what all lanes count, how many of those have nothing, and the first tile that they have nothing of.
// And, where runs are measured or folded, the nearest last kept one.
typedef struct {
  __local uint *found, *counts, *gaps, *missing;
  __local ulong *sums, *lasts;
#ifdef THREE_WAYS
  __local uint *second_counts;
  __local ulong *second_sums;
#endif
} look_memory;
#ifdef TELLS_LAST
#define LOOK_LASTS(name)                    \
  __local ulong name##_lasts[LANE_SETS];  \
  name.lasts = name##_lasts
#else
#define LOOK_LASTS(name)
#endif
#ifdef THREE_WAYS
#define LOOK_SECONDS(name)                       \
  __local uint name##_second_counts[LANE_SETS];  \
  __local ulong name##_second_sums[LANE_SETS];   \
  name.second_counts = name##_second_counts;     \
  name.second_sums = name##_second_sums;
#else
#define LOOK_SECONDS(name)
#endif
#define LOOK_MEMORY(name)                   \
  look_memory name;                         \
  LOOK_LASTS(name);                         \
  LOOK_SECONDS(name)                        \
  __local ulong name##_sums[LANE_SETS];   \
  __local uint name##_found[LANE_SETS];   \
  __local uint name##_counts[LANE_SETS];  \
  __local uint name##_gaps[LANE_SETS];    \
  __local uint name##_missing[LANE_SETS]; \
  name.sums = name##_sums;                  \
  name.found = name##_found;                \
  name.counts = name##_counts;              \
  name.gaps = name##_gaps;                  \
  name.missing = name##_missing

// The same by a group. Each work-item reads one message, of GROUP_SIZE neighbouring tiles at a time; the nearest are those
// of the first lanes. The result is the same in all work-items. All must call. `exchange`: a word of local memory for each,
// where lanes exchange through that.
INLINE uint look_back_counts(kept_of_tiles *before, __global ulong *messages, uint tile, uint call, uint looks, look_memory look,
                      __local uint *exchange) {
  const uint id = own_id_anew();
  const uint set = id / LANES, lane = id % LANES;
  kept_of_tiles counted = kept_of_none();  // of the tiles behind `far`
  uint looked = 1, far = tile, asked_for = NO_TILE;
  for (bool looks_on = true; looks_on;) {
    kept_of_tiles kept = kept_of_none();
    bool counts_all = false, missing = false;
    if (id < far) missing = !read_count(messages, far - 1 - id, call, &kept, &counts_all);
    // Of the lanes up to each one: in the lower half those that count all, in the upper those that have nothing.
    const uint marks = lanes_sums((counts_all ? 1u : 0u) | (missing ? 1u << 16 : 0u), exchange);
    // These sums do not wait for that one: what lanes behind the first that counts all have of them, nobody takes.
    const uint counts = lanes_sums(missing || counts_all ? 0 : (uint)kept.count, exchange);
#ifdef THREE_WAYS
    const uint second_counts = lanes_sums(missing || counts_all ? 0 : (uint)kept.second, exchange);
#endif
#ifdef TELLS_LAST
    const bool tells_last = !missing && kept.last != 0;
    const uint lasts = lanes_sums(tells_last ? 1u : 0u, exchange);
#endif
    GROUP_BARRIER();
    if (counts_all && (marks & 0xffff) == 1) {
      look.sums[set] = kept.count + counts;
#ifdef THREE_WAYS
      look.second_sums[set] = kept.second + second_counts;
#endif
      look.gaps[set] = marks >> 16;
    }
    if (missing && marks >> 16 == 1) look.missing[set] = far - 1 - id;
    if (lane == LANES - 1) {
      look.counts[set] = counts;
#ifdef THREE_WAYS
      look.second_counts[set] = second_counts;
#endif
      look.found[set] = marks & 0xffff;
      if ((marks & 0xffff) == 0) look.gaps[set] = marks >> 16;
    }
#ifdef TELLS_LAST
    // Never one behind the first that counts all, for that tells one, too: the first run begins where the input does.
    if (tells_last && lasts == 1) look.lasts[set] = kept.last;
    if (lane == LANES - 1 && lasts == 0) look.lasts[set] = 0;
#endif
    GROUP_BARRIER();
    kept_of_tiles sum = counted;
    bool found = false;
    uint s = 0;
    for (; s < LANE_SETS && look.gaps[s] == 0; ++s) {
      found = look.found[s] != 0;
      sum.count += found ? look.sums[s] : look.counts[s];
#ifdef THREE_WAYS
      sum.second += found ? look.second_sums[s] : look.second_counts[s];
#endif
#ifdef TELLS_LAST
      if (sum.last == 0) sum.last = look.lasts[s];
#endif
      if (found) break;
    }
    if (found) {
      *before = sum;
      looks_on = false;
    } else if (s == LANE_SETS) {
      counted = sum;
      far -= GROUP_SIZE;
    } else if (looked < looks) {
      pause_for(looked == 1 ? FIRST_PAUSE : NEXT_PAUSE);
      ++looked;
    } else {
      asked_for = look.missing[s];
      looks_on = false;
    }
  }
  return asked_for;
}
#endif
