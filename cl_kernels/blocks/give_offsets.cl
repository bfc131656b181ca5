// What is stored of a tile of a selection of runs: where they begin.

#define OUTPUT_ARGUMENTS __global RUN_OFFSETS *out, ulong out_offset, ulong capacity
#define SELECT_OUTPUTS(to) const select_outputs to = {out + out_offset, capacity}
typedef struct {
  __global RUN_OFFSETS *out;
  ulong capacity;
} select_outputs;

// Stores where the tile's `count` runs begin; behind the last of all, the end of the input.
INLINE void select_store_offsets(__global RUN_OFFSETS *to, ulong capacity, select_input in, uint tile, ulong before, uint count,
                                 select_memory memory) {
  const ulong begin = (ulong)tile * SELECT_TILE - in.head, n = in.end - in.head;
  const uint all = count + (select_is_last(in, tile) ? 1 : 0);
  const uint stored = (uint)min((ulong)all, capacity - min(before, capacity));
  SELECT_STORE_EACH(i, to + before, stored) to[before + i] = (RUN_OFFSETS)(i < count ? begin + memory.places[i] : n);
}

INLINE void select_give(select_outputs to, select_input in, uint tile, kept_of_tiles before, uint count,
                        const select_held *held, select_memory memory, named_values given) {
  select_store_offsets(to.out, to.capacity, in, tile, before.count, count, memory);
}
