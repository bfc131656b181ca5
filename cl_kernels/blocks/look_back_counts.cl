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
enum {
  MESSAGE_OF_TILE = (IS_ON(TELLS_LAST) | IS_ON(THREE_WAYS)) + 1,  // times COUNT_WORDS
  SECOND_AT = 15                                                  // where the second count of one tile begins in that word
};

// Where the words of a tile's message begin, and those behind the first ones.
static inline __global ulong *message_of_counts(__global ulong *messages, uint tile) {
  return messages + MESSAGE_OF_TILE * COUNT_WORDS * (ulong)tile;
}
static inline __global ulong *message_beside(__global ulong *messages, uint tile) {
  return message_of_counts(messages, tile) + COUNT_WORDS;
}

// A number below 2^COUNT_BITS, or of two words, as such a message has it.
static inline void post_beside(__global ulong *to, uint call, ulong number) {
  if (COUNT_WORDS == 2) message_write(to + 1, (ulong)call << 32 | number >> COUNT_BITS);
  message_write(to, (ulong)call << 32 | ((uint)number & (COUNTS_ALL - 1)));
}

// What it says, of whose first word `word` was read; whether all of it is there.
static inline bool read_beside(__global ulong *from, uint call, ulong word, ulong *number) {
  bool there = (uint)(word >> 32) == call;
  *number = (uint)word;
  if (COUNT_WORDS == 2) {
    const ulong upper = message_read(from + 1);
    there = there && (uint)(upper >> 32) == call;
    *number |= (ulong)(uint)upper << COUNT_BITS;
  }
  return there;
}

static inline void post_count(__global ulong *messages, uint tile, uint call, kept_of_tiles kept, bool counts_all) {
  __global ulong *message = message_of_counts(messages, tile);
  if (IS_ON(TELLS_LAST) && kept_last(kept) != 0) post_beside(message_beside(messages, tile), call, kept_last(kept));
  ulong count = kept.count;
  if (IS_ON(THREE_WAYS)) {
    if (counts_all)
      post_beside(message_beside(messages, tile), call, kept_second(kept));
    else
      count |= kept_second(kept) << SECOND_AT;
  }
  if (COUNT_WORDS == 2 && counts_all) message_write(message + 1, (ulong)call << 32 | count >> COUNT_BITS);
  message_write(message, (ulong)call << 32 | (counts_all ? COUNTS_ALL : 0) | ((uint)count & (COUNTS_ALL - 1)));
}

// Whether the message is there.
static inline bool read_count(__global ulong *messages, uint tile, uint call, kept_of_tiles *kept, bool *counts_all) {
  __global ulong *message = message_of_counts(messages, tile), *beside = message_beside(messages, tile);
  const ulong word = message_read(message);
  ulong word_beside = 0;  // before it is known whether somebody asks for it, so that both are under way together
  if (IS_ON(TELLS_LAST)) word_beside = message_read(beside);
  bool there = (uint)(word >> 32) == call;
  *counts_all = there && ((uint)word & COUNTS_ALL) != 0;
  ulong count = (uint)word & (COUNTS_ALL - 1), last = 0, second = 0;
  if (COUNT_WORDS == 2 && *counts_all) {
    const ulong upper = message_read(message + 1);
    *counts_all = there = (uint)(upper >> 32) == call;
    count |= (ulong)(uint)upper << COUNT_BITS;
  }
  if (IS_ON(TELLS_LAST) && there && count > 0) {
    there = read_beside(beside, call, word_beside, &last);
    *counts_all = *counts_all && there;
  }
  if (IS_ON(THREE_WAYS)) {
    second = count >> SECOND_AT;
    if (*counts_all)
      *counts_all = there = read_beside(beside, call, message_read(beside), &second);
    else
      count &= (1u << SECOND_AT) - 1;
  }
  *kept = kept_of(count, last, second);
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
  __local uint *second_counts;  // of a partition into three
  __local ulong *second_sums;
} look_memory;
#define LOOK_MEMORY(name)                                                             \
  __local uint name##_found[LANE_SETS], name##_counts[LANE_SETS];                     \
  __local uint name##_gaps[LANE_SETS], name##_missing[LANE_SETS];                     \
  __local ulong name##_sums[LANE_SETS], name##_lasts[LANE_SETS];                      \
  __local uint name##_second_counts[LANE_SETS];                                       \
  __local ulong name##_second_sums[LANE_SETS];                                        \
  const look_memory name = {name##_found, name##_counts, name##_gaps,                 \
                            name##_missing, name##_sums, name##_lasts,                \
                            name##_second_counts, name##_second_sums}

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
    uint second_counts = 0, lasts = 0;
    if (IS_ON(THREE_WAYS)) second_counts = lanes_sums(missing || counts_all ? 0 : (uint)kept_second(kept), exchange);
    const bool tells_last = !missing && kept_last(kept) != 0;
    if (IS_ON(TELLS_LAST)) lasts = lanes_sums(tells_last ? 1u : 0u, exchange);
    GROUP_BARRIER();
    if (counts_all && (marks & 0xffff) == 1) {
      look.sums[set] = kept.count + counts;
      if (IS_ON(THREE_WAYS)) look.second_sums[set] = kept_second(kept) + second_counts;
      look.gaps[set] = marks >> 16;
    }
    if (missing && marks >> 16 == 1) look.missing[set] = far - 1 - id;
    if (lane == LANES - 1) {
      look.counts[set] = counts;
      if (IS_ON(THREE_WAYS)) look.second_counts[set] = second_counts;
      look.found[set] = marks & 0xffff;
      if ((marks & 0xffff) == 0) look.gaps[set] = marks >> 16;
    }
    if (IS_ON(TELLS_LAST)) {
      // The first tile that counts all always tells a last run, since a run begins at the first element. So the nearest tile that
      // tells one is never behind it.
      if (tells_last && lasts == 1) look.lasts[set] = kept_last(kept);
      if (lane == LANES - 1 && lasts == 0) look.lasts[set] = 0;
    }
    GROUP_BARRIER();
    ulong sum = counted.count, second = kept_second(counted), last = kept_last(counted);
    bool found = false;
    uint s = 0;
    for (; s < LANE_SETS && look.gaps[s] == 0; ++s) {
      found = look.found[s] != 0;
      sum += found ? look.sums[s] : look.counts[s];
      if (IS_ON(THREE_WAYS)) second += found ? look.second_sums[s] : look.second_counts[s];
      if (IS_ON(TELLS_LAST) && last == 0) last = look.lasts[s];
      if (found) break;
    }
    if (found) {
      *before = kept_of(sum, last, second);
      looks_on = false;
    } else if (s == LANE_SETS) {
      counted = kept_of(sum, last, second);
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
