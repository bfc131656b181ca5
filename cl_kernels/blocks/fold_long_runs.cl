// Folds of long runs: runs of equal keys with more than FOLD_TILE values. A group folds the tiles of values that end in its own
// tile of keys, and posts their results as messages (device/message.cl), so values are loaded beside their neighbours. The group
// in whose tile the run ends reads the messages of the earlier tiles, and folds the levels above. If a message does not come in
// time, it folds that tile itself, so the call ends whatever the device does; the order of a fold is fixed, so the bits are the
// same.
// Where groups cannot send messages, the results of tiles wait in the workspace, the run is put into a list, and a second launch
// folds the levels (reduce_by_key.cl).

// Where values lie, from where the first tile of keys begins; where results go; and the workspace.
typedef struct {
  const __global STORED *values;
  __global ACC *out;
  __global uchar *workspace;
  ulong long_at;  // messages of the tiles of long runs; where groups cannot send any, the list of these
  ulong results_at;
  uint call;
} run_folds;

// What a group folds of one run's values: of a long run some tiles, whose results are folded later; else all, which are one tile.
typedef struct {
  ulong begin, length;
  uint first, tiles;  // the tiles from `first` to before `tiles`
  bool is_long;
} run_part;

// How many tiles of a run's values end before element `place - 1`. (One that ends with it may be the run's last.)
static inline uint run_tiles_before(ulong begin, ulong place) {
  return place > begin ? (uint)((place - 1 - begin) / FOLD_TILE) : 0;
}

// Where the results of a long run's tiles lie, side by side. They do not reach those of the next run: of m > 1 tiles all but the
// last are whole, so the next run's begin at least 2 * (m - 1) >= m results later.
static inline __global FOLDED *run_results(__global uchar *workspace, ulong results_at, ulong begin) {
  return (__global FOLDED *)(workspace + results_at) + 2 * (begin / FOLD_TILE);
}

// Sets them to 0 again, because messages of later calls may lie there. All work-items must call.
static inline void run_clear(__global FOLDED *results, uint tiles) {
  GROUP_GLOBAL_BARRIER();
  UNROLL_BY(1)
  for (ulong byte = get_local_id(0); byte < (ulong)tiles * FOLDED_BYTES; byte += GROUP_SIZE)
    ((__global uchar *)results)[byte] = 0;
}

#define NO_RUN_TILE 0xffffffffu

#if !defined(RUN_LEVELS)
// No run is long.
static inline uint run_gather(uint *first, bool looks_long, run_folds folds, uint head, run_part part, __local uint *word) {
  return NO_RUN_TILE;
}
static inline void run_leave_long(FOLDED result, uint tile, run_folds folds, uint head, run_part part, bool ends) {}
static inline void run_end_long(run_folds folds, uint head, run_part part, ulong run, __global ACC *out, segment_memory memory,
                                named_values given) {}
#elif defined(IN_ONE_PASS)
// The messages of a run's tiles but the last, whose result no other group needs.
static inline __global ulong *run_messages(run_folds folds, ulong begin) {
  return (__global ulong *)(folds.workspace + folds.long_at) + (begin / FOLD_TILE) * MESSAGE_WORDS;
}

// How many messages a work-item reads at a time.
enum { RUN_MESSAGES = 2 };

// Reads a work-item's messages into `results`: of tile `first` and the next ones in steps of GROUP_SIZE, before `end`. Gives the
// first of these that is missing.
static inline uint run_read_messages(__global FOLDED *results, __global ulong *messages, uint call, uint first, uint end) {
  FOLDED values[RUN_MESSAGES];
  bool there[RUN_MESSAGES];
  UNROLL
  for (uint k = 0; k < RUN_MESSAGES; ++k)
    there[k] = read_message(messages + (ulong)min(first + k * GROUP_SIZE, end - 1) * MESSAGE_WORDS, call, &values[k]);
  uint missing = NO_RUN_TILE;
  UNROLL
  for (uint k = 0; k < RUN_MESSAGES; ++k) {
    const uint tile = first + k * GROUP_SIZE;
    if (tile < end) {
      if (there[k])
        results[tile] = values[k];
      else
        missing = min(missing, tile);
    }
  }
  return missing;
}

