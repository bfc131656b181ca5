// Fills the columns of a tile that a work-item of a GPU holds, in registers, from memory. All work-items of the tile's team
// (fold_columns.cl) must call; if packets are shifted or lanes exchange through local memory, all of the group. Each work-item
// then has its own columns.

// Where a test costs much, what comes of elements that are read again in place of others is computed, too, and not taken:
// compilers move a load behind the test that its only use stands behind, and wait for it there.
enum { FOLD_WITHOUT_TESTS = IS_ON(TESTS_COST) };

// Takes in the `left` elements that a short tile has after its whole rows.
INLINE void fold_last_row(FOLDED columns[VECTOR], fold_input in, ulong base, uint column, uint rows,
                          uint left, named_values given) {
  FOLDED values[VECTOR];
  if (FOLD_WITHOUT_TESTS) {
    // A work-item that has fewer reads the last one again, so that no test stands between two loads.
    if (left == 0) return;
    UNROLL
    for (uint k = 0; k < VECTOR; ++k)
      values[k] = lift_at(in, base + min(column + k, left - 1), fold_index(0, rows), given);
    LOADS_DO_NOT_PASS();
  }
  UNROLL
  for (uint k = 0; k < VECTOR; ++k) {
    const bool exists = column + k < left;
    if (exists || FOLD_WITHOUT_TESTS) {
      const FOLDED value = FOLD_WITHOUT_TESTS ? values[k] : lift_at(in, base + column + k, fold_index(0, rows), given);
      const FOLDED folded = rows == 0 ? value : combine(columns[k], value, given);
      columns[k] = exists ? folded : columns[k];
    }
  }
}

// The columns of a tile that are runs.
INLINE void fold_load_contiguous(FOLDED columns[FOLD_SEGMENTS][VECTOR], fold_input in, ulong base, uint count,
                                 __local FOLDED *exchange, named_values given) {
  if (count == FOLD_TILE && fold_load_runs(columns, in, base, exchange, given)) return;
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    UNROLL
    for (uint k = 0; k < VECTOR; ++k) {
      const uint column = fold_column(s) + k;
      for (uint row = 0; row < FOLD_ROWS; ++row) {
        if (fold_index(column, row) < count) {
          const FOLDED value = lift_at(in, base, fold_index(column, row), given);
          columns[s][k] = row == 0 ? value : combine(columns[s][k], value, given);
        }
      }
    }
  }
}

