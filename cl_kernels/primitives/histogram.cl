// histogram: how many keys fall into each bin. Plans and arguments: lib/primitives/histogram.cpp.
//
// Where bins are few, each group counts in local memory, in several copies of all counters that its lanes share: with a
// copy for each lane no two lanes of a set meet in a bank, whatever the keys are. Where copies are fewer, a work-item joins
// equal neighbours before it counts them, unless local memory adds equal lanes' counts at once. Each group leaves a row of
// counts, and the last group, or where rows are many a second launch, sums the rows.
// Where bins are many, groups count in the results themselves, after joining equal neighbours; bins that a group saw at the
// start of a round it counts in local memory until the round's end, so that few values, however they lie, do not all go to a
// few words of global memory. A CPU's cores have a row of counts each, or count in the results.
//
// With few bins, what bounds it is memory for keys of 4 bytes, and the rate at which local memory counts for keys of one byte.
// Atomics of global memory are executed by the second-level cache, and bound it with many bins (tools/results/kernels-notes.txt).
//
// Gomez-Luna, Gonzalez-Linares, Benavides and Guil, "An optimized approach to histogram computation on GPU", 2013, for
// copies of local counters.

// What the counters of a CPU are, and the counts that groups leave: a row of `total` words for each, in the workspace.
static inline __global uint *histogram_rows(__global uchar *workspace) { return (__global uint *)(workspace + OWN_AT); }

#define KEYS_ARGUMENTS const __global KEY *x, ulong x_offset, ELEMENTS_ARGUMENT
// How many keys count: where the device alone knows the number, those of whole groups of channels.
static inline ulong keys_of_channels(ulong n) { return IS_COUNTED ? n / CHANNELS * CHANNELS : n; }

// ---------------------------------------------------------------------------- counts in global memory
// Counts of 64 bits are two words, the lower one of which is counted in; past 2^32 keys it may wrap into the other.
static inline void count_in_results(volatile __global uint *words, uint bin, uint count) {
  const ulong lower = COUNT_BYTES == 4 ? (ulong)bin : 2 * (ulong)bin + (IS_LITTLE_ENDIAN ? 0 : 1);
  if (IS_ON(MANY_KEYS)) {
    const uint before = atomic_add(words + lower, count);
    if (before + count < count) atomic_inc(words + (lower ^ 1));
  } else {
    atomic_add(words + lower, count);
  }
}

// Where nothing is counted, and before results are counted in: sets all counts to 0.
KERNEL void histogram_clear(uint total, __global COUNT *counts, ulong counts_offset) {
  if (GROUP_SIZE == 1) {
    const own_units own = own_share(total);
    for (ulong bin = own.begin; bin < own.end; ++bin) counts[counts_offset + bin] = 0;
  } else {
    for (uint bin = get_global_id(0); bin < total; bin += get_global_size(0)) counts[counts_offset + bin] = 0;
  }
}

// ---------------------------------------------------------------------------- a work-item's counting
// Neighbours of one bin that are not counted yet.
typedef struct {
  uint bin, count;
  __local uint *counters;  // of a group, or what it counts in the results and in bins that it holds
  __global uint *results;
  __local uint *held_bins, *held_counts;
} bin_tally;

// Bins that a group counts in local memory for a round of tiles, each in one place. Bins that are a power of two apart, as
// those of round numbers are, have different ones. (Knuth, "The Art of Computer Programming", 6.4: Fibonacci hashing.)
static inline uint place_of_bin(uint bin) { return bin * 0x9e3779b1u >> 22; }
enum { BINS_HELD = 1024, TILES_OF_ROUND = 64 };

INLINE void tally_joined(bin_tally *tally) {
  if (tally->bin == NO_BIN) return;
  if (COUNTERS > 0) {
    atomic_add(tally->counters + tally->bin * COPIES, tally->count);
    return;
  }
  if (GROUP_SIZE > 1) {
    const uint place = place_of_bin(tally->bin);
    if (tally->held_bins[place] == tally->bin) {
      atomic_add(tally->held_counts + place, tally->count);
      return;
    }
  }
  count_in_results(tally->results, tally->bin, tally->count);
}

INLINE void tally_bin(bin_tally *tally, uint bin) {
  if ((COUNTERS > 0) & !IS_ON(JOINS_NEIGHBOURS)) {
    if (bin != NO_BIN) atomic_inc(tally->counters + bin * COPIES);
    return;
  }
  if (bin != tally->bin) {
    tally_joined(tally);
    tally->bin = bin;
    tally->count = 0;
  }
  ++tally->count;
}

// Each channel has bins of its own. What is no bin stays as it is.
static inline uint in_channel(uint bin, uint channel, bin_rule rule) {
  return CHANNELS == 1 || bin >= BIN_NEAR_EDGE ? bin : channel % CHANNELS * rule.bins + bin;
}
INLINE uint bin_in_channel(KEY key, uint channel, bin_rule rule) { return in_channel(bin_of(key, rule), channel, rule); }
