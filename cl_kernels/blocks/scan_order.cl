// The scan order: left folds at every level, fixed by an element's place alone (clwave/scan.hpp).
//
//   result of element i = P + (B + (S + (Q + (R + s))))
//
// s folds the element's run up to it; R the earlier runs of its strip, Q the earlier strips of its block, S the earlier
// blocks of its tile, B the earlier tiles of its stretch, P the earlier stretches, and before them the start value. A
// term that has nothing in it drops out.
#ifdef PRIMITIVE_SCAN

#define SCAN_STRIP (SCAN_RUN * SCAN_RUNS)
#define SCAN_BLOCK (SCAN_STRIP * SCAN_STRIPS)
#define SCAN_TILE (SCAN_BLOCK * SCAN_BLOCKS)
#define SCAN_STRIPS_OF_TILE (SCAN_STRIPS * SCAN_BLOCKS)
#define SCAN_RUNS_OF_TILE (SCAN_RUNS * SCAN_STRIPS_OF_TILE)

#if GROUP_SIZE == 1
#define GROUP_BARRIER()
#define GROUP_GLOBAL_BARRIER()
#else
#define GROUP_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define GROUP_GLOBAL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif

// Neighbours that are folded by one work-item lie in different banks from those of the next.
#define SCAN_PLACE(i) ((i) + (i) / 16)

// Local memory: what is folded at each level, and later what stands before it.
typedef struct {
#ifdef HELD
  __local FOLDED *runs;
#endif
  __local FOLDED *strips;
  __local FOLDED *blocks;
  __local FOLDED *total;
} scan_memory;

#ifdef HELD
#define SCAN_MEMORY_OF_RUNS(name)                          \
  __local FOLDED name##_runs[SCAN_PLACE(SCAN_RUNS_OF_TILE)]; \
  name.runs = name##_runs
#else
#define SCAN_MEMORY_OF_RUNS(name)
#endif
#define SCAN_MEMORY(name)                                      \
  scan_memory name;                                            \
  SCAN_MEMORY_OF_RUNS(name);                                   \
  __local FOLDED name##_strips[SCAN_PLACE(SCAN_STRIPS_OF_TILE)]; \
  __local FOLDED name##_blocks[SCAN_PLACE(SCAN_BLOCKS)];       \
  __local FOLDED name##_total[1];                              \
  name.strips = name##_strips;                                 \
  name.blocks = name##_blocks;                                 \
  name.total = name##_total

// What stands before a whole tile: B and P, where they exist.
typedef struct {
  bool has_tiles, has_stretches;
  FOLDED tiles, stretches;
#ifdef EXCLUSIVE
  FOLDED first_result;  // the first result where nothing stands before it
#endif
} scan_before;

// One level: of each `unit` neighbouring values every one becomes the left fold of those before it (the first is left as
// it is), and the fold of all goes to `totals`. All work-items must call. Ends with a barrier.
INLINE void scan_level(__local FOLDED *values, uint count, uint unit, __local FOLDED *totals VALUES_PARAMETER) {
  for (uint u = OWN_ID; u * unit < count; u += GROUP_SIZE) {
    const uint first = u * unit;
    const uint end = min(first + unit, count);
    FOLDED fold = values[SCAN_PLACE(first)];
    // The registers of the elements that wait are taken: few values at a time.
    UNROLL_BY(4)
    for (uint i = first + 1; i < end; ++i) {
      const FOLDED next = values[SCAN_PLACE(i)];
      values[SCAN_PLACE(i)] = fold;
      fold = combine(fold, next WITH_VALUES);
    }
    totals[SCAN_PLACE(u)] = fold;
  }
  GROUP_BARRIER();
}

// The levels above strips. `total` is then the tile's.
INLINE void scan_upper_levels(scan_memory memory, uint count VALUES_PARAMETER) {
  const uint strips = (count + SCAN_STRIP - 1) / SCAN_STRIP;
  const uint blocks = (count + SCAN_BLOCK - 1) / SCAN_BLOCK;
  scan_level(memory.strips, strips, SCAN_STRIPS, memory.blocks WITH_VALUES);
  scan_level(memory.blocks, blocks, SCAN_BLOCKS, memory.total WITH_VALUES);
}

// What stands before an element's run, from its tile's levels outwards. `run` counts in the tile.
typedef struct {
  bool has_runs, has_strips, has_blocks;
  FOLDED runs, strips, blocks;
  scan_before outside;
} scan_terms;

// The terms of a run beside R, which the caller adds.
INLINE scan_terms scan_terms_of(uint run, scan_memory memory, scan_before outside) {
  const uint strip = run / SCAN_RUNS;
  const uint block = strip / SCAN_STRIPS;
  scan_terms terms;
  terms.has_runs = run % SCAN_RUNS > 0;
  terms.has_strips = strip % SCAN_STRIPS > 0;
  terms.has_blocks = block > 0;
  if (terms.has_strips) terms.strips = memory.strips[SCAN_PLACE(strip)];
  if (terms.has_blocks) terms.blocks = memory.blocks[SCAN_PLACE(block)];
  terms.outside = outside;
  return terms;
}

// One term more in front; the first one stands alone.
#define SCAN_IN_FRONT(exists, term) \
  if (exists) {                     \
    fold = begun ? combine(term, fold WITH_VALUES) : term; \
    begun = true;                     \
  }

