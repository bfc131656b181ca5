// A scan of an array in pieces: between its launches, prefixes of tiles and stretches are exchanged.
//
// Whole tiles of a longer input, from its tile `first` on; n are the elements of all of it. Tiles, stretches and the index
// that a map sees are those of the whole input.

// The address that element 0 of the whole input, or its result, would have if tile `first` is `offset` elements after `buffer`.
// Nothing need be there, so it is computed by integers, which wrap.
#define SCAN_WHOLE(pointer, buffer, offset, first) \
  ((pointer)((uintptr_t)(buffer) + ((uintptr_t)(offset) - (uintptr_t)(first) * SCAN_TILE) * sizeof(*(buffer))))

// The fold of each tile. Global size: tiles * GROUP_SIZE.
KERNEL void scan_piece_folds(const __global STORED *x, ulong x_offset, uint first, ulong n, __global FOLDED *folds,
                             ulong folds_offset VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SCAN_MEMORY(memory);
  scan_held held;
  scan_fold(&held, SCAN_WHOLE(const __global STORED *, x, x_offset, first), n, first + get_group_id(0), memory, given);
  if (get_local_id(0) == 0) folds[folds_offset + get_group_id(0)] = memory.total[0];
}

// For whole stretches of the input, or its last ones: replaces the folds of tiles by the exclusive prefix of each tile in its
// stretch, and leaves the fold of each stretch. Global size: stretches * GROUP_SIZE.
KERNEL void scan_piece_tiles(uint tiles, __global FOLDED *folds, ulong tiles_offset, ulong stretches_offset VALUES_ARGUMENTS) {
  COLLECT_VALUES
  __local FOLDED values[SCAN_PLACE(SCAN_TILES)];
  const uint stretch = get_group_id(0), first = stretch * SCAN_TILES;
  const uint count = min(tiles - first, (uint)SCAN_TILES);
  __global FOLDED *of_tiles = folds + tiles_offset + first;
  for (uint i = get_local_id(0); i < count; i += GROUP_SIZE) values[SCAN_PLACE(i)] = of_tiles[i];
  GROUP_BARRIER();
  if (get_local_id(0) == 0) folds[stretches_offset + stretch] = scan_unit_before(values, 0, count, given);
  GROUP_BARRIER();
  for (uint i = get_local_id(0); i < count; i += GROUP_SIZE) of_tiles[i] = values[SCAN_PLACE(i)];
}

// Replaces the folds of stretches, from the input's stretch `first` on, by their exclusive prefixes (that of the input's first
// stretch is not used). The value after them holds the prefix of the first of them, unless `first` is 0, and becomes the prefix of
// the stretch that follows. One group. The folds pass through local memory, because one work-item that waits for one value after
// the other from global memory takes longer than all that other devices do.
KERNEL void scan_piece_stretches(uint stretches, uint first, ACC start, __global FOLDED *folds,
                                 ulong stretches_offset VALUES_ARGUMENTS) {
  COLLECT_VALUES
  __local FOLDED values[SCAN_PLACE(SCAN_STRIPS_OF_TILE)];
  __global FOLDED *of_stretches = folds + stretches_offset;
  FOLDED fold;  // work-item 0's
  if (get_local_id(0) == 0 && first > 0) fold = of_stretches[stretches];
  for (uint begin = 0; begin < stretches; begin += SCAN_STRIPS_OF_TILE) {
    const uint count = min(stretches - begin, (uint)SCAN_STRIPS_OF_TILE);
    for (uint i = get_local_id(0); i < count; i += GROUP_SIZE) values[SCAN_PLACE(i)] = of_stretches[begin + i];
    GROUP_BARRIER();
    if (get_local_id(0) == 0) {
      for (uint i = 0; i < count; ++i) {
        const FOLDED next = values[SCAN_PLACE(i)];
        if (first + begin + i > 0) {
          values[SCAN_PLACE(i)] = fold;
          fold = combine(fold, next, given);
        } else {
          fold = IS_ON(STARTED) ? combine(start, next, given) : next;
        }
      }
    }
    GROUP_BARRIER();
    // A work-item reads here what it alone overwrites in the next turn, so no barrier follows.
    for (uint i = get_local_id(0); i < count; i += GROUP_SIZE) of_stretches[begin + i] = values[SCAN_PLACE(i)];
  }
  if (get_local_id(0) == 0) of_stretches[stretches] = fold;
}

// The results. `before` holds the prefix of tile `first` at `tiles_offset`, and that of its stretch at `stretches_offset`.
// Global size: tiles * GROUP_SIZE.
KERNEL void scan_piece_results(const __global STORED *x, ulong x_offset, uint first, ulong n, __global ACC *out,
                               ulong out_offset, ACC start, const __global FOLDED *before, ulong tiles_offset,
                               ulong stretches_offset VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SCAN_MEMORY(memory);
  const __global STORED *whole_x = SCAN_WHOLE(const __global STORED *, x, x_offset, first);
  const uint tile = first + get_group_id(0);
  scan_held held;
  scan_fold(&held, whole_x, n, tile, memory, given);
  scan_settle(&held, n, tile, memory, given);
  scan_before outside = scan_before_tile(tile, start, given);
  if (outside.has_tiles) outside.tiles = before[tiles_offset + get_group_id(0)];
  if (tile >= SCAN_TILES) outside.stretches = before[stretches_offset + (tile / SCAN_TILES - first / SCAN_TILES)];
  scan_give(&held, whole_x, SCAN_WHOLE(__global ACC *, out, out_offset, first), n, tile, memory, outside, given);
}
