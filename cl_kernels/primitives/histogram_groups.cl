// Histograms by the groups of a GPU.

// Where all keys count, those of no bin beside the bins' counters, no branch depends on a key.
enum {
  COUNTS_AT_ENDS = (COUNTERS > 0) & !IS_ON(JOINS_NEIGHBOURS) & (CHANNELS == 1) & (IS_ON(BINS_FLOORED) | IS_ON(BINS_FLOAT)),
  COUNTERS_OF_END = COUNTS_AT_ENDS ? COPIES : 0,
  // A packet has many narrow keys, and often all are equal: they ask a bank once.
  COUNTS_EQUAL_AT_ONCE = (COUNTERS > 0) & !IS_ON(JOINS_NEIGHBOURS) & (VECTOR > 1) & (KEY_BYTES <= 2) & (CHANNELS == 1)
};

// Counts the keys of a packet, which lie at `from`, too.
#if defined(BINS_FLOAT)
INLINE void tally_keys(bin_tally *tally, const key_packet *packet, const __global KEY *from, uint channel, bin_rule rule,
                       named_values given) {
  if (COUNTS_AT_ENDS) {
    float beyond = 0;
    UNROLL
    for (uint e = 0; e < VECTOR; ++e) {
      const quick_bin quick = quick_bin_of(key_in(packet, e), rule);
      atomic_inc(tally->counters + quick.bin * COPIES);
      beyond = fmax(beyond, quick.beyond);
    }
    // Few keys are near an edge, and much code is for these: a packet has one branch to it, and corrects what was counted.
    if (beyond < rule.sure) return;
    for (uint e = 0; e < VECTOR; ++e) {
      const KEY key = STORED_IN(from, e);
      const quick_bin quick = quick_bin_of(key, rule);
      if (quick.beyond < rule.sure) continue;
      const uint bin = bin_near_edge(key, rule);
      if (bin == (uint)quick.bin) continue;
      atomic_add(tally->counters + quick.bin * COPIES, ~0u);
      if (bin != NO_BIN) atomic_inc(tally->counters + bin * COPIES);
    }
    return;
  }
  uint near = 0;
  UNROLL
  for (uint e = 0; e < VECTOR; ++e) {
    const uint bin = in_channel(bin_or_near(key_in(packet, e), rule), channel + e, rule);
    near |= bin == BIN_NEAR_EDGE ? 1u << e : 0;
    tally_bin(tally, bin == BIN_NEAR_EDGE ? NO_BIN : bin);
  }
  // Few keys are near an edge, and much code is for these: a packet has one branch to it.
  for (; near != 0; near &= near - 1) {
    const uint e = 31 - clz(near & (0 - near));
    tally_bin(tally, bin_in_channel(STORED_IN(from, e), channel + e, rule));
  }
}
#else
INLINE void tally_keys(bin_tally *tally, const key_packet *packet, const __global KEY *from, uint channel, bin_rule rule,
                       named_values given) {
  UNROLL
  for (uint e = 0; e < VECTOR; ++e) {
    const KEY key = key_in(packet, e);
#ifdef BINS_FLOORED
    if (COUNTS_AT_ENDS) {
      atomic_inc(tally->counters + bin_or_end_of(key, rule) * COPIES);
      continue;
    }
#endif
    tally_bin(tally, bin_in_channel(key, channel + e, rule));
  }
}
#endif

INLINE void tally_packet(bin_tally *tally, const key_packet *packet, const __global KEY *from, uint channel, bin_rule rule,
                         named_values given) {
  if (COUNTS_EQUAL_AT_ONCE) {
    const uint word = packet->words[0];
    if (word == rotate(word, 8u * KEY_BYTES) && word == packet->words[1] && word == packet->words[2] &&
        word == packet->words[3]) {
      const uint bin = bin_of(key_in(packet, 0), rule);
      if (bin != NO_BIN) atomic_add(tally->counters + bin * COPIES, VECTOR);
      return;
    }
  }
  tally_keys(tally, packet, from, channel, rule, given);
}

// Whether a tile is whole. None behind the last one is.
static inline bool is_whole(key_input in, uint tile) {
  const ulong start = (ulong)tile * KEYS_OF_TILE;
  return start >= in.head && start + KEYS_OF_TILE <= in.end;
}