// The result of s, or where there is none (`begun` is false, literally) that of the element before the run.
INLINE FOLDED scan_result(bool begun, FOLDED s, scan_terms terms VALUES_PARAMETER) {
  FOLDED fold = s;
  SCAN_IN_FRONT(terms.has_runs, terms.runs)
  SCAN_IN_FRONT(terms.has_strips, terms.strips)
  SCAN_IN_FRONT(terms.has_blocks, terms.blocks)
  SCAN_IN_FRONT(terms.outside.has_tiles, terms.outside.tiles)
  SCAN_IN_FRONT(terms.outside.has_stretches, terms.outside.stretches)
#ifdef EXCLUSIVE
  return begun ? fold : terms.outside.first_result;
#else
  return fold;
#endif
}

// The results of a run from `s`, its folds up to each element, as they are stored.
INLINE void scan_results_of(ACC *results, const FOLDED *s, scan_terms terms VALUES_PARAMETER) {
#ifdef EXCLUSIVE
  results[0] = canonical(scan_result(false, s[0], terms WITH_VALUES));
  UNROLL
  for (uint e = 1; e < SCAN_RUN; ++e) results[e] = canonical(scan_result(true, s[e - 1], terms WITH_VALUES));
#else
  UNROLL
  for (uint e = 0; e < SCAN_RUN; ++e) results[e] = canonical(scan_result(true, s[e], terms WITH_VALUES));
#endif
}

// A whole run's, and those of a run of `count` > 0 elements.
INLINE void scan_store_whole(__global ACC *out, const FOLDED *s, scan_terms terms VALUES_PARAMETER) {
#ifdef OUT_PACKET
  union {
    OUT_PACKET packets[SCAN_RUN / OUT_VECTOR];
    ACC elements[SCAN_RUN];
  } run;
  scan_results_of(run.elements, s, terms WITH_VALUES);
  UNROLL
  for (uint k = 0; k < SCAN_RUN / OUT_VECTOR; ++k) ((__global OUT_PACKET *)out)[k] = run.packets[k];
#else
  ACC results[SCAN_RUN];
  scan_results_of(results, s, terms WITH_VALUES);
  UNROLL
  for (uint e = 0; e < SCAN_RUN; ++e) out[e] = results[e];
#endif
}

INLINE void scan_store_part(__global ACC *out, const FOLDED *s, uint count, scan_terms terms VALUES_PARAMETER) {
  ACC results[SCAN_RUN];
  scan_results_of(results, s, terms WITH_VALUES);
  UNROLL
  for (uint e = 0; e < SCAN_RUN; ++e) {
    if (e < count) out[e] = results[e];
  }
}

// The elements of a whole run at `from`, element `i` of the input, and of a run of `count` > 0 elements. What does not
// exist there is the first element again: an operator of the user sees no more than elements.
INLINE void scan_load_whole(FOLDED *s, const __global STORED *from, ulong i VALUES_PARAMETER) {
  UNROLL
  for (uint k = 0; k < SCAN_RUN / VECTOR; ++k) {
    const packet p = load_packet(from + k * VECTOR);
    UNROLL
    for (uint e = 0; e < VECTOR; ++e) s[k * VECTOR + e] = lift(unpack(&p, e), i + k * VECTOR + e WITH_VALUES);
  }
}

INLINE void scan_load_part(FOLDED *s, const __global STORED *from, ulong i, uint count VALUES_PARAMETER) {
  UNROLL
  for (uint e = 0; e < SCAN_RUN; ++e) {
    const uint own = e < count ? e : 0;
    s[e] = lift(load_element(from + own), i + own WITH_VALUES);
  }
}

// Folds a run up to each element.
INLINE void scan_run(FOLDED *s VALUES_PARAMETER) {
  UNROLL
  for (uint e = 1; e < SCAN_RUN; ++e) s[e] = combine(s[e - 1], s[e] WITH_VALUES);
}

static inline uint scan_count(ulong n, uint tile) {
  return (uint)min(n - (ulong)tile * SCAN_TILE, (ulong)SCAN_TILE);
}

static inline uint scan_count_of_run(uint count, uint run) {
  const uint first = run * SCAN_RUN;
  return first >= count ? 0 : min(count - first, (uint)SCAN_RUN);
}

// A run of `count` > 0 elements from element `i` of the input, loaded and folded. Gives the fold of a whole one; a short
// one is the last of all, and nobody asks what it folds to.
INLINE FOLDED scan_run_at(FOLDED *s, const __global STORED *x, ulong i, uint count VALUES_PARAMETER) {
  if (count == SCAN_RUN)
    scan_load_whole(s, x + i, i WITH_VALUES);
  else
    scan_load_part(s, x + i, i, count WITH_VALUES);
  scan_run(s WITH_VALUES);
  return s[SCAN_RUN - 1];
}

// Its results, where they begin.
INLINE void scan_store(__global ACC *out, const FOLDED *s, uint count, scan_terms terms VALUES_PARAMETER) {
  if (count == SCAN_RUN)
    scan_store_whole(out, s, terms WITH_VALUES);
  else
    scan_store_part(out, s, count, terms WITH_VALUES);
}

#endif  // PRIMITIVE_SCAN
