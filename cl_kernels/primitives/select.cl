// select and what finds runs by it: the elements that a predicate, a flag or the element before them keeps, side by side in
// their order. Plans and arguments: lib/primitives/select.cpp, reduce_by_key.cpp and scan_by_key.cpp.
//
// Of runs of equal neighbours, which the element before decides, what goes with each kept one is stored, too: the value of
// a key, the run's length, where it begins, or the fold of all its values. The group that holds the head of the next run
// stores a run's length or fold.
//
// In one pass: a group loads its tile, posts how many of its elements are kept, puts these side by side in local memory,
// looks back for how many the tiles before it keep, and stores them; and, where the others have an output of their own,
// those, behind all that the tiles before it do not keep. Where groups cannot send messages, three launches: counts of all
// tiles, their sums, results.
//
// A partition into three outputs has two counts of each tile, and messages have both: select_three.cl.
//
// A partition into one output must know how many are kept in all before it stores the first of the others. Two launches, and
// no messages: groups count a share of the tiles each; then each stores a tile. Of few tiles, whose groups run together, one
// pass: a group looks back for what all tiles keep, too.

// A launch has one tile at least: where the count on the device is 0, its group stores that nothing is kept.
static inline uint select_tiles(ulong end) {
#ifdef COUNTED_BY
  end = max(end, (ulong)1);
#endif
  return (uint)((end + SELECT_TILE - 1) / SELECT_TILE);
}

// Where results go, at most `capacity` of each kind: as kernels take it, and as they hand it on.
#ifdef CARRIED
#define SECOND_ARGUMENTS \
  , const __global CARRIED *values, ulong values_offset, __global CARRIED *values_out, ulong values_out_offset
#define SECOND_PARAMETERS , const __global CARRIED *values, __global CARRIED *values_out
#define WITH_SECOND , values + values_offset - head, values_out + values_out_offset
#elif defined(RUN_LENGTH)
#define SECOND_ARGUMENTS , __global RUN_LENGTH *lengths, ulong lengths_offset
#define SECOND_PARAMETERS , __global RUN_LENGTH *lengths
#define WITH_SECOND , lengths + lengths_offset
#elif defined(THREE_WAYS)
#define SECOND_ARGUMENTS                                              \
  , __global KEPT *others, ulong others_offset, ulong others_capacity, \
      __global KEPT *rest, ulong rest_offset, ulong rest_capacity
#define SECOND_PARAMETERS , __global KEPT *others, ulong others_capacity, __global KEPT *rest, ulong rest_capacity
#define WITH_SECOND , others + others_offset, others_capacity, rest + rest_offset, rest_capacity
#elif defined(OTHERS_OUT)
#define SECOND_ARGUMENTS , __global KEPT *others, ulong others_offset, ulong others_capacity
#define SECOND_PARAMETERS , __global KEPT *others, ulong others_capacity
#define WITH_SECOND , others + others_offset, others_capacity
#elif defined(FOLDS_RUNS)
#if defined(RUN_LEVELS) && defined(IN_ONE_PASS)
#define RUN_PLACES , ulong told_at, ulong results_at
#define WITH_RUN_PLACES , workspace, told_at, call, results_at
#elif defined(RUN_LEVELS)
#define RUN_PLACES , ulong list_at, ulong results_at
#define WITH_RUN_PLACES , workspace, list_at, results_at
#else
#define RUN_PLACES
#define WITH_RUN_PLACES
#endif
#define SECOND_ARGUMENTS                                                                                           \
  , const __global STORED *restrict values, ulong values_offset, __global ACC *values_out, ulong values_out_offset \
      RUN_PLACES
#define SECOND_PARAMETERS , run_folds folds
#define WITH_SECOND , folds
#define COLLECT_SECOND                                                                                          \
  RUN_MEMORY(own_runs);                                                                                         \
  const run_folds folds = {values + values_offset - head, values_out + values_out_offset WITH_RUN_PLACES};
