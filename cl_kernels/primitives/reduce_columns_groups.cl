// Reductions of a matrix's columns by the groups of a GPU.

// A group takes a unit of a strip of columns: COLUMN_LANES work-items side by side, VECTOR columns each, and behind one
// another COLUMN_POSITIONS, each with a run of the unit's accumulators.
enum {
  COLUMN_STRIP = COLUMN_LANES * VECTOR,
  COLUMN_POSITIONS = GROUP_SIZE / COLUMN_LANES,
  COLUMN_RUN = COLUMN_PART / COLUMN_POSITIONS,
  COLUMN_BLOCKS = COLUMN_RUN / COLUMN_BLOCK,
  // A run has at most 2^COLUMN_LEVELS blocks.
  COLUMN_LEVELS = COLUMN_BLOCKS == 1 ? 0 : COLUMN_BLOCKS == 2 ? 1 : COLUMN_BLOCKS == 4 ? 2 : COLUMN_BLOCKS == 8 ? 3 : 4
};
typedef char a_run_has_1_to_16_blocks_a_power_of_two_of_them[1 << COLUMN_LEVELS == COLUMN_BLOCKS ? 1 : -1];
typedef char a_run_has_whole_blocks[COLUMN_RUN % COLUMN_BLOCK == 0 ? 1 : -1];

// A packet of a row, and the vector's element that it is multiplied by: both are in flight at a time.
#ifdef TIMES_VECTOR
typedef struct {
  packet x;
  LOADED y;
} column_elements;

INLINE column_elements column_load(const __global STORED *x, ulong pitch, ulong row, named_values given) {
  const column_elements loaded = {load_packet(x + row * pitch), vector_element(row, given)};
  return loaded;
}
INLINE FOLDED column_lift(const column_elements *loaded, uint c, ulong i, named_values given) {
  return lift_product(packet_element(&loaded->x, c), loaded->y, i, given);
}
#else
typedef packet column_elements;

INLINE column_elements column_load(const __global STORED *x, ulong pitch, ulong row, named_values given) {
  return load_packet(x + row * pitch);
}
INLINE FOLDED column_lift(const column_elements *loaded, uint c, ulong i, named_values given) {
  return lift(packet_element(loaded, c), i, given);
}
#endif

// Blocks are folded without tests where all of them exists (`whole`), as mostly, and else with tests. That there is a branch
// behind the loads also keeps compilers from moving some of them to where they are used.
#ifdef COLUMN_SINGLE
// Folds the COLUMN_BLOCK accumulators from `first` < at.end on, for each column of a packet, where each has one element at
// most. The tree is built as elements come, so that few values are held at a time.
INLINE void column_fold_loaded(FOLDED folded[VECTOR], const column_elements loaded[COLUMN_BLOCK], column_pass pass,
                               column_unit at, uint first, bool whole, named_values given) {
  FOLDED pending[4][VECTOR];
  UNROLL
  for (uint k = 0; k < COLUMN_BLOCK; ++k) {
    // What does not exist was read as the last that does, and what it is combined to is not used.
    const ulong i = at.base + column_index(pass, whole ? first + k : min(first + k, at.end - 1), 0);
    UNROLL
    for (uint c = 0; c < VECTOR; ++c) {
      FOLDED value = column_lift(&loaded[k], c, i, given);
      bool carries = true;
      UNROLL
      for (uint level = 0; level < 4; ++level) {
        if (!carries) continue;
        carries = (k >> level & 1) != 0;
        if (!carries)
          pending[level][c] = value;
        else if (whole || first + k + 1 - (1u << level) < at.end)
          value = combine(pending[level][c], value, given);
        else
          value = pending[level][c];
      }
      if (k == COLUMN_BLOCK - 1) folded[c] = value;
    }
  }
}