// Loads a tile if it is whole.
INLINE void load_tile(key_packet held[ITEMS], key_input in, uint tile, named_values given) {
  if (is_whole(in, tile)) load_key_packets(held, in.x + (ulong)tile * KEYS_OF_TILE, given);
}

// Counts the keys of a tile, which are held if it is whole.
INLINE void tally_tile(bin_tally *tally, const key_packet held[ITEMS], key_input in, uint tile, bin_rule rule,
                       named_values given) {
  const ulong start = (ulong)tile * KEYS_OF_TILE;
  // Of a key that would lie at `start`.
  const uint channel = (uint)((start + CHANNELS - in.head % CHANNELS) % CHANNELS);
  if (is_whole(in, tile)) {
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      const uint at = packet_in_tile(k);
      tally_packet(tally, &held[k], in.x + start + at, (channel + at) % CHANNELS, rule, given);
    }
  } else {
    const ulong end = keys_end(in, tile);
    for (ulong j = keys_begin(in, tile) + own_id_anew(); j < end; j += GROUP_SIZE)
      tally_bin(tally, bin_in_channel(STORED_IN(in.x, j), channel + (uint)(j - start), rule));
  }
}

#if COUNTERS > 0
// The sum of a bin's counts in the rows from `first` on, of which each `step`-th; loads of so many rows are in flight at a time.
#define DEFINE_SUM_OF_ROWS(turns)                                                                                           \
  static inline COUNT sum_of_rows_##turns(const __global uint *table, uint rows, uint total, uint bin, uint first,          \
                                          uint step) {                                                                      \
    COUNT sum = 0;                                                                                                          \
    for (uint begin = first; begin < rows; begin += turns * step) {                                                         \
      uint held[turns];                                                                                                     \
      UNROLL                                                                                                                \
      for (uint turn = 0; turn < turns; ++turn) {                                                                           \
        const uint row = begin + turn * step;                                                                               \
        held[turn] = row < rows ? table[(ulong)row * total + bin] : 0;                                                      \
      }                                                                                                                     \
      UNROLL                                                                                                                \
      for (uint turn = 0; turn < turns; ++turn) sum += held[turn];                                                          \
    }                                                                                                                       \
    return sum;                                                                                                             \
  }
DEFINE_SUM_OF_ROWS(16)
DEFINE_SUM_OF_ROWS(64)

// Global size: groups * GROUP_SIZE, each of which takes every so many tiles.
KERNEL void histogram(KEYS_ARGUMENTS, uint head, uint tiles BINS_ARGUMENTS, __global COUNT *counts, ulong counts_offset,
                      __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  __local uint all_counters[COUNTERS_OF_END + COUNTERS + COUNTERS_OF_END];
  __local uint *const counters = all_counters + COUNTERS_OF_END;
  BIN_RULE(rule);
  COLLECT_ELEMENTS
  const key_input in = key_input_of(x + x_offset, keys_of_channels(n), head);
  tiles = units_before(tiles, in.end, KEYS_OF_TILE);
  const uint id = own_id_anew(), total = rule.bins * CHANNELS;
  // The first tile is on its way while counters become 0.
  uint tile = get_group_id(0);
  key_packet held[ITEMS];
  load_tile(held, in, tile, given);
  for (uint k = id; k < total * COPIES; k += GROUP_SIZE) counters[k] = 0;
  GROUP_BARRIER();
  bin_tally tally;
  tally.counters = counters + id % COPIES;
  tally.bin = NO_BIN;
  tally.count = 0;
  while (tile < tiles) {
    tally_tile(&tally, held, in, tile, rule, given);
    tile += get_num_groups(0);
    load_tile(held, in, tile, given);
  }
  if (IS_ON(JOINS_NEIGHBOURS)) tally_joined(&tally);
  GROUP_BARRIER();
  // Lanes begin with different copies, whose counters are in different banks.
  __global uint *row = histogram_rows(workspace) + (ulong)get_group_id(0) * total;
  for (uint bin = id; bin < total; bin += GROUP_SIZE) {
    uint sum = 0;
    UNROLL
    for (uint copy = 0; copy < COPIES; ++copy) sum += counters[bin * COPIES + (copy + id) % COPIES];
    if (!IS_ON(LAST_GROUP_SUMS) && get_num_groups(0) == 1) {
      counts[counts_offset + bin] = sum;
      continue;
    }
    row[bin] = sum;
  }
#ifdef LAST_GROUP_SUMS
  __local uint is_last;
  if (!arrives_last((__global uint *)(workspace + COUNTER_AT), get_num_groups(0), &is_last)) return;
  const __global uint *table = histogram_rows(workspace);
  const uint rows = get_num_groups(0);
  for (uint bin = id; bin < total; bin += GROUP_SIZE)
    counts[counts_offset + bin] =
        rows <= 16 ? sum_of_rows_16(table, rows, total, bin, 0, 1) : sum_of_rows_64(table, rows, total, bin, 0, 1);
#endif
}