// Loads this work-item's columns of a tile that starts at element `base` and has `count` elements; if that is 0, `base` is the
// index of an element all the same. `clamps` is the literal true if there is a whole row and the tile may be short: in place of
// rows after the last whole one that row is loaded again, and not used. A test for each load would hold a predicate for each, and
// compilers that run out of these load one after the other.
INLINE void fold_load(FOLDED columns[FOLD_SEGMENTS][VECTOR], fold_input in, ulong base, uint count, bool clamps,
                      __local FOLDED *exchange, named_values given) {
  if (fold_lacks_columns(count)) fold_stand_in(columns, lift_at(in, base, 0, given));
  if (IS_ON(CONTIGUOUS_COLUMNS)) {
    fold_load_contiguous(columns, in, base, count, exchange, given);
    return;
  }
  // Whole rows go by packets, all of them in flight before the first is used.
  const uint rows = count / FOLD_ACCUMULATORS;
  fold_input from = in;
  const uint shift = fold_shift(in);
  const bool has_extra = IS_ON(PACKETS_SHIFTED) && OWN_ID % LANES < shift;
  STORED first_element;
  if (IS_ON(PACKETS_SHIFTED)) first_element = in.x[base];
  from.x -= shift;
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    const uint column = fold_column(s);
    uint extra_column;
    FOLDED extra;
    if (IS_ON(PACKETS_SHIFTED)) {
      extra_column = column - OWN_ID % LANES * (VECTOR - 1) + LANES * VECTOR - shift;
      if (IS_ON(LANES_NEED_EXCHANGE)) {
        // Nothing undefined goes through local memory.
        extra = lift_at(in, base, 0, given);
        UNROLL
        for (uint k = 0; k < VECTOR; ++k) {
          if (rows == 0) columns[s][k] = extra;
        }
      }
    }
    uint sums[BYTE_WORDS];  // where bytes are summed
    UNROLL
    for (uint q = 0; q < BYTE_WORDS; ++q) sums[q] = 0;
    UNROLL
    for (uint first = 0; first < FOLD_ROWS; first += ITEMS) {
      packet x[ITEMS];
      packet y[ITEMS];              // where there are two inputs
      STORED extra_element[ITEMS];  // where packets are shifted
      UNROLL
      for (uint j = 0; j < ITEMS; ++j) {
        if (clamps || first + j < rows) {
          const uint row = clamps ? min(first + j, rows - 1) : first + j;
          x[j] = load_packet(fold_row(from.x, base, column, row));
          if (HAS_Y) y[j] = load_packet(fold_row(from.y, base, column, row));
          if (IS_ON(PACKETS_SHIFTED) && has_extra) extra_element[j] = *fold_row(in.x, base, extra_column, row);
        }
      }
      LOADS_DO_NOT_PASS();
      if (IS_ON(PACKETS_SHIFTED)) {
        // What lies before the tile may be no element of the input's: its first one stands in.
        UNROLL
        for (uint k = 0; first == 0 && k + 1 < VECTOR; ++k) {
          if (column + k < shift) x[0].elements[k] = first_element;
        }
      }
      UNROLL
      for (uint j = 0; j < ITEMS; ++j) {
        const bool exists = first + j < rows;
        if (exists || (clamps && FOLD_WITHOUT_TESTS)) {
          if (FOLD_BYTES) {
            add_bytes(sums, x[j], exists);
          } else {
            UNROLL
            for (uint k = 0; k < VECTOR; ++k) {
              const uint row = clamps && FOLD_WITHOUT_TESTS ? min(first + j, rows - 1) : first + j;
              const uint place = column + k + fold_index(0, row);
              const ulong i = base + (place < shift ? 0 : place - shift);
              const LOADED one = unpack(&x[j], k);
              const FOLDED value = fold_lift(one, HAS_Y ? unpack(&y[j], k) : one, in, i, given);
              const FOLDED folded = first + j == 0 ? value : combine(columns[s][k], value, given);
              columns[s][k] = exists ? folded : columns[s][k];
            }
          }
          if (IS_ON(PACKETS_SHIFTED) && exists && has_extra) {
            const LOADED one = READ_IN_PACKET(VALUE_READ, extra_element, j);
            const FOLDED value = fold_lift(one, one, in, base + fold_index(extra_column, first + j), given);
            extra = first + j == 0 ? value : combine(extra, value, given);
          }
        }
      }
    }
    if (IS_ON(PACKETS_SHIFTED)) fold_shift_back(columns[s], extra, shift, exchange);
    if (FOLD_BYTES && rows > 0) columns_from_bytes(columns[s], sums, rows);
    if (FOLD_SEGMENTS > 1) LOADS_DO_NOT_PASS();  // the next segment's would take as many registers again
    const uint left = count - rows * FOLD_ACCUMULATORS;
    if (!clamps || left > 0) fold_last_row(columns[s], in, base, column, rows, left, given);
  }
}

// Loads a tile that may be short, as fold_load does, without a test for each load. If lanes exchange through local memory, the
// tiles of all teams must have the same number of whole rows.
INLINE void fold_load_clamped(FOLDED columns[FOLD_SEGMENTS][VECTOR], fold_input in, ulong base, uint count,
                              __local FOLDED *exchange, named_values given) {
  if (!IS_ON(CONTIGUOUS_COLUMNS) && count < FOLD_ACCUMULATORS) {  // no row is whole
    if (fold_lacks_columns(count)) fold_stand_in(columns, lift_at(in, base, 0, given));
    UNROLL
    for (uint s = 0; s < FOLD_SEGMENTS; ++s)
      fold_last_row(columns[s], in, base, fold_column(s), 0, count, given);
    return;
  }
  fold_load(columns, in, base, count, true, exchange, given);
}

// Loads this work-item's columns of a tile that is not whole, a row at a time. Of elements narrower than a word a work-item has
// many columns; with a test for each packet in flight, these would take twice the registers of a whole tile.
enum { FOLD_SHORT_APART = (FOLDED_BYTES < 4) & !IS_ON(TESTS_COST) & !IS_ON(CONTIGUOUS_COLUMNS) };
INLINE void fold_load_by_rows(FOLDED columns[FOLD_SEGMENTS][VECTOR], fold_input in, ulong base, uint count,
                              named_values given) {
  if (fold_lacks_columns(count)) fold_stand_in(columns, lift_at(in, base, 0, given));
  const uint rows = count / FOLD_ACCUMULATORS;
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    const uint column = fold_column(s);
#pragma unroll 1
    for (uint row = 0; row < rows; ++row) {
      const packet x = load_packet(fold_row(in.x, base, column, row));
      packet y;
      if (HAS_Y) y = load_packet(fold_row(in.y, base, column, row));
      UNROLL
      for (uint k = 0; k < VECTOR; ++k) {
        const uint place = fold_index(0, row);
        const LOADED one = unpack(&x, k);
        const FOLDED value = fold_lift(one, HAS_Y ? unpack(&y, k) : one, in, base + column + k + place, given);
        columns[s][k] = row == 0 ? value : combine(columns[s][k], value, given);
      }
    }
    fold_last_row(columns[s], in, base, column, rows, count - rows * FOLD_ACCUMULATORS, given);
  }
}

