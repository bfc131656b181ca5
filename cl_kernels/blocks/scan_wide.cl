// Whole blocks of a tile on a CPU, for built-in types and operators: the 16 runs of a strip side by side, one in each
// component of a value of 16, so that their folds are those of wide registers. In the scan order, as scan_tile.cl has it.
// A strip is read and written where it lies, one line of the cache after the other.

// SCAN_RUNS and SCAN_STRIPS are 16, and SCAN_RUN is 2 or 4: a strip is SCAN_RUN neighbouring values of 16, and each of them
// 16 / SCAN_RUN runs. The component that has a run once these values are transposed:
static inline uint scan_component_of(uint run) { return run % (16 / SCAN_RUN) * SCAN_RUN + run / (16 / SCAN_RUN); }

static inline ACC_WIDE canonical_wide(ACC_WIDE x) {
#ifdef CANONICAL_TEXT
  return CANONICAL_TEXT;
#else
  return x;
#endif
}

// Mixed within each SCAN_RUN components.
INLINE ACC_WIDE low_halves_of_runs_mixed(ACC_WIDE a, ACC_WIDE b) {
  if (SCAN_RUN == 4)
    return (ACC_WIDE)(a.s0, b.s0, a.s1, b.s1, a.s4, b.s4, a.s5, b.s5, a.s8, b.s8, a.s9, b.s9, a.sc, b.sc, a.sd, b.sd);
  return (ACC_WIDE)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6, a.s8, b.s8, a.sa, b.sa, a.sc, b.sc, a.se, b.se);
}
INLINE ACC_WIDE high_halves_of_runs_mixed(ACC_WIDE a, ACC_WIDE b) {
  if (SCAN_RUN == 4)
    return (ACC_WIDE)(a.s2, b.s2, a.s3, b.s3, a.s6, b.s6, a.s7, b.s7, a.sa, b.sa, a.sb, b.sb, a.se, b.se, a.sf, b.sf);
  return (ACC_WIDE)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7, a.s9, b.s9, a.sb, b.sb, a.sd, b.sd, a.sf, b.sf);
}

// Of each SCAN_RUN x SCAN_RUN components, rows become columns.
INLINE void scan_transpose_runs(ACC_WIDE *rows) {
  UNROLL
  for (uint turn = 1; turn < SCAN_RUN; turn *= 2) {
    ACC_WIDE mixed[SCAN_RUN];
    UNROLL
    for (uint k = 0; k < SCAN_RUN / 2; ++k) {
      mixed[2 * k] = low_halves_of_runs_mixed(rows[k], rows[k + SCAN_RUN / 2]);
      mixed[2 * k + 1] = high_halves_of_runs_mixed(rows[k], rows[k + SCAN_RUN / 2]);
    }
    UNROLL
    for (uint k = 0; k < SCAN_RUN; ++k) rows[k] = mixed[k];
  }
}

// The strip at `from`, its runs side by side, each folded up to each element.
INLINE void scan_load_strip(ACC_WIDE *s, const __global STORED *from) {
  UNROLL
  for (uint k = 0; k < SCAN_RUN; ++k) s[k] = lift_wide(READ_16(VALUE_READ, from + k * 16));
  scan_transpose_runs(s);
  UNROLL
  for (uint k = 1; k < SCAN_RUN; ++k) s[k] = combine_wide(s[k - 1], s[k]);
}

// Stored as one value: vstore16 of PoCL takes four stores, also to local memory.
typedef ACC_WIDE scan_wide;
DEFINE_ANYWHERE(scan_wide)