// `x` is the first column's element 0. All packets of the block are in flight before the first is used.
INLINE void column_fold_block(FOLDED folded[VECTOR], const __global STORED *x, ulong pitch, column_pass pass,
                              column_unit at, uint first, named_values given) {
  column_elements loaded[COLUMN_BLOCK];
  UNROLL
  for (uint k = 0; k < COLUMN_BLOCK; ++k)
    loaded[k] = column_load(x, pitch, at.base + column_index(pass, min(first + k, at.end - 1), 0), given);
  if (first + COLUMN_BLOCK <= at.end)
    column_fold_loaded(folded, loaded, pass, at, first, true, given);
  else
    column_fold_loaded(folded, loaded, pass, at, first, false, given);
}
#else
// The same where accumulators have more. Takes in what was loaded of COLUMN_ROWS rows of the block, from `row` on.
INLINE void column_take_rows(FOLDED values[COLUMN_BLOCK][VECTOR], const column_elements loaded[COLUMN_ROWS][COLUMN_BLOCK],
                             column_pass pass, column_unit at, uint first, uint row, bool whole, named_values given) {
  UNROLL
  for (uint r = 0; r < COLUMN_ROWS; ++r) {
    UNROLL
    for (uint k = 0; k < COLUMN_BLOCK; ++k) {
      const uint index = column_index(pass, first + k, row + r);
      if (whole || (row + r < FOLD_ROWS && index < at.count)) {
        UNROLL
        for (uint c = 0; c < VECTOR; ++c) {
          const FOLDED value = column_lift(&loaded[r][k], c, at.base + index, given);
          values[k][c] = r == 0 && row == 0 ? value : combine(values[k][c], value, given);
        }
      }
    }
  }
}

// COLUMN_ROWS rows of the block are in flight before the first is used.
INLINE void column_fold_block(FOLDED folded[VECTOR], const __global STORED *x, ulong pitch, column_pass pass,
                              column_unit at, uint first, named_values given) {
  FOLDED values[COLUMN_BLOCK][VECTOR];
#pragma unroll 1
  for (uint row = 0; row < FOLD_ROWS && column_index(pass, first, row) < at.count; row += COLUMN_ROWS) {
    column_elements loaded[COLUMN_ROWS][COLUMN_BLOCK];
    // What does not exist is read as the tile's last element, and not used.
    UNROLL
    for (uint r = 0; r < COLUMN_ROWS; ++r) {
      UNROLL
      for (uint k = 0; k < COLUMN_BLOCK; ++k)
        loaded[r][k] =
            column_load(x, pitch, at.base + min(column_index(pass, first + k, row + r), at.count - 1), given);
    }
    if (row + COLUMN_ROWS <= FOLD_ROWS &&
        column_index(pass, first + COLUMN_BLOCK - 1, row + COLUMN_ROWS - 1) < at.count)
      column_take_rows(values, loaded, pass, at, first, row, true, given);
    else
      column_take_rows(values, loaded, pass, at, first, row, false, given);
  }
  UNROLL
  for (uint distance = 1; distance < COLUMN_BLOCK; distance *= 2) {
    UNROLL
    for (uint k = 0; k < COLUMN_BLOCK; k += 2 * distance) {
      if (first + k + distance < at.end) {
        UNROLL
        for (uint c = 0; c < VECTOR; ++c)
          values[k][c] = combine(values[k][c], values[k + distance][c], given);
      }
    }
  }
  UNROLL
  for (uint c = 0; c < VECTOR; ++c) folded[c] = values[0][c];
}
#endif

// Folds the run of accumulators from `first` < at.end on. Level l of `pending` holds a finished subtree of 2^l blocks, as
// in a binary counter; the loops over levels are unrolled, so that registers hold them.
INLINE void column_fold_run(FOLDED folded[VECTOR], const __global STORED *x, ulong pitch, column_pass pass,
                            column_unit at, uint first, named_values given) {
  if (COLUMN_LEVELS == 0) {
    column_fold_block(folded, x, pitch, pass, at, first, given);
    return;
  }
  const uint blocks = (min(at.end - first, (uint)COLUMN_RUN) + COLUMN_BLOCK - 1) / COLUMN_BLOCK;
  FOLDED pending[COLUMN_LEVELS + 1][VECTOR];
#pragma unroll 1
  for (uint block = 0; block < blocks; ++block) {
    column_fold_block(folded, x, pitch, pass, at, first + block * COLUMN_BLOCK, given);
    bool carries = true;
    UNROLL
    for (uint level = 0; level <= COLUMN_LEVELS; ++level) {
      if (carries) {
        carries = (block >> level & 1) != 0;
        UNROLL
        for (uint c = 0; c < VECTOR; ++c) {
          if (carries)
            folded[c] = combine(pending[level][c], folded[c], given);
          else
            pending[level][c] = folded[c];
        }
      }
    }
  }
  // Subtrees that found no right neighbour join, from the smallest, which are the last blocks, upwards.
  bool any = false;
  UNROLL
  for (uint level = 0; level <= COLUMN_LEVELS; ++level) {
    if ((blocks >> level & 1) != 0) {
      UNROLL
      for (uint c = 0; c < VECTOR; ++c)
        folded[c] = any ? combine(pending[level][c], folded[c], given) : pending[level][c];
      any = true;
    }
  }
}

