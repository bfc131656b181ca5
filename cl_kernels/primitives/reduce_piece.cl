// The reduction of a piece of a longer input, as far as the results of its tiles.

// Leaves the results of the tiles of an input of which this one is a piece, one each from element `tiles_offset` of
// `tiles` on, or where `host` is not 0 from that address on. `index` is that of the piece's first element in the whole
// input, a multiple of FOLD_TILE. Global size, n and share are those of `reduce`.
KERNEL void reduce_piece(REDUCE_INPUT, ulong index, ulong n, uint share, __global FOLDED *tiles,
                         ulong tiles_offset, ulong host VALUES_ARGUMENTS) {
  COLLECT_VALUES
  FOLD_MEMORY(memory);
  fold_input in = REDUCE_FROM;
  in.index = index;
  const uint count = reduce_tiles(n);
  const dealing dealt = {share, (count + FOLD_TEAMS - 1) / FOLD_TEAMS - share * get_num_groups(0)};
  const uint begin = reduce_first_tile(dealt, get_group_id(0));
  const uint end = min(reduce_first_tile(dealt, get_group_id(0) + 1), count);
  fold_tiles(true, in, 0, n, begin, end, reduce_to(tiles + tiles_offset, host), memory, given);
}
