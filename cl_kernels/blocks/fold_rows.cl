// Folds of many short inputs, the rows of a matrix, in the order of fold.cl: several rows a group.

// Where a row begins among batches of matrices; all in elements.
typedef struct {
  uint rows;  // of a matrix
  ulong pitch, matrix;
} row_places;

static inline fold_input row_at(fold_input in, row_places at, uint row) {
  // Most calls have one matrix, and are spared the division.
  if (row >= at.rows) {
    const uint batch = row / at.rows;
    in.x += batch * at.matrix;
    row -= batch * at.rows;
  }
  in.x += row * at.pitch;
  return in;
}

// Folds `count` > 0 neighbouring values that lie at `values`, as a tree of adjacent pairs, where they are.
static inline FOLDED fold_pairs(__local FOLDED *values, uint count, named_values given) {
  for (uint distance = 1; distance < count; distance *= 2) {
    for (uint p = 0; p + distance < count; p += 2 * distance)
      values[p] = combine(values[p], values[p + distance], given);
  }
  return values[0];
}
