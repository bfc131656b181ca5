// Reductions of a matrix's rows by tiles: what GPUs and CPUs share.

static inline uint rows_tile_count(uint tile, ulong columns) {
  return (uint)min(columns - (ulong)tile * FOLD_TILE, (ulong)FOLD_TILE);
}

// Where the fold of a tile goes: to the workspace, where a row's results begin at a multiple of `stride` (ROWS_CUT); or, of a row
// of one tile, to the output.
#ifdef ROWS_CUT
#define ROWS_LEAVE(row, tile, result) (((__global FOLDED *)(workspace + OWN_AT))[(ulong)(row)*stride + (tile)] = (result))

// Folds the results of a row's tiles, more than one, and leaves the row's at `to`. All work-items must call.
INLINE void rows_fold_levels(fold_input in, __global FOLDED *results, uint tiles, __global RESULT *to,
                             fold_memory memory, named_values given) {
  for (uint count = tiles; count > 1; count = (count + FOLD_TILE - 1) / FOLD_TILE) {
    // In their own place, which this group alone works on.
    fold_tiles(false, in, results, count, 0, (count + FOLD_TILE - 1) / FOLD_TILE, results, memory, given);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (get_local_id(0) == 0) leave_result(to, results[0], given);
}

#ifdef ROWS_IN_ONE_LAUNCH
#define ROWS_OUTPUT uint stride, uint span, __global RESULT *out, ulong out_offset, __global uchar *workspace
#else
#define ROWS_OUTPUT uint stride, __global uchar *workspace

// The levels above the first, of n rows of more than one tile each. Each group takes rows.
KERNEL void reduce_rows_levels(const __global STORED *restrict x, uint n, uint tiles, uint stride, __global RESULT *out,
                               ulong out_offset, __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  FOLD_MEMORY(memory);
  const fold_input in = {x};
  for (uint row = get_group_id(0); row < n; row += get_num_groups(0))
    rows_fold_levels(in, (__global FOLDED *)(workspace + OWN_AT) + (ulong)row * stride, tiles,
                     result_at(out + out_offset, row, given), memory, given);
}
#endif
#else
#define ROWS_LEAVE(row, tile, result) leave_result(result_at(out + out_offset, row, given), result, given)
#define ROWS_OUTPUT __global RESULT *out, ulong out_offset
#endif
