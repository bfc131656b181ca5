// reduce: folds n elements into one. Plan and arguments: lib/primitives/reduce.cpp; order: fold.cl.
//
// Workspace: counters, then the results of the first level (one a tile), of the second, and so on, each level in a place
// of its own.
// One launch: each group folds a stretch of neighbouring tiles. The results are cut into parts of whole
// second-level tiles; the last group to finish a tile of a part folds that part, so that many groups share
// the second level; the last to fold a part folds all levels above. Two launches: `reduce` leaves the results of
// the first level, `reduce_levels` (one group) does the rest.
// An input of one tile: `reduce_tile`, which needs no workspace and is short. Where a call takes 2 us, fetching the
// code of the others is much of it. It is alone in its program, because a compiler takes less than half as long over it as over
// the others.
// A piece of a longer input (PIECE): `reduce_piece`, alone in its program too, leaves the results of the piece's tiles, and
// the levels above are folded where the results of all pieces are (lib/distributed/reduce_sharded.cpp).
// (Reductions of a group: Harris, "Optimizing Parallel Reduction in CUDA", 2007.)

static inline __global uint *reduce_counters(__global uchar *workspace) { return (__global uint *)(workspace + COUNTER_AT); }
static inline __global FOLDED *reduce_results(__global uchar *workspace) { return (__global FOLDED *)(workspace + OWN_AT); }
// Where the results above `count` others begin, behind these.
static inline ulong reduce_above(ulong count) { return (count + 255) / 256 * 256; }

static inline uint reduce_tiles(ulong n) {
  return SAME_IN_LANES((uint)((n + FOLD_TILE - 1) / FOLD_TILE));
}

#ifdef TWO_INPUTS
#define REDUCE_INPUT \
  const __global STORED *restrict x, ulong x_offset, const __global STORED *restrict y, ulong y_offset
#define REDUCE_FROM {x + x_offset, y + y_offset}
#else
#define REDUCE_INPUT const __global STORED *restrict x, ulong x_offset
#define REDUCE_FROM {x + x_offset}
#endif

// The tiles of the first level are dealt out by units of FOLD_TEAMS.
static inline uint reduce_first_tile(dealing dealt, uint group) {
  return SHARE_BEGIN(group, dealt.each, dealt.longer) * FOLD_TEAMS;
}

static inline uint reduce_group_of(dealing dealt, uint tile) { return group_of_unit(dealt, tile / FOLD_TEAMS); }

// Where results go: to `out`, or where HOST_ADDRESS is defined and `host` is not 0, to that address of page-locked
// host memory.
static inline __global void *reduce_to(__global void *out, ulong host) {
  return IS_ON(HOST_ADDRESS) && host != 0 ? (__global void *)host : out;
}

// The start value, which is combined with the fold of all elements, before it. Where there is none, and only the device knows
// how many elements there are: what no elements give, unless a text of the user's says it.
#if defined(STARTED) || (defined(COUNTED_BY) && !defined(IDENTITY_TEXT))
#define REDUCE_START , ACC start
#define COLLECT_START
#else
#define REDUCE_START
#define COLLECT_START            \
  union {                        \
    uint zero;                   \
    ACC value;                   \
  } absent = {0};                \
  const ACC start = absent.value;
#endif

#ifdef INDEXED_VALUE
// The first place of `result` (work-item 0's) among the n elements: from the top level downwards the first element of
// the level that has it, then the first of that one's tile. `results` are the first level's, and those of the others
// behind them; `one_tile` is true, literally, where there are none. All work-items must call and get the place.
INLINE ulong reduce_locate(FOLDED result, bool one_tile, fold_input in, ulong n, const __global FOLDED *results,
                           fold_memory memory, named_values given) {
  uint level = 1;
  if (!one_tile) {
    for (uint count = reduce_tiles(n); count > 1; count = reduce_tiles(count)) ++level;
  }
  ulong first = 0;
  while (level-- > 0) {
    // What the level folds: the input, or the `count` results of the level below.
    const __global FOLDED *from = 0;
    ulong count = n;
    for (uint below = 0; !one_tile && below < level; ++below) {
      from = below == 0 ? results : from + reduce_above(count);
      count = reduce_tiles(count);
    }
    first *= FOLD_TILE;
    first = locate(result, in, from, first, min(first + FOLD_TILE, count), memory, given);
  }
  return first;
}
// Leaves work-item 0's `result` of all n elements at `target`. The first level's results are at `results`; `one_tile`
// is true, literally, where there are none. All work-items of a group must call.
INLINE void reduce_leave(FOLDED result, bool one_tile, __global ACC *target, fold_input in, ulong n,
                         const __global FOLDED *results, fold_memory memory, ACC start, named_values given) {
  const ulong first = reduce_locate(result, one_tile, in, n, results, memory, given);
  if (get_local_id(0) == 0) target[0] = canonical((ACC){lift_at(in, first, 0, given), first});
}
#else
// Leaves work-item 0's `result` of all n elements at `target`.
INLINE void reduce_leave(FOLDED result, bool one_tile, __global ACC *target, fold_input in, ulong n,
                         const __global FOLDED *results, fold_memory memory, ACC start, named_values given) {
  if (get_local_id(0) == 0) target[0] = canonical(IS_ON(STARTED) ? combine(start, result, given) : result);
}
#endif

// Where there are no elements the first work-item leaves what that gives: the start value, a value of the host's, or of the
// user's text.
static inline void reduce_leave_none(__global ACC *target, ACC start, named_values given) {
#if defined(IDENTITY_TEXT) && !defined(STARTED)
  start = TO_ACC(IDENTITY_TEXT);
#endif
  if (get_global_id(0) == 0) *target = start;
}
