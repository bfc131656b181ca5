// Whole blocks of a tile on a CPU, for built-in types and operators: the 16 runs of a strip side by side, one in each
// component of a value of 16, so that their folds are those of wide registers. In the scan order, as scan_tile.cl has it.
// A strip is read and written where it lies, one line of the cache after the other; only its runs' folds, a quarter or half
// as many, change places with those of the block's other strips, whose folds over runs are those of wide registers as well.
#if defined(SCAN_RUN) && defined(WIDE)

// SCAN_RUNS and SCAN_STRIPS are 16, and SCAN_RUN is 2 or 4: a strip is SCAN_RUN neighbouring values of 16, and each of them
// 16 / SCAN_RUN runs. The component that has a run once these values are transposed:
#define SCAN_COMPONENT_OF(run) ((run) % (16 / SCAN_RUN) * SCAN_RUN + (run) / (16 / SCAN_RUN))

static inline ACC_WIDE canonical_wide(ACC_WIDE x) {
#ifdef CANONICAL_TEXT
  return CANONICAL_TEXT;
#else
  return x;
#endif
}

#define LOW_HALVES_MIXED(a, b)                                                                                        \
  ((ACC_WIDE)((a).s0, (b).s0, (a).s1, (b).s1, (a).s2, (b).s2, (a).s3, (b).s3, (a).s4, (b).s4, (a).s5, (b).s5, (a).s6, \
              (b).s6, (a).s7, (b).s7))
#define HIGH_HALVES_MIXED(a, b)                                                                                       \
  ((ACC_WIDE)((a).s8, (b).s8, (a).s9, (b).s9, (a).sa, (b).sa, (a).sb, (b).sb, (a).sc, (b).sc, (a).sd, (b).sd, (a).se, \
              (b).se, (a).sf, (b).sf))

// The same within each SCAN_RUN components.
#if SCAN_RUN == 4
#define LOW_HALVES_OF_RUNS_MIXED(a, b)                                                                                \
  ((ACC_WIDE)((a).s0, (b).s0, (a).s1, (b).s1, (a).s4, (b).s4, (a).s5, (b).s5, (a).s8, (b).s8, (a).s9, (b).s9, (a).sc, \
              (b).sc, (a).sd, (b).sd))
#define HIGH_HALVES_OF_RUNS_MIXED(a, b)                                                                               \
  ((ACC_WIDE)((a).s2, (b).s2, (a).s3, (b).s3, (a).s6, (b).s6, (a).s7, (b).s7, (a).sa, (b).sa, (a).sb, (b).sb, (a).se, \
              (b).se, (a).sf, (b).sf))
#else
#define LOW_HALVES_OF_RUNS_MIXED(a, b)                                                                                \
  ((ACC_WIDE)((a).s0, (b).s0, (a).s2, (b).s2, (a).s4, (b).s4, (a).s6, (b).s6, (a).s8, (b).s8, (a).sa, (b).sa, (a).sc, \
              (b).sc, (a).se, (b).se))
#define HIGH_HALVES_OF_RUNS_MIXED(a, b)                                                                               \
  ((ACC_WIDE)((a).s1, (b).s1, (a).s3, (b).s3, (a).s5, (b).s5, (a).s7, (b).s7, (a).s9, (b).s9, (a).sb, (b).sb, (a).sd, \
              (b).sd, (a).sf, (b).sf))
#endif

// Rows become columns: with each mixing of halves a bit of a value's row and one of its column change places.
INLINE void scan_transpose(ACC_WIDE *rows) {
  UNROLL
  for (uint turn = 0; turn < 4; ++turn) {
    ACC_WIDE mixed[16];
    UNROLL
    for (uint k = 0; k < 8; ++k) {
      mixed[2 * k] = LOW_HALVES_MIXED(rows[k], rows[k + 8]);
      mixed[2 * k + 1] = HIGH_HALVES_MIXED(rows[k], rows[k + 8]);
    }
    UNROLL
    for (uint k = 0; k < 16; ++k) rows[k] = mixed[k];
  }
}

