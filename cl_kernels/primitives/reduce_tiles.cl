// Reductions in one launch or two (reduce.cl).

// What a group folds of the first level: of all `tiles` those from `begin` to before `end`, as they are dealt to `groups`. Where
// the number of elements is counted, groups for which there are no tiles have none.
typedef struct {
  uint tiles, begin, end, groups;
  dealing dealt;
} reduce_own;

INLINE reduce_own reduce_own_tiles(ulong n, uint share) {
  reduce_own own;
  own.tiles = reduce_tiles(n);
  const uint units = (own.tiles + FOLD_TEAMS - 1) / FOLD_TEAMS;
  own.groups = get_num_groups(0);
  if (IS_COUNTED) {
    own.groups = min(own.groups, units);
    share = units / own.groups;
  }
  own.dealt.each = share;
  own.dealt.longer = units - share * own.groups;
  own.begin = reduce_first_tile(own.dealt, get_group_id(0));
  own.end = min(reduce_first_tile(own.dealt, get_group_id(0) + 1), own.tiles);
  return own;
}

#ifdef ORDER_TWO_LAUNCHES
// Global size: groups * GROUP_SIZE, at most one group a unit. 1 <= n, or 0 where it is counted, and at most 2^31 tiles.
// share = units / groups.
KERNEL void reduce(REDUCE_INPUT, ELEMENTS_ARGUMENT, uint share, __global ACC *out, ulong out_offset,
                   __global uchar *workspace REDUCE_START VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_START
  COLLECT_ELEMENTS
  if (IS_COUNTED && n == 0) {
    reduce_leave_none(out + out_offset, start, given);
    return;
  }
  FOLD_MEMORY(memory);
  const fold_input in = REDUCE_FROM;
  const reduce_own own = reduce_own_tiles(n, share);
  RETURN_BEHIND(get_group_id(0), own.groups)
  __global FOLDED *results = reduce_results(workspace);
  const FOLDED result = fold_tiles(true, in, results, n, own.begin, own.end, results, memory, given);
  if (own.tiles == 1) reduce_leave(result, true, out + out_offset, in, n, 0, memory, start, given);
  MEET_AT_END
}

// The levels above the first, of an input of more than one tile. One group.
KERNEL void reduce_levels(REDUCE_INPUT, ELEMENTS_ARGUMENT, __global ACC *out, ulong out_offset,
                          __global uchar *workspace REDUCE_START VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_START
  COLLECT_ELEMENTS
  RETURN_BEHIND(1, reduce_tiles(n))
  FOLD_MEMORY(memory);
  const fold_input in = REDUCE_FROM;
  __global FOLDED *results = reduce_results(workspace);
  __global FOLDED *from = results;
  for (uint count = reduce_tiles(n); count > 1; count = reduce_tiles(count)) {
    __global FOLDED *to = from + reduce_above(count);
    const fold_input level_in = {(const __global STORED *)from};
    fold_tiles(IS_ON(RESULTS_AS_ELEMENTS), IS_ON(RESULTS_AS_ELEMENTS) ? level_in : in, from, count, 0, reduce_tiles(count), to,
               memory, given);
    from = to;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  reduce_leave(from[0], false, out + out_offset, in, n, results, memory, start, given);
  MEET_AT_END
}

#else
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
                                uint groups, __global uint *counters, __local uint *flag) {
  uint expected = level == 1 ? groups : level == 2 ? parts.count : 1;
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

// Global size: groups * GROUP_SIZE, at most one group a unit. 1 <= n, or 0 where it is counted, and at most 2^31 tiles. All
// counters are 0 before and after. share = units / groups.
// One loop goes over all levels if results are elements, because a compiler takes half as long over it; and if lanes are
// emulated, because a CPU's compiler takes seconds over each place where they are. Otherwise the first level has a loop of its
// own, so that it is not limited by the registers of the others.
enum { REDUCE_IN_ONE_LOOP = IS_ON(RESULTS_AS_ELEMENTS) | IS_ON(LANES_NEED_EXCHANGE) };
KERNEL void reduce(REDUCE_INPUT, ELEMENTS_ARGUMENT, uint share, __global ACC *out, ulong out_offset, ulong host,
                   __global uchar *workspace REDUCE_START VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_START
  COLLECT_ELEMENTS
  if (IS_COUNTED && n == 0) {
    reduce_leave_none(reduce_to(out + out_offset, host), start, given);
    return;
  }
  FOLD_MEMORY(memory);
  const fold_input in = REDUCE_FROM;
  const reduce_own own = reduce_own_tiles(n, share);
  RETURN_BEHIND(get_group_id(0), own.groups)
  __global FOLDED *results = reduce_results(workspace);
  __local uint flag;
  const uint second_tiles = reduce_tiles(own.tiles);
  const reduce_parts parts = reduce_cut(second_tiles, own.begin, own.end);
  reduce_stretch at = {1, IS_ON(RESULTS_AS_ELEMENTS) ? (const __global FOLDED *)in.x : results, results, n, own.begin, own.end};
  bool folds = REDUCE_IN_ONE_LOOP;
  FOLDED result;
  if (!REDUCE_IN_ONE_LOOP) {
    result = fold_tiles(true, in, at.from, n, own.begin, own.end, at.to, memory, given);
    if (own.tiles == 1) {
      reduce_leave(result, true, reduce_to(out + out_offset, host), in, n, 0, memory, start, given);
      return;
    }
  }
  uint part = parts.first;
  while (true) {
    if (folds) {
      if (IS_ON(RESULTS_AS_ELEMENTS)) {
        const fold_input level_in = {(const __global STORED *)at.from};
        result = fold_tiles(true, level_in, 0, at.count, at.begin, at.end, at.to, memory, given);
      } else {
        result =
            fold_tiles(REDUCE_IN_ONE_LOOP && at.level == 1, in, at.from, at.count, at.begin, at.end, at.to, memory, given);
      }
    }
    folds = reduce_arrives_last(at.level, parts, part, own.dealt, own.tiles, own.groups, reduce_counters(workspace), &flag);
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
  reduce_leave(result, false, reduce_to(out + out_offset, host), in, n, results, memory, start, given);
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
