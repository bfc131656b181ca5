// A tile of a selection on a CPU: how many of its elements are kept, and these side by side in local memory.

#define SELECT_STORE_EACH(i, to, count) for (uint i = 0; i < (count); ++i)

INLINE void select_store(__global KEPT *to, const __local KEPT *from, uint count) {
  SELECT_STORE_EACH(i, to, count) to[i] = from[i];
}

// Stores the first `count` others that select_compact left, where it kept `kept` of the tile's `in_tile` elements.
INLINE void select_store_others(__global KEPT *to, select_memory memory, uint kept, uint in_tile, uint count) {
  for (uint i = 0; i < count; ++i) to[i] = memory.elements[in_tile - 1 - i];
}
