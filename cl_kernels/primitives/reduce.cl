// reduce: folds n elements into one. Plan and arguments: lib/primitives/reduce.cpp; order: fold.cl.
//
// Workspace: counters, then the results of the first level (one a tile), of the second, and so on, each level in a place
// of its own.
// One launch: each group folds a stretch of neighbouring tiles. The results are cut into parts of whole
// second-level tiles; the last group to finish a tile of a part folds that part, so that many groups share
// the second level; the last to fold a part folds all levels above. Two launches: `reduce` leaves the results of
// the first level, `reduce_levels` (one group) does the rest.
// An input of one tile: `reduce_tile`, which needs no workspace and is short. Where a call takes 2 us, fetching the
// code of the others is much of it. It is alone in its program (ONE_TILE), for a compiler takes less than half as long
// over it as over the others.
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
#ifdef HOST_ADDRESS
#define HOST_ARGUMENT , ulong host
#define REDUCE_TO(type, out) (host != 0 ? (__global type *)host : (out))
#else
#define HOST_ARGUMENT
#define REDUCE_TO(type, out) (out)
#endif
#define REDUCE_OUTPUT __global ACC *out, ulong out_offset HOST_ARGUMENT
#define REDUCE_TARGET REDUCE_TO(ACC, out + out_offset)

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
#endif

// A start value is combined with the fold of all elements, before it.
#ifdef STARTED
#define REDUCE_START_ARGUMENT , ACC start
#define WITH_REDUCE_START , start
#else
#define REDUCE_START_ARGUMENT
#define WITH_REDUCE_START
#endif

// Leaves work-item 0's `result` of all n elements at `target`. The first level's results are at `results`; `one_tile`
// is true, literally, where there are none. All work-items of a group must call.
INLINE void reduce_leave(FOLDED result, bool one_tile, __global ACC *target, fold_input in, ulong n,
                         const __global FOLDED *results, fold_memory memory REDUCE_START_ARGUMENT, named_values given) {
#if defined(INDEXED_VALUE)
  const ulong first = reduce_locate(result, one_tile, in, n, results, memory, given);
  if (get_local_id(0) == 0) target[0] = canonical((ACC){lift_at(in, first, 0, given), first});
#elif defined(STARTED)
  if (get_local_id(0) == 0) target[0] = canonical(combine(start, result, given));
#else
  if (get_local_id(0) == 0) target[0] = canonical(result);
#endif
}

#ifdef COUNTED_BY
// Where there are no elements the first work-item leaves what that gives: the start value, a value of the host's, or of the
// user's text. Groups for which there are no tiles return.
#ifdef STARTED
#define REDUCE_NONE_ARGUMENT
#define REDUCE_NONE start
#elif defined(IDENTITY_TEXT)
#define REDUCE_NONE_ARGUMENT
#define REDUCE_NONE TO_ACC(IDENTITY_TEXT)
#else
#define REDUCE_NONE_ARGUMENT , ACC none
#define REDUCE_NONE none
#endif
#define RETURN_NONE                                     \
  if (n == 0) {                                         \
    if (get_global_id(0) == 0) *REDUCE_TARGET = REDUCE_NONE; \
    return;                                             \
  }
#define GROUPS_PARAMETER , uint groups
#define WITH_GROUPS , groups
#define REDUCE_GROUPS groups
#else
#define REDUCE_NONE_ARGUMENT
#define RETURN_NONE
#define GROUPS_PARAMETER
#define WITH_GROUPS
#define REDUCE_GROUPS get_num_groups(0)
#endif

#ifdef PIECE
// Leaves the results of the tiles of an input of which this one is a piece, one each from element `tiles_offset` of
// `tiles` on, or where `host` is not 0 from that address on. `index` is that of the piece's first element in the whole
// input, a multiple of FOLD_TILE. Global size, n and share are those of `reduce`.
KERNEL void reduce_piece(REDUCE_INPUT, ulong index, ulong n, uint share, __global FOLDED *tiles,
                         ulong tiles_offset HOST_ARGUMENT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  FOLD_MEMORY(memory);
  fold_input in = REDUCE_FROM;
  in.index = index;
  const uint count = reduce_tiles(n);
  const dealing dealt = {share, (count + FOLD_TEAMS - 1) / FOLD_TEAMS - share * get_num_groups(0)};
  const uint begin = reduce_first_tile(dealt, get_group_id(0));
  const uint end = min(reduce_first_tile(dealt, get_group_id(0) + 1), count);
  fold_tiles(true, in, 0, n, begin, end, REDUCE_TO(FOLDED, tiles + tiles_offset), memory, given);
}