#else
#define SECOND_ARGUMENTS
#define SECOND_PARAMETERS
#define WITH_SECOND
#endif
#ifndef COLLECT_SECOND
#define COLLECT_SECOND
#endif

// Of short runs a group loads the values while it looks back.
#ifdef FOLDS_RUNS
#define LOAD_SECOND(in, tile, count) \
  run_values held;                   \
  if (runs_are_short(count) && runs_fill(in, tile)) runs_load(&held, folds.values, tile)
#define HELD_PARAMETER , const run_values *held, run_memory own_runs
#define WITH_HELD , &held, own_runs
#else
#define LOAD_SECOND(in, tile, count)
#define HELD_PARAMETER
#define WITH_HELD
#endif
#ifdef RUN_OFFSETS
#define RESULT RUN_OFFSETS
#else
#define RESULT KEPT
#endif
#define OUTPUT_ARGUMENTS __global RESULT *out, ulong out_offset, ulong capacity SECOND_ARGUMENTS
#define OUTPUT_PARAMETERS __global RESULT *out, ulong capacity SECOND_PARAMETERS
#define OUTPUTS out + out_offset, capacity WITH_SECOND

#if defined(SPLIT) || defined(OTHERS_OUT)
#define STORES_OTHERS true

// Stores what is not kept of a tile that keeps `count`, behind the others of the tiles before it, as far as the output
// reaches. Those tiles keep `before`.
INLINE void select_give_others(__global KEPT *to, ulong capacity, select_input in, uint tile, ulong before, uint count,
                               select_memory memory) {
  const ulong begin = select_begin(in, tile), at = begin - in.head - before;
  const uint in_tile = (uint)(select_end(in, tile) - begin);
  select_store_others(to + at, memory, count, in_tile, (uint)min((ulong)(in_tile - count), capacity - min(at, capacity)));
}
#else
#define STORES_OTHERS false
#endif

// Stores what is kept of a tile, `count` elements, behind `before` others, as far as the output reaches.
INLINE void select_give(OUTPUT_PARAMETERS, select_input in, uint tile, kept_of_tiles before, uint count,
                        select_memory memory HELD_PARAMETER, named_values given) {
#if defined(THREE_WAYS)
  select_give_three(out, capacity, others, others_capacity, rest, rest_capacity, in, tile, before, count, memory, given);
#elif defined(RUN_OFFSETS)
  select_store_offsets(out, capacity, in, tile, before.count, count, memory);
#else
  const ulong room = capacity - min(before.count, capacity);
  select_store(out + before.count, memory.elements, (uint)min((ulong)count, room));
#endif
#if defined(CARRIED)
  select_store_carried(values_out + before.count, values + (ulong)tile * SELECT_TILE, memory, (uint)min((ulong)count, room));
#elif defined(RUN_LENGTH)
  select_store_lengths(lengths, capacity, in, tile, before, count, memory);
#elif defined(OTHERS_OUT)
  select_give_others(others, others_capacity, in, tile, before.count, count, memory);
#elif defined(FOLDS_RUNS)
  runs_fold(folds, capacity, in, tile, before, count, held, memory, own_runs, given);
#endif
}

#ifdef IN_ONE_PASS
#ifdef IN_ORDER_OF_START
// Where groups do not start in the order of their numbers, or a processor takes many at a time.
#define SELECT_OWN_TILE(tile, tiles)                                                        \
  __local uint number;                                                                      \
  if (own_id_anew() == 0) number = take_number((__global uint *)(workspace + COUNTER_AT), STARTED_GROUPS(tiles)); \
  GROUP_BARRIER();                                                                          \
  const uint tile = number
#else
#define SELECT_OWN_TILE(tile, tiles) const uint tile = get_group_id(0)
#endif

// Posts what a tile keeps itself.
static inline void select_post(kept_of_tiles own, uint tile, uint tiles, __global ulong *messages, uint call) {
  if (own_id_anew() == 0 && tile + 1 < tiles) post_count(messages, tile, call, own, tile == 0);
}