// Leaves the folds of a block's strips in `strips`. `runs` has the folds of the runs, strip by strip, each in its component
// (scan_component_of); they are replaced by the prefix of each run in its strip, for scan_give_strip_wide. Each step waits for the
// one before, so some strips are folded at a time. To transpose 16 strips instead takes twice as long for doubles, and is no
// faster for floats.
enum { SCAN_STRIPS_AT_ONCE = 4 };
INLINE void scan_fold_runs(__local FOLDED *strips, __local FOLDED *runs, named_values given) {
  UNROLL_BY(1)
  for (uint t = 0; t < 16; t += SCAN_STRIPS_AT_ONCE) {
    __local FOLDED *at = runs + t * 16;
    FOLDED folds[SCAN_STRIPS_AT_ONCE];
    UNROLL
    for (uint k = 0; k < SCAN_STRIPS_AT_ONCE; ++k) folds[k] = at[k * 16];
    UNROLL
    for (uint run = 1; run < 16; ++run) {
      UNROLL
      for (uint k = 0; k < SCAN_STRIPS_AT_ONCE; ++k) {
        const FOLDED next = at[k * 16 + scan_component_of(run)];
        at[k * 16 + scan_component_of(run)] = folds[k];
        folds[k] = combine(folds[k], next, given);
      }
    }
    UNROLL
    for (uint k = 0; k < SCAN_STRIPS_AT_ONCE; ++k) strips[t + k] = folds[k];
  }
}

// Folds the block at `from`: `strips` gets the folds of its strips, `runs` the prefix of each run in its strip (scan_fold_runs).
INLINE void scan_fold_block(const __global STORED *from, __local FOLDED *strips, __local FOLDED *runs, named_values given) {
  UNROLL_BY(1)
  for (uint t = 0; t < 16; ++t) {
    ACC_WIDE s[SCAN_RUN];
    UNROLL
    for (uint k = 0; k < SCAN_RUN; ++k)
      FETCH_SOON((const __global uchar *)(from + t * SCAN_STRIP + k * 16) + FETCHED_AHEAD);
    scan_load_strip(s, from + t * SCAN_STRIP);
    ANYWHERE(__local, scan_wide, runs + t * 16) = s[SCAN_RUN - 1];
  }
  scan_fold_runs(strips, runs, given);
}

INLINE ACC_WIDE scan_outside_wide(ACC_WIDE fold, scan_terms terms, scan_before outside) {
  if (terms.has_blocks) fold = combine_wide((ACC_WIDE)(terms.blocks), fold);
  if (IS_ON(SCAN_IN_BLOCKS) && outside.has_blocks) fold = combine_wide((ACC_WIDE)(outside.blocks), fold);
  if (outside.has_tiles) fold = combine_wide((ACC_WIDE)(outside.tiles), fold);
  if (outside.has_stretches) fold = combine_wide((ACC_WIDE)(outside.stretches), fold);
  return canonical_wide(fold);
}

// STREAMING: stores past the caches. The results then lie at multiples of such a value's size.
INLINE void scan_store_wide(ACC_WIDE results, __global ACC *out) {
  if (IS_ON(STREAMING))
    STORE_STREAMING((__global ACC_WIDE *)out, results);
  else
    ANYWHERE(__global, scan_wide, out) = results;
}

// Stores the results of a block's strip `t`, which is at `from`. `strips_before` has the prefix of each strip in the block,
// `runs_before` that of each run in its strip, and `terms` that of the block. Built-in operators have no named values, but an
// expression that compares keys may have some. Always inlined: as a call, which compilers make of an exclusive scan's, it took a
// third longer.
static inline __attribute__((always_inline)) void scan_give_strip_wide(const __global STORED *from, __global ACC *out, uint t,
                                                                       const __local FOLDED *strips_before,
                                                                       const __local FOLDED *runs_before, scan_terms terms,
                                                                       scan_before outside, named_values given) {
  ACC_WIDE s[SCAN_RUN], results[SCAN_RUN];
  scan_load_strip(s, from);
  const ACC_WIDE runs = vload16(t, runs_before);  // component 0 has nothing: before a strip's first run none stands
  const FOLDED strips = strips_before[t];         // nor anything before a block's first strip
  UNROLL
  for (uint e = 0; e < SCAN_RUN; ++e) {
    const uint own = IS_ON(EXCLUSIVE) ? e - 1 : e;  // up to which element
    ACC_WIDE fold = runs;
    if (!IS_ON(EXCLUSIVE) || e > 0) {
      fold = combine_wide(runs, s[own]);
      fold.s0 = s[own].s0;
    }
    if (t > 0) fold = combine_wide((ACC_WIDE)(strips), fold);
    if (IS_ON(EXCLUSIVE) && e == 0) fold.s0 = strips;
    results[e] = scan_outside_wide(fold, terms, outside);
  }
  if (IS_ON(EXCLUSIVE) && t == 0) {
    const FOLDED before = scan_in_tile(false, outside.first_result, terms, given);
    results[0].s0 = canonical(scan_result(terms.has_blocks, before, outside, given));
  }
  scan_transpose_runs(results);
  UNROLL
  for (uint k = 0; k < SCAN_RUN; ++k) scan_store_wide(results[k], out + k * 16);
}

