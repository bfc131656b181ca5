// The scan of a tile whose elements wait in registers (scan_tile.cl).

enum {
  SCAN_HELD = SCAN_RUNS_OF_TILE / GROUP_SIZE,
  SCAN_IN_REGISTERS = SCAN_HELD - SCAN_KEPT
};

typedef struct {
  FOLDED s[SCAN_IN_REGISTERS][SCAN_RUN];
} scan_held;

// The held run `k`, a literal: put where it is held, and taken from there.
INLINE void scan_put(const FOLDED *s, scan_held *held, scan_memory memory, uint k, uint id) {
  if (SCAN_KEPT > 0 && k >= SCAN_IN_REGISTERS) {
    UNROLL
    for (uint e = 0; e < SCAN_RUN; ++e)
      memory.kept[((k - SCAN_IN_REGISTERS) * GROUP_SIZE + id) * SCAN_RUN + e] = s[e];
    return;
  }
  UNROLL
  for (uint e = 0; e < SCAN_RUN; ++e) held->s[k][e] = s[e];
}

INLINE void scan_take(FOLDED *s, const scan_held *held, scan_memory memory, uint k, uint id) {
  if (SCAN_KEPT > 0 && k >= SCAN_IN_REGISTERS) {
    UNROLL
    for (uint e = 0; e < SCAN_RUN; ++e)
      s[e] = memory.kept[((k - SCAN_IN_REGISTERS) * GROUP_SIZE + id) * SCAN_RUN + e];
    return;
  }
  UNROLL
  for (uint e = 0; e < SCAN_RUN; ++e) s[e] = held->s[k][e];
}

// A short tile's runs are not held. SCAN_UNDER_WAY of a work-item's are in flight at a time: a small input does not wait
// for one after the other. So no test stands between their loads: in place of a run that is not whole the first is loaded
// again, and its folds are not used. Runs from `first`, which is whole, in steps of GROUP_SIZE.
INLINE void scan_load_runs(FOLDED (*s)[SCAN_RUN], const __global STORED *x, ulong base, uint first,
                           uint whole, named_values given) {
  UNROLL
  for (uint k = 0; k < SCAN_UNDER_WAY; ++k) {
    const uint run = first + k * GROUP_SIZE;
    const ulong i = base + (run < whole ? run : first) * SCAN_RUN;
    scan_load_whole(s[k], x + i, i, given);
  }
  UNROLL
  for (uint k = 0; k < SCAN_UNDER_WAY; ++k) scan_run(s[k], given);
}

// The run behind the last whole one, where the group has one and this work-item takes it.
static inline bool scan_has_part(uint count) {
  return count % SCAN_RUN > 0 && own_id_anew() == count / SCAN_RUN % GROUP_SIZE;
}

// The levels above runs.
INLINE void scan_levels(uint count, scan_memory memory, named_values given) {
  GROUP_BARRIER();
  scan_level(memory.runs, (count + SCAN_RUN - 1) / SCAN_RUN, SCAN_RUNS, memory.strips, given);
  scan_upper_levels(memory, count, given);
}

// Folds the group's own tile: all levels, and the total. All work-items must call, behind a barrier where others may still
// read the levels of a tile before. Ends with a barrier. The last tile's elements are not held if it is short: that would
// take registers from all others.
INLINE void scan_fold(scan_held *held, const __global STORED *x, ulong n, uint tile, scan_memory memory, named_values given) {
  const uint count = scan_count(n, tile);
  if (count == SCAN_TILE) {  // without a test for each run, so that all loads are in flight together
    const uint id = own_id_anew();
    FOLDED s[SCAN_HELD][SCAN_RUN];
    // From the last to the first: what goes to local memory comes first, and makes room.
    UNROLL
    for (uint k = SCAN_HELD; k-- > 0;) {
      const ulong i = (ulong)tile * SCAN_TILE + (k * GROUP_SIZE + id) * SCAN_RUN;
      scan_load_whole(s[k], x + i, i, given);
    }
    LOADS_DO_NOT_PASS();
    UNROLL
    for (uint k = SCAN_HELD; k-- > 0;) {
      scan_run(s[k], given);
      memory.runs[scan_place(k * GROUP_SIZE, id)] = s[k][SCAN_RUN - 1];
      scan_put(s[k], held, memory, k, id);
    }
  } else {
    const ulong base = (ulong)tile * SCAN_TILE;
    const uint whole = count / SCAN_RUN;
    for (uint first = own_id_anew(); first < whole; first += SCAN_UNDER_WAY * GROUP_SIZE) {
      FOLDED s[SCAN_UNDER_WAY][SCAN_RUN];
      scan_load_runs(s, x, base, first, whole, given);
      UNROLL
      for (uint k = 0; k < SCAN_UNDER_WAY; ++k) {
        const uint run = first + k * GROUP_SIZE;
        if (run < whole) memory.runs[SCAN_PLACE(run)] = s[k][SCAN_RUN - 1];
      }
    }
    if (scan_has_part(count)) {
      FOLDED s[SCAN_RUN];
      // The last run's fold: no run begins behind it, so no result depends on it.
      memory.runs[SCAN_PLACE(whole)] = scan_run_at(s, x, base + whole * SCAN_RUN, count % SCAN_RUN, given);
    }
  }
  scan_levels(count, memory, given);
}

