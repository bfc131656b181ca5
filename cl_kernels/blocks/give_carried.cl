// What is stored of a tile of a selection: the kept elements, which are keys, and in an output of their own what each carries.

#define OUTPUT_ARGUMENTS                                                                                             \
  __global KEPT *out, ulong out_offset, ulong capacity, const __global CARRIED *values, ulong values_offset, \
      __global CARRIED *values_out, ulong values_out_offset
#define SELECT_OUTPUTS(to) \
  const select_outputs to = {out + out_offset, capacity, values + values_offset - head, values_out + values_out_offset}
typedef struct {
  __global KEPT *out;
  ulong capacity;
  const __global CARRIED *values;
  __global CARRIED *values_out;
} select_outputs;

// Stores what `count` kept ones carry: those of `from` that lie where they lie in the tile.
INLINE void select_store_carried(__global CARRIED *to, const __global CARRIED *from, select_memory memory, uint count) {
  if (GROUP_SIZE == 1) {
    for (uint i = 0; i < count; ++i) to[i] = from[memory.places[i]];
    return;
  }
  // Several loads before the first store: a compiler cannot know that they read no result.
  enum { at_once = sizeof(CARRIED) <= 4 ? 8 : sizeof(CARRIED) <= 16 ? 4 : 1 };
  if (count == 0) return;
  const uint skew = SELECT_SKEW(to), end = count + skew;
  for (uint at = own_id_anew(); at < end; at += at_once * GROUP_SIZE) {
    CARRIED held[at_once];
    UNROLL
    for (uint k = 0; k < at_once; ++k) held[k] = from[memory.places[min(at + k * GROUP_SIZE - skew, count - 1)]];
    UNROLL
    for (uint k = 0; k < at_once; ++k) {
      const uint i = at + k * GROUP_SIZE;
      if (i >= skew && i < end) STORE_ONCE(CARRIED, to + (i - skew), held[k]);
    }
  }
}

INLINE void select_give(select_outputs to, select_input in, uint tile, kept_of_tiles before, uint count,
                        const select_held *held, select_memory memory, named_values given) {
  const uint stored = (uint)min((ulong)count, to.capacity - min(before.count, to.capacity));
  select_store(to.out + before.count, memory.elements, stored);
  select_store_carried(to.values_out + before.count, to.values + (ulong)tile * SELECT_TILE, memory, stored);
}
