// The fold of tiles by a group of a GPU: columns become parts, and parts results; and the first place of a value is found.
// Teams of work-items, and a team's segments of columns: fold_columns.cl.

// The parts of FOLD_WAITING tiles of each team wait together, and at last those of each are folded by one work-item.
typedef char a_team_has_a_work_item_for_each_waiting_tile[FOLD_WAITING <= FOLD_TEAM ? 1 : -1];

// The group's local memory: FOLD_PARTS parts for each team of each waiting step, and room for lanes to exchange values, or
// words of them: aligned for both, whatever FOLDED is (the attribute may also lower what a type asks for). PoCL 3.1 loses
// writes to a __local structure, so these are plain arrays.
typedef struct {
  __local FOLDED *parts;
  __local FOLDED *exchange;
  volatile __local uint *found;  // where an index is looked up
} fold_memory;

#define FOLD_MEMORY(name)                                                      \
  __local FOLDED name##_parts[FOLD_WAITING * FOLD_TEAMS * FOLD_PARTS];         \
  __local FOLDED name##_exchange[EXCHANGE_WORDS] __attribute__((aligned(128))); \
  __local uint name##_found[1];                                                \
  const fold_memory name = {name##_parts, name##_exchange, name##_found}

// Folds the team's columns into one part for each lane set and each segment, in the order of columns, and leaves these in
// `parts`. All work-items of the group must call. `count` is the tile's; 0 is a team without a tile. `whole` is true,
// literally, where all columns are known to exist: then there is no test for each.
INLINE void fold_to_parts(FOLDED columns[FOLD_SEGMENTS][VECTOR], bool whole, uint count, __local FOLDED *parts,
                                 __local FOLDED *exchange, named_values given) {
  const uint existing = fold_columns(count);
  const uint id = OWN_ID % FOLD_TEAM;
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    const uint column = fold_column(s);
    UNROLL
    for (uint distance = 1; distance < VECTOR; distance *= 2) {
      UNROLL
      for (uint k = 0; k < VECTOR; k += 2 * distance) {
        if (whole || column + k + distance < existing)
          columns[s][k] = combine(columns[s][k], columns[s][k + distance], given);
      }
    }
    // The lanes of this set that have a column: those whose first column exists. All lanes of a set find the same, and
    // so stay together at what they hand one another.
    const uint set_column = column - (id % LANES) * VECTOR;
    const uint lanes = SAME_IN_LANES(existing <= set_column ? 0 : (existing - set_column + VECTOR - 1) / VECTOR);
    FOLDED part;
#if defined(LANES_FOLD_APART) && !defined(LANES_NEED_EXCHANGE)
    if (whole || lanes >= LANES) {
      part = lanes_fold(columns[s][0], given);
    } else
#endif
    {
      part = lanes_fold_first(columns[s][0], lanes, exchange, given);
    }
    // Parts of no columns are not read, so that all may be written; but where lanes exchange through local memory, these are
    // undefined values, and are left out.
    const bool exists = !IS_ON(LANES_NEED_EXCHANGE) || lanes > 0;
    if (id % LANES == LANES - 1 && exists) parts[s * (FOLD_TEAM / LANES) + id / LANES] = part;
  }
}

// How many parts of a tile with `count` elements have any columns.
static inline uint fold_existing_parts(uint count) {
  return (fold_columns(count) + LANES * VECTOR - 1) / (LANES * VECTOR);
}

// The parts that one work-item folds in its registers. Sets of few lanes leave more: those go in steps, in each of which
// work-items fold a run of neighbours each, and leave the result in the place of the first (FOLD_RUNS).
enum {
  FOLD_RUN = FOLD_PARTS < 8 ? FOLD_PARTS : 8,
  FOLD_IN_STEPS = (FOLD_PARTS > 8) & (LANES <= 16),
  FOLD_LAST_STRIDE = FOLD_PARTS > 64 ? 64 : 8
};
typedef char a_run_of_runs_of_runs_has_all_parts[FOLD_IN_STEPS * FOLD_PARTS <= 512 ? 1 : -1];

// Folds a run of parts, `stride` apart, of which `existing` > 0 exist: FOLD_RUN of them where there are more.
INLINE FOLDED fold_run(const __local FOLDED *parts, uint stride, uint existing, named_values given) {
  FOLDED own[FOLD_RUN];
  UNROLL
  for (uint p = 0; p < FOLD_RUN; ++p) {
    if (p < existing) own[p] = parts[p * stride];
  }
  UNROLL
  for (uint distance = 1; distance < FOLD_RUN; distance *= 2) {
    UNROLL
    for (uint p = 0; p + distance < FOLD_RUN; p += 2 * distance) {
      if (p + distance < existing) own[p] = combine(own[p], own[p + distance], given);
    }
  }
  return own[0];
}

