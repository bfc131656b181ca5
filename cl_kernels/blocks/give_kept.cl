// What is stored of a tile of a selection: the kept elements, side by side with those of the tiles before it.

// Where they go, at most `capacity`.
#define OUTPUT_ARGUMENTS __global KEPT *out, ulong out_offset, ulong capacity
#define SELECT_OUTPUTS(to) const select_outputs to = {out + out_offset, capacity}
typedef struct {
  __global KEPT *out;
  ulong capacity;
} select_outputs;

// Of a tile that keeps `count`, behind `before` others.
INLINE void select_give(select_outputs to, select_input in, uint tile, kept_of_tiles before, uint count,
                        const select_held *held, select_memory memory, named_values given) {
  select_store(to.out + before.count, memory.elements, (uint)min((ulong)count, to.capacity - min(before.count, to.capacity)));
}
