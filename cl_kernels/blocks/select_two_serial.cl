// A tile of a selection on a CPU whose elements go two ways: they are kept, or are not. A work-item takes the whole tile.

// Gives how many of the tile's elements are kept; `memory.last` gets the index of the last of them in the tile.
INLINE uint select_count(select_input in, uint tile, select_memory memory, named_values given) {
  const ulong end = select_end(in, tile);
  uint count = 0;
  for (ulong j = select_begin(in, tile); j < end; ++j) {
    const bool keeps = select_keeps(in, j, given);
    count += keeps ? 1 : 0;
    if (IS_ON(TELLS_LAST) && keeps) *memory.last = (uint)(j - (ulong)tile * SELECT_TILE);
  }
  return count;
}

typedef struct {
  uint unused;
} select_taken;

// Counts as select_count does. The kept elements go to the front of `memory.elements`, their indices in the tile to
// `memory.places`; if `split`, the others go to the end of the elements, the last one first. There is no branch, because no
// processor predicts what is kept.
INLINE uint select_take(select_taken *taken, select_input in, uint tile, bool split, select_memory memory, named_values given) {
  const ulong begin = select_begin(in, tile), end = select_end(in, tile);
  const uint in_tile = (uint)(end - begin);
  uint count = 0;
  for (uint i = 0; i < in_tile; ++i) {
    const bool keeps = select_keeps(in, begin + i, given);
    if (!IS_ON(ONLY_PLACES)) memory.elements[split && !keeps ? in_tile - 1 - (i - count) : count] = STORED_IN(in.x, begin + i);
    if (IS_ON(KEEPS_PLACES)) memory.places[count] = (ushort)(begin + i - (ulong)tile * SELECT_TILE);
    count += keeps ? 1 : 0;
  }
  if (IS_ON(TELLS_LAST) && count > 0) *memory.last = memory.places[count - 1];
  return count;
}

// Does nothing: select_take has stored the elements already.
static inline void select_compact(const select_taken *taken, select_input in, uint tile, uint count, bool split,
                                  select_memory memory) {}
