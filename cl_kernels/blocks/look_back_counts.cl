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

// One lane set looks, at LOOK_ROWS messages for each lane at a time; the others would only take its instructions' turns.
#define LOOK_TILES (LOOK_ROWS * LANES)
#ifdef LANES_NEED_EXCHANGE
#define LOOK_ROWS 2
#define IN_FIRST_SET  // they exchange behind barriers, which all must reach
#else
#define LOOK_ROWS 4
#define IN_FIRST_SET if (own_set_anew() == 0)
#endif

// What it has found: a row that has a message which counts all (`is`), or before that a missing one (LOOK_ROWS + `is`), or
// 2 * LOOK_ROWS where there is neither; what the tiles behind that count; of each row the count of all, and the tile missing.
typedef struct {
  __local uint *is, *sum, *missing;
  __local ulong *all;
} look_memory;
#define LOOK_MEMORY(name)                   \
  look_memory name;                         \
  __local ulong name##_all[LOOK_ROWS];      \
  __local uint name##_missing[LOOK_ROWS];   \
  __local uint name##_is[1];                \
  __local uint name##_sum[1];               \
  name.all = name##_all;                    \
  name.missing = name##_missing;            \
  name.is = name##_is;                      \
  name.sum = name##_sum

// Looks once at the LOOK_TILES tiles before `far`, the nearest first: in a row that of the first lane.
INLINE void look_at(__global ulong *messages, uint far, uint call, look_memory look, select_memory memory) {
  const uint id = own_id_anew();
  const uint lane = id % LANES;
  ulong counts[LOOK_ROWS];
  bool counts_all[LOOK_ROWS], missing[LOOK_ROWS];
  UNROLL
  for (uint r = 0; r < LOOK_ROWS; ++r) {
    counts[r] = 0;
    counts_all[r] = missing[r] = false;
    if (r * LANES + lane < far)
      missing[r] = !read_count(messages, far - 1 - r * LANES - lane, call, &counts[r], &counts_all[r]);
  }
  uint is = 2 * LOOK_ROWS, sum = 0;  // in the last lane
  UNROLL
  for (uint r = 0; r < LOOK_ROWS; ++r) {
    // Of the lanes up to each one: in the lower half those that count all, in the upper those that have nothing.
    const uint marks = LANES_SUMS((counts_all[r] ? 1u : 0u) | (missing[r] ? 1u << 16 : 0u), memory.exchange);
    const bool goes_in = !counts_all[r] && (marks & 0xffff) == 0;
    const uint sum_of_row = LANES_SUMS(goes_in ? (uint)counts[r] : 0, memory.exchange);
    if (id < LANES && counts_all[r] && (marks & 0xffff) == 1) look.all[r] = counts[r];
    if (id < LANES && missing[r] && marks >> 16 == 1) look.missing[r] = far - 1 - r * LANES - lane;
    // One that is missing behind what counts all comes soon: whoever counted all has seen it.
    if (is == 2 * LOOK_ROWS) {
      sum += sum_of_row;
      if (marks >> 16 != 0)
        is = LOOK_ROWS + r;
      else if (marks != 0)
        is = r;
    }
  }
  if (id == LANES - 1) {
    *look.is = is;
    *look.sum = sum;
  }
}

// The same by a group. The result is the same in all work-items. All must call.
INLINE uint look_back(ulong *before, __global ulong *messages, uint tile, uint call, uint looks, look_memory look,
                      select_memory memory) {
  ulong counted = 0;  // of the tiles from `far` on
  uint looked = 1;
  for (uint far = tile;;) {
    GROUP_BARRIER();
    IN_FIRST_SET look_at(messages, far, call, look, memory);
    GROUP_BARRIER();
    const uint is = *look.is;
    if (is < LOOK_ROWS) {
      *before = counted + *look.sum + look.all[is];
      return NO_TILE;
    }
    if (is == 2 * LOOK_ROWS) {
      counted += *look.sum;
      far -= LOOK_TILES;
    } else if (looked < looks) {
      pause_for(looked == 1 ? FIRST_PAUSE : NEXT_PAUSE);
      ++looked;
    } else {
      return look.missing[is - LOOK_ROWS];
    }
  }
}
#endif

#endif
