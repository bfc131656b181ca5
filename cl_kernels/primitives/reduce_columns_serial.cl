// Reductions of a matrix's columns on a CPU.

// By work-items that are groups of their own: each takes strips of at most COLUMN_STRIP columns, row after row.
#ifdef WIDE
typedef union {
  FOLDED values[COLUMN_STRIP];
  ACC_WIDE wides[COLUMN_STRIP / 16];
} column_strip;

// What the next two do, 16 columns at a time. Gives how many of them.
static inline uint column_take_wides(column_strip *to, bool begins, const __global STORED *x, ulong row, uint width,
                                     named_values given) {
  uint c = 0;
  for (; c + 16 <= width; c += 16) {
#ifdef TIMES_VECTOR
    const ACC_WIDE value = lift_wide(READ_16(VALUE_READ, x + c), (LOADED_WIDE)(vector_element(row, given)));
#else
    const ACC_WIDE value = lift_wide(READ_16(VALUE_READ, x + c));
#endif
    to->wides[c / 16] = begins ? value : combine_wide(to->wides[c / 16], value);
  }
  return c;
}
static inline uint column_join_wides(column_strip *to, const column_strip *left, const column_strip *right, uint width) {
  uint c = 0;
  for (; c + 16 <= width; c += 16) to->wides[c / 16] = combine_wide(left->wides[c / 16], right->wides[c / 16]);
  return c;
}
#else
typedef struct {
  FOLDED values[COLUMN_STRIP];
} column_strip;
static inline uint column_take_wides(column_strip *to, bool begins, const __global STORED *x, ulong row, uint width,
                                     named_values given) {
  return 0;
}
static inline uint column_join_wides(column_strip *to, const column_strip *left, const column_strip *right, uint width) {
  return 0;
}
#endif

// Takes in the elements at `x`, of `row` in their columns, which are the first where `begins`.
static inline void column_take(column_strip *to, bool begins, const __global STORED *x, ulong row,
                               uint width, named_values given) {
  for (uint c = column_take_wides(to, begins, x, row, width, given); c < width; ++c) {
    const FOLDED value = lift(load_element(x + c), row, given);
    to->values[c] = begins ? value : combine(to->values[c], value, given);
  }
}

// `to` may be either of the two.
static inline void column_join(column_strip *to, const column_strip *left, const column_strip *right,
                               uint width, named_values given) {
  for (uint c = column_join_wides(to, left, right, width); c < width; ++c)
    to->values[c] = combine(left->values[c], right->values[c], given);
}

// n units of strips, strips first: `units` of each column.
KERNEL void reduce_columns(COLUMNS_INPUT, uint columns, uint units, uint n, COLUMNS_OUTPUT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  // Level l holds a finished subtree of 2^l accumulators, as in a binary counter. 2^10 accumulators at most.
  column_strip pending[11], value;
  const uint strips = (columns + COLUMN_STRIP - 1) / COLUMN_STRIP;
  const column_pass pass = {rows, FOLD_ACCUMULATORS, FOLD_ROWS, COLUMN_PART};
  const own_units own = own_share(n);
  for (uint each = (uint)own.begin; each < (uint)own.end; ++each) {
    const uint of_all = each / strips, begin = (each - of_all * strips) * COLUMN_STRIP;
    const uint width = min((uint)COLUMN_STRIP, columns - begin);
    const uint batch = of_all / units;
    const column_unit at = column_unit_at(pass, of_all - batch * units);
    const __global STORED *from = x + x_offset + batch * matrix + begin;
    const uint count = at.end - at.first;
    for (uint a = 0; a < count; ++a) {
      uint carries = 0;
      while ((a >> carries & 1) != 0) ++carries;
      column_strip *last = carries == 0 ? &pending[0] : &value;
      for (uint row = 0; row < FOLD_ROWS; ++row) {
        const uint index = column_index(pass, at.first + a, row);
        if (index >= at.count) break;
        column_take(last, row == 0, from + (at.base + index) * pitch, at.base + index, width, given);
      }
      for (uint level = 0; level < carries; ++level) {
        column_strip *to = level + 1 == carries ? &pending[carries] : &value;
        column_join(to, &pending[level], last, width, given);
        last = to;
      }
    }
    // Subtrees that found no right neighbour join, from the smallest, which are the last accumulators, upwards.
    uint level = 0;
    while ((count >> level & 1) == 0) ++level;
    const column_strip *result = &pending[level];
    for (++level; count >> level != 0; ++level) {
      if ((count >> level & 1) == 0) continue;
      column_join(&value, &pending[level], result, width, given);
      result = &value;
    }
    for (uint c = 0; c < width; ++c) COLUMNS_LEAVE(of_all, begin + c, result->values[c]);
  }
}
