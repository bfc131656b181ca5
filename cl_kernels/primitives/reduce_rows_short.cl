// Reductions of short rows: a set of lanes folds several at a time. The last of a row's lanes stores its result.
//
// A row of at most FOLD_ACCUMULATORS elements has one in each column, so its fold is the tree alone. ROW_LANES neighbouring
// lanes take it, each ROW_PACKETS packets; ROW_WHOLE says that a row fills all of these. A packet has no elements of two rows.
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
#else
#define ROW_STEP(distance)                                          \
  if (ROW_LANES > distance)                                         \
    x = IS_ON(ROW_WHOLE) ? combine(lane_up_##distance(x), x, given) \
                         : lanes_fold_step(lanes_stay(lane_up_##distance(x)), x, distance, count, given);
  EACH_DISTANCE(ROW_STEP)
#undef ROW_STEP
  if (IS_ON(ROW_WHOLE)) x = lanes_stay(x);
#endif
  return x;
}

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
