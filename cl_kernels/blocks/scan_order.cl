// The scan order: left folds at every level, fixed by an element's place alone (clwave/scan.hpp).
//
//   result of element i = P + (B + (S + (Q + (R + s))))
//
// s folds the element's run up to it; R the earlier runs of its strip, Q the earlier strips of its block, S the earlier
// blocks of its tile, B the earlier tiles of its stretch, P the earlier stretches, and before them the start value. A
// term that has nothing in it drops out.
//
//   stretch   |     tile      |     tile      | ... |      of SCAN_TILES tiles
//   tile      |     block     |     block     | ... |      of SCAN_BLOCKS blocks
//   block     |     strip     |     strip     | ... |      of SCAN_STRIPS strips
//   strip     |      run      |      run      | ... |      of SCAN_RUNS runs
//   run       | x | x | ... |                              of SCAN_RUN elements
//
// With two parts in each, element 27 of the result folds, from the left:
//
//   [0                    15] [16        23] [24 25] [26 27]
//     B: its stretch's tile     S: a block     R: a     s       No P: it lies in the first stretch. No Q: it lies in the first
//     before its own            before its     run              strip of its block.
//                               own

enum {
  SCAN_STRIP = SCAN_RUN * SCAN_RUNS,
  SCAN_BLOCK = SCAN_STRIP * SCAN_STRIPS,
  SCAN_TILE = SCAN_BLOCK * SCAN_BLOCKS,
  SCAN_STRIPS_OF_TILE = SCAN_STRIPS * SCAN_BLOCKS,
  SCAN_RUNS_OF_TILE = SCAN_RUNS * SCAN_STRIPS_OF_TILE
};

// Padding: the neighbours that one work-item folds lie in other banks of local memory than those of the next.
#define SCAN_PLACE(i) ((i) + (i) / 16)

// SCAN_PLACE(literal + i) and (literal + i) / unit. If the literal is a multiple of 16 or of the unit, they are written as sums, so
// that one computed address serves several literals.
static inline uint scan_place(uint literal, uint i) {
  return literal % 16 == 0 ? SCAN_PLACE(literal) + SCAN_PLACE(i) : SCAN_PLACE(literal + i);
}

static inline uint scan_unit(uint literal, uint i, uint unit) {
  return literal % unit == 0 ? literal / unit + i / unit : (literal + i) / unit;
}

// The literal term of that sum.
static inline uint scan_unit_literal(uint literal, uint unit) { return literal % unit == 0 ? literal / unit : 0; }

// Local memory: what is folded at each level, and later what stands before it; with HELD also elements, and where they are staged
// results. The runs of scan_wide.cl are those before which others stand, in its order. What a program has no use for, its compiler
// leaves out.
typedef struct {
  __local FOLDED *runs;
  __local FOLDED *kept;
  __local ACC *staged;
  __local FOLDED *strips;
  __local FOLDED *blocks;
  __local FOLDED *total;
} scan_memory;