// Folds any tile, all levels and the total, without changing what is held. All work-items must call, after a barrier if others
// may still read the levels of an earlier tile. Ends with a barrier.
INLINE void scan_fold_unheld(const __global STORED *x, ulong n, uint tile, scan_memory memory, named_values given) {
  const uint count = scan_count(n, tile);
  const ulong base = (ulong)tile * SCAN_TILE;
  UNROLL_BY(1)
  for (uint run = own_id_anew(); run * SCAN_RUN < count; run += GROUP_SIZE) {
    FOLDED s[SCAN_RUN];
    memory.runs[SCAN_PLACE(run)] =
        scan_run_at(s, x, base + run * SCAN_RUN, scan_count_of_run(count, run), given);
  }
  scan_levels(count, memory, given);
}

// Does what needs no prefix of the tile: the held elements become the folds in the tile that their results are made of.
INLINE void scan_settle(scan_held *held, ulong n, uint tile, scan_memory memory, named_values given) {
  if (scan_count(n, tile) != SCAN_TILE) return;
  const uint id = own_id_anew();
  UNROLL
  for (uint k = 0; k < SCAN_HELD; ++k) {
    scan_terms terms = scan_terms_of(k * GROUP_SIZE, id, memory);
    terms.runs = memory.runs[scan_place(k * GROUP_SIZE, id)];
    FOLDED s[SCAN_RUN];
    scan_take(s, held, memory, k, id);
    scan_run_in_tile(s, terms, given);
    scan_put(s, held, memory, k, id);
  }
}

// The terms of any run.
INLINE scan_terms scan_terms_of_run(uint run, scan_memory memory) {
  scan_terms terms = scan_terms_of(0, run, memory);
  terms.runs = memory.runs[SCAN_PLACE(run)];
  return terms;
}

// The results of one run of the tile at `out`.
INLINE void scan_give_run(__global ACC *out, const FOLDED *s, uint run, uint count, scan_memory memory,
                          scan_before outside, named_values given) {
  if (IS_ON(SCAN_STAGED))
    scan_stage(memory.staged, run * SCAN_RUN, s, run, count, outside, given);
  else
    scan_store(out + run * SCAN_RUN, s, run, count, outside, given);
}

// Stores the tile's results, from what scan_fold and scan_settle left.
INLINE void scan_give(scan_held *held, const __global STORED *x, __global ACC *out, ulong n, uint tile,
                      scan_memory memory, scan_before outside, named_values given) {
  const uint count = scan_count(n, tile);
  const ulong base = (ulong)tile * SCAN_TILE;
  const uint id = own_id_anew();
  if (count == SCAN_TILE) {
    UNROLL
    for (uint k = 0; k < SCAN_HELD; ++k) {
      const uint run = k * GROUP_SIZE + id;
      FOLDED s[SCAN_RUN];
      scan_take(s, held, memory, k, id);
      scan_give_run(out + base, s, run, SCAN_RUN, memory, outside, given);
    }
  } else {
    const uint whole = count / SCAN_RUN;
    for (uint first = own_id_anew(); first < whole; first += SCAN_UNDER_WAY * GROUP_SIZE) {
      FOLDED s[SCAN_UNDER_WAY][SCAN_RUN];
      scan_load_runs(s, x, base, first, whole, given);
      UNROLL
      for (uint k = 0; k < SCAN_UNDER_WAY; ++k) {
        const uint run = first + k * GROUP_SIZE;
        if (run < whole) {
          scan_run_in_tile(s[k], scan_terms_of_run(run, memory), given);
          scan_give_run(out + base, s[k], run, SCAN_RUN, memory, outside, given);
        }
      }
    }
    if (scan_has_part(count)) {
      FOLDED s[SCAN_RUN];
      scan_run_at(s, x, base + whole * SCAN_RUN, count % SCAN_RUN, given);
      scan_run_in_tile(s, scan_terms_of_run(whole, memory), given);
      scan_give_run(out + base, s, whole, count % SCAN_RUN, memory, outside, given);
    }
  }
  if (IS_ON(SCAN_STAGED)) {
    GROUP_BARRIER();
    scan_store_staged(memory.staged, out + base, count);
  }
}

// Past a CPU's caches alone groups take tile after tile (scan_strips.cl).
static inline void scan_give_and_fold(scan_held *held, const __global STORED *x, __global ACC *out, ulong n, uint tile,
                                      uint next, scan_memory memory, scan_before outside, named_values given) {}
