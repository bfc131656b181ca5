// reduce: folds n elements into one. Plan and arguments: lib/primitives/reduce_plan.cpp; order: fold.cl.
//
// Workspace: counters, then the results of the first level (one a tile), of the second, and so on, each level in a place
// of its own.
// One launch: each group folds a stretch of neighbouring tiles. The results are cut into parts of whole
// second-level tiles; the last group to finish a tile of a part folds that part, so that many groups share
// the second level; the last to fold a part folds all levels above. Two launches: `reduce` leaves the results of
// the first level, `reduce_levels` (one group) does the rest.
// An input of one tile: `reduce_tile`, which needs no workspace and is short. Where a call takes 2 us, fetching the
// code of the others is much of it.
#ifdef PRIMITIVE_REDUCE

#define REDUCE_COUNTERS(workspace) ((__global uint *)((workspace) + COUNTER_AT))
#define REDUCE_RESULTS(workspace) ((__global FOLDED *)((workspace) + OWN_AT))
// The place of the results above `count` others.
#define REDUCE_ABOVE(results, count) ((results) + ((count) + 255) / 256 * 256)

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

// Where the result goes: element `out_offset` of `out`, or where HOST_ADDRESS is defined and `host` is not 0, that
// address of page-locked host memory.
#ifdef HOST_ADDRESS
#define REDUCE_OUTPUT __global ACC *out, ulong out_offset, ulong host
#define REDUCE_TARGET (host != 0 ? (__global ACC *)host : out + out_offset)
#else
#define REDUCE_OUTPUT __global ACC *out, ulong out_offset
#define REDUCE_TARGET (out + out_offset)
#endif

#ifdef INDEXED_VALUE
// The first place of `result` (work-item 0's) among the n elements: from the top level downwards the first element of
// the level that has it, then the first of that one's tile. `results` are the first level's, and those of the others
// behind them; `one_tile` is true, literally, where there are none. All work-items must call and get the place.
INLINE ulong reduce_locate(FOLDED result, bool one_tile, fold_input in, ulong n, const __global FOLDED *results,
                           fold_memory memory) {
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
      from = below == 0 ? results : REDUCE_ABOVE(from, count);
      count = reduce_tiles(count);
    }
    first *= FOLD_TILE;
    first = locate(result, in, from, first, min(first + FOLD_TILE, count), memory);
  }
  return first;
}
#endif

// Leaves work-item 0's `result` of all n elements at `target`. The first level's results are at `results`; `one_tile`
// is true, literally, where there are none. All work-items of a group must call.
INLINE void reduce_leave(FOLDED result, bool one_tile, __global ACC *target, fold_input in, ulong n,
                         const __global FOLDED *results, fold_memory memory) {
#ifdef INDEXED_VALUE
  const ulong first = reduce_locate(result, one_tile, in, n, results, memory);
  if (get_local_id(0) == 0) target[0] = canonical((ACC){lift_at(in, first, 0), first});
#else
  if (get_local_id(0) == 0) target[0] = canonical(result);
#endif
}