// Reads the messages of the tiles that earlier groups fold, from tile *first on, into run_results. Looks for those of the first
// round once, or LOOKS times if `looks_long`, and for those of each later round LOOKS times. Gives the first tile that is
// missing, which the caller must fold and leave before it calls again. `word`: of local memory. All work-items must call and get
// the result.
INLINE uint run_gather(uint *first, bool looks_long, run_folds folds, uint head, run_part part, __local uint *word) {
  __global ulong *messages = run_messages(folds, part.begin - head);
  __global FOLDED *results = run_results(folds.workspace, folds.results_at, part.begin - head);
  uint missing = NO_RUN_TILE;
  UNROLL_BY(1)
  for (uint looks = looks_long ? LOOKS : 1; missing == NO_RUN_TILE && *first < part.first; looks = LOOKS) {
    GROUP_GLOBAL_BARRIER();  // what this group has posted is there, and `word` has been read
    UNROLL_BY(1)
    for (uint looked = 0; looked < looks; ++looked) {
      if (looked > 0) pause_for(looked == 1 ? FIRST_PAUSE : NEXT_PAUSE);
      missing = run_read_messages(results, messages, folds.call, *first + get_local_id(0), part.first);
      if (missing == NO_RUN_TILE) break;
    }
    if (GROUP_SIZE > 1) {
      if (get_local_id(0) == 0) *word = NO_RUN_TILE;
      GROUP_BARRIER();
      if (missing != NO_RUN_TILE) atomic_min(word, missing);
      GROUP_BARRIER();
      missing = SAME_IN_LANES(*word);
    }
    if (missing == NO_RUN_TILE) *first += RUN_MESSAGES * GROUP_SIZE;
  }
  return missing;
}

// Leaves the result of one tile of a long run. One work-item.
static inline void run_leave_long(FOLDED result, uint tile, run_folds folds, uint head, run_part part, bool ends) {
  if (!ends || tile < part.first) {
    post_message(run_messages(folds, part.begin - head) + (ulong)tile * MESSAGE_WORDS, folds.call, result);
    return;
  }
  run_results(folds.workspace, folds.results_at, part.begin - head)[tile] = result;
}

// Folds the levels above the tiles of a long run, whose results are all there. All work-items must call.
INLINE void run_end_long(run_folds folds, uint head, run_part part, ulong run, __global ACC *out, segment_memory memory,
                         named_values given) {
  __global FOLDED *results = run_results(folds.workspace, folds.results_at, part.begin - head);
  GROUP_GLOBAL_BARRIER();
  segment_fold_levels(results, part.tiles, out, memory, given);
  run_clear(results, part.tiles);
}
#else
// A run in the list: where it lies among all values, and its number.
typedef struct {
  ulong begin, end, run;
} long_run;

// The counters: of runs that are noted, and of groups that are done with them.
static inline volatile __global uint *run_counters(__global uchar *workspace) {
  return (volatile __global uint *)(workspace + COUNTER_AT) + 1;
}

// Puts a long run that ends in the tile into the list. One work-item.
static inline void run_note(run_folds folds, uint head, run_part part, ulong run) {
  const long_run noted = {part.begin - head, part.begin - head + part.length, run};
  ((__global long_run *)(folds.workspace + folds.long_at))[atomic_inc(run_counters(folds.workspace))] = noted;
}

// Another launch folds the levels.
static inline uint run_gather(uint *first, bool looks_long, run_folds folds, uint head, run_part part, __local uint *word) {
  return NO_RUN_TILE;
}
static inline void run_leave_long(FOLDED result, uint tile, run_folds folds, uint head, run_part part, bool ends) {
  run_results(folds.workspace, folds.results_at, part.begin - head)[tile] = result;
}
static inline void run_end_long(run_folds folds, uint head, run_part part, ulong run, __global ACC *out, segment_memory memory,
                                named_values given) {
  if (get_local_id(0) == 0) run_note(folds, head, part, run);
}
#endif

// Leaves the result of one tile of a part. One work-item.
static inline void run_leave(FOLDED result, uint tile, run_folds folds, uint head, run_part part, bool ends, __global ACC *out) {
  if (IS_ON(RUN_LEVELS) && part.is_long)
    run_leave_long(result, tile, folds, head, part, ends);
  else
    *out = canonical(result);
}

// Folds a part of a run, `run` of all. Where the run ends in it, its result goes to `out`. `word`: of local memory. All
// work-items must call.
INLINE void run_fold_part(run_folds folds, uint head, bool packets, run_part part, bool ends, ulong run, __global ACC *out,
                          __local uint *word, segment_memory memory, named_values given) {
  const fold_input in = {folds.values + part.begin};
  // Its own tiles, then those whose messages did not come in time. In one loop, because compilers keep registers for each place
  // where tiles are folded.
  uint tile = part.first;
  uint gathered = 0;
  bool looks_long = true;
  bool folds_on = tile < part.tiles;
  UNROLL_BY(1)
  while (folds_on) {
    const ulong base = (ulong)tile * FOLD_TILE;
    const uint count = SAME_IN_LANES((uint)min(part.length - base, (ulong)FOLD_TILE));
    const FOLDED result = segment_fold_tile(true, packets, in, 0, base, count, memory, given);
    if (get_local_id(0) == 0) run_leave(result, tile, folds, head, part, ends, out);
    if (tile >= part.first && tile + 1 < part.tiles) {
      ++tile;
    } else {
      folds_on = false;
      if (IS_ON(RUN_LEVELS) && ends && part.is_long) {
        tile = run_gather(&gathered, looks_long, folds, head, part, word);
        looks_long = false;
        folds_on = tile != NO_RUN_TILE;
      }
    }
  }
  if (IS_ON(RUN_LEVELS) && ends && part.is_long) run_end_long(folds, head, part, run, out, memory, given);
}
