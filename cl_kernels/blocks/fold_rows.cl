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

#ifdef ROW_LANES
// A row of at most FOLD_ACCUMULATORS elements has one in each column: its fold is the tree alone. ROW_LANES neighbouring
// lanes take it, each ROW_PACKETS packets; ROW_WHOLE says that a row has exactly so many elements. A packet has no
// elements of two rows.
enum {
  ROW_SLOTS = GROUP_SIZE / ROW_LANES,
  ROWS_AT_ONCE = ROW_SLOTS * ROW_ITEMS
};

// How many of a row's lanes have an element of packet `p`.
static inline uint row_lanes(uint p, uint columns) {
  const uint before = p * ROW_LANES * VECTOR;
  return columns <= before ? 0 : min((columns - before + VECTOR - 1) / VECTOR, (uint)ROW_LANES);
}

// Folds the values of the first `count` of a row's lanes. The result is valid in the row's last lane; with a count of 0
// it is nothing. All lanes must call; where lanes exchange through local memory, all work-items.
static inline FOLDED row_lanes_fold(FOLDED x, uint count, __local FOLDED *exchange, named_values given) {
  // From the set's first lane on, as lanes are counted.
  count += OWN_ID % LANES / ROW_LANES * ROW_LANES;
#ifdef LANES_NEED_EXCHANGE
  for (uint distance = 1; distance < ROW_LANES; distance *= 2)
    // All hold an element, if not one of their own: a lane may read another row's, and take nothing from it.
    x = lanes_fold_step(lane_up_through_local(x, true, distance, exchange), x, distance, count, given);
#elif defined(ROW_WHOLE)
#define ROW_STEP(distance) \
  if (ROW_LANES > distance) x = combine(lane_up_##distance(x), x, given);
  EACH_DISTANCE(ROW_STEP)
#undef ROW_STEP
  x = lanes_stay(x);
#else
#define ROW_STEP(distance) \
  if (ROW_LANES > distance) x = lanes_fold_step(lanes_stay(lane_up_##distance(x)), x, distance, count, given);
  EACH_DISTANCE(ROW_STEP)
#undef ROW_STEP
#endif
  return x;
}
#endif

#if GROUP_SIZE == 1
#ifdef ROW_WIDES
// A row of 16 * ROW_WIDES elements, a power of two of them, as far as its last 16 values.
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

#if defined(WIDE) && !defined(CONTIGUOUS_COLUMNS)
// A tile that is not whole, 16 columns at a time. Of a pair whose second half does not exist the first is combined with
// something all the same, and nobody takes what comes of it: operators of the user have no wide form.
static inline FOLDED fold_short_tile(fold_input in, ulong base, uint count, named_values given) {
  union {
    ACC_WIDE wides[FOLD_WIDES + 1];
    FOLDED values[FOLD_WIDES * 16 + 16];
  } columns;
  const uint rows = count / FOLD_ACCUMULATORS;
  const uint left = count % FOLD_ACCUMULATORS;
  for (uint row = 0; row < rows; ++row) {
    for (uint k = 0; k < FOLD_WIDES; ++k) {
      const ACC_WIDE x = lift_wide_at(in, base + row * FOLD_ACCUMULATORS + 16 * k);
      columns.wides[k] = row == 0 ? x : combine_wide(columns.wides[k], x);
    }
  }
  for (uint k = 0; k < left / 16; ++k) {
    const ACC_WIDE x = lift_wide_at(in, base + rows * FOLD_ACCUMULATORS + 16 * k);
    columns.wides[k] = rows == 0 ? x : combine_wide(columns.wides[k], x);
  }
  if (rows == 0 && left % 16 != 0) columns.wides[left / 16] = (ACC_WIDE)(lift_at(in, base, 0, given));
  for (uint column = left / 16 * 16; column < left; ++column) {
    const FOLDED x = lift_at(in, base, rows * FOLD_ACCUMULATORS + column, given);
    columns.values[column] = rows == 0 ? x : combine(columns.values[column], x, given);
  }
  for (uint existing = fold_columns(count); existing > 1; existing = (existing + 1) / 2) {
    const FOLDED last = columns.values[existing - 1];
    for (uint k = 0; 32 * k < existing; ++k)
      columns.wides[k] = pairs_wide(columns.wides[2 * k], columns.wides[min(2 * k + 1, (existing - 1) / 16)]);
    if (existing % 2 != 0) columns.values[existing / 2] = last;
  }
  return columns.values[0];
}
#else
static inline FOLDED fold_short_tile(fold_input in, ulong base, uint count, named_values given) {
  return fold_any_tile(true, in, 0, base, count, given);
}
#endif
#endif
