// The columns of a tile that one work-item of a GPU holds, filled from memory.

// Where a test costs much, what comes of elements that are read again in place of others is computed, too, and not taken:
// compilers move a load behind the test that its only use stands behind, and wait for it there.
#ifdef TESTS_COST
enum { FOLD_WITHOUT_TESTS = 1 };
#else
enum { FOLD_WITHOUT_TESTS = 0 };
#endif

// Takes in the `left` elements that a short tile has after its whole rows.
INLINE void fold_last_row(FOLDED columns[VECTOR], fold_input in, ulong base, uint column, uint rows,
                          uint left, named_values given) {
#ifdef TESTS_COST
  // A work-item that has fewer reads the last one again, so that no test stands between two loads.
  if (left == 0) return;
  FOLDED values[VECTOR];
  UNROLL
  for (uint k = 0; k < VECTOR; ++k)
    values[k] = lift_at(in, base + min(column + k, left - 1), FOLD_INDEX(0, rows), given);
  LOADS_DO_NOT_PASS();
#endif
  UNROLL
  for (uint k = 0; k < VECTOR; ++k) {
    const bool exists = column + k < left;
    if (exists || FOLD_WITHOUT_TESTS) {
#ifdef TESTS_COST
      const FOLDED value = values[k];
#else
      const FOLDED value = lift_at(in, base + column + k, FOLD_INDEX(0, rows), given);
#endif
      const FOLDED folded = rows == 0 ? value : combine(columns[k], value, given);
      columns[k] = exists ? folded : columns[k];
    }
  }
}

// Loads this work-item's columns of a tile that starts at element `base` and has `count` elements; where that is 0
// there is an element at `base` all the same. `clamps` is true,
// literally, where there is a whole row and the tile may be short: rows past the last whole one are then the last again,
// read and not used. A test for each load is a predicate held, and short of those compilers put the loads in line.
INLINE void fold_load(FOLDED columns[FOLD_SEGMENTS][VECTOR], fold_input in, ulong base, uint count, bool clamps,
                      __local FOLDED *exchange, named_values given) {
  FOLD_STAND_IN(columns, count, lift_at(in, base, 0, given));
#if !defined(CONTIGUOUS_COLUMNS)
  // Whole rows go by packets, all of them under way before the first is used.
  const uint rows = count / FOLD_ACCUMULATORS;
  fold_input from = in;
#ifdef PACKETS_SHIFTED
  const uint shift = fold_shift(in);
  const bool has_extra = OWN_ID % LANES < shift;
  const STORED first_element = in.x[base];
  from.x -= shift;
#else
  const uint shift = 0;
#endif
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    const uint column = fold_column(s);
#ifdef PACKETS_SHIFTED
    const uint extra_column = column - OWN_ID % LANES * (VECTOR - 1) + LANES * VECTOR - shift;
    FOLDED extra;
#ifdef LANES_NEED_EXCHANGE
    // Nothing undefined goes through local memory.
    extra = lift_at(in, base, 0, given);
    UNROLL
    for (uint k = 0; k < VECTOR; ++k) {
      if (rows == 0) columns[s][k] = extra;
    }
#endif
#endif
#ifdef FOLD_BYTES
    uint sums[BYTE_WORDS];
    UNROLL
    for (uint q = 0; q < BYTE_WORDS; ++q) sums[q] = 0;
#endif
    UNROLL
    for (uint first = 0; first < FOLD_ROWS; first += ITEMS) {
      packet x[ITEMS];
      packet y[ITEMS];              // where there are two inputs
      STORED extra_element[ITEMS];  // where packets are shifted
      UNROLL
      for (uint j = 0; j < ITEMS; ++j) {
        if (clamps || first + j < rows) {
          const uint row = clamps ? min(first + j, rows - 1) : first + j;
          x[j] = load_packet(FOLD_ROW(from.x, base, column, row));
          if (HAS_Y) y[j] = load_packet(FOLD_ROW(from.y, base, column, row));
#ifdef PACKETS_SHIFTED
          if (has_extra) extra_element[j] = *FOLD_ROW(in.x, base, extra_column, row);
#endif
        }
      }
      LOADS_DO_NOT_PASS();
#ifdef PACKETS_SHIFTED
      // What lies before the tile may be no element of the input's: its first one stands in.
      UNROLL
      for (uint k = 0; first == 0 && k + 1 < VECTOR; ++k) {
        if (column + k < shift) x[0].elements[k] = first_element;
      }
#endif
      UNROLL
      for (uint j = 0; j < ITEMS; ++j) {
        const bool exists = first + j < rows;
        if (exists || (clamps && FOLD_WITHOUT_TESTS)) {
#ifdef FOLD_BYTES
          byte_packet bytes;
          bytes.whole = x[j];
          UNROLL
          for (uint q = 0; q < BYTE_WORDS; ++q) {
            const uint sum = add_byte_pairs(sums[q], bytes.words[q]);
            sums[q] = exists ? sum : sums[q];
          }
#else
          UNROLL
          for (uint k = 0; k < VECTOR; ++k) {
            const uint row = clamps && FOLD_WITHOUT_TESTS ? min(first + j, rows - 1) : first + j;
            const uint place = column + k + FOLD_INDEX(0, row);
            const ulong i = base + (place < shift ? 0 : place - shift);
            const LOADED one = unpack(&x[j], k);
            const FOLDED value = fold_lift(one, HAS_Y ? unpack(&y[j], k) : one, in, i, given);
            const FOLDED folded = first + j == 0 ? value : combine(columns[s][k], value, given);
            columns[s][k] = exists ? folded : columns[s][k];
          }
#endif
#ifdef PACKETS_SHIFTED
          if (exists && has_extra) {
            const LOADED one = READ_IN_PACKET(VALUE_READ, extra_element, j);
            const FOLDED value = fold_lift(one, one, in, base + FOLD_INDEX(extra_column, first + j), given);
            extra = first + j == 0 ? value : combine(extra, value, given);
          }
#endif
        }
      }
    }
#ifdef PACKETS_SHIFTED
    fold_shift_back(columns[s], extra, shift, exchange);
#endif
#ifdef FOLD_BYTES
    // The sum of four columns stands in the first of them.
    if (rows > 0) {
      UNROLL
      for (uint k = 0; k < VECTOR; ++k) columns[s][k] = k % 4 == 0 ? from_byte_pairs(sums[k / 4], 4 * rows) : 0;
    }
#endif
    if (FOLD_SEGMENTS > 1) LOADS_DO_NOT_PASS();  // the next segment's would take as many registers again
    const uint left = count - rows * FOLD_ACCUMULATORS;
    if (!clamps || left > 0) fold_last_row(columns[s], in, base, column, rows, left, given);
  }
