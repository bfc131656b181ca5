// What is stored of a tile of a selection: the kept elements, and all others in an output of their own.

#define OUTPUT_ARGUMENTS \
  __global KEPT *out, ulong out_offset, ulong capacity, __global KEPT *others, ulong others_offset, ulong others_capacity
#define SELECT_OUTPUTS(to) const select_outputs to = {out + out_offset, capacity, others + others_offset, others_capacity}
typedef struct {
  __global KEPT *out;
  ulong capacity;
  __global KEPT *others;
  ulong others_capacity;
} select_outputs;

INLINE void select_give(select_outputs to, select_input in, uint tile, kept_of_tiles before, uint count,
                        const select_held *held, select_memory memory, named_values given) {
  select_store(to.out + before.count, memory.elements, (uint)min((ulong)count, to.capacity - min(before.count, to.capacity)));
  select_give_others(to.others, to.others_capacity, in, tile, before.count, count, memory);
}
