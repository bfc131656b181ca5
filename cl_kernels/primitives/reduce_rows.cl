// reduce_rows: folds each row of a matrix. Plan and arguments: lib/primitives/reduce_rows.cpp; order: fold.cl.
//
// Short rows: `reduce_rows_short`, several to a set of lanes. Others have tiles, of which a work-item has several under way
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

#ifdef ROW_LANES
// n rows of 1 <= columns <= ROW_LANES * ROW_PACKETS * VECTOR elements, a multiple of VECTOR.
KERNEL void reduce_rows_short(ROWS_INPUT, uint n, uint columns, __global RESULT *out, ulong out_offset VALUES_ARGUMENTS) {
  COLLECT_VALUES
  __local FOLDED exchange[EXCHANGE_WORDS];
  const fold_input in = rows_from(x + x_offset, given);
  const row_places at = {rows, pitch, matrix};
  const uint slot = get_local_id(0) / ROW_LANES, lane = get_local_id(0) % ROW_LANES;
  if (IS_ON(ROW_WHOLE)) columns = ROW_LANES * ROW_PACKETS * VECTOR;
  out += out_offset;
  const uint step = get_num_groups(0) * ROWS_AT_ONCE;
  for (uint first = get_group_id(0) * ROWS_AT_ONCE; first < n; first += step) {
    packet packets[ROW_ITEMS][ROW_PACKETS];
    // Places without an element take the last one that exists: an operator of the user sees nothing else.
    UNROLL
    for (uint r = 0; r < ROW_ITEMS; ++r) {
      const fold_input row = row_at(in, at, min(first + r * ROW_SLOTS + slot, n - 1));
      UNROLL
      for (uint p = 0; p < ROW_PACKETS; ++p)
        packets[r][p] = load_packet(row.x + min((p * ROW_LANES + lane) * VECTOR, columns - VECTOR));
    }
    UNROLL
    for (uint r = 0; r < ROW_ITEMS; ++r) {
      FOLDED parts[ROW_PACKETS];
      UNROLL
      for (uint p = 0; p < ROW_PACKETS; ++p) {
        const uint column = min((p * ROW_LANES + lane) * VECTOR, columns - VECTOR);
        const packet x = packets[r][p];
        FOLDED values[VECTOR];
        UNROLL
        for (uint k = 0; k < VECTOR; ++k) values[k] = lift(packet_element(&x, k), column + k, given);
        UNROLL
        for (uint distance = 1; distance < VECTOR; distance *= 2) {
          UNROLL
          for (uint k = 0; k < VECTOR; k += 2 * distance)
            values[k] = combine(values[k], values[k + distance], given);
        }
        parts[p] = row_lanes_fold(values[0], row_lanes(p, columns), exchange, given);
      }
      UNROLL
      for (uint distance = 1; distance < ROW_PACKETS; distance *= 2) {
        UNROLL
        for (uint p = 0; p < ROW_PACKETS; p += 2 * distance) {
          if (row_lanes(p + distance, columns) > 0) parts[p] = combine(parts[p], parts[p + distance], given);
        }
      }
      const uint row = first + r * ROW_SLOTS + slot;
      if (lane == ROW_LANES - 1 && row < n) leave_result(result_at(out, row, given), parts[0], given);
    }
  }
}

#else

static inline uint rows_tile_count(uint tile, ulong columns) {
  return (uint)min(columns - (ulong)tile * FOLD_TILE, (ulong)FOLD_TILE);
}

// Where the fold of a tile goes: to the workspace, where a row's results begin at a multiple of `stride`; or, of a row
// of one tile, to the output.
#ifdef ROWS_CUT
#ifdef ROWS_IN_ONE_LAUNCH
#define ROWS_OUTPUT uint stride, uint span, __global RESULT *out, ulong out_offset, __global uchar *workspace
#else
#define ROWS_OUTPUT uint stride, __global uchar *workspace
#endif
#define ROWS_LEAVE(row, tile, result) (((__global FOLDED *)(workspace + OWN_AT))[(ulong)(row)*stride + (tile)] = (result))
#else
#define ROWS_OUTPUT __global RESULT *out, ulong out_offset
#define ROWS_LEAVE(row, tile, result) leave_result(result_at(out + out_offset, row, given), result, given)
#endif

