// A tile of a selection on a GPU whose elements go two ways: they are kept, or are not.

// How many of the tile's elements are kept, in every work-item, and where the last of them lies, in `memory.last`. All must
// call.
INLINE uint select_count(select_input in, uint tile, select_memory memory, named_values given) {
  kept_packet held[KEPT_ITEMS];
  select_clear_last(memory);
  const select_bits kept = select_load(held, in, tile, given);
  select_find_last(kept, memory);
  const uint sums = lanes_sums((uint)popcount(kept), memory.exchange);
  const uint id = own_id_anew();
  GROUP_BARRIER();
  if (id % LANES == LANES - 1) memory.sets[id / LANES] = sums;
  GROUP_BARRIER();
  uint before;
  return sum_of_sets(&before, memory.sets);
}

// A work-item's elements, which of them are kept, of each row how many the lanes below keep, and how many the sets before.
typedef struct {
  kept_packet held[KEPT_ITEMS];
  select_bits kept;
  uint below[SELECT_WORDS];
  uint before;
} select_taken;

// Counts as select_count does, and keeps what select_compact needs, so that the count can be posted before elements are stored.
INLINE uint select_take(select_taken *taken, select_input in, uint tile, bool split, select_memory memory, named_values given) {
  select_clear_last(memory);
  const select_bits kept = select_load(taken->held, in, tile, given);
  taken->kept = kept;
  select_find_last(kept, memory);
  const uint set = own_id_anew() / LANES, lane = own_id_anew() % LANES;
  const uint of_set = lanes_sums((uint)popcount(kept), memory.exchange);  // in the last lane
  UNROLL
  for (uint w = 0; w < SELECT_WORDS; ++w) {
    const uint counts = select_counts_of(kept, w);
    const uint sums = lanes_sums(counts, memory.exchange);
    taken->below[w] = sums - counts;
    if (lane == LANES - 1) memory.rows[set * SELECT_WORDS + w] = sums;
  }
  if (lane == LANES - 1) memory.sets[set] = of_set;
  GROUP_BARRIER();
  return sum_of_sets(&taken->before, memory.sets);
}

// Puts the kept ones, `count` in the tile, to the front of `memory.elements`, where `split` the others behind them, and their
// places to `memory.places`. What is there can be read after a barrier.
INLINE void select_compact(const select_taken *taken, select_input in, uint tile, uint count, bool split,
                           select_memory memory) {
  const uint set = own_id_anew() / LANES, lane = own_id_anew() % LANES;
  const uint from = (uint)(select_begin(in, tile) - (ulong)tile * SELECT_TILE);
  const select_bits others = split ? select_others(taken->kept, in, tile) : 0;
  uint row = taken->before;  // the number of its first one
  UNROLL
  for (uint k = 0; k < KEPT_ITEMS; ++k) {
    const uint w = select_word(k), shift = select_shift(k);
    const uint at = set * SELECT_OF_SET + k * SELECT_ROW + lane * KEPT_VECTOR;
    const uint number = row + (taken->below[w] >> shift & SELECT_MOST);
    select_put(&taken->held[k], select_bits_of(taken->kept, k), at, number, memory);
    if (split) select_put(&taken->held[k], select_bits_of(others, k), at, count + max(at, from) - from - number, memory);
    row += memory.rows[set * SELECT_WORDS + w] >> shift & SELECT_MOST;
  }
}
