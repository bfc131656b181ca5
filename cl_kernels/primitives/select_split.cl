// A partition into one output in two launches: groups count a share of the tiles each; then each stores a tile.

// The sum of a number of each work-item. All must call; before each call stands a barrier. Sums of more than a word are made
// by pieces of so many bits, whose own sums have one.
enum { SUM_PIECE = 16 };
INLINE ulong select_sum(ulong number, select_memory memory) {
#if GROUP_SIZE > 1
  uint piece;
  if (COUNT_WORDS == 1) {
    group_sums((uint)number, &piece, memory.sets, memory.exchange);
    GROUP_BARRIER();
    return piece;
  }
  ulong sum = 0;
  UNROLL
  for (uint at = 0; at < 3 * SUM_PIECE; at += SUM_PIECE) {
    group_sums((uint)(number >> at) & ((1u << SUM_PIECE) - 1), &piece, memory.sets, memory.exchange);
    sum += (ulong)piece << at;
    GROUP_BARRIER();
  }
  return sum;
#else
  return number;
#endif
}

// What the first launch leaves of each share and of each tile, from OWN_AT on.
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

// The results, from the last tile on: caches still hold what the launch that counted has read last. Global size:
// tiles * GROUP_SIZE.
KERNEL void select_results(SELECT_ARGUMENTS, OUTPUT_ARGUMENTS, uint shares, __global ulong *total, ulong total_offset,
                           __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SELECT_OUTPUTS(to);
  SELECT_MEMORY(memory);
  SELECT_INPUT(in);
  const uint tiles = select_tiles(in.end);
  RETURN_BEHIND(get_group_id(0), tiles)
  const uint tile = tiles - 1 - get_group_id(0);
  select_taken taken;
  const uint count = select_take(&taken, in, tile, STORES_OTHERS, memory, given);
  select_compact(&taken, in, tile, count, STORES_OTHERS, memory);
  select_held held;
  select_load_beside(&held, to, in, tile, count);
  GROUP_BARRIER();
  ulong all;
  const kept_of_tiles before =
      kept_of_tile(split_before(&all, split_counts_of(workspace, tiles, shares), tile, shares, memory), 0);
  GROUP_BARRIER();
  select_give(to, in, tile, before, count, &held, memory, given);
  select_give_others(to.out + all, to.capacity - all, in, tile, before.count, count, memory);
  if (own_id_anew() == 0 && tile == 0) total[total_offset] = all;
  MEET_AT_END
}