#ifdef ROWS_CUT
// Folds the results of a row's tiles, more than one, and leaves the row's at `to`. All work-items must call.
INLINE void rows_fold_levels(fold_input in, __global FOLDED *results, uint tiles, __global RESULT *to,
                             fold_memory memory, named_values given) {
  for (uint count = tiles; count > 1; count = (count + FOLD_TILE - 1) / FOLD_TILE) {
    // In their own place, which this group alone works on.
    fold_tiles(false, in, results, count, 0, (count + FOLD_TILE - 1) / FOLD_TILE, results, memory, given);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (get_local_id(0) == 0) leave_result(to, results[0], given);
}
#endif

#if GROUP_SIZE > 1
#ifdef ROW_DEPTH
#if FOLD_WAITING % ROW_ITEMS != 0
#error "ROW_ITEMS must divide FOLD_WAITING"
#endif

// Rows of more than FOLD_ACCUMULATORS elements and at most ROW_DEPTH times as many, a multiple of VECTOR: every column has an
// element, and the last place of one may have none. The parts of ROW_ITEMS rows, of those from `first` to `first + size`,
// by each team, whose own is the one at `own`; all of their loads are under way at once. All work-items must call.
INLINE void rows_fold_shallow(fold_input in, row_places at, uint first, uint own, uint size, uint columns,
                              fold_memory memory, named_values given) {
  packet packets[ROW_ITEMS][FOLD_SEGMENTS][ROW_DEPTH];
  UNROLL
  for (uint r = 0; r < ROW_ITEMS; ++r) {
    // A team without a row takes the last one, and nobody reads what it makes of it.
    const fold_input row = row_at(in, at, SAME_IN_LANES(first + min(own + r * FOLD_TEAMS, size - 1)));
    UNROLL
    for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
      UNROLL
      for (uint d = 0; d < ROW_DEPTH; ++d)
        packets[r][s][d] = load_packet(row.x + min(d * FOLD_ACCUMULATORS + fold_column(s), columns - VECTOR));
    }
  }
  UNROLL
  for (uint r = 0; r < ROW_ITEMS; ++r) {
    FOLDED columns_of_row[FOLD_SEGMENTS][VECTOR];
    UNROLL
    for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
      UNROLL
      for (uint d = 0; d < ROW_DEPTH; ++d) {
        const uint place = d * FOLD_ACCUMULATORS + fold_column(s);
        if (d + 1 < ROW_DEPTH || place < columns) {
          const packet x = packets[r][s][d];
          UNROLL
          for (uint k = 0; k < VECTOR; ++k) {
            const FOLDED value = lift(packet_element(&x, k), place + k, given);
            columns_of_row[s][k] = d == 0 ? value : combine(columns_of_row[s][k], value, given);
          }
        }
      }
    }
    fold_to_parts(columns_of_row, true, columns, memory.parts + (own + r * FOLD_TEAMS) * FOLD_PARTS,
                  memory.exchange, given);
  }
}
#endif

