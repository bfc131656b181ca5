// A tile of a partition into three outputs on a GPU.

// Which of a work-item's elements the second predicate keeps, where `kept` are the first one's.
INLINE select_bits select_second(const kept_packet *held, select_bits kept, select_input in, uint tile, named_values given) {
  const select_bits others = select_others(kept, in, tile);
  const uint set = own_id_anew() / LANES, lane = own_id_anew() % LANES;
  const ulong from = (ulong)tile * SELECT_TILE + set * SELECT_OF_SET + lane * KEPT_VECTOR;
  select_bits second = 0;
  UNROLL
  for (uint k = 0; k < KEPT_ITEMS; ++k) {
    UNROLL
    for (uint e = 0; e < KEPT_VECTOR; ++e) {
      const bool is_other = (select_bits_of(others, k) >> e & 1) != 0;
      if (is_other && select_keeps_second(in, from + k * SELECT_ROW + e, unpack_kept(&held[k], e), given))
        second |= (select_bits)1 << (k * KEPT_VECTOR + e);
    }
  }
  return second;
}

// Both counts of the tile, in every work-item. All must call.
INLINE uint select_count(select_input in, uint tile, select_memory memory, named_values given) {
  kept_packet held[KEPT_ITEMS];
  const select_bits kept = select_load(held, in, tile, given);
  const select_bits second = select_second(held, kept, in, tile, given);
  const uint sums = lanes_sums(counts_of_tile((uint)popcount(kept), (uint)popcount(second)), memory.exchange);
  const uint id = own_id_anew();
  GROUP_BARRIER();
  if (id % LANES == LANES - 1) memory.sets[id / LANES] = sums;
  GROUP_BARRIER();
  uint before;
  return sum_of_sets(&before, memory.sets);
}

// A work-item's elements, which of them are kept first and second, of each row how many of each the lanes below have, and how
// many the sets before.
typedef struct {
  kept_packet held[KEPT_ITEMS];
  select_bits kept, second;
  uint below[SELECT_WORDS], second_below[SELECT_WORDS];
  uint before;
} select_taken;

// Counts as select_count does, and keeps what select_compact needs, so that the counts can be posted before elements are stored.
INLINE uint select_take(select_taken *taken, select_input in, uint tile, bool split, select_memory memory, named_values given) {
  const select_bits kept = select_load(taken->held, in, tile, given);
  const select_bits second = select_second(taken->held, kept, in, tile, given);
  taken->kept = kept;
  taken->second = second;
  const uint set = own_id_anew() / LANES, lane = own_id_anew() % LANES;
  const uint of_set = lanes_sums(counts_of_tile((uint)popcount(kept), (uint)popcount(second)), memory.exchange);
  UNROLL
  for (uint w = 0; w < SELECT_WORDS; ++w) {
    const uint counts = select_counts_of(kept, w), second_counts = select_counts_of(second, w);
    const uint sums = lanes_sums(counts, memory.exchange);
    const uint second_sums = lanes_sums(second_counts, memory.exchange);
    taken->below[w] = sums - counts;
    taken->second_below[w] = second_sums - second_counts;
    if (lane == LANES - 1) {
      memory.rows[set * SELECT_WORDS + w] = sums;
      memory.second_rows[set * SELECT_WORDS + w] = second_sums;
    }
  }
  if (lane == LANES - 1) memory.sets[set] = of_set;
  GROUP_BARRIER();
  return sum_of_sets(&taken->before, memory.sets);
}

// Puts the three side by side into `memory.elements`. What is there can be read after a barrier.
INLINE void select_compact(const select_taken *taken, select_input in, uint tile, uint counts, bool split,
                           select_memory memory) {
  const uint set = own_id_anew() / LANES, lane = own_id_anew() % LANES;
  const uint from = (uint)(select_begin(in, tile) - (ulong)tile * SELECT_TILE);
  const select_bits rest = select_others(taken->kept | taken->second, in, tile);
  const uint second_from = first_of_tile(counts), rest_from = second_from + second_of_tile(counts);
  uint row = first_of_tile(taken->before), second_row = second_of_tile(taken->before);
  UNROLL
  for (uint k = 0; k < KEPT_ITEMS; ++k) {
    const uint w = select_word(k), shift = select_shift(k);
    const uint at = set * SELECT_OF_SET + k * SELECT_ROW + lane * KEPT_VECTOR;
    const uint number = row + (taken->below[w] >> shift & SELECT_MOST);
    const uint second_number = second_row + (taken->second_below[w] >> shift & SELECT_MOST);
    select_put(&taken->held[k], select_bits_of(taken->kept, k), at, number, memory);
    select_put(&taken->held[k], select_bits_of(taken->second, k), at, second_from + second_number, memory);
    select_put(&taken->held[k], select_bits_of(rest, k), at, rest_from + max(at, from) - from - number - second_number, memory);
    row += memory.rows[set * SELECT_WORDS + w] >> shift & SELECT_MOST;
    second_row += memory.second_rows[set * SELECT_WORDS + w] >> shift & SELECT_MOST;
  }
}

// Stores `count` elements from a place of their output on, as far as that reaches.
INLINE void select_store_some(__global KEPT *to, ulong capacity, ulong at, const __local KEPT *from, uint count) {
  select_store(to + at, from, (uint)min((ulong)count, capacity - min(at, capacity)));
}

INLINE void select_give(select_outputs to, select_input in, uint tile, kept_of_tiles before, uint counts,
                        const select_held *held, select_memory memory, named_values given) {
  const ulong begin = select_begin(in, tile);
  const uint of_first = first_of_tile(counts), of_second = second_of_tile(counts);
  const uint of_rest = (uint)(select_end(in, tile) - begin) - of_first - of_second;
  select_store_some(to.out, to.capacity, before.count, memory.elements, of_first);
  select_store_some(to.others, to.others_capacity, before.second, memory.elements + of_first, of_second);
  select_store_some(to.rest, to.rest_capacity, begin - in.head - before.count - before.second,
                    memory.elements + of_first + of_second, of_rest);
}
