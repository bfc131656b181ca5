// Passes over a matrix's columns: what they fold to one value, and, by a group, the values of columns that others left.

// One pass over `count` elements, or values of the pass before, of each column. A tile has `accumulators`, each of `rows`
// elements, of which `part` neighbouring ones, a power of two, become one value.
typedef struct {
  ulong count;
  uint accumulators, rows, part;
} column_pass;

static inline uint column_index(column_pass pass, uint accumulator, uint row) {
  if (IS_ON(CONTIGUOUS_COLUMNS)) return accumulator * pass.rows + row;
  return row * pass.accumulators + accumulator;
}

// How many accumulators of a tile with `count` elements have any.
static inline uint column_accumulators(column_pass pass, uint count) {
  if (IS_ON(CONTIGUOUS_COLUMNS)) return (count + pass.rows - 1) / pass.rows;
  return min(count, pass.accumulators);
}

// What is folded to one value: the accumulators of a part, in the tile that begins at element `base`.
typedef struct {
  ulong base;
  uint count;       // of the tile's elements
  uint first, end;  // accumulators that have any
} column_unit;

static inline column_unit column_unit_at(column_pass pass, uint unit) {
  const uint parts = pass.accumulators / pass.part;
  const uint tile = unit / parts;
  column_unit at;
  at.base = (ulong)tile * pass.accumulators * pass.rows;
  at.count = (uint)min(pass.count - at.base, (ulong)pass.accumulators * pass.rows);
  at.first = (unit - tile * parts) * pass.part;
  at.end = min(column_accumulators(pass, at.count), at.first + pass.part);
  return at;
}

#ifdef COLUMNS_CUT
// Values that are loaded at once: `count` > 0 that lie `step` apart, and the last one in the places behind them. The address
// goes on from one to the next: of many that are computed apart, compilers keep as many.
INLINE void column_load_values(FOLDED values[COLUMN_CHUNK], const __global FOLDED *from, ulong step, uint count) {
  UNROLL
  for (uint k = 0; k < COLUMN_CHUNK; ++k) {
    values[k] = *from;
    if (k + 1 < count) from += step;
  }
}

// Folds `count` > 0 neighbours, at most COLUMN_CHUNK.
INLINE FOLDED column_fold_neighbours(const __global FOLDED *from, ulong step, uint count, named_values given) {
  FOLDED values[COLUMN_CHUNK];
  column_load_values(values, from, step, count);
  UNROLL
  for (uint distance = 1; distance < COLUMN_CHUNK; distance *= 2) {
    UNROLL
    for (uint k = 0; k < COLUMN_CHUNK; k += 2 * distance) {
      if (k + distance < count) values[k] = combine(values[k], values[k + distance], given);
    }
  }
  return values[0];
}

// How many values a pass leaves of a column.
static inline uint column_units(column_pass pass) {
  const ulong of_tile = (ulong)pass.accumulators * pass.rows;
  const uint tiles = (uint)(pass.count / of_tile), left = (uint)(pass.count - tiles * of_tile);
  return tiles * (pass.accumulators / pass.part) + (column_accumulators(pass, left) + pass.part - 1) / pass.part;
}

// Folds the `count` > 0 values of an accumulator, in rising order.
INLINE FOLDED column_fold_rows(const __global FOLDED *from, ulong step, uint count, named_values given) {
  FOLDED result;
#pragma unroll 1
  for (uint row = 0; row < count; row += COLUMN_CHUNK) {
    FOLDED values[COLUMN_CHUNK];
    column_load_values(values, from + row * step, step, count - row);
    result = row == 0 ? values[0] : combine(result, values[0], given);
    UNROLL
    for (uint k = 1; k < COLUMN_CHUNK; ++k) {
      if (row + k < count) result = combine(result, values[k], given);
    }
  }
  return result;
}

// Columns whose values a group folds: `width` neighbours. Each has `count` > 1 values at `values`, `columns` apart, and as
// much room as it has tiles at `above`; its result goes to `out`.
typedef struct {
  __global FOLDED *values, *above;
  __global RESULT *out;
  uint columns, width, count;
} column_values;

enum { COLUMN_TILE_VALUES = FOLD_ACCUMULATORS / COLUMN_PART };

// Goes over each `column` of `width` and each `unit` before `end`, by the work-items of a group: so many side by side, a
// power of two, as there are columns.
#define FOR_COLUMN_UNITS(width, end)                                                                                       \
  for (uint shift = min(32 - clz((width) - 1), 31 - clz((uint)GROUP_SIZE)), column = get_local_id(0) & ((1u << shift) - 1); \
       column < (width); column += 1u << shift)                                                                          \
    for (uint unit = get_local_id(0) >> shift; unit < (end); unit += GROUP_SIZE >> shift)

// Folds the values of columns to their results. All work-items of a group must call.
//
// Passes over neighbours stay in their place: a value replaces the first that it is of, so that values lie ever farther
// apart.
INLINE void columns_fold_values(column_values of, named_values given) {
  __global FOLDED *from = of.values, *to = of.above;
  ulong step = of.columns;
  uint count = of.count, of_tile = COLUMN_TILE_VALUES;  // what is left of each column, and how many are of one tile
#pragma unroll 1
  for (;;) {
    if (of_tile == 1) {
      // One level up.
      of_tile = FOLD_ACCUMULATORS;
      if (FOLD_ROWS > 1 && (IS_ON(CONTIGUOUS_COLUMNS) || count > FOLD_ACCUMULATORS)) {
        const column_pass pass = {count, FOLD_ACCUMULATORS, FOLD_ROWS, 1};
        const uint apart = column_index(pass, 0, 1);
        count = column_units(pass);
        FOR_COLUMN_UNITS(of.width, count) {
          const column_unit at = column_unit_at(pass, unit);
          const uint first = column_index(pass, at.first, 0);
          const FOLDED value =
              column_fold_rows(from + (at.base + first) * step + column, step * apart,
                               min((at.count - first + apart - 1) / apart, (uint)FOLD_ROWS), given);
          if (count == 1)
            leave_result(result_at(of.out, column, given), value, given);
          else
            to[(ulong)unit * of.columns + column] = value;
        }
        if (count == 1) return;
        GROUP_GLOBAL_BARRIER();
        __global FOLDED *const left = to;
        to = from;
        from = left;
        step = of.columns;
      }
    }
    const uint part = min(of_tile, (uint)COLUMN_CHUNK);
    FOR_COLUMN_UNITS(of.width, (count + part - 1) / part) {
      __global FOLDED *const first = from + (ulong)(unit * part) * step + column;
      const FOLDED value = column_fold_neighbours(first, step, min(part, count - unit * part), given);
      if (count <= part)
        leave_result(result_at(of.out, column, given), value, given);
      else
        *first = value;
    }
    if (count <= part) return;
    step *= part;
    count = (count + part - 1) / part;
    of_tile /= part;
    GROUP_GLOBAL_BARRIER();
  }
}
#endif