enum {
  SCAN_ROOM_OF_KEPT = SCAN_KEPT > 0 ? SCAN_KEPT * GROUP_SIZE * SCAN_RUN : 1,
  SCAN_RUNS_ALIGNED = IS_ON(WIDE) ? 64 : __alignof__(FOLDED),
  SCAN_ROOM_OF_RUNS = IS_ON(HELD) ? SCAN_PLACE(SCAN_RUNS_OF_TILE) : IS_ON(WIDE) ? SCAN_RUNS_OF_TILE : 1,
  SCAN_ROOM_OF_RESULTS = IS_ON(SCAN_STAGED) ? SCAN_PLACE(SCAN_TILE) : 1
};
#define SCAN_MEMORY(name)                                                                 \
  __local FOLDED name##_runs[SCAN_ROOM_OF_RUNS] __attribute__((aligned(SCAN_RUNS_ALIGNED))); \
  __local FOLDED name##_kept[SCAN_ROOM_OF_KEPT] __attribute__((aligned(16)));             \
  __local ACC name##_staged[SCAN_ROOM_OF_RESULTS];                                        \
  __local FOLDED name##_strips[SCAN_PLACE(SCAN_STRIPS_OF_TILE)];                          \
  __local FOLDED name##_blocks[SCAN_PLACE(SCAN_BLOCKS)];                                  \
  __local FOLDED name##_total[1];                                                         \
  const scan_memory name = {name##_runs,   name##_kept,   name##_staged,                  \
                            name##_strips, name##_blocks, name##_total}

// The prefixes of a whole tile, B and P, where they exist. With SCAN_IN_BLOCKS, what these functions and those of scan_tile.cl
// take as a tile is a block (SCAN_BLOCKS is 1), which also has the prefix S (`blocks`); otherwise `has_blocks` is false.
typedef struct {
  bool has_blocks;
  FOLDED blocks;
  bool has_tiles, has_stretches;
  FOLDED tiles, stretches;
  FOLDED first_result;  // of an exclusive scan: the first result where nothing stands before it
} scan_before;

// Puts the start value into what stands before, and says the first result of an exclusive scan without one, which `start` is then
// unless a text of the user's says it.
INLINE void scan_set_start(scan_before *before, ACC start, named_values given) {
  if (IS_ON(STARTED)) {
    if (!before->has_stretches) before->stretches = start;
    before->has_stretches = true;
  }
#if defined(EXCLUSIVE) && defined(IDENTITY_TEXT) && !defined(STARTED)
  start = TO_ACC(IDENTITY_TEXT);
#endif
  before->first_result = start;
}

// What stands before a segment.
INLINE scan_before scan_nothing(ACC start, named_values given) {
  scan_before nothing;
  nothing.has_blocks = nothing.has_tiles = nothing.has_stretches = false;
  scan_set_start(&nothing, start, given);
  return nothing;
}

// Of the `count` > 0 neighbouring values from `first` on every one becomes the left fold of those before it (the first is
// left as it is). Gives the fold of all.
INLINE FOLDED scan_unit_before(__local FOLDED *values, uint first, uint count, named_values given) {
  FOLDED fold = values[SCAN_PLACE(first)];
  UNROLL_BY(1)
  for (uint i = 1; i < count; ++i) {
    const FOLDED next = values[SCAN_PLACE(first + i)];
    values[SCAN_PLACE(first + i)] = fold;
    fold = combine(fold, next, given);
  }
  return fold;
}

// One level: of each `unit` neighbouring values every one becomes the left fold of those before it (the first is left as
// it is), and the fold of all goes to `totals`. All work-items must call. Ends with a barrier.
INLINE void scan_level(__local FOLDED *values, uint count, uint unit, __local FOLDED *totals, named_values given) {
  for (uint u = own_id_anew(); u * unit < count; u += GROUP_SIZE) {
    const uint first = u * unit;
    const uint own = min(unit, count - first);
    __local FOLDED *of_unit = values + SCAN_PLACE(first);
    FOLDED fold;
    if (own == unit && 16 % unit == 0) {  // whole, and side by side
      fold = of_unit[0];
      // The registers of the elements that wait are taken: few values at a time.
      UNROLL_BY(5)
      for (uint i = 1; i < unit; ++i) {
        const FOLDED next = of_unit[i];
        of_unit[i] = fold;
        fold = combine(fold, next, given);
      }
    } else {
      fold = scan_unit_before(values, first, own, given);
    }
    totals[SCAN_PLACE(u)] = fold;
  }
  GROUP_BARRIER();
}

// The levels above strips. `total` is then the tile's.
INLINE void scan_upper_levels(scan_memory memory, uint count, named_values given) {
  const uint strips = (count + SCAN_STRIP - 1) / SCAN_STRIP;
  if (IS_ON(SCAN_IN_BLOCKS)) {
    scan_level(memory.strips, strips, SCAN_STRIPS, memory.total, given);
  } else {
    const uint blocks = (count + SCAN_BLOCK - 1) / SCAN_BLOCK;
    scan_level(memory.strips, strips, SCAN_STRIPS, memory.blocks, given);
    scan_level(memory.blocks, blocks, SCAN_BLOCKS, memory.total, given);
  }
}

// What stands before a run in its tile. `run` counts there.
typedef struct {
  bool has_runs, has_strips, has_blocks;
  FOLDED runs, strips, blocks;
} scan_terms;

// The terms of the run `literal` + `own` beside R, which the caller adds.
INLINE scan_terms scan_terms_of(uint literal, uint own, scan_memory memory) {
  const uint literal_strip = scan_unit_literal(literal, SCAN_RUNS);
  const uint strip = scan_unit(literal, own, SCAN_RUNS) - literal_strip;
  const uint literal_block = scan_unit_literal(literal_strip, SCAN_STRIPS);
  const uint block = scan_unit(literal_strip, strip, SCAN_STRIPS) - literal_block;
  scan_terms terms;
  terms.has_runs = (literal + own) % SCAN_RUNS > 0;
  terms.has_strips = (literal_strip + strip) % SCAN_STRIPS > 0;
  terms.has_blocks = literal_block + block > 0;
  terms.strips = memory.strips[scan_place(literal_strip, strip)];
  if (terms.has_blocks) terms.blocks = memory.blocks[scan_place(literal_block, block)];
  return terms;
}

// A fold with one term more in front, where that `exists`; the first one stands alone (`begun` is false).
INLINE FOLDED scan_in_front(bool *begun, FOLDED fold, bool exists, FOLDED term, named_values given) {
  if (exists) {
    fold = *begun ? combine(term, fold, given) : term;
    *begun = true;
  }
  return fold;
}

// The fold of a tile's elements up to one: of s, or where there is none (`begun` is false) of the element before the
// run. Before a tile's first run nothing stands.
INLINE FOLDED scan_in_tile(bool begun, FOLDED s, scan_terms terms, named_values given) {
  const FOLDED runs = scan_in_front(&begun, s, terms.has_runs, terms.runs, given);
  const FOLDED strips = scan_in_front(&begun, runs, terms.has_strips, terms.strips, given);
  return scan_in_front(&begun, strips, terms.has_blocks, terms.blocks, given);
}

// The result of a fold in a tile, or where there is none of what stands before the tile.
INLINE FOLDED scan_result(bool begun, FOLDED fold, scan_before outside, named_values given) {
  if (IS_ON(SCAN_IN_BLOCKS)) fold = scan_in_front(&begun, fold, outside.has_blocks, outside.blocks, given);
  fold = scan_in_front(&begun, fold, outside.has_tiles, outside.tiles, given);
  fold = scan_in_front(&begun, fold, outside.has_stretches, outside.stretches, given);
  if (IS_ON(EXCLUSIVE)) return begun ? fold : outside.first_result;
  return fold;
}

// The folds in their tile that the results of a run are made of, from its folds up to each element.
INLINE void scan_run_in_tile(FOLDED *s, scan_terms terms, named_values given) {
  if (IS_ON(EXCLUSIVE)) {
    UNROLL
    for (uint e = SCAN_RUN - 1; e > 0; --e) s[e] = scan_in_tile(true, s[e - 1], terms, given);
    s[0] = scan_in_tile(false, s[0], terms, given);
  } else {
    UNROLL
    for (uint e = 0; e < SCAN_RUN; ++e) s[e] = scan_in_tile(true, s[e], terms, given);
  }
}

// The results of the run `run` from those, as they are stored.
INLINE void scan_results_of(ACC *results, const FOLDED *s, uint run, scan_before outside, named_values given) {
  UNROLL
  for (uint e = 0; e < SCAN_RUN; ++e) {
    const bool begun = !IS_ON(EXCLUSIVE) || e > 0 || run > 0;
    results[e] = canonical(scan_result(begun, s[e], outside, given));
  }
}

// A whole run's, and those of a run of `count` > 0 elements, fewer than a whole one has. Both end with a store of the last
// element, which the latter never makes: compilers join stores that two branches end with, and where these were of different
// elements, Intel's for CPUs (2026.2) gave some work-items the address of the other branch (docs/robustness.md).
INLINE void scan_store_whole(__global ACC *out, const FOLDED *s, uint run, scan_before outside, named_values given) {
#ifdef OUT_PACKET
  union {
    OUT_PACKET packets[SCAN_RUN / OUT_VECTOR];
    ACC elements[SCAN_RUN];
  } results;
  scan_results_of(results.elements, s, run, outside, given);
  UNROLL
  for (uint k = 0; k < SCAN_RUN / OUT_VECTOR; ++k) STORE_ONCE(OUT_PACKET, (__global OUT_PACKET *)out + k, results.packets[k]);
#else
  ACC results[SCAN_RUN];
  scan_results_of(results, s, run, outside, given);
  UNROLL
  for (uint e = 0; e < SCAN_RUN; ++e) out[e] = results[e];
#endif
}

INLINE void scan_store_part(__global ACC *out, const FOLDED *s, uint run, uint count, scan_before outside, named_values given) {
  ACC results[SCAN_RUN];
  scan_results_of(results, s, run, outside, given);
  UNROLL
  for (uint e = 0; e < SCAN_RUN; ++e) {
    if (e < count) out[e] = results[e];
  }
}

// Results wait in local memory until neighbouring work-items can store neighbouring ones, wherever they begin. Those of the
// first `count` of the run `run`, whose first one goes to the place `first`.
INLINE void scan_stage(__local ACC *staged, uint first, const FOLDED *s, uint run, uint count,
                       scan_before outside, named_values given) {
  ACC results[SCAN_RUN];
  scan_results_of(results, s, run, outside, given);
  UNROLL
  for (uint e = 0; e < SCAN_RUN; ++e) {
    if (e < count) staged[SCAN_PLACE(first + e)] = results[e];
  }
}

// Stores `count` of them. All work-items must call, behind a barrier.
INLINE void scan_store_staged(const __local ACC *staged, __global ACC *out, uint count) {
  UNROLL_BY(4)
  for (uint i = own_id_anew(); i < count; i += GROUP_SIZE) out[i] = staged[SCAN_PLACE(i)];
}

// The elements of a whole run at `from`, element `i` of the input, and of a run of `count` > 0 elements. What does not
// exist there is the first element again: an operator of the user sees no more than elements.
INLINE void scan_load_whole(FOLDED *s, const __global STORED *from, ulong i, named_values given) {
  UNROLL
  for (uint k = 0; k < SCAN_RUN / VECTOR; ++k) {
    const packet p = load_packet(from + k * VECTOR);
    UNROLL
    for (uint e = 0; e < VECTOR; ++e) s[k * VECTOR + e] = lift(unpack(&p, e), i + k * VECTOR + e, given);
  }
}

INLINE void scan_load_part(FOLDED *s, const __global STORED *from, ulong i, uint count, named_values given) {
  UNROLL
  for (uint e = 0; e < SCAN_RUN; ++e) {
    const uint own = e < count ? e : 0;
    s[e] = lift(load_element(from + own), i + own, given);
  }
}

// Folds a run up to each element.
INLINE void scan_run(FOLDED *s, named_values given) {
  UNROLL
  for (uint e = 1; e < SCAN_RUN; ++e) s[e] = combine(s[e - 1], s[e], given);
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
INLINE FOLDED scan_run_at(FOLDED *s, const __global STORED *x, ulong i, uint count, named_values given) {
  if (count == SCAN_RUN)
    scan_load_whole(s, x + i, i, given);
  else
    scan_load_part(s, x + i, i, count, given);
  scan_run(s, given);
  return s[SCAN_RUN - 1];
}

// Its results, where they begin, from what scan_run_in_tile left.
INLINE void scan_store(__global ACC *out, const FOLDED *s, uint run, uint count, scan_before outside, named_values given) {
  if (count == SCAN_RUN)
    scan_store_whole(out, s, run, outside, given);
  else
    scan_store_part(out, s, run, count, outside, given);
}