#elif defined(ONE_TILE)
// One group. 1 <= n <= FOLD_TILE, or 0 where it is counted.
KERNEL void reduce_tile(REDUCE_INPUT, ELEMENTS_ARGUMENT_OF(uint),
                        REDUCE_OUTPUT REDUCE_START_ARGUMENT REDUCE_NONE_ARGUMENT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS_OF(uint)
  RETURN_NONE
  FOLD_MEMORY(memory);
  const fold_input in = REDUCE_FROM;
  reduce_leave(fold_tile(in, n, memory, given), true, REDUCE_TARGET, in, n, 0, memory WITH_REDUCE_START, given);
  MEET_AT_END
}

#else
#ifndef ORDER_TWO_LAUNCHES
// The parts of the first level's results: `span` tiles of the second level each, `count` of them, at most one for each
// counter; and those that a group's tiles reach from and to.
typedef struct {
  uint span, count, first, last;
} reduce_parts;

// Those of a group that folds the tiles from `begin` to before `end`. Most inputs have one part, and are spared the
// divisions.
INLINE reduce_parts reduce_cut(uint second_tiles, uint begin, uint end) {
  reduce_parts parts = {1, 1, 0, 0};
  if (second_tiles > 1) {
    parts.span = SAME_IN_LANES((second_tiles + COUNTERS - 2) / (COUNTERS - 1));
    parts.count = SAME_IN_LANES((second_tiles + parts.span - 1) / parts.span);
    parts.first = SAME_IN_LANES(begin / (parts.span * FOLD_TILE));
    parts.last = SAME_IN_LANES((end - 1) / (parts.span * FOLD_TILE));
  }
  return parts;
}

// What a group folds: tiles of a level, from `begin` to before `end`. The level has `count` elements at `from` (above
// the first level, whose elements are the input's; of that, too, where they are alike), and its results go to `to`.
typedef struct {
  uint level;
  const __global FOLDED *from;
  __global FOLDED *to;
  ulong count;
  uint begin, end;
} reduce_stretch;

// A barrier of the group. Whether it is the last to arrive at the end of a level, and goes on alone: of the first level,
// among the groups that have a tile of `part`; of the second, among those that fold a part. All work-items must call.
INLINE bool reduce_arrives_last(uint level, reduce_parts parts, uint part, dealing dealt, uint tiles,
                                __global uint *counters, __local uint *flag GROUPS_PARAMETER) {
  uint expected = level == 1 ? REDUCE_GROUPS : level == 2 ? parts.count : 1;
  __global uint *counter = counters;
  if (level == 1 && parts.count > 1) {
    const uint part_tiles = parts.span * FOLD_TILE;
    const uint part_end = min((part + 1) * part_tiles, tiles);
    expected = reduce_group_of(dealt, part_end - 1) - reduce_group_of(dealt, part * part_tiles) + 1;
    counter = counters + 1 + part;
  }
  return arrives_last(counter, expected, flag);
}

// One level up, whose elements are the results of this one: of the second level `part`, of those above all. False where
// this one has one result, which is the input's.
INLINE bool reduce_climb(reduce_stretch *at, reduce_parts parts, uint part, uint second_tiles) {
  at->count = reduce_tiles(at->count);
  if (at->count == 1) return false;
  at->from = at->to;
  at->to += reduce_above(at->count);
  at->begin = at->level == 1 ? part * parts.span : 0;
  at->end = at->level == 1 ? min(at->begin + parts.span, second_tiles) : reduce_tiles(at->count);
  ++at->level;
  return true;
}
#endif