// What the tiles before one keep, and what those up to it keep is posted. It keeps `own` itself. All work-items must call.
INLINE kept_of_tiles select_before(kept_of_tiles own, select_input in, uint tile, uint tiles, __global ulong *messages,
                                   uint call, select_memory memory, look_memory look, named_values given) {
  kept_of_tiles before = kept_of_none();
  // One way out of each loop: PoCL 3.1 makes a copy for each of all that follows.
  uint missing = tile > 0 ? tile - 1 : NO_TILE;
  for (uint looks = LOOKS; missing != NO_TILE; looks = 1) {
    missing = look_back_counts(&before, messages, tile, call, looks, look, memory.exchange);
    if (missing != NO_TILE) {
      const uint found = select_count(in, missing, memory, given);
      if (own_id_anew() == 0)
        post_count(messages, missing, call, KEPT_OF_TILE(in, missing, found, *memory.last), missing == 0);
      GROUP_BARRIER();  // so that one can see that all lanes look again together
    }
  }
  if (own_id_anew() == 0 && tile + 1 < tiles) post_count(messages, tile, call, kept_together(before, own), true);
  return before;
}

// Global size: tiles * GROUP_SIZE. No message in the workspace has the number of this call.
KERNEL void select_kept(SELECT_ARGUMENTS, OUTPUT_ARGUMENTS, __global ulong *total, ulong total_offset,
                        __global uchar *workspace, uint call VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_SECOND
  SELECT_MEMORY(memory);
  LOOK_MEMORY(look);
  SELECT_INPUT(in);
  const uint tiles = select_tiles(in.end);
  SELECT_OWN_TILE(tile, tiles);
  RETURN_BEHIND(tile, tiles)
#ifdef SPLIT
  const uint looking = tiles + 1;  // for what all tiles keep, groups look back as from one behind the last
#else
  const uint looking = tiles;
#endif
  __global ulong *messages = (__global ulong *)(workspace + OWN_AT);
  select_taken taken;
  const uint count = select_take(&taken, in, tile, STORES_OTHERS, memory, given);
  const kept_of_tiles own = KEPT_OF_TILE(in, tile, count, *memory.last);
  select_post(own, tile, looking, messages, call);  // early, for all groups behind wait for it
  GROUP_BARRIER();  // else compilers move the message behind what follows
  select_compact(&taken, in, tile, count, STORES_OTHERS, memory);
  LOAD_SECOND(in, tile, count);
  const kept_of_tiles before = select_before(own, in, tile, looking, messages, call, memory, look, given);
  if (own_id_anew() == 0 && tile + 1 == tiles) store_total(total, total_offset, kept_together(before, own));
  GROUP_BARRIER();
  select_give(OUTPUTS, in, tile, before, count, memory WITH_HELD, given);
#ifdef SPLIT
  const kept_of_tiles all = select_before(kept_of_none(), in, tiles, looking, messages, call, memory, look, given);
  select_give_others(out + out_offset + all.count, capacity - all.count, in, tile, before.count, count, memory);
#endif
  MEET_AT_END
}

#else  // several launches
// What the launches before the results leave of each tile, from OWN_AT on, and of each share.
#ifdef SPLIT
typedef struct {
  dealing dealt;           // tiles to shares
  __global ulong *shares;  // how many each one keeps
  __global ulong *tiles;   // how many those before each one in its share keep
} split_counts;

static inline split_counts split_counts_of(__global uchar *workspace, uint tiles, uint shares) {
  split_counts counts;
  counts.dealt.each = tiles / shares;
  counts.dealt.longer = tiles - shares * counts.dealt.each;
  counts.shares = (__global ulong *)(workspace + OWN_AT);
  counts.tiles = counts.shares + shares;
  return counts;
}

