// Runs of equal keys that have more than FOLD_TILE values. Each group folds the tiles of values that end in its own tile of
// keys, which have all their neighbours beside them in the caches then. The group that finds the run's end folds the levels
// above; of the tiles before its own it hears by messages, and one that nobody tells of in time it folds itself, so that the
// call ends whatever the device does. Where groups cannot send messages, the results of tiles wait in the workspace, the run
// is put into a list, and a second launch folds the levels (reduce_by_key.cl).

// Where values lie, from where the first tile of keys begins; where results go; and the workspace.
typedef struct {
  const __global STORED *values;
  __global ACC *out;
  __global uchar *workspace;
  ulong long_at;  // messages of the tiles of long runs; where groups cannot send any, the list of these
  ulong results_at;
  uint call;
} run_folds;

// What the group folds of one run's values: tiles of them, whose results others or itself fold on, or all, which are one tile.
typedef struct {
  ulong begin, length;
  uint first, tiles;  // from the first to before the last
  bool is_long;
} run_part;

// How many of the tiles of a run's values end before a place that belongs to the run or lies before it.
static inline uint run_tiles_before(ulong begin, ulong place) {
  return place > begin ? (uint)((place - 1 - begin) / FOLD_TILE) : 0;
}

// The results of a run's tiles side by side. Two long runs that follow each other have room for as many as they have tiles:
// of m tiles each but the last is whole, and 2 * (m - 1) >= m.
static inline __global FOLDED *run_results(__global uchar *workspace, ulong results_at, ulong begin) {
  return (__global FOLDED *)(workspace + results_at) + 2 * (begin / FOLD_TILE);
}

// They become 0 again, for there may be messages of later calls where they lie. All work-items must call.
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
// The messages of a run's tiles: of all but the last, which ends where the run does.
static inline __global ulong *run_messages(run_folds folds, ulong begin) {
  return (__global ulong *)(folds.workspace + folds.long_at) + (begin / FOLD_TILE) * MESSAGE_WORDS;
}

// So many messages of each work-item are under way together.
enum { RUN_MESSAGES = 2 };

// Reads the messages of the tiles from `first` on to before `end`, RUN_MESSAGES * GROUP_SIZE at most, to the results. Gives the
// first of this work-item's that is missing.
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

// Brings the results of the tiles that groups before this one fold to where the levels are folded, from tile *first on, of
// which it looks once for a message, or (`looks_long`) as often as it may. Gives the first tile that is missing, which must
// be folded before the next call. `word`: of local memory. All work-items must call and get the result.
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

// The end of a long run, whose tiles' results are all there. All work-items must call.
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

// Leaves the result of one tile of a part's. One work-item.
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
  // Its own tiles, then those that nobody told of in time. In one loop, for compilers keep registers for each place where
  // tiles are folded.
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