// Folds the values of the first `count` > 0 positions, which lie COLUMN_STRIP apart.
INLINE FOLDED column_fold_positions(__local FOLDED *values, uint count, named_values given) {
  if (COLUMN_POSITIONS * FOLDED_BYTES <= 128) {
    FOLDED own[COLUMN_POSITIONS];
    UNROLL
    for (uint p = 0; p < COLUMN_POSITIONS; ++p) {
      if (p < count) own[p] = values[p * COLUMN_STRIP];
    }
    UNROLL
    for (uint distance = 1; distance < COLUMN_POSITIONS; distance *= 2) {
      UNROLL
      for (uint p = 0; p + distance < COLUMN_POSITIONS; p += 2 * distance) {
        if (p + distance < count) own[p] = combine(own[p], own[p + distance], given);
      }
    }
    return own[0];
  }
  for (uint distance = 1; distance < count; distance *= 2) {
    for (uint p = 0; p + distance < count; p += 2 * distance)
      values[p * COLUMN_STRIP] =
          combine(values[p * COLUMN_STRIP], values[(p + distance) * COLUMN_STRIP], given);
  }
  return values[0];
}

// A group a unit of a strip, strips first: `units` of each column. `columns` is a multiple of VECTOR.
KERNEL void reduce_columns(COLUMNS_INPUT, uint columns, uint units, COLUMNS_OUTPUT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  __local FOLDED values[COLUMN_POSITIONS * COLUMN_STRIP];  // neighbouring lanes have neighbouring words
  const uint strips = (columns + COLUMN_STRIP - 1) / COLUMN_STRIP;
  const uint of_all = get_group_id(0) / strips, strip = get_group_id(0) - of_all * strips;
  const uint batch = of_all / units;
  const column_pass pass = {rows, FOLD_ACCUMULATORS, FOLD_ROWS, COLUMN_PART};
  const column_unit at = column_unit_at(pass, of_all - batch * units);
  const uint lane = get_local_id(0) % COLUMN_LANES, position = get_local_id(0) / COLUMN_LANES;
  // Work-items without a column read the last packet of them.
  const uint wanted = strip * COLUMN_STRIP + lane * VECTOR;
  const uint first = at.first + position * COLUMN_RUN;
  FOLDED folded[VECTOR];
  if (first < at.end)
    column_fold_run(folded, x + x_offset + batch * matrix + min(wanted, columns - VECTOR), pitch, pass, at,
                    first, given);
  if (COLUMN_POSITIONS == 1) {
    // Each work-item has its columns for itself.
    if (wanted < columns) {
      UNROLL
      for (uint c = 0; c < VECTOR; ++c) COLUMNS_LEAVE(of_all, wanted + c, folded[c]);
    }
  } else {
    if (first < at.end) {
      UNROLL
      for (uint c = 0; c < VECTOR; ++c) values[position * COLUMN_STRIP + c * COLUMN_LANES + lane] = folded[c];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint positions = (at.end - at.first + COLUMN_RUN - 1) / COLUMN_RUN;
    for (uint slot = get_local_id(0); slot < COLUMN_STRIP; slot += GROUP_SIZE) {
      const FOLDED result = column_fold_positions(values + slot, positions, given);
      const uint column = strip * COLUMN_STRIP + slot % COLUMN_LANES * VECTOR + slot / COLUMN_LANES;
      if (column < columns) COLUMNS_LEAVE(of_all, column, result);
    }
  }
#ifdef COLUMNS_IN_ONE_LAUNCH
  __local uint flag;
  __global uint *counters = (__global uint *)(workspace + COUNTER_AT);
  if (arrives_last(counters + batch * strips + strip, units, &flag))
    columns_fold_strip(batch, strip * COLUMN_STRIP, min((uint)COLUMN_STRIP, columns - strip * COLUMN_STRIP), columns, units,
                       above, out + out_offset, workspace, given);
#endif
}