// Global size: shares * GROUP_SIZE, at most as many shares as tiles.
KERNEL void select_counts(SELECT_ARGUMENTS, __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SELECT_MEMORY(memory);
  SELECT_INPUT(in);
  const uint share = get_group_id(0);
  const split_counts counts = split_counts_of(workspace, select_tiles(in.end), get_num_groups(0));
  const uint begin = SHARE_BEGIN(share, counts.dealt.each, counts.dealt.longer);
  const uint end = SHARE_BEGIN(share + 1, counts.dealt.each, counts.dealt.longer);
  ulong kept = 0;
  for (uint tile = begin; tile < end; ++tile) {
    if (own_id_anew() == 0) counts.tiles[tile] = kept;
    kept += select_count(in, tile, memory, given);
    GROUP_BARRIER();
  }
  if (own_id_anew() == 0) counts.shares[share] = kept;
}

// How many the tiles before one keep, and in `all` how many all do. All work-items must call, behind a barrier.
INLINE ulong split_before(ulong *all, split_counts counts, uint tile, uint shares, select_memory memory) {
  const uint own = group_of_unit(counts.dealt, tile);
  ulong before = 0, sum = 0;
  for (uint share = own_id_anew(); share < shares; share += GROUP_SIZE) {
    const ulong kept = counts.shares[share];
    sum += kept;
    if (share < own) before += kept;
  }
  before = select_sum(before, memory);
  *all = select_sum(sum, memory);
  return before + counts.tiles[tile];
}
#else
// What each tile keeps. Global size: tiles * GROUP_SIZE.
KERNEL void select_counts(SELECT_ARGUMENTS, __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SELECT_MEMORY(memory);
  SELECT_INPUT(in);
  const uint tile = get_group_id(0);
#ifdef COUNTED_BY
  // All that there may be are summed.
  if (get_local_id(0) == 0) ((__global kept_of_tiles *)(workspace + OWN_AT))[tile] = kept_of_none();
  RETURN_BEHIND(tile, select_tiles(in.end))
#endif
  const uint count = select_count(in, tile, memory, given);
  if (get_local_id(0) == 0) ((__global kept_of_tiles *)(workspace + OWN_AT))[tile] = KEPT_OF_TILE(in, tile, count, *memory.last);
  MEET_AT_END
}
#endif

#ifdef SPLIT
#define SPLIT_ARGUMENTS , uint shares, __global ulong *total, ulong total_offset
#else
#define SPLIT_ARGUMENTS
#endif
// The results, from the last tile on: caches still hold what the launch that counted has read last. Global size:
// tiles * GROUP_SIZE.
KERNEL void select_results(SELECT_ARGUMENTS, OUTPUT_ARGUMENTS SPLIT_ARGUMENTS, __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_SECOND
  SELECT_MEMORY(memory);
  SELECT_INPUT(in);
  const uint tiles = select_tiles(in.end);
  RETURN_BEHIND(get_group_id(0), tiles)
  const uint tile = tiles - 1 - get_group_id(0);
  select_taken taken;
  const uint count = select_take(&taken, in, tile, STORES_OTHERS, memory, given);
  select_compact(&taken, in, tile, count, STORES_OTHERS, memory);
  LOAD_SECOND(in, tile, count);
#ifdef SPLIT
  GROUP_BARRIER();
  ulong all;
  const kept_of_tiles before =
      kept_of_tile(split_before(&all, split_counts_of(workspace, tiles, shares), tile, shares, memory), 0);
#else
  const kept_of_tiles before =
      tile > 0 ? ((__global kept_of_tiles *)(workspace + OWN_AT))[tile - 1] : kept_of_none();
#endif
  GROUP_BARRIER();
  select_give(OUTPUTS, in, tile, before, count, memory WITH_HELD, given);
#ifdef SPLIT
  select_give_others(out + out_offset + all, capacity - all, in, tile, before.count, count, memory);
  if (own_id_anew() == 0 && tile == 0) total[total_offset] = all;
#endif
  MEET_AT_END
}
#endif