// Global size: groups * GROUP_SIZE, at most one group a unit. 1 <= n, or 0 where it is counted, and at most 2^31 tiles. All
// counters are 0 before and after. share = units / groups.
KERNEL void reduce(REDUCE_INPUT, ELEMENTS_ARGUMENT, uint share, REDUCE_OUTPUT,
                   __global uchar *workspace REDUCE_START_ARGUMENT REDUCE_NONE_ARGUMENT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  RETURN_NONE
  FOLD_MEMORY(memory);
  const fold_input in = REDUCE_FROM;
  const uint tiles = reduce_tiles(n);
#ifdef COUNTED_BY
  const uint units = (tiles + FOLD_TEAMS - 1) / FOLD_TEAMS, groups = min((uint)get_num_groups(0), units);
  RETURN_BEHIND(get_group_id(0), groups)
  share = units / groups;
#else
  const uint groups = get_num_groups(0);
#endif
  const dealing dealt = {share, (tiles + FOLD_TEAMS - 1) / FOLD_TEAMS - share * groups};
  const uint begin = reduce_first_tile(dealt, get_group_id(0));
  const uint end = min(reduce_first_tile(dealt, get_group_id(0) + 1), tiles);
  __global FOLDED *results = reduce_results(workspace);

#ifdef ORDER_TWO_LAUNCHES
  const FOLDED result = fold_tiles(true, in, results, n, begin, end, results, memory, given);
  if (tiles == 1) reduce_leave(result, true, REDUCE_TARGET, in, n, 0, memory WITH_REDUCE_START, given);
#else
  __local uint flag;
  const uint second_tiles = reduce_tiles(tiles);
  const reduce_parts parts = reduce_cut(second_tiles, begin, end);
#ifdef RESULTS_AS_ELEMENTS
  // One call for all levels: a compiler takes half as long over it.
  reduce_stretch at = {1, (const __global FOLDED *)in.x, results, n, begin, end};
  bool folds = true;
  FOLDED result;
#elif defined(LANES_NEED_EXCHANGE)
  // Here, too: a CPU's compiler takes seconds over each place where lanes are emulated.
  reduce_stretch at = {1, results, results, n, begin, end};
  const bool lifts_in_loop = true;
  bool folds = true;
  FOLDED result;
#else
  reduce_stretch at = {1, results, results, n, begin, end};
  // The first level apart, so that the registers of the others do not narrow it.
  const bool lifts_in_loop = false;
  bool folds = false;
  FOLDED result = fold_tiles(true, in, at.from, n, begin, end, at.to, memory, given);
  if (tiles == 1) {
    reduce_leave(result, true, REDUCE_TARGET, in, n, 0, memory WITH_REDUCE_START, given);
    return;
  }
#endif
  uint part = parts.first;
  while (true) {
#ifdef RESULTS_AS_ELEMENTS
    const fold_input level_in = {(const __global STORED *)at.from};
    if (folds) result = fold_tiles(true, level_in, 0, at.count, at.begin, at.end, at.to, memory, given);
#else
    if (folds) result = fold_tiles(lifts_in_loop && at.level == 1, in, at.from, at.count, at.begin, at.end, at.to, memory, given);
#endif
    folds = reduce_arrives_last(at.level, parts, part, dealt, tiles, reduce_counters(workspace), &flag WITH_GROUPS);
    if (folds) {
      if (!reduce_climb(&at, parts, part, second_tiles)) break;
    } else {
      // Another group goes on with this part; this one may be needed for its next.
      if (part == parts.last) return;
      ++part;
      at.level = 1;
      at.count = n;
      at.to = results;
    }
  }
  reduce_leave(result, false, REDUCE_TARGET, in, n, results, memory WITH_REDUCE_START, given);
#endif
  MEET_AT_END
}

#ifdef ORDER_TWO_LAUNCHES
// The levels above the first, of an input of more than one tile. One group.
KERNEL void reduce_levels(REDUCE_INPUT, ELEMENTS_ARGUMENT, REDUCE_OUTPUT,
                          __global uchar *workspace REDUCE_START_ARGUMENT REDUCE_NONE_ARGUMENT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  RETURN_BEHIND(1, reduce_tiles(n))
  FOLD_MEMORY(memory);
  const fold_input in = REDUCE_FROM;
  __global FOLDED *results = reduce_results(workspace);
  __global FOLDED *from = results;
  for (uint count = reduce_tiles(n); count > 1; count = reduce_tiles(count)) {
    __global FOLDED *to = from + reduce_above(count);
#ifdef RESULTS_AS_ELEMENTS
    const fold_input level_in = {(const __global STORED *)from};
    fold_tiles(true, level_in, 0, count, 0, reduce_tiles(count), to, memory, given);
#else
    fold_tiles(false, in, from, count, 0, reduce_tiles(count), to, memory, given);
#endif
    from = to;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  reduce_leave(from[0], false, REDUCE_TARGET, in, n, results, memory WITH_REDUCE_START, given);
  MEET_AT_END
}
#endif

// The identity of a user's operator, which only the device's compiler can read.
#ifdef IDENTITY_TEXT
static inline ACC reduce_identity_value(named_values given) { return TO_ACC(IDENTITY_TEXT); }
__kernel void reduce_identity(__global ACC *out, ulong out_offset VALUES_ARGUMENTS) {
  COLLECT_VALUES
  out[out_offset] = reduce_identity_value(given);
}
#endif
#endif  // PIECE, ONE_TILE
