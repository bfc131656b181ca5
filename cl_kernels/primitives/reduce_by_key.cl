// reduce_by_key: the levels above the first of long runs, where groups cannot send messages. The kernels that find and fold
// runs are those of select.cl; plan and arguments: lib/primitives/reduce_by_key.cpp.

// Folds what the tiles of each noted run have left. Any number of groups.
KERNEL void reduce_by_key_levels(__global ACC *values_out, ulong values_out_offset, ulong long_at, ulong results_at,
                                 __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SEGMENT_MEMORY(memory);
  __local uint shared[1];
  volatile __global uint *counters = run_counters(workspace);
  const __global long_run *list = (const __global long_run *)(workspace + long_at);
  const uint id = get_local_id(0);
  if (id == 0) shared[0] = atomic_or(counters, 0u);
  GROUP_BARRIER();
  const uint noted = SAME_IN_LANES(shared[0]);
  for (uint k = get_group_id(0); k < noted; k += get_num_groups(0)) {
    const long_run own = list[k];
    const uint tiles = SAME_IN_LANES((uint)((own.end - own.begin + FOLD_TILE - 1) / FOLD_TILE));
    segment_fold_levels(run_results(workspace, results_at, own.begin), tiles, values_out + values_out_offset + own.run,
                        memory, given);
  }
  // What reads the first counter in a group is this work-item.
  if (id == 0 && atomic_inc(counters + 1) == get_num_groups(0) - 1) {
    atomic_xchg(counters, 0u);
    atomic_xchg(counters + 1, 0u);
  }
}
