// sort by the groups of a GPU in three launches for each digit: the counts of each tile's digits, their sums, and the keys to their
// places. Arguments and launches: sort.cl.

// Lane sets count apart, so that equal keys of different sets need not wait for each other.
enum { SORT_COPIES = LANE_SETS < 8 ? LANE_SETS : 8 };

// Global size: tiles * GROUP_SIZE.
KERNEL void sort_counts(const __global uchar *keys, ulong keys_at, ELEMENTS_ARGUMENT, uint tiles, uint shift, uint bits,
                        __global uchar *workspace) {
  COLLECT_ELEMENTS
  __local uint counts[SORT_COPIES * SORT_DIGITS];
  const uint id = get_local_id(0), tile = get_group_id(0);
  for (uint d = id; d < SORT_COPIES * SORT_DIGITS; d += GROUP_SIZE) counts[d] = 0;
  GROUP_BARRIER();
  const __global KEY *from = sort_keys_at(keys, keys_at) + (ulong)tile * SORT_TILE;
  const uint count = sort_count_of_tile(n, tile), mask = (1u << bits) - 1;
  __local uint *own = counts + id / LANES % SORT_COPIES * SORT_DIGITS;
  KEY held[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (k * GROUP_SIZE + id < count) held[k] = from[k * GROUP_SIZE + id];
  }
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (k * GROUP_SIZE + id < count) atomic_inc(own + sort_digit(held[k], shift, mask));
  }
  GROUP_BARRIER();
  for (uint d = id; d < SORT_DIGITS; d += GROUP_SIZE) {
    uint sum = 0;
    UNROLL
    for (uint copy = 0; copy < SORT_COPIES; ++copy) sum += counts[copy * SORT_DIGITS + d];
    sort_counts_of(workspace)[(ulong)d * tiles + tile] = sum;
  }
}

// Of each digit, where among all of its keys those of each tile begin, and how many there are. Global size: SORT_DIGITS *
// GROUP_SIZE.
KERNEL void sort_places(uint tiles, __global uchar *workspace) {
  __local uint sets[LANE_SETS];
  __local uint exchange[EXCHANGE_WORDS];
  const uint id = get_local_id(0), digit = get_group_id(0);
  __global COUNT *row = sort_counts_of(workspace) + (ulong)digit * tiles;
  COUNT before = 0;
  for (uint begin = 0; begin < tiles; begin += GROUP_SIZE) {
    const bool exists = id < tiles - begin;
    const uint count = exists ? (uint)row[begin + id] : 0;
    uint sum;
    const uint in_turn = group_sums(count, &sum, sets, exchange);
    if (exists) row[begin + id] = before + in_turn;
    before += sum;
    GROUP_BARRIER();
  }
  if (id == 0) sort_totals_of(workspace)[digit] = before;
}

#ifdef COUNTED_BY
#define SORT_EACH_OWN_TILE(tile, tiles) \
  for (uint tile = get_group_id(0); tile < sort_tiles(n, tiles); tile += (uint)get_num_groups(0))
#else
#define SORT_EACH_OWN_TILE(tile, tiles) const uint tile = get_group_id(0);
#endif

// Finds where a tile's keys of each digit go. Behind sort_starts; a barrier stands behind it.
INLINE void sort_begin_places(sort_pass p, COUNT *before, const uint *sums, const uint *starts, sort_memory memory) {
  const uint own = own_id_anew() * SORT_EACH;
  sort_digit_starts(before, sort_totals_of(p.workspace), memory);
  UNROLL
  for (uint e = 0; e < SORT_EACH; ++e) {
    if (own + e < SORT_DIGITS)
      p.places[own + e] = before[e] + sort_counts_of(p.workspace)[(ulong)(own + e) * p.tiles + p.tile] - starts[e];
  }
}

// Behind sort_place_keys.
INLINE void sort_end_places(sort_pass p, COUNT *before, const uint *sums, const uint *starts, sort_memory memory) {
  GROUP_BARRIER();
}
