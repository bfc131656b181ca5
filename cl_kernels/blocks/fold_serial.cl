// The fold of tiles by one work-item, as a CPU core does it: row after row, in the same order as everywhere.

// A CPU core folds a tile alone.
typedef struct {
  uint unused;
} fold_memory;

#define FOLD_MEMORY(name) fold_memory name = {0}
enum { FOLD_TEAMS = 1 };

// A short tile, or (without `lifts`) one of results of the level below. The tree is built as the columns come:
// level l of `pending` holds a finished subtree of 2^l columns, as in a binary counter.
static inline FOLDED fold_any_tile(bool lifts, fold_input in, const __global FOLDED *results, ulong base,
                                   uint count, named_values given) {
  FOLDED pending[11];  // 2^10 columns at most
  const uint columns = fold_columns(count);
  for (uint column = 0; column < columns; ++column) {
    FOLDED value;
    for (uint row = 0; row < FOLD_ROWS && fold_index(column, row) < count; ++row) {
      const uint place = fold_index(column, row);
      const FOLDED next = lifts ? lift_at(in, base, place, given) : results[place];
      value = row == 0 ? next : combine(value, next, given);
    }
    uint level = 0;
    for (; (column >> level) & 1; ++level) value = combine(pending[level], value, given);
    pending[level] = value;
  }
  // Subtrees that found no right neighbour join from the smallest (the last columns) upwards.
  uint level = 0;
  while (!((columns >> level) & 1)) ++level;
  FOLDED value = pending[level];
  for (++level; (columns >> level) != 0; ++level) {
    if ((columns >> level) & 1) value = combine(pending[level], value, given);
  }
  return value;
}

#if defined(WIDE) && !defined(CONTIGUOUS_COLUMNS)
enum { FOLD_WIDES = FOLD_ACCUMULATORS / 16 };

static inline ACC_WIDE pairs_wide(ACC_WIDE a, ACC_WIDE b) {
  return combine_wide((ACC_WIDE)(a.even, b.even), (ACC_WIDE)(a.odd, b.odd));
}

static inline FOLDED fold_lanes_wide(ACC_WIDE v) {
  // Missing halves repeat: only the first result of each step is used.
  v = pairs_wide(v, v);
  v = pairs_wide(v, v);
  v = pairs_wide(v, v);
  v = pairs_wide(v, v);
  return v.s0;
}

static inline LOADED_WIDE load_wide(const __global STORED *from) { return READ_16(VALUE_READ, from); }

static inline ACC_WIDE lift_wide_at(fold_input in, ulong i) {
  FETCH_SOON((const __global uchar *)(in.x + i) + FETCHED_AHEAD);
#ifdef TWO_INPUTS
  FETCH_SOON((const __global uchar *)(in.y + i) + FETCHED_AHEAD);
  return lift_wide(load_wide(in.x + i), load_wide(in.y + i));
#else
  return lift_wide(load_wide(in.x + i));
#endif
}

// Row after row, as the elements lie: the columns stay in the nearest cache. (With a loop of its own for the first row
// it was a tenth slower.)
static inline FOLDED fold_full_tile(fold_input in, ulong base, named_values given) {
  ACC_WIDE columns[FOLD_WIDES];
  for (uint row = 0; row < FOLD_ROWS; ++row) {
    const ulong first = base + row * FOLD_ACCUMULATORS;
    for (uint k = 0; k < FOLD_WIDES; ++k) {
      const ACC_WIDE x = lift_wide_at(in, first + 16 * k);
      columns[k] = row == 0 ? x : combine_wide(columns[k], x);
    }
  }
  for (uint width = FOLD_WIDES / 2; width > 0; width /= 2) {
    for (uint k = 0; k < width; ++k) columns[k] = pairs_wide(columns[2 * k], columns[2 * k + 1]);
  }
  return fold_lanes_wide(columns[0]);
}

// Folds a tile that is not whole, 16 columns at a time. A column without a partner is combined with a meaningless value, and that
// result is not used. This is for built-in operators only: a user's operator has no wide form and must not see such a value.
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
// Folds a whole tile by single values, for structures and the user's operators; compilers vectorise the loops over k where
// they can.
static inline FOLDED fold_full_tile(fold_input in, ulong base, named_values given) {
  FOLDED blocks[FOLD_ACCUMULATORS / FOLD_BLOCK];
  for (uint b = 0; b < FOLD_ACCUMULATORS / FOLD_BLOCK; ++b) {
    FOLDED columns[FOLD_BLOCK];
    for (uint k = 0; k < FOLD_BLOCK; ++k) columns[k] = lift_at(in, base, fold_index(b * FOLD_BLOCK + k, 0), given);
    for (uint row = 1; row < FOLD_ROWS; ++row) {
      for (uint k = 0; k < FOLD_BLOCK; ++k)
        columns[k] =
            combine(columns[k], lift_at(in, base, fold_index(b * FOLD_BLOCK + k, row), given), given);
    }
    for (uint width = FOLD_BLOCK / 2; width > 0; width /= 2) {
      for (uint k = 0; k < width; ++k) columns[k] = combine(columns[2 * k], columns[2 * k + 1], given);
    }
    blocks[b] = columns[0];
  }
  for (uint distance = 1; distance < FOLD_ACCUMULATORS / FOLD_BLOCK; distance *= 2) {
    for (uint b = 0; b < FOLD_ACCUMULATORS / FOLD_BLOCK; b += 2 * distance)
      blocks[b] = combine(blocks[b], blocks[b + distance], given);
  }
  return blocks[0];
}

static inline FOLDED fold_short_tile(fold_input in, ulong base, uint count, named_values given) {
  return fold_any_tile(true, in, 0, base, count, given);
}
#endif

// Gives the first index from `begin` to before `end` at which `value` stands: among the results at `from`, or if that is 0
// among the elements of `in`. The caller knows that it does stand there. The group is one work-item.
#ifdef INDEXED_VALUE
static inline ulong locate(FOLDED value, fold_input in, const __global FOLDED *from, ulong begin, ulong end,
                           fold_memory memory, named_values given) {
  for (; begin + 1 < end; ++begin) {
    if (equal_value(from != 0 ? from[begin] : lift_at(in, begin, 0, given), value)) break;
  }
  return begin;
}
#endif

INLINE FOLDED fold_tiles(bool lifts, fold_input in, const __global FOLDED *from, ulong n, uint begin, uint end,
                         __global FOLDED *to, fold_memory memory, named_values given) {
  FOLDED result;
  for (uint tile = begin; tile < end; ++tile) {
    const ulong base = (ulong)tile * FOLD_TILE;
    if (lifts && n - base >= FOLD_TILE) {
      result = fold_full_tile(in, base, given);
    } else {
      result = fold_any_tile(lifts, in, from + base, base, (uint)min(n - base, (ulong)FOLD_TILE), given);
    }
    to[tile] = result;
  }
  return result;
}
