// Histograms on a CPU: a work-item goes over a core's share of the keys, which begins with `own.begin`.

#if COUNTERS > 0
// A row of counts; where there is room, COPIES of it, in which neighbours count apart.
KERNEL void histogram(KEYS_ARGUMENTS BINS_ARGUMENTS, __global COUNT *counts, ulong counts_offset,
                      __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  BIN_RULE(rule);
  COLLECT_ELEMENTS
  const own_units own = own_share(keys_of_channels(n));
  const uint total = rule.bins * CHANNELS;
  __global uint *row = histogram_rows(workspace) + (ulong)get_group_id(0) * total * COPIES;
  for (ulong bin = 0; bin < (ulong)total * COPIES; ++bin) row[bin] = 0;
  const __global KEY *keys = x + x_offset;
  uint channel = (uint)(own.begin % CHANNELS);
  ulong i = own.begin;
  for (; i + COPIES <= own.end; i += COPIES) {
    uint bins_of_keys[COPIES];
    UNROLL
    for (uint copy = 0; copy < COPIES; ++copy) bins_of_keys[copy] = bin_in_channel(STORED_IN(keys, i + copy), channel + copy, rule);
    UNROLL
    for (uint copy = 0; copy < COPIES; ++copy) {
      if (bins_of_keys[copy] != NO_BIN) ++row[copy * total + bins_of_keys[copy]];
    }
    channel = (channel + COPIES) % CHANNELS;
  }
  for (; i < own.end; ++i, ++channel) {
    const uint bin = bin_in_channel(STORED_IN(keys, i), channel, rule);
    if (bin != NO_BIN) ++row[bin];
  }
  const bool alone = get_num_groups(0) == 1;
  for (uint bin = 0; bin < total; ++bin) {
    uint sum = 0;
    for (uint copy = 0; copy < COPIES; ++copy) sum += row[copy * total + bin];
    if (alone)
      counts[counts_offset + bin] = sum;
    else
      row[bin] = sum;
  }
}

// Sums the rows of counts.
KERNEL void histogram_sums(uint rows, uint total, __global COUNT *counts, ulong counts_offset, __global uchar *workspace) {
  const own_units own = own_share(total);
  const __global uint *table = histogram_rows(workspace);
  for (ulong first = own.begin; first < own.end; first += 256) {
    const uint count = (uint)min((ulong)256, own.end - first);
    COUNT sums[256];
    for (uint k = 0; k < count; ++k) sums[k] = 0;
    for (uint row = 0; row < rows; ++row) {
      for (uint k = 0; k < count; ++k) sums[k] += table[(ulong)row * total * COPIES + first + k];
    }
    for (uint k = 0; k < count; ++k) counts[counts_offset + first + k] = sums[k];
  }
}
#else
// Counts in the results, which were set to 0.
KERNEL void histogram_many(KEYS_ARGUMENTS BINS_ARGUMENTS, __global uint *counts, ulong counts_offset VALUES_ARGUMENTS) {
  COLLECT_VALUES
  BIN_RULE(rule);
  COLLECT_ELEMENTS
  const own_units own = own_share(keys_of_channels(n));
  bin_tally tally;
  tally.results = counts + counts_offset * (COUNT_BYTES / 4);
  tally.bin = NO_BIN;
  tally.count = 0;
  for (ulong i = own.begin; i < own.end; ++i)
    tally_bin(&tally, bin_in_channel(STORED_IN(x, x_offset + i), (uint)(i % CHANNELS), rule));
  tally_joined(&tally);
}
#endif