// Global size: groups * GROUP_SIZE. `n` tiles, `tiles` of each row; each group takes a share of them, in units of
// `unit` tiles, of which it folds `at_once` at a time (at most FOLD_WAITING * FOLD_TEAMS). A part has `span` rows.
KERNEL void reduce_rows(ROWS_INPUT, ulong columns, uint n, uint tiles, uint at_once, ROWS_OUTPUT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  FOLD_MEMORY(memory);
  const fold_input in = rows_from(x + x_offset, given);
  const row_places at = {rows, pitch, matrix};
  const uint team = fold_own_team();
  const uint unit = IS_ON(ROWS_CUT) ? 1 : tiles;  // a row is one group's, if rows are not cut
  const uint units = n / unit, groups = get_num_groups(0), group = get_group_id(0);
  const uint each = units / groups, longer = units - each * groups;
  const uint begin = SHARE_BEGIN(group, each, longer) * unit;
  const uint end = SHARE_BEGIN(group + 1, each, longer) * unit;
  for (uint first = begin; first < end; first += at_once) {
    const uint size = min(at_once, end - first);
#ifdef ROW_DEPTH
    for (uint waiting = 0; waiting < size; waiting += FOLD_TEAMS * ROW_ITEMS)
      rows_fold_shallow(in, at, first, waiting + team, size, (uint)columns, memory, given);
#else
    for (uint waiting = 0; waiting < size; waiting += FOLD_TEAMS) {
      // A team without a tile takes what stands in for its elements from the last one.
      const bool exists = waiting + team < size;
      const uint own = SAME_IN_LANES(first + min(waiting + team, size - 1));
      const uint row = tiles == 1 ? own : own / tiles;
      const uint tile = own - row * tiles;
      const fold_input from = row_at(in, at, row);
      const ulong base = (ulong)tile * FOLD_TILE;
      const uint count = exists ? rows_tile_count(tile, columns) : 0;
      FOLDED columns_of_tile[FOLD_SEGMENTS][VECTOR];
      if (FOLD_WHOLE_APART && count == FOLD_TILE)  // without a test per row
        fold_load(columns_of_tile, from, base, FOLD_TILE, false, memory.exchange, given);
      else
        fold_load_short(columns_of_tile, from, base, count, memory.exchange, given);
      fold_to_parts(columns_of_tile, false, count, memory.parts + (waiting + team) * FOLD_PARTS,
                    memory.exchange, given);
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    FOLD_RUNS(memory.parts, size, own_tile, rows_tile_count((first + own_tile) % tiles, columns))
    // What is left of each tile by one work-item.
    const uint j = own_id_anew();
    FOLDED result;
    if (j < size) {
      const uint row = tiles == 1 ? first + j : (first + j) / tiles;
      const uint tile = first + j - row * tiles;
      result = fold_parts(memory.parts + j * FOLD_PARTS, rows_tile_count(tile, columns), given);
      if (unit == 1) ROWS_LEAVE(row, tile, result);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!IS_ON(ROWS_CUT) && tiles > 1) {
      // The level above: a row's results, one in each column.
      if (j < size) memory.parts[j] = result;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (j < size / tiles)
        ROWS_LEAVE(first / tiles + j, 0, fold_pairs(memory.parts + j * tiles, tiles, given));
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
#ifdef ROWS_IN_ONE_LAUNCH
  __local uint flag;
  __global uint *counters = (__global uint *)(workspace + COUNTER_AT);
  const dealing dealt = {each, longer};
  const uint of_part = span * tiles;
  const uint last_part = (end - 1) / of_part;
  for (uint part = begin / of_part; part <= last_part; ++part) {
    const uint part_end = min((part + 1) * of_part, n);
    const uint expected = group_of_unit(dealt, part_end - 1) - group_of_unit(dealt, part * of_part) + 1;
    if (!arrives_last(counters + part, expected, &flag)) continue;
    for (uint row = part * span; row < part_end / tiles; ++row)
      rows_fold_levels(in, (__global FOLDED *)(workspace + OWN_AT) + (ulong)row * stride, tiles,
                       result_at(out + out_offset, row, given), memory, given);
  }
#endif
}
#else
// The same by work-items that are groups of their own: each takes a share of the tiles, which are rows or (ROWS_CUT)
// parts of them.
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
#endif

#if defined(ROWS_CUT) && !defined(ROWS_IN_ONE_LAUNCH)
// The levels above the first, of n rows of more than one tile each. Each group takes rows.
KERNEL void reduce_rows_levels(const __global STORED *restrict x, uint n, uint tiles, uint stride, __global RESULT *out,
                               ulong out_offset, __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  FOLD_MEMORY(memory);
  const fold_input in = {x};
  for (uint row = get_group_id(0); row < n; row += get_num_groups(0))
    rows_fold_levels(in, (__global FOLDED *)(workspace + OWN_AT) + (ulong)row * stride, tiles,
                     result_at(out + out_offset, row, given), memory, given);
}
#endif
#endif