// The steps before fold_parts, for the first `n` tiles whose parts wait: tile `j`, a name that this gives, has `count`
// elements. All work-items must call, behind a barrier after the parts were left; ends with one.
#define FOLD_RUNS(parts, n, j, count)                                                               \
  if (FOLD_IN_STEPS)                                                                                \
  for (uint stride = 1; stride < FOLD_LAST_STRIDE; stride *= 8) {                                   \
    const uint runs = FOLD_PARTS / 8 / stride;                                                      \
    for (uint w = get_local_id(0); w < (n)*runs; w += GROUP_SIZE) {                                 \
      const uint j = w / runs, part = w % runs * 8 * stride;                                        \
      const uint parts_of_tile = fold_existing_parts(count);                                        \
      __local FOLDED *const run = (parts) + j * FOLD_PARTS + part;                                  \
      if (part < parts_of_tile)                                                                     \
        run[0] = fold_run(run, stride, (parts_of_tile - part + stride - 1) / stride, given);        \
    }                                                                                               \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                   \
  }

// Folds the parts of a tile that has `count` > 0 elements, behind FOLD_RUNS.
INLINE FOLDED fold_parts(__local FOLDED *parts, uint count, named_values given) {
  const uint existing = fold_existing_parts(count);
  if (FOLD_IN_STEPS) return fold_run(parts, FOLD_LAST_STRIDE, (existing + FOLD_LAST_STRIDE - 1) / FOLD_LAST_STRIDE, given);
  if (FOLD_PARTS <= 8) return fold_run(parts, 1, existing, given);
  for (uint distance = 1; distance < existing; distance *= 2) {
    for (uint p = 0; p + distance < existing; p += 2 * distance)
      parts[p] = combine(parts[p], parts[p + distance], given);
  }
  return parts[0];
}

// The elements of tile `tile` among n.
static inline uint fold_count(uint tile, ulong n) {
  const ulong base = (ulong)tile * FOLD_TILE;
  return base >= n ? 0 : (uint)min(n - base, (ulong)FOLD_TILE);
}