// Loads this work-item's columns of a tile that is not whole. If FOLD_WHOLE_APART, callers load whole tiles by fold_load.
enum { FOLD_WHOLE_APART = !IS_ON(LANES_NEED_EXCHANGE) | FOLD_SHORT_APART };
INLINE void fold_load_short(FOLDED columns[FOLD_SEGMENTS][VECTOR], fold_input in, ulong base, uint count,
                            __local FOLDED *exchange, named_values given) {
  if (FOLD_SHORT_APART)
    fold_load_by_rows(columns, in, base, count, given);
  else if (IS_ON(LANES_NEED_EXCHANGE) & !FOLD_WITHOUT_TESTS)
    fold_load(columns, in, base, count, false, exchange, given);
  else
    fold_load_clamped(columns, in, base, count, exchange, given);
}

// The columns of results of the level below, where they are runs.
INLINE void fold_load_contiguous_results(FOLDED columns[FOLD_SEGMENTS][VECTOR], const __global FOLDED *results, uint count,
                                         named_values given) {
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    UNROLL
    for (uint k = 0; k < VECTOR; ++k) {
      const uint column = fold_column(s) + k;
#pragma unroll 1
      for (uint row = 0; row < FOLD_ROWS; ++row) {
        const uint place = fold_index(column, row);
        if (place < count) {
          const FOLDED value = results[place];
          columns[s][k] = row == 0 ? value : combine(columns[s][k], value, given);
        }
      }
    }
  }
}

// Loads this work-item's columns of a tile of the level above: the `count` results at `results`, which are folds already.
INLINE void fold_load_results(FOLDED columns[FOLD_SEGMENTS][VECTOR], const __global FOLDED *results,
                              uint count, named_values given) {
  if (fold_lacks_columns(count)) fold_stand_in(columns, results[0]);
  if (IS_ON(CONTIGUOUS_COLUMNS)) {
    fold_load_contiguous_results(columns, results, count, given);
    return;
  }
  const uint rows = count / FOLD_ACCUMULATORS;
  const uint left = count - rows * FOLD_ACCUMULATORS;
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    const uint column = fold_column(s);
    if (FOLD_WITHOUT_TESTS) {
      // In place of rows after the last whole one that row is loaded again, in place of results after the last that result.
      UNROLL
      for (uint first = 0; first < FOLD_ROWS; first += RESULT_ITEMS) {
        if (first < rows) {
          result_packet packets[RESULT_ITEMS];
          UNROLL
          for (uint j = 0; j < RESULT_ITEMS; ++j)
            packets[j] = load_results(results + fold_index(column, min(first + j, rows - 1)));
          LOADS_DO_NOT_PASS();
          UNROLL
          for (uint j = 0; j < RESULT_ITEMS; ++j) {
            UNROLL
            for (uint k = 0; k < VECTOR; ++k) {
              const FOLDED value = packets[j].values[k];
              const FOLDED folded = first + j == 0 ? value : combine(columns[s][k], value, given);
              columns[s][k] = first + j < rows ? folded : columns[s][k];
            }
          }
        }
      }
      if (left > 0) {
        FOLDED last[VECTOR];
        UNROLL
        for (uint k = 0; k < VECTOR; ++k) last[k] = results[fold_index(min(column + k, left - 1), rows)];
        LOADS_DO_NOT_PASS();
        UNROLL
        for (uint k = 0; k < VECTOR; ++k) {
          const FOLDED folded = rows == 0 ? last[k] : combine(columns[s][k], last[k], given);
          columns[s][k] = column + k < left ? folded : columns[s][k];
        }
      }
    } else {
      // Whole packets, all that registers have room for in flight before the first is used.
      const uint whole = rows + (column + VECTOR <= left ? 1 : 0);
      UNROLL
      for (uint first = 0; first < FOLD_ROWS; first += RESULT_ITEMS) {
        result_packet packets[RESULT_ITEMS];
        UNROLL
        for (uint j = 0; j < RESULT_ITEMS; ++j) {
          if (first + j < whole) packets[j] = load_results(results + fold_index(column, first + j));
        }
        UNROLL
        for (uint j = 0; j < RESULT_ITEMS; ++j) {
          if (first + j < whole) {
            UNROLL
            for (uint k = 0; k < VECTOR; ++k) {
              const FOLDED value = packets[j].values[k];
              columns[s][k] = first + j == 0 ? value : combine(columns[s][k], value, given);
            }
          }
        }
      }
      // The packet that the results end in.
      if (column < left && left < column + VECTOR) {
        UNROLL
        for (uint k = 0; k + 1 < VECTOR; ++k) {
          if (column + k < left) {
            const FOLDED value = results[fold_index(column + k, rows)];
            columns[s][k] = rows == 0 ? value : combine(columns[s][k], value, given);
          }
        }
      }
    }
  }
}
