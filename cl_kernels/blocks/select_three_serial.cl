// A tile of a partition into three outputs on a CPU. A work-item goes over it twice, which its caches hold: it counts, and stores
// once it knows where.

INLINE uint select_count(select_input in, uint tile, select_memory memory, named_values given) {
  const ulong end = select_end(in, tile);
  uint first = 0, second = 0;
  for (ulong j = select_begin(in, tile); j < end; ++j) {
    const KEPT_LOADED x = load_kept(in.x + j, given);
    if (select_keeps(in, j, given))
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

INLINE void select_give(select_outputs to, select_input in, uint tile, kept_of_tiles before, uint counts,
                        const select_held *held, select_memory memory, named_values given) {
  const ulong begin = select_begin(in, tile), end = select_end(in, tile);
  ulong at_first = before.count, at_second = before.second, at_rest = begin - in.head - before.count - before.second;
  for (ulong j = begin; j < end; ++j) {
    const KEPT_LOADED x = load_kept(in.x + j, given);
    const KEPT stored = STORED_IN(in.x, j);
    if (select_keeps(in, j, given))
      select_store_one(to.out, to.capacity, at_first++, stored);
    else if (select_keeps_second(in, j, x, given))
      select_store_one(to.others, to.others_capacity, at_second++, stored);
    else
      select_store_one(to.rest, to.rest_capacity, at_rest++, stored);
  }
}
