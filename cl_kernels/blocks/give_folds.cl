// What is stored of a tile of a selection of runs: the key of each, and in an output of their own the folds of their values.
// All work-items of the group call select_give, once the kept keys and their indices are in local memory (select_tile.cl).

#define OUTPUT_ARGUMENTS                                                                                                  \
  __global KEPT *out, ulong out_offset, ulong capacity, const __global STORED *restrict values, ulong values_offset, \
      __global ACC *values_out, ulong values_out_offset, ulong long_at, ulong results_at
#define SELECT_OUTPUTS(to)                                                                                               \
  RUN_MEMORY(own_runs);                                                                                                  \
  const run_folds folds = {values + values_offset - head, values_out + values_out_offset, workspace, long_at, results_at, call}; \
  const select_outputs to = {out + out_offset, capacity, folds, own_runs}
typedef struct {
  __global KEPT *out;
  ulong capacity;
  run_folds folds;
  run_memory own;
} select_outputs;

INLINE void select_give(select_outputs to, select_input in, uint tile, kept_of_tiles before, uint count,
                        const select_held *held, select_memory memory, named_values given) {
  select_store(to.out + before.count, memory.elements, (uint)min((ulong)count, to.capacity - min(before.count, to.capacity)));
  runs_fold(to.folds, to.capacity, in, tile, before, count, held, memory, to.own, given);
}
