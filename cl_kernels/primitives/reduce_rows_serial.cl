// Reductions of a matrix's rows by tiles on a CPU, whose groups are one work-item each, which folds a tile alone.

#ifdef ROW_WIDES
// Folds a row of 16 * ROW_WIDES elements, a power of two, down to its last 16 values.
static inline ACC_WIDE fold_row_to_wide(fold_input in) {
  ACC_WIDE columns[ROW_WIDES];
  UNROLL
  for (uint k = 0; k < ROW_WIDES; ++k) columns[k] = lift_wide_at(in, 16 * k);
  UNROLL
  for (uint width = ROW_WIDES / 2; width > 0; width /= 2) {
    UNROLL
    for (uint k = 0; k < width; ++k) columns[k] = pairs_wide(columns[2 * k], columns[2 * k + 1]);
  }
  return columns[0];
}

// The folds of the 16 rows from `first` on: the last 16 values of all of them are one tree of pairs.
static inline ACC_WIDE fold_16_rows(fold_input in, row_places at, uint first) {
  ACC_WIDE rows[16];
  for (uint r = 0; r < 16; ++r) rows[r] = fold_row_to_wide(row_at(in, at, first + r));
  UNROLL
  for (uint width = 8; width > 0; width /= 2) {
    UNROLL
    for (uint k = 0; k < width; ++k) rows[k] = pairs_wide(rows[2 * k], rows[2 * k + 1]);
  }
  return rows[0];
}
#endif

// Each work-item takes a share of the tiles, which are rows or (ROWS_CUT) parts of them.
KERNEL void reduce_rows(ROWS_INPUT, ulong columns, uint n, uint tiles, ROWS_OUTPUT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  const fold_input in = rows_from(x + x_offset, given);
  const row_places at = {rows, pitch, matrix};
  const own_units own = own_share(n);
  uint unit = (uint)own.begin;
#ifdef ROW_WIDES
  for (; unit + 16 <= (uint)own.end; unit += 16) {
    union {
      ACC_WIDE wide;
      FOLDED values[16];
    } results;
    results.wide = fold_16_rows(in, at, unit);
    for (uint r = 0; r < 16; ++r) ROWS_LEAVE(unit + r, 0, results.values[r]);
  }
#endif
  for (; unit < (uint)own.end; ++unit) {
    const uint row = tiles == 1 ? unit : unit / tiles;
    const uint tile = unit - row * tiles;
    const fold_input from = row_at(in, at, row);
    const ulong base = (ulong)tile * FOLD_TILE;
    const uint count = rows_tile_count(tile, columns);
    const FOLDED result = count == FOLD_TILE ? fold_full_tile(from, base, given)
                                             : fold_short_tile(from, base, count, given);
    ROWS_LEAVE(row, tile, result);
  }
}
