// Reductions of a matrix's rows by tiles, on a GPU.

#ifdef ROW_DEPTH
enum { ROWS_OF_TEAM = ROW_ITEMS };
typedef char rows_that_wait_are_whole_steps[FOLD_WAITING % ROW_ITEMS == 0 ? 1 : -1];

// Rows of more than FOLD_ACCUMULATORS elements and at most ROW_DEPTH times as many, a multiple of VECTOR: every column has an
// element, and the last place of one may have none. The parts of ROW_ITEMS rows, of those from `first` to `first + size`,
// by each team, whose own is the one at `own`; all of their loads are in flight at once. All work-items must call.
INLINE void rows_fold_parts(fold_input in, row_places at, uint first, uint own, uint size, uint tiles, ulong columns,
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
        packets[r][s][d] = load_packet(row.x + min(d * FOLD_ACCUMULATORS + fold_column(s), (uint)columns - VECTOR));
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
        if (d + 1 < ROW_DEPTH || place < (uint)columns) {
          const packet x = packets[r][s][d];
          UNROLL
          for (uint k = 0; k < VECTOR; ++k) {
            const FOLDED value = lift(packet_element(&x, k), place + k, given);
            columns_of_row[s][k] = d == 0 ? value : combine(columns_of_row[s][k], value, given);
          }
        }
      }
    }
    fold_to_parts(columns_of_row, true, (uint)columns, memory.parts + (own + r * FOLD_TEAMS) * FOLD_PARTS,
                  memory.exchange, given);
  }
}
#else
enum { ROWS_OF_TEAM = 1 };

// The part of the tile, of those from `first` to `first + size`, `tiles` of each row, that a team takes, whose own is the one at
// `own`. All work-items must call.
INLINE void rows_fold_parts(fold_input in, row_places at, uint first, uint own, uint size, uint tiles, ulong columns,
                            fold_memory memory, named_values given) {
  // A team without a tile takes what stands in for its elements from the last one.
  const bool exists = own < size;
  const uint tile_of_all = SAME_IN_LANES(first + min(own, size - 1));
  const uint row = tiles == 1 ? tile_of_all : tile_of_all / tiles;
  const uint tile = tile_of_all - row * tiles;
  const fold_input from = row_at(in, at, row);
  const ulong base = (ulong)tile * FOLD_TILE;
  const uint count = exists ? rows_tile_count(tile, columns) : 0;
  FOLDED columns_of_tile[FOLD_SEGMENTS][VECTOR];
  if (FOLD_WHOLE_APART && count == FOLD_TILE)  // without a test per row
    fold_load(columns_of_tile, from, base, FOLD_TILE, false, memory.exchange, given);
  else
    fold_load_short(columns_of_tile, from, base, count, memory.exchange, given);
  fold_to_parts(columns_of_tile, false, count, memory.parts + own * FOLD_PARTS, memory.exchange, given);
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
    for (uint waiting = 0; waiting < size; waiting += FOLD_TEAMS * ROWS_OF_TEAM)
      rows_fold_parts(in, at, first, waiting + team, size, tiles, columns, memory, given);
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