#else
#ifdef RUN_PACKET
  if (count == FOLD_TILE) {
    fold_load_runs(columns, in, base, exchange, given);
    return;
  }
#endif
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    UNROLL
    for (uint k = 0; k < VECTOR; ++k) {
      const uint column = fold_column(s) + k;
      for (uint row = 0; row < FOLD_ROWS; ++row) {
        if (FOLD_INDEX(column, row) < count) {
          const FOLDED value = lift_at(in, base, FOLD_INDEX(column, row), given);
          columns[s][k] = row == 0 ? value : combine(columns[s][k], value, given);
        }
      }
    }
  }
#endif
}

// As fold_load, of a tile that may be short, without a test for each load. Where lanes exchange through local memory, all
// teams must have as many whole rows.
INLINE void fold_load_clamped(FOLDED columns[FOLD_SEGMENTS][VECTOR], fold_input in, ulong base, uint count,
                              __local FOLDED *exchange, named_values given) {
#ifndef CONTIGUOUS_COLUMNS
  if (count < FOLD_ACCUMULATORS) {  // no row is whole
    FOLD_STAND_IN(columns, count, lift_at(in, base, 0, given));
    UNROLL
    for (uint s = 0; s < FOLD_SEGMENTS; ++s)
      fold_last_row(columns[s], in, base, fold_column(s), 0, count, given);
    return;
  }
#endif
  fold_load(columns, in, base, count, true, exchange, given);
}

