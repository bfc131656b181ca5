// The elements that a selection does not keep.

// Stores those of a tile that keeps `count`, behind the others of the tiles before it, as far as the output reaches. Those tiles
// keep `before`.
INLINE void select_give_others(__global KEPT *to, ulong capacity, select_input in, uint tile, ulong before, uint count,
                               select_memory memory) {
  const ulong begin = select_begin(in, tile), at = begin - in.head - before;
  const uint in_tile = (uint)(select_end(in, tile) - begin);
  select_store_others(to + at, memory, count, in_tile, (uint)min((ulong)(in_tile - count), capacity - min(at, capacity)));
}
