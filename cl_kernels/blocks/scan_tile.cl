// The scan of a tile, in the scan order (scan_order.cl). Two ways give its bits. Where HELD is defined (scan_held.cl), a
// work-item holds runs in registers, the last SCAN_KEPT of them in local memory, and what the levels above need goes through
// local memory. Else (scan_strips.cl) it takes whole strips, reads them twice, and only strips and what is above them are in
// local memory: so does a CPU, where a work-item takes all strips of a tile, those of whole blocks with their runs side by
// side where it can (scan_wide.cl), and so do large elements.

// Stores the results of the strip `strip` of `count` elements from `base` on, which it reads; or (`stages`) lets them wait
// from `place` on.
INLINE void scan_give_strip(const __global STORED *x, __global ACC *out, ulong base, uint count, uint strip,
                            scan_memory memory, scan_before outside, bool stages, uint place, named_values given) {
  FOLDED runs;
  for (uint r = 0; r < SCAN_RUNS; ++r) {
    const uint run = strip * SCAN_RUNS + r;
    const uint own = scan_count_of_run(count, run);
    if (own == 0) break;
    FOLDED s[SCAN_RUN];
    const ulong i = base + run * SCAN_RUN;
    const FOLDED last = scan_run_at(s, x, i, own, given);
    scan_terms terms = scan_terms_of(0, run, memory);
    if (r > 0) terms.runs = runs;
    scan_run_in_tile(s, terms, given);
    if (stages)
      scan_stage(memory.staged, place + run * SCAN_RUN, s, run, own, outside, given);
    else
      scan_store(out + i, s, run, own, outside, given);
    runs = r == 0 ? last : combine(runs, last, given);
  }
}
