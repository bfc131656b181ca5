// reduce_columns: folds each column of a matrix. Plan and arguments: lib/primitives/reduce_columns.cpp; order: fold.cl.
//
// Neighbouring work-items take neighbouring columns of the matrix, so that its rows are read as they lie. The accumulators
// of a tile are cut into parts, aligned powers of two, whose folds are subtrees of the tile's. `reduce_columns` folds
// COLUMN_PART accumulators of each column, which may be all there are; else (COLUMNS_CUT) it leaves its values in the
// workspace, and `reduce_columns_levels` folds them, by passes of the same kind, until a column has one; or, where a column has
// few of them (COLUMNS_IN_ONE_LAUNCH), the group that comes last of those with the same columns does. With many values, one
// group is slower than a second launch.

#define COLUMNS_INPUT const __global STORED *restrict x, ulong x_offset, ulong pitch, ulong matrix, ulong rows

// Where the value of a column of a unit goes; `of_all` counts the units of all matrices.
#ifdef COLUMNS_CUT
#define COLUMNS_LEAVE(of_all, column, value) \
  (((__global FOLDED *)(workspace + OWN_AT))[(ulong)(of_all)*columns + (column)] = (value))

// Folds the `count` > 1 values of each of `width` columns of a matrix from `first` on; what passes leave above tiles lies
// `above` values behind the first ones of all matrices. All work-items of a group must call.
INLINE void columns_fold_strip(uint batch, uint first, uint width, uint columns, uint count, ulong above, __global RESULT *out,
                               __global uchar *workspace, named_values given) {
  const uint tiles = (count + COLUMN_TILE_VALUES - 1) / COLUMN_TILE_VALUES;
  __global FOLDED *const all = (__global FOLDED *)(workspace + OWN_AT);
  const column_values of = {all + (ulong)batch * count * columns + first,
                            all + above + (ulong)batch * tiles * columns + first,
                            result_at(out, (ulong)batch * columns + first, given),
                            columns,
                            width,
                            count};
  columns_fold_values(of, given);
}

#ifdef COLUMNS_IN_ONE_LAUNCH
#define COLUMNS_OUTPUT ulong above, __global RESULT *out, ulong out_offset, __global uchar *workspace
#else
#define COLUMNS_OUTPUT __global uchar *workspace

// A group takes `lanes` columns at a time, of n such strips of all matrices.
KERNEL void reduce_columns_levels(uint columns, uint count, uint n, uint lanes, ulong above, __global RESULT *out,
                                  ulong out_offset, __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  const uint strips = (columns + lanes - 1) / lanes;
  for (uint group = get_group_id(0); group < n; group += get_num_groups(0)) {
    const uint batch = group / strips, first = (group - batch * strips) * lanes;
    columns_fold_strip(batch, first, min(lanes, columns - first), columns, count, above, out + out_offset, workspace, given);
  }
}
#endif
#else
#define COLUMNS_LEAVE(of_all, column, value) \
  leave_result(result_at(out + out_offset, (ulong)(of_all)*columns + (column), given), value, given)
#define COLUMNS_OUTPUT __global RESULT *out, ulong out_offset
#endif