// Sums the rows of counts. A group takes BINS_OF_GROUP neighbouring bins, each of its work-items some of the rows.
enum {
  BINS_OF_GROUP = 8,
  ROWS_OF_TURN = GROUP_SIZE / BINS_OF_GROUP
};

KERNEL void histogram_sums(uint rows, uint total, __global COUNT *counts, ulong counts_offset, __global uchar *workspace) {
  __local COUNT sums[GROUP_SIZE];
  const uint id = get_local_id(0), bin = get_group_id(0) * BINS_OF_GROUP + id % BINS_OF_GROUP;
  const __global uint *table = histogram_rows(workspace);
  COUNT sum = bin < total ? sum_of_rows_16(table, rows, total, bin, id / BINS_OF_GROUP, ROWS_OF_TURN) : 0;
  sums[id] = sum;
  GROUP_BARRIER();
  if (id < BINS_OF_GROUP && bin < total) {
    UNROLL_BY(8)
    for (uint turn = 1; turn < ROWS_OF_TURN; ++turn) sum += sums[id + turn * BINS_OF_GROUP];
    counts[counts_offset + bin] = sum;
  }
}
#else
enum { KEYS_SEEN = KEYS_OF_TILE > BINS_HELD ? BINS_HELD : KEYS_OF_TILE };

// Counts in the results, which were set to 0. Global size: groups * GROUP_SIZE, each of which takes every so many tiles.
KERNEL void histogram_many(KEYS_ARGUMENTS, uint head, uint tiles BINS_ARGUMENTS, __global uint *counts,
                           ulong counts_offset VALUES_ARGUMENTS) {
  COLLECT_VALUES
  __local uint held_bins[BINS_HELD], held_counts[BINS_HELD];
  BIN_RULE(rule);
  COLLECT_ELEMENTS
  const key_input in = key_input_of(x + x_offset, keys_of_channels(n), head);
  tiles = units_before(tiles, in.end, KEYS_OF_TILE);
  bin_tally tally;
  tally.results = counts + counts_offset * (COUNT_BYTES / 4);
  tally.held_bins = held_bins;
  tally.held_counts = held_counts;
  for (uint tile = get_group_id(0); tile < tiles;) {
    for (uint k = own_id_anew(); k < BINS_HELD; k += GROUP_SIZE) {
      held_bins[k] = NO_BIN;
      held_counts[k] = 0;
    }
    GROUP_BARRIER();
    // What is held are bins of keys here and there in the round's first tile.
    const ulong start = (ulong)tile * KEYS_OF_TILE, begin = keys_begin(in, tile), end = keys_end(in, tile);
    for (uint k = own_id_anew(); k < KEYS_SEEN; k += GROUP_SIZE) {
      // Values that take turns have turns of all kinds.
      const ulong j = start + k * (KEYS_OF_TILE / KEYS_SEEN) + k % (KEYS_OF_TILE / KEYS_SEEN);
      if (j >= begin && j < end) {
        const uint bin = bin_in_channel(STORED_IN(in.x, j), (uint)((j - in.head) % CHANNELS), rule);
        if (bin != NO_BIN) atomic_cmpxchg(held_bins + place_of_bin(bin), NO_BIN, bin);
      }
    }
    GROUP_BARRIER();
    tally.bin = NO_BIN;
    tally.count = 0;
    for (uint turn = 0; turn < TILES_OF_ROUND && tile < tiles; ++turn, tile += get_num_groups(0)) {
      key_packet held[ITEMS];
      load_tile(held, in, tile, given);
      tally_tile(&tally, held, in, tile, rule, given);
    }
    tally_joined(&tally);
    GROUP_BARRIER();
    for (uint k = own_id_anew(); k < BINS_HELD; k += GROUP_SIZE) {
      if (held_counts[k] > 0) count_in_results(tally.results, held_bins[k], held_counts[k]);
    }
  }
}
#endif
