// reduce_rows: folds each row of a matrix. Plan and arguments: lib/primitives/reduce_rows.cpp; order: fold.cl.
//
// Short rows: `reduce_rows_short`, several to a set of lanes. Others have tiles, of which a work-item has several in flight
// if they are far from whole (ROW_DEPTH): `reduce_rows` folds those of all rows one
// after another. Whole rows are a group's, which is then done with them; or (ROWS_CUT) a row's tiles go to any groups, and
// their results to the workspace. Few rows are cut into parts, as many as there are counters, and the last group to finish
// a tile of a part folds its levels above the first (ROWS_IN_ONE_LAUNCH). Those of many rows are folded by
// `reduce_rows_levels`, a group a row.

#define ROWS_INPUT const __global STORED *restrict x, ulong x_offset, uint rows, ulong pitch, ulong matrix
static inline fold_input rows_from(const __global STORED *x, named_values given) {
#if defined(TIMES_VECTOR) && defined(TWO_INPUTS)
  const fold_input in = {x, given.vector + given.vector_at};  // the same for all rows
#else
  const fold_input in = {x};
#endif
  return in;
}