// As fold_load, of a tile that is not whole, a row at a time. Of elements narrower than a word a work-item has many
// columns, and with a test for each of the packets under way they take twice the registers of a whole tile.
#if FOLDED_BYTES < 4 && !defined(TESTS_COST) && !defined(CONTIGUOUS_COLUMNS)
#define FOLD_SHORT_APART 1
INLINE void fold_load_short(FOLDED columns[FOLD_SEGMENTS][VECTOR], fold_input in, ulong base, uint count,
                            __local FOLDED *exchange, named_values given) {
  FOLD_STAND_IN(columns, count, lift_at(in, base, 0, given));
  const uint rows = count / FOLD_ACCUMULATORS;
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    const uint column = fold_column(s);
#pragma unroll 1
    for (uint row = 0; row < rows; ++row) {
      const packet x = load_packet(FOLD_ROW(in.x, base, column, row));
      packet y;
      if (HAS_Y) y = load_packet(FOLD_ROW(in.y, base, column, row));
      UNROLL
      for (uint k = 0; k < VECTOR; ++k) {
        const uint place = FOLD_INDEX(0, row);
        const LOADED one = unpack(&x, k);
        const FOLDED value = fold_lift(one, HAS_Y ? unpack(&y, k) : one, in, base + column + k + place, given);
        columns[s][k] = row == 0 ? value : combine(columns[s][k], value, given);
      }
    }
    fold_last_row(columns[s], in, base, column, rows, count - rows * FOLD_ACCUMULATORS, given);
  }
}
#else
// As fold_load, of a tile that is not whole.
INLINE void fold_load_short(FOLDED columns[FOLD_SEGMENTS][VECTOR], fold_input in, ulong base, uint count,
                            __local FOLDED *exchange, named_values given) {
#if defined(LANES_NEED_EXCHANGE) && !defined(TESTS_COST)
  fold_load(columns, in, base, count, false, exchange, given);
#else
  fold_load_clamped(columns, in, base, count, exchange, given);
#endif
}
#endif

#ifndef RESULTS_AS_ELEMENTS
// As fold_load, from the `count` results of the level below at `results`, which are values already.
INLINE void fold_load_results(FOLDED columns[FOLD_SEGMENTS][VECTOR], const __global FOLDED *results,
                                     uint count, named_values given) {
  FOLD_STAND_IN(columns, count, results[0]);
#if !defined(CONTIGUOUS_COLUMNS)
  const uint rows = count / FOLD_ACCUMULATORS;
  const uint left = count - rows * FOLD_ACCUMULATORS;
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    const uint column = fold_column(s);
#ifdef TESTS_COST
    // As of a short tile's elements: past the last whole row that one again, and past the last result that one.
    UNROLL
    for (uint first = 0; first < FOLD_ROWS; first += RESULT_ITEMS) {
      if (first < rows) {
        result_packet packets[RESULT_ITEMS];
        UNROLL
        for (uint j = 0; j < RESULT_ITEMS; ++j)
          packets[j] = load_results(results + FOLD_INDEX(column, min(first + j, rows - 1)));
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
      for (uint k = 0; k < VECTOR; ++k) last[k] = results[FOLD_INDEX(min(column + k, left - 1), rows)];
      LOADS_DO_NOT_PASS();
      UNROLL
      for (uint k = 0; k < VECTOR; ++k) {
        const FOLDED folded = rows == 0 ? last[k] : combine(columns[s][k], last[k], given);
        columns[s][k] = column + k < left ? folded : columns[s][k];
      }
    }
#else
    // Whole packets, all that registers have room for under way before the first is used.
    const uint whole = rows + (column + VECTOR <= left ? 1 : 0);
    UNROLL
    for (uint first = 0; first < FOLD_ROWS; first += RESULT_ITEMS) {
      result_packet packets[RESULT_ITEMS];
      UNROLL
      for (uint j = 0; j < RESULT_ITEMS; ++j) {
        if (first + j < whole) packets[j] = load_results(results + FOLD_INDEX(column, first + j));
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
          const FOLDED value = results[FOLD_INDEX(column + k, rows)];
          columns[s][k] = rows == 0 ? value : combine(columns[s][k], value, given);
        }
      }
    }
#endif
  }
#else
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    UNROLL
    for (uint k = 0; k < VECTOR; ++k) {
      const uint column = fold_column(s) + k;
#pragma unroll 1
      for (uint row = 0; row < FOLD_ROWS; ++row) {
        const uint place = FOLD_INDEX(column, row);
        if (place < count) {
          const FOLDED value = results[place];
          columns[s][k] = row == 0 ? value : combine(columns[s][k], value, given);
        }
      }
    }
  }
#endif
}
#endif  // RESULTS_AS_ELEMENTS