// Global size: groups * GROUP_SIZE, at most one group a unit. 1 <= n, and at most 2^31 tiles. All counters are 0 before and
// after. share = units / groups.
KERNEL void reduce(REDUCE_INPUT, ulong n, uint share, REDUCE_OUTPUT, __global uchar *workspace) {
  FOLD_MEMORY(memory);
  const fold_input in = REDUCE_FROM;
  const uint tiles = reduce_tiles(n);
  const uint groups = get_num_groups(0);
  const dealing dealt = {share, (tiles + FOLD_TEAMS - 1) / FOLD_TEAMS - share * groups};
  uint begin = reduce_first_tile(dealt, get_group_id(0));
  uint end = min(reduce_first_tile(dealt, get_group_id(0) + 1), tiles);
  __global FOLDED *to = REDUCE_RESULTS(workspace);

#if GROUP_ORDER == ORDER_TWO_LAUNCHES
  const FOLDED result = fold_tiles(true, in, to, n, begin, end, to, memory);
  if (tiles == 1) reduce_leave(result, true, REDUCE_TARGET, in, n, 0, memory);
#else
  __local uint flag;
  __global uint *counters = REDUCE_COUNTERS(workspace);
  // Parts of the first level's results: whole second-level tiles, as many parts as there are counters. Most
  // inputs have one, and are spared the divisions.
  const uint second_tiles = reduce_tiles(tiles);
  uint part_span = 1, parts = 1, part = 0, last_part = 0;
  if (second_tiles > 1) {
    part_span = SAME_IN_LANES((second_tiles + COUNTERS - 2) / (COUNTERS - 1));
    parts = SAME_IN_LANES((second_tiles + part_span - 1) / part_span);
    part = SAME_IN_LANES(begin / (part_span * FOLD_TILE));
    last_part = SAME_IN_LANES((end - 1) / (part_span * FOLD_TILE));
  }

  const __global FOLDED *from = to;
  ulong count = n;
  uint level = 1;
#ifdef LANES_NEED_EXCHANGE
  // One call for all levels: a CPU's compiler takes seconds over each place where lanes are emulated.
  bool folds = true;
  FOLDED result;
#define REDUCE_LIFTS (level == 1)
#else
  // The first level apart, so that the registers of the others do not narrow it.
  bool folds = false;
  FOLDED result = fold_tiles(true, in, from, count, begin, end, to, memory);
  if (tiles == 1) {
    reduce_leave(result, true, REDUCE_TARGET, in, n, 0, memory);
    return;
  }
#define REDUCE_LIFTS false
#endif
  while (true) {
    if (folds) result = fold_tiles(REDUCE_LIFTS, in, from, count, begin, end, to, memory);
    // Who must arrive before the next level: at the end of the first, every group that has a tile of the part; at the
    // end of the second, whoever folds a part. The last of those goes on alone.
    uint expected = level == 1 ? groups : level == 2 ? parts : 1;
    __global uint *counter = counters;
    if (level == 1 && parts > 1) {
      const uint part_tiles = part_span * FOLD_TILE;
      const uint part_end = min((part + 1) * part_tiles, tiles);
      expected = reduce_group_of(dealt, part_end - 1) - reduce_group_of(dealt, part * part_tiles) + 1;
      counter = counters + 1 + part;
    }
    if (arrives_last(counter, expected, &flag)) {
      // One level up: its elements are the results of this one.
      count = reduce_tiles(count);
      if (count == 1) break;
      from = to;
      to = REDUCE_ABOVE(to, count);
      begin = level == 1 ? part * part_span : 0;
      end = level == 1 ? min(begin + part_span, second_tiles) : reduce_tiles(count);
      folds = true;
      ++level;
    } else {
      // Another group goes on with this part; this one may be needed for its next.
      if (part == last_part) return;
      ++part;
      folds = false;
      level = 1;
      count = n;
      to = REDUCE_RESULTS(workspace);
    }
  }
  reduce_leave(result, false, REDUCE_TARGET, in, n, REDUCE_RESULTS(workspace), memory);
#endif
}

#if GROUP_SIZE > 1 && !defined(LANES_NEED_EXCHANGE)
// One group. 1 <= n <= FOLD_TILE.
KERNEL void reduce_tile(REDUCE_INPUT, uint n, REDUCE_OUTPUT) {
  FOLD_MEMORY(memory);
  const fold_input in = REDUCE_FROM;
  reduce_leave(fold_tile(in, n, memory), true, REDUCE_TARGET, in, n, 0, memory);
}
#endif

#if GROUP_ORDER == ORDER_TWO_LAUNCHES
// The levels above the first, of an input of more than one tile. One group.
KERNEL void reduce_levels(REDUCE_INPUT, ulong n, REDUCE_OUTPUT, __global uchar *workspace) {
  FOLD_MEMORY(memory);
  const fold_input in = REDUCE_FROM;
  __global FOLDED *results = REDUCE_RESULTS(workspace);
  __global FOLDED *from = results;
  for (uint count = reduce_tiles(n); count > 1; count = reduce_tiles(count)) {
    __global FOLDED *to = REDUCE_ABOVE(from, count);
    fold_tiles(false, in, from, count, 0, reduce_tiles(count), to, memory);
    from = to;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  reduce_leave(from[0], false, REDUCE_TARGET, in, n, results, memory);
}
#endif

// The identity of a user's operator, which only the device's compiler can read.
#ifdef IDENTITY_TEXT
static inline ACC reduce_identity_value(void) { return TO_ACC(IDENTITY_TEXT); }
__kernel void reduce_identity(__global ACC *out, ulong out_offset) { out[out_offset] = reduce_identity_value(); }
#endif

#endif  // PRIMITIVE_REDUCE
