// Decoupled look-back for counts: how many elements the tiles before one keep, from the messages of the groups that have them.
//
// As in look_back.cl, a group looks for messages a limited number of times, then counts the first tile that is missing itself and
// posts the count, so the call ends whatever the device does. Sums of counts are exact in any order, so each tile has one message:
// first its own count (the aggregate), later that of all tiles up to it (the inclusive prefix), and readers take either.

// The words of a message, of which the second, for higher bits of an inclusive prefix, exists if COUNT_WORDS is 2:
//
//   bits  63 .. 32            31                                              30 .. 0
//   [0]   number of the call  1: inclusive prefix, 0: this tile's aggregate   lower COUNT_BITS of the count
//   [1]   number of the call  higher bits of the count, of an inclusive prefix only (bits 31 .. 0)
enum { COUNT_BITS = 31 };
#define COUNTS_ALL (1u << COUNT_BITS)

// If runs are measured or folded (TELLS_LAST), COUNT_WORDS words after these have the index of the last kept element, from 1 on. It
// is the same for the tile and for all tiles up to it, unless the tile keeps none; then only the inclusive prefix has it.
//
// In a partition into three, COUNT_WORDS words after these have the second count of an inclusive prefix. The first word has both
// counts of one tile: the first in bits 14 .. 0, the second in bits 30 .. 15.
enum {
  MESSAGE_OF_TILE = (IS_ON(TELLS_LAST) | IS_ON(THREE_WAYS)) + 1,  // times COUNT_WORDS
  SECOND_AT = 15                                                  // where the second count of one tile begins in that word
};

// Where the words of a tile's message begin, and the further COUNT_WORDS words.
static inline __global ulong *message_of_counts(__global ulong *messages, uint tile) {
  return messages + MESSAGE_OF_TILE * COUNT_WORDS * (ulong)tile;
}
static inline __global ulong *message_beside(__global ulong *messages, uint tile) {
  return message_of_counts(messages, tile) + COUNT_WORDS;
}

// Posts the number in the further words: one word if it is below 2^COUNT_BITS, or two.
static inline void post_beside(__global ulong *to, uint call, ulong number) {
  if (COUNT_WORDS == 2) message_write(to + 1, (ulong)call << 32 | number >> COUNT_BITS);
  message_write(to, (ulong)call << 32 | ((uint)number & (COUNTS_ALL - 1)));
}

// Reads that number, whose first word has been read as `word`. Gives whether all of it is there.
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
  ulong word_beside = 0;  // read before it is known whether it is needed, so that both loads are in flight together
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
} counts_memory;
#define COUNTS_MEMORY(name) counts_memory name

// Looks `looks` times for the sum of what the tiles before one keep. Gives NO_TILE if it is there, in `before`, else the tile
// that must be counted first.
INLINE uint look_back_counts(kept_of_tiles *before, __global ulong *messages, uint tile, uint call, uint looks, counts_memory look,
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

// Of each lane set: whether a lane has found an inclusive prefix (`found`); that prefix and what the lanes before it count
// (`sums`), or what all lanes count (`counts`); how many of these lanes miss a message (`gaps`), and the tile of the first that
// does (`missing`). And, with TELLS_LAST, the nearest last kept element.
typedef struct {
  __local uint *found, *counts, *gaps, *missing;
  __local ulong *sums, *lasts;
  __local uint *second_counts;  // of a partition into three
  __local ulong *second_sums;
} counts_memory;
#define COUNTS_MEMORY(name)                                               \
  __local uint name##_found[LANE_SETS], name##_counts[LANE_SETS];         \
  __local uint name##_gaps[LANE_SETS], name##_missing[LANE_SETS];         \
  __local ulong name##_sums[LANE_SETS], name##_lasts[LANE_SETS];          \
  __local uint name##_second_counts[LANE_SETS];                           \
  __local ulong name##_second_sums[LANE_SETS];                            \
  const counts_memory name = {name##_found, name##_counts, name##_gaps,   \
                              name##_missing, name##_sums, name##_lasts,  \
                              name##_second_counts, name##_second_sums}

// Looks `looks` times for the sum of what the tiles before one keep. Gives NO_TILE if it is there, in `before`, else the tile
// that must be counted first. All work-items must call and get the same result. Each reads the message of one of GROUP_SIZE
// neighbouring tiles, work-item 0 that of the nearest. `exchange`: a word for each work-item, if lanes exchange by local memory.
INLINE uint look_back_counts(kept_of_tiles *before, __global ulong *messages, uint tile, uint call, uint looks, counts_memory look,
                             __local uint *exchange) {
  const uint id = own_id_anew();
  const uint set = id / LANES, lane = id % LANES;
  kept_of_tiles counted = kept_of_none();  // of the tiles from `far` to before `tile`
  uint looked = 1, far = tile, asked_for = NO_TILE;
  for (bool looks_on = true; looks_on;) {
    kept_of_tiles kept = kept_of_none();
    bool counts_all = false, missing = false;
    if (id < far) missing = !read_count(messages, far - 1 - id, call, &kept, &counts_all);
    // How many of the lanes up to each one have an inclusive prefix, in the lower half, and miss a message, in the upper half.
    const uint marks = lanes_sums((counts_all ? 1u : 0u) | (missing ? 1u << 16 : 0u), exchange);
    // These sums do not wait for that one. Lanes after the first inclusive prefix have sums that are not used.
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
      // A tile whose message has an inclusive prefix always tells a last run, because a run begins at the first element. So no
      // tile farther away is asked for one.
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
