// The scan of a tile by strips, which are read twice (scan_tile.cl).

typedef struct {
  uint unused;
} scan_held;

INLINE void scan_fold_unheld(const __global STORED *x, ulong n, uint tile, scan_memory memory, named_values given) {
  const uint count = scan_count(n, tile);
  const ulong base = (ulong)tile * SCAN_TILE;
  GROUP_BARRIER();  // scan_give of a block before ends without one
  uint strip = get_local_id(0);
#ifdef WIDE
  for (; (strip + SCAN_STRIPS) * SCAN_STRIP <= count; strip += SCAN_STRIPS)
    scan_fold_block(x + base + strip * SCAN_STRIP, memory.strips + SCAN_PLACE(strip),
                    memory.runs + strip * SCAN_RUNS, given);
#endif
  for (; strip * SCAN_STRIP < count; strip += GROUP_SIZE) {
    FOLDED fold;
    for (uint r = 0; r < SCAN_RUNS; ++r) {
      const uint run = strip * SCAN_RUNS + r;
      const uint own = scan_count_of_run(count, run);
      if (own == 0) break;
      FOLDED s[SCAN_RUN];
      const FOLDED last = scan_run_at(s, x, base + run * SCAN_RUN, own, given);
      fold = r == 0 ? last : combine(fold, last, given);
    }
    memory.strips[SCAN_PLACE(strip)] = fold;
  }
  GROUP_BARRIER();
  scan_upper_levels(memory, count, given);
}

INLINE void scan_fold(scan_held *held, const __global STORED *x, ulong n, uint tile, scan_memory memory, named_values given) {
  scan_fold_unheld(x, n, tile, memory, given);
}

INLINE void scan_settle(scan_held *held, ulong n, uint tile, scan_memory memory, named_values given) {}

INLINE void scan_give(scan_held *held, const __global STORED *x, __global ACC *out, ulong n, uint tile,
                      scan_memory memory, scan_before outside, named_values given) {
  const uint count = scan_count(n, tile);
  const ulong base = (ulong)tile * SCAN_TILE;
  uint strip = get_local_id(0);
#ifdef WIDE
  for (; (strip + SCAN_STRIPS) * SCAN_STRIP <= count; strip += SCAN_STRIPS) {
    const ulong i = base + strip * SCAN_STRIP;
    scan_give_block(x + i, out + i, memory.strips + SCAN_PLACE(strip), memory.runs + strip * SCAN_RUNS,
                    scan_terms_of(0, strip * SCAN_RUNS, memory), outside, given);
  }
#endif
  for (; strip * SCAN_STRIP < count; strip += GROUP_SIZE)
    scan_give_strip(x, out, base, count, strip, memory, outside, false, 0, given);
}

// Stores the tile's results, as scan_give does, and folds the tile `next` after it, if the input has that tile.
INLINE void scan_give_and_fold(scan_held *held, const __global STORED *x, __global ACC *out, ulong n, uint tile, uint next,
                               scan_memory memory, scan_before outside, named_values given) {
  const ulong base = (ulong)tile * SCAN_TILE, next_base = (ulong)next * SCAN_TILE;
#ifdef STREAMING
  if (max(base, next_base) + SCAN_TILE <= n) {  // both are whole
    scan_give_and_fold_wide(x + base, out + base, x + next_base, memory, outside, given);
    return;
  }
#endif
  scan_give(held, x, out, n, tile, memory, outside, given);
  if (next_base < n) scan_fold(held, x, n, next, memory, given);
}
