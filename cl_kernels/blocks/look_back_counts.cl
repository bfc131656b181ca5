// Looking back for counts: how many elements the tiles before one keep, from the messages of the groups that have them.
//
// As in look_back.cl, a group that has waited long enough counts the first tile that is missing itself and posts what it
// found, so the call ends whatever the device does. Sums of counts are exact in any order, so a message says either what
// its tile keeps, or what all tiles up to it keep, and whoever reads it takes what there is.
#if defined(PRIMITIVE_SELECT) && defined(IN_ONE_PASS)

#define NO_TILE 0xffffffffu

// A message is the number of the call, a bit that says that all tiles up to this one are counted, and COUNT_BITS of the
// count. The bits above those, which only such a sum has, are in a second word.
#define COUNT_BITS 31
#define COUNTS_ALL (1u << COUNT_BITS)

static inline void post_count(__global ulong *messages, uint tile, uint call, ulong count, bool counts_all) {
#if COUNT_WORDS == 2
  if (counts_all) message_write(messages + 2 * (ulong)tile + 1, (ulong)call << 32 | count >> COUNT_BITS);
#endif
  message_write(messages + COUNT_WORDS * (ulong)tile,
                (ulong)call << 32 | (counts_all ? COUNTS_ALL : 0) | ((uint)count & (COUNTS_ALL - 1)));
}

// Whether the message is there.
static inline bool read_count(__global ulong *messages, uint tile, uint call, ulong *count, bool *counts_all) {
  const ulong word = message_read(messages + COUNT_WORDS * (ulong)tile);
  bool there = (uint)(word >> 32) == call;
  *counts_all = there && ((uint)word & COUNTS_ALL) != 0;
  *count = (uint)word & (COUNTS_ALL - 1);
#if COUNT_WORDS == 2
  if (*counts_all) {
    const ulong upper = message_read(messages + COUNT_WORDS * (ulong)tile + 1);
    *counts_all = there = (uint)(upper >> 32) == call;
    *count |= (ulong)(uint)upper << COUNT_BITS;
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
INLINE uint look_back(ulong *before, __global ulong *messages, uint tile, uint call, uint looks, look_memory look,
                      select_memory memory) {
  *before = 0;
  uint looked = 1;
  for (uint at = tile - 1;;) {
    ulong count;
    bool counts_all;
    if (read_count(messages, at, call, &count, &counts_all)) {
      *before += count;
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

// Of each lane set: whether one of its lanes has found what counts all, that sum, what the lanes before that one count,
// how many of those have nothing, and the first tile that they have nothing of.
typedef struct {
  __local uint *found, *counts, *gaps, *missing;
  __local ulong *sums;
} look_memory;
#define LOOK_MEMORY(name)                   \
  look_memory name;                         \
  __local ulong name##_sums[SELECT_SETS];   \
  __local uint name##_found[SELECT_SETS];   \
  __local uint name##_counts[SELECT_SETS];  \
  __local uint name##_gaps[SELECT_SETS];    \
  __local uint name##_missing[SELECT_SETS]; \
  name.sums = name##_sums;                  \
  name.found = name##_found;                \
  name.counts = name##_counts;              \
  name.gaps = name##_gaps;                  \
  name.missing = name##_missing

// The same by a group. Each work-item reads one message, of GROUP_SIZE neighbouring tiles at a time; the nearest are those
// of the first lanes. The result is the same in all work-items. All must call.
INLINE uint look_back(ulong *before, __global ulong *messages, uint tile, uint call, uint looks, look_memory look,
                      select_memory memory) {
  const uint id = own_id_anew();
  const uint set = id / LANES, lane = id % LANES;
  ulong counted = 0;  // of the tiles behind `far`
  uint looked = 1;
  for (uint far = tile;;) {
    ulong count = 0;
    bool counts_all = false, missing = false;
    if (id < far) missing = !read_count(messages, far - 1 - id, call, &count, &counts_all);
    // Of the lanes up to each one: in the lower half those that count all, in the upper those that have nothing.
    const uint marks = LANES_SUMS((counts_all ? 1u : 0u) | (missing ? 1u << 16 : 0u), memory.exchange);
    const bool goes_in = !missing && !counts_all && (marks & 0xffff) == 0;
    const uint counts = LANES_SUMS(goes_in ? (uint)count : 0, memory.exchange);
    GROUP_BARRIER();
    if (counts_all && (marks & 0xffff) == 1) {
      look.sums[set] = count;
      look.gaps[set] = marks >> 16;
    }
    if (missing && marks >> 16 == 1) look.missing[set] = far - 1 - id;
    if (lane == LANES - 1) {
      look.counts[set] = counts;
      look.found[set] = marks & 0xffff;
      if ((marks & 0xffff) == 0) look.gaps[set] = marks >> 16;
    }
    GROUP_BARRIER();
    ulong sum = counted;
    bool found = false;
    uint s = 0;
    for (; s < SELECT_SETS && look.gaps[s] == 0; ++s) {
      sum += look.counts[s];
      found = look.found[s] != 0;
      if (found) {
        sum += look.sums[s];
        break;
      }
    }
    if (found) {
      *before = sum;
      return NO_TILE;
    }
    if (s == SELECT_SETS) {
      counted = sum;
      far -= GROUP_SIZE;
    } else if (looked < looks) {
      pause_for(looked == 1 ? FIRST_PAUSE : NEXT_PAUSE);
      ++looked;
    } else {
      return look.missing[s];
    }
  }
}
#endif

#endif