// Folds the parts of `waiting` * FOLD_TEAMS tiles from `first` on and writes their results, one a work-item; returns
// its own to each. All work-items must call. Begins with a barrier; before the parts are used again, and the results
// read, there must be another.
static inline FOLDED fold_write(fold_memory memory, uint waiting, uint first, ulong n,
                                __global FOLDED *to, named_values given) {
  if (IS_ON(ROWS_CUT)) {
    // A row's results go where those lie that another work-item has read.
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  } else {
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  FOLD_RUNS(memory.parts, waiting * FOLD_TEAMS, tile, fold_count(first + tile, n))
  const uint j = OWN_ID;
  const uint count = j < waiting * FOLD_TEAMS ? fold_count(first + j, n) : 0;
  FOLDED result;
  if (count > 0) {
    result = fold_parts(memory.parts + j * FOLD_PARTS, count, given);
    to[first + j] = result;
  }
  return result;
}

// Folds the tiles from `begin` (a multiple of FOLD_TEAMS where it `lifts`) up to `end` > `begin` of an input of n
// elements, tile t into to[t]. The input is `in` where `lifts`, else `from`, which may be `to` itself if this group alone
// works on it: a result is written only when everything at and below its place has been read. Returns to
// work-item 0 the result, if there is but one tile. All work-items must call, and meet at a barrier before the
// results are read or this is called again.
INLINE FOLDED fold_tiles(bool lifts, fold_input in, const __global FOLDED *from, ulong n, uint begin, uint end,
                         __global FOLDED *to, fold_memory memory, named_values given) {
  const uint team = fold_own_team();
  // Teams may be more than the tiles: what lies behind them is another group's, which may not have read or written it yet.
  if (FOLD_TEAMS > 1) n = min(n, (ulong)end * FOLD_TILE);
  uint first = begin;
  uint waiting = 0;
  const uint whole_end = FOLD_WITHOUT_TESTS ? min(end, SAME_IN_LANES((uint)(n / FOLD_TILE))) : 0;
  for (uint tile = begin;; tile += FOLD_TEAMS) {
    // Where tests cost much, whole tiles as long as their parts can wait, without a test.
    const uint run =
        FOLD_WITHOUT_TESTS
            ? SAME_IN_LANES(lifts && tile < whole_end ? min((whole_end - tile) / FOLD_TEAMS, FOLD_WAITING - waiting) : 0)
            : 0;
    if (run > 0) {
      const uint own_tile = SAME_IN_LANES(tile + team);
      for (uint r = 0; r < run; ++r) {
        FOLDED columns[FOLD_SEGMENTS][VECTOR];
        fold_load(columns, in, (ulong)(own_tile + r * FOLD_TEAMS) * FOLD_TILE, FOLD_TILE, false, memory.exchange, given);
        fold_to_parts(columns, true, FOLD_TILE, memory.parts + ((waiting + r) * FOLD_TEAMS + team) * FOLD_PARTS,
                      memory.exchange, given);
      }
      waiting += run - 1;
      tile += (run - 1) * FOLD_TEAMS;
    } else {
      const uint count = fold_count(tile + team, n);
      // A team without a tile takes what stands in for its elements from the first team's.
      const bool is_first = (IS_ON(USER_OPERATOR) || IS_ON(PACKETS_SHIFTED)) && count == 0;
      const ulong base = (ulong)(is_first ? tile : tile + team) * FOLD_TILE;
      FOLDED columns[FOLD_SEGMENTS][VECTOR];
      if (!IS_ON(RESULTS_AS_ELEMENTS) && !lifts)
        fold_load_results(columns, from + base, count, given);
      else if ((FOLD_WHOLE_APART & !FOLD_WITHOUT_TESTS) && count == FOLD_TILE)  // without a test per row
        fold_load(columns, in, base, FOLD_TILE, false, memory.exchange, given);
      else
        fold_load_short(columns, in, base, count, memory.exchange, given);
      fold_to_parts(columns, false, count, memory.parts + (waiting * FOLD_TEAMS + team) * FOLD_PARTS,
                    memory.exchange, given);
    }
    const bool more = tile + FOLD_TEAMS < end;
    if (++waiting == FOLD_WAITING || !more) {
      const FOLDED result = fold_write(memory, waiting, first, n, to, given);
      if (!more) return result;
      barrier(CLK_LOCAL_MEM_FENCE);
      first = tile + FOLD_TEAMS;
      waiting = 0;
    }
  }
}

#ifdef INDEXED_VALUE
// The first place from `begin` to `end` where `value` (work-item 0's) stands: among the results at `from`, or where
// that is 0 among the elements of `in`. It does stand there. All work-items must call and get the place.
INLINE ulong locate(FOLDED value, fold_input in, const __global FOLDED *from, ulong begin, ulong end,
                    fold_memory memory, named_values given) {
  const uint id = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id == 0) {
    memory.parts[0] = value;
    memory.found[0] = FOLD_TILE;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  value = memory.parts[0];
  for (; begin < end; begin += LOCATED * GROUP_SIZE) {
    FOLDED at[LOCATED];
    UNROLL
    for (uint k = 0; k < LOCATED; ++k) {
      const ulong i = begin + k * GROUP_SIZE + id;
      if (i < end) at[k] = from != 0 ? from[i] : lift_at(in, i, 0, given);
    }
    uint place = FOLD_TILE;
    UNROLL
    for (uint k = 0; k < LOCATED; ++k) {
      const uint own = k * GROUP_SIZE + id;
      if (begin + own < end && equal_value(at[k], value)) place = min(place, own);
    }
    if (place < FOLD_TILE) atomic_min(memory.found, place);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint found = memory.found[0];
    if (found < FOLD_TILE) return begin + found;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return end - 1;  // reached only where an element computed again is another than before
}
#endif

// Folds an input of `count` > 0 elements, one tile at most. All work-items must call; work-item 0 gets the result.
static inline FOLDED fold_tile(fold_input in, uint count, fold_memory memory, named_values given) {
  const uint team = FOLD_TEAMS == 1 ? 0 : fold_own_team();
  const uint own = team == 0 ? count : 0;
  FOLDED columns[FOLD_SEGMENTS][VECTOR];
  if (FOLD_SHORT_APART && own < FOLD_TILE)
    fold_load_short(columns, in, 0, own, memory.exchange, given);
  else
    fold_load_clamped(columns, in, 0, own, memory.exchange, given);
  FOLDED result;
  fold_to_parts(columns, false, own, memory.parts + team * FOLD_PARTS, memory.exchange, given);
  barrier(CLK_LOCAL_MEM_FENCE);
  FOLD_RUNS(memory.parts, 1, tile, count)
  if (get_local_id(0) == 0) result = fold_parts(memory.parts, count, given);
  return result;
}
