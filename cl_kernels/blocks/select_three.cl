// A tile of a partition into three outputs: which of its elements the first predicate keeps, and of the others the second; and the
// three side by side in local memory. Counts of a tile are counts_of_tile.
//
//     tile               a X b c Y d Z X      a first one, X second, and so on
//     elements in local  a b c d ...          first, then second, then the rest, each in its order
//
// On a CPU a work-item goes over the tile twice, which its caches hold: it counts, and stores once it knows where.

#if GROUP_SIZE == 1
INLINE uint select_count(select_input in, uint tile, select_memory memory, named_values given) {
  const ulong end = select_end(in, tile);
  uint first = 0, second = 0;
  for (ulong j = select_begin(in, tile); j < end; ++j) {
    const KEPT_LOADED x = load_kept(in.x + j);
    if (select_keeps(in, j, x, 0, given))
      ++first;
    else if (select_keeps_second(in, j, x, given))
      ++second;
  }
  return counts_of_tile(first, second);
}

typedef struct {
  uint unused;
} select_taken;

INLINE uint select_take(select_taken *taken, select_input in, uint tile, bool split, select_memory memory, named_values given) {
  return select_count(in, tile, memory, given);
}

static inline void select_compact(const select_taken *taken, select_input in, uint tile, uint counts, bool split,
                                  select_memory memory) {}

// Stores an element at a place of its output, as far as that reaches.
static inline void select_store_one(__global KEPT *to, ulong capacity, ulong at, KEPT x) {
  if (at < capacity) to[at] = x;
}

INLINE void select_give_three(__global KEPT *first, ulong first_capacity, __global KEPT *second, ulong second_capacity,
                              __global KEPT *rest, ulong rest_capacity, select_input in, uint tile, kept_of_tiles before,
                              uint counts, select_memory memory, named_values given) {
  const ulong begin = select_begin(in, tile), end = select_end(in, tile);
  ulong at_first = before.count, at_second = before.second, at_rest = begin - in.head - before.count - before.second;
  for (ulong j = begin; j < end; ++j) {
    const KEPT_LOADED x = load_kept(in.x + j);
    const KEPT stored = STORED_IN(in.x, j);
    if (select_keeps(in, j, x, 0, given))
      select_store_one(first, first_capacity, at_first++, stored);
    else if (select_keeps_second(in, j, x, given))
      select_store_one(second, second_capacity, at_second++, stored);
    else
      select_store_one(rest, rest_capacity, at_rest++, stored);
  }
}

#else  // GROUP_SIZE > 1

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
  const uint sums = LANES_SUMS(counts_of_tile((uint)popcount(kept), (uint)popcount(second)), memory.exchange);
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

// As select_count, and keeps what select_compact needs.
INLINE uint select_take(select_taken *taken, select_input in, uint tile, bool split, select_memory memory, named_values given) {
  const select_bits kept = select_load(taken->held, in, tile, given);
  const select_bits second = select_second(taken->held, kept, in, tile, given);
  taken->kept = kept;
  taken->second = second;
  const uint set = own_id_anew() / LANES, lane = own_id_anew() % LANES;
  const uint of_set = LANES_SUMS(counts_of_tile((uint)popcount(kept), (uint)popcount(second)), memory.exchange);
  UNROLL
  for (uint w = 0; w < SELECT_WORDS; ++w) {
    const uint counts = select_counts_of(kept, w), second_counts = select_counts_of(second, w);
    const uint sums = LANES_SUMS(counts, memory.exchange);
    const uint second_sums = LANES_SUMS(second_counts, memory.exchange);
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
    const uint w = SELECT_WORD(k), shift = SELECT_FIELD(k) * SELECT_BITS;
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

INLINE void select_give_three(__global KEPT *first, ulong first_capacity, __global KEPT *second, ulong second_capacity,
                              __global KEPT *rest, ulong rest_capacity, select_input in, uint tile, kept_of_tiles before,
                              uint counts, select_memory memory, named_values given) {
  const ulong begin = select_begin(in, tile);
  const uint of_first = first_of_tile(counts), of_second = second_of_tile(counts);
  const uint of_rest = (uint)(select_end(in, tile) - begin) - of_first - of_second;
  select_store_some(first, first_capacity, before.count, memory.elements, of_first);
  select_store_some(second, second_capacity, before.second, memory.elements + of_first, of_second);
  select_store_some(rest, rest_capacity, begin - in.head - before.count - before.second, memory.elements + of_first + of_second,
                    of_rest);
}
#endif