// Of each SCAN_RUN x SCAN_RUN components, rows become columns.
INLINE void scan_transpose_runs(ACC_WIDE *rows) {
  UNROLL
  for (uint turn = 1; turn < SCAN_RUN; turn *= 2) {
    ACC_WIDE mixed[SCAN_RUN];
    UNROLL
    for (uint k = 0; k < SCAN_RUN / 2; ++k) {
      mixed[2 * k] = LOW_HALVES_OF_RUNS_MIXED(rows[k], rows[k + SCAN_RUN / 2]);
      mixed[2 * k + 1] = HIGH_HALVES_OF_RUNS_MIXED(rows[k], rows[k + SCAN_RUN / 2]);
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

// A store at any address: vstore16 of PoCL takes four. So does one to local memory.
typedef struct __attribute__((packed)) {
  ACC_WIDE value;
} scan_wide_anywhere;

// The folds of a block's strips, from those of its runs, of each strip all side by side; and what stands before each run in
// its strip, for scan_give_strip_wide.
INLINE void scan_fold_runs(ACC_WIDE *runs, __local FOLDED *strips, __local FOLDED *runs_before) {
  scan_transpose(runs);  // first one for each strip, then one for each run
  ACC_WIDE fold = runs[0];
  UNROLL
  for (uint run = 1; run < 16; ++run) {
    const ACC_WIDE next = runs[SCAN_COMPONENT_OF(run)];
    runs[SCAN_COMPONENT_OF(run)] = fold;
    fold = combine_wide(fold, next);
  }
  vstore16(fold, 0, strips);
  scan_transpose(runs);
  UNROLL
  for (uint t = 0; t < 16; ++t) ((__local scan_wide_anywhere *)runs_before)[t].value = runs[t];
}

// The same of the block at `from`.
INLINE void scan_fold_block(const __global STORED *from, __local FOLDED *strips, __local FOLDED *runs_before) {
  ACC_WIDE runs[16];
  UNROLL
  for (uint t = 0; t < 16; ++t) {
    ACC_WIDE s[SCAN_RUN];
    UNROLL
    for (uint k = 0; k < SCAN_RUN; ++k)
      FETCH_SOON((const __global uchar *)(from + t * SCAN_STRIP + k * 16) + FETCHED_AHEAD);
    scan_load_strip(s, from + t * SCAN_STRIP);
    runs[t] = s[SCAN_RUN - 1];
  }
  scan_fold_runs(runs, strips, runs_before);
}

INLINE ACC_WIDE scan_outside_wide(ACC_WIDE fold, scan_terms terms, scan_before outside) {
  if (terms.has_blocks) fold = combine_wide((ACC_WIDE)(terms.blocks), fold);
#ifdef SCAN_IN_BLOCKS
  if (outside.has_blocks) fold = combine_wide((ACC_WIDE)(outside.blocks), fold);
#endif
  if (outside.has_tiles) fold = combine_wide((ACC_WIDE)(outside.tiles), fold);
  if (outside.has_stretches) fold = combine_wide((ACC_WIDE)(outside.stretches), fold);
  return canonical_wide(fold);
}

// STREAMING: stores past the caches. The results then lie at multiples of such a value's size.
INLINE void scan_store_wide(ACC_WIDE results, __global ACC *out) {
#ifdef STREAMING
  STORE_STREAMING((__global ACC_WIDE *)out, results);
#else
  ((__global scan_wide_anywhere *)out)->value = results;
#endif
}

// The results of a block's strip `t`, which is at `from`; `strips_before` and `runs_before` have what stands before each of
// the block's strips, and each run in its strip, and `terms` what stands before the block.
// Built-in operators have no values, but a text that compares keys may have some.
INLINE void scan_give_strip_wide(const __global STORED *from, __global ACC *out, uint t, const __local FOLDED *strips_before,
                                 const __local FOLDED *runs_before, scan_terms terms,
                                 scan_before outside VALUES_PARAMETER) {
  ACC_WIDE s[SCAN_RUN], results[SCAN_RUN];
  scan_load_strip(s, from);
  const ACC_WIDE runs = vload16(t, runs_before);  // component 0 has nothing: before a strip's first run none stands
  const FOLDED strips = strips_before[t];         // nor anything before a block's first strip
  UNROLL
  for (uint e = 0; e < SCAN_RUN; ++e) {
    ACC_WIDE fold = runs;
#ifdef EXCLUSIVE
    if (e > 0) {
      fold = combine_wide(runs, s[e - 1]);
      fold.s0 = s[e - 1].s0;
    }
#else
    fold = combine_wide(runs, s[e]);
    fold.s0 = s[e].s0;
#endif
    if (t > 0) fold = combine_wide((ACC_WIDE)(strips), fold);
#ifdef EXCLUSIVE
    if (e == 0) fold.s0 = strips;
#endif
    results[e] = scan_outside_wide(fold, terms, outside);
  }
#ifdef EXCLUSIVE
  if (t == 0) {
    const FOLDED before = scan_in_tile(false, outside.first_result, terms WITH_VALUES);
    results[0].s0 = canonical(scan_result(terms.has_blocks, before, outside WITH_VALUES));
  }
#endif
  scan_transpose_runs(results);
  UNROLL
  for (uint k = 0; k < SCAN_RUN; ++k) scan_store_wide(results[k], out + k * 16);
}

// The results of the block at `from`.
INLINE void scan_give_block(const __global STORED *from, __global ACC *out, const __local FOLDED *strips_before,
                            const __local FOLDED *runs_before, scan_terms terms, scan_before outside VALUES_PARAMETER) {
  UNROLL_BY(1)
  for (uint t = 0; t < 16; ++t)
    scan_give_strip_wide(from + t * SCAN_STRIP, out + t * SCAN_STRIP, t, strips_before, runs_before, terms,
                         outside WITH_VALUES);
}

#ifdef STREAMING
// The strips of so many blocks are taken in turn, each of which is about a page of memory (memory.cl), and so many strips of
// each block are fetched ahead. PoCL 3.1, 2 cores, 10^8 floats, 2026-11, medians of 16 calls in turn, ms: 4 blocks 28.8 (2
// strips), 31.0 (4) and 31.6 (8); on another occasion 2 blocks 33.1, 4 blocks 30.8, 8 blocks 30.1 (2 strips).
#define SCAN_BLOCKS_IN_TURN (SCAN_BLOCKS % 4 == 0 ? 4 : 1)
#define SCAN_STRIPS_AHEAD 2

// Stores the results of the whole tile at `from`, and folds the whole tile at `next`: what `memory` has of the one makes way
// for what it has of the other, strip by strip. Memory is read while it is written, which is faster than one after the other.
INLINE void scan_give_and_fold_wide(const __global STORED *from, __global ACC *out, const __global STORED *next,
                                    scan_memory memory, scan_before outside VALUES_PARAMETER) {
  UNROLL_BY(1)
  for (uint first = 0; first < SCAN_BLOCKS; first += SCAN_BLOCKS_IN_TURN) {
    UNROLL_BY(1)
    for (uint t = 0; t < 16; ++t) {
      const uint ahead = t + SCAN_STRIPS_AHEAD;
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
                             scan_terms_of(0, block * 256, memory), outside WITH_VALUES);
        ACC_WIDE s[SCAN_RUN];
        scan_load_strip(s, next + begin);
        ((__local scan_wide_anywhere *)runs)[t].value = s[SCAN_RUN - 1];
      }
    }
    UNROLL_BY(1)
    for (uint block = first; block < first + SCAN_BLOCKS_IN_TURN; ++block) {
      __local FOLDED *runs_before = memory.runs + block * 256;
      ACC_WIDE runs[16];
      UNROLL
      for (uint t = 0; t < 16; ++t) runs[t] = vload16(t, runs_before);
      scan_fold_runs(runs, memory.strips + SCAN_PLACE(block * 16), runs_before);
    }
  }
  scan_upper_levels(memory, SCAN_TILE WITH_VALUES);
}
#endif

#endif