// The results of the block at `from`.
INLINE void scan_give_block(const __global STORED *from, __global ACC *out, const __local FOLDED *strips_before,
                            const __local FOLDED *runs_before, scan_terms terms, scan_before outside, named_values given) {
  UNROLL_BY(1)
  for (uint t = 0; t < 16; ++t)
    scan_give_strip_wide(from + t * SCAN_STRIP, out + t * SCAN_STRIP, t, strips_before, runs_before, terms,
                         outside, given);
}

// The strips of so many blocks, each about a page of memory (memory.cl), are taken alternately, and strips are prefetched
// FETCHED_AHEAD bytes ahead, over all of these blocks. tools/results/kernels-notes.txt compares numbers of blocks and bytes.
enum { SCAN_BLOCKS_IN_TURN = SCAN_BLOCKS % 2 == 0 ? 2 : 1 };
static inline uint scan_strips_ahead(void) {
  return max(FETCHED_AHEAD / (uint)(SCAN_BLOCKS_IN_TURN * SCAN_STRIP * sizeof(STORED)), 1u);
}

// Stores the results of the whole tile at `from`, and folds the whole tile at `next`: what `memory` has of the one makes way
// for what it has of the other, strip by strip. Memory is read while it is written, which is faster than one after the other.
INLINE void scan_give_and_fold_wide(const __global STORED *from, __global ACC *out, const __global STORED *next,
                                    scan_memory memory, scan_before outside, named_values given) {
  UNROLL_BY(1)
  for (uint first = 0; first < SCAN_BLOCKS; first += SCAN_BLOCKS_IN_TURN) {
    UNROLL_BY(1)
    for (uint t = 0; t < 16; ++t) {
      const uint ahead = t + scan_strips_ahead();
      UNROLL
      for (uint b = 0; b < SCAN_BLOCKS_IN_TURN; ++b) {
        const uint block = first + b, begin = block * SCAN_BLOCK + t * SCAN_STRIP;
        const uint fetched = (block + ahead / 16 * SCAN_BLOCKS_IN_TURN) * SCAN_BLOCK + ahead % 16 * SCAN_STRIP;
        if (fetched < SCAN_TILE) {
          UNROLL
          for (uint k = 0; k < SCAN_RUN; ++k) FETCH_SOON(next + fetched + k * 16);
        }
        __local FOLDED *runs = memory.runs + block * 256;
        scan_give_strip_wide(from + begin, out + begin, t, memory.strips + SCAN_PLACE(block * 16), runs,
                             scan_terms_of(0, block * 256, memory), outside, given);
        ACC_WIDE s[SCAN_RUN];
        scan_load_strip(s, next + begin);
        ANYWHERE(__local, scan_wide, runs + t * 16) = s[SCAN_RUN - 1];
      }
    }
    UNROLL_BY(1)
    for (uint block = first; block < first + SCAN_BLOCKS_IN_TURN; ++block)
      scan_fold_runs(memory.strips + SCAN_PLACE(block * 16), memory.runs + block * 256, given);
  }
  scan_upper_levels(memory, SCAN_TILE, given);
}
