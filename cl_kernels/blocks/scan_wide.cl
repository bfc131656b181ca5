// Whole blocks of a tile on a CPU, for built-in types and operators: the strips of a block side by side, one in each
// component of a value of 16, so that the folds down the strips are those of wide registers. In the scan order, as
// scan_tile.cl has it.
#if defined(SCAN_RUN) && defined(WIDE)

// SCAN_STRIPS is 16, and a piece 16 neighbouring elements: whole runs.
#define SCAN_PIECES (SCAN_STRIP / 16)
#define SCAN_RUNS_OF_PIECE (16 / SCAN_RUN)

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

// Piece `piece` of each strip of the block at `from`, strips side by side; each run folded up to each element.
INLINE void scan_load_piece(ACC_WIDE *s, const __global STORED *from, uint piece) {
  UNROLL
  for (uint t = 0; t < 16; ++t) s[t] = lift_wide(READ_16(VALUE_READ, from + t * SCAN_STRIP + piece * 16));
  scan_transpose(s);
  UNROLL
  for (uint k = 0; k < 16; ++k) {
    if (k % SCAN_RUN > 0) s[k] = combine_wide(s[k - 1], s[k]);
  }
}

// The folds of a block's strips.
INLINE void scan_fold_block(const __global STORED *from, __local FOLDED *strips) {
  ACC_WIDE runs;
  for (uint piece = 0; piece < SCAN_PIECES; ++piece) {
    for (uint t = 0; t < 16; ++t)
      FETCH_SOON((const __global uchar *)(from + t * SCAN_STRIP + piece * 16) + FETCHED_AHEAD);
    ACC_WIDE s[16];
    scan_load_piece(s, from, piece);
    UNROLL
    for (uint run = 0; run < SCAN_RUNS_OF_PIECE; ++run) {
      const ACC_WIDE last = s[(run + 1) * SCAN_RUN - 1];
      runs = piece == 0 && run == 0 ? last : combine_wide(runs, last);
    }
  }
  vstore16(runs, 0, strips);
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

// The results of s, or of the runs before it.
INLINE ACC_WIDE scan_result_wide(ACC_WIDE s, ACC_WIDE strips, scan_terms terms, scan_before outside) {
  ACC_WIDE fold = combine_wide(strips, s);
  fold.s0 = s.s0;
  return scan_outside_wide(fold, terms, outside);
}

// The results of the block at `from`; `strips` has what stands before each strip, and `terms` what stands before the block.
// Built-in operators have no values, but a text that compares keys may have some.
INLINE void scan_give_block(const __global STORED *from, __global ACC *out, const __local FOLDED *strips_before,
                            scan_terms terms, scan_before outside VALUES_PARAMETER) {
  const ACC_WIDE strips = vload16(0, strips_before);
  ACC_WIDE runs;
  for (uint piece = 0; piece < SCAN_PIECES; ++piece) {
    // The elements are in the nearest caches by now, the places of the results are not.
    for (uint t = 0; t < 16; ++t)
      FETCH_SOON((const __global uchar *)(out + t * SCAN_STRIP + piece * 16) + FETCHED_AHEAD / 2);
    ACC_WIDE s[16], results[16];
    scan_load_piece(s, from, piece);
    UNROLL
    for (uint run = 0; run < SCAN_RUNS_OF_PIECE; ++run) {
      const bool first = piece == 0 && run == 0;
      UNROLL
      for (uint e = 0; e < SCAN_RUN; ++e) {
        const uint k = run * SCAN_RUN + e;
#ifdef EXCLUSIVE
        if (e > 0)
          results[k] = scan_result_wide(first ? s[k - 1] : combine_wide(runs, s[k - 1]), strips, terms, outside);
        else if (!first)
          results[k] = scan_result_wide(runs, strips, terms, outside);
        else {
          results[k] = scan_outside_wide(strips, terms, outside);
          const FOLDED before = scan_in_tile(false, outside.first_result, terms WITH_VALUES);
          results[k].s0 = canonical(scan_result(terms.has_blocks, before, outside WITH_VALUES));
        }
#else
        results[k] = scan_result_wide(first ? s[k] : combine_wide(runs, s[k]), strips, terms, outside);
#endif
      }
      const ACC_WIDE last = s[(run + 1) * SCAN_RUN - 1];
      runs = first ? last : combine_wide(runs, last);
    }
    scan_transpose(results);
    UNROLL
    for (uint t = 0; t < 16; ++t) vstore16(results[t], 0, out + t * SCAN_STRIP + piece * 16);
  }
}

#endif
