// A scan in three launches, where groups cannot send messages.

// The fold of each tile. Global size: tiles * GROUP_SIZE.
KERNEL void scan_tile_folds(const __global STORED *x, ulong x_offset, ELEMENTS_ARGUMENT,
                            __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  RETURN_BEHIND(get_group_id(0), scan_tiles(n))
  SCAN_MEMORY(memory);
  scan_held held;
  const uint tile = get_group_id(0);
  scan_fold(&held, x + x_offset, n, tile, memory, given);
  if (get_local_id(0) == 0) ((__global FOLDED *)(workspace + OWN_AT))[tile] = memory.total[0];
  MEET_AT_END
}

// Replaces the folds of tiles by the exclusive prefix of each tile in its stretch, and leaves the exclusive prefix of each stretch;
// the first of either has none. One group.
KERNEL void scan_tiles_before(ELEMENTS_ARGUMENT, ACC start, __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  const uint tiles = scan_tiles(n);
  RETURN_BEHIND(0, tiles)
  const uint stretches = (tiles + SCAN_TILES - 1) / SCAN_TILES;
  __global FOLDED *of_tiles = (__global FOLDED *)(workspace + OWN_AT);
  __global FOLDED *of_stretches = of_tiles + tiles;
  for (uint stretch = get_local_id(0); stretch < stretches; stretch += GROUP_SIZE) {
    const uint first = stretch * SCAN_TILES;
    const uint end = min(first + SCAN_TILES, tiles);
    FOLDED fold = of_tiles[first];
    for (uint tile = first + 1; tile < end; ++tile) {
      const FOLDED next = of_tiles[tile];
      of_tiles[tile] = fold;
      fold = combine(fold, next, given);
    }
    of_stretches[stretch] = fold;
  }
  GROUP_GLOBAL_BARRIER();
  if (get_local_id(0) == 0) {
    FOLDED fold = of_stretches[0];
    if (IS_ON(STARTED)) fold = combine(start, fold, given);
    for (uint stretch = 1; stretch < stretches; ++stretch) {
      const FOLDED next = of_stretches[stretch];
      of_stretches[stretch] = fold;
      fold = combine(fold, next, given);
    }
  }
  MEET_AT_END
}

// The results. Global size: tiles * GROUP_SIZE.
KERNEL void scan_results(const __global STORED *x, ulong x_offset, ELEMENTS_ARGUMENT, __global ACC *out,
                         ulong out_offset, ACC start, const __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  RETURN_BEHIND(get_group_id(0), scan_tiles(n))
  SCAN_MEMORY(memory);
  scan_held held;
  const uint tile = get_group_id(0);
  scan_fold(&held, x + x_offset, n, tile, memory, given);
  scan_settle(&held, n, tile, memory, given);
  scan_before before = scan_before_tile(tile, start, given);
  if (before.has_tiles) before.tiles = ((const __global FOLDED *)(workspace + OWN_AT))[tile];
  if (tile >= SCAN_TILES)
    before.stretches = ((const __global FOLDED *)(workspace + OWN_AT))[scan_tiles(n) + tile / SCAN_TILES];
  scan_give(&held, x + x_offset, out + out_offset, n, tile, memory, before, given);
  MEET_AT_END
}
