// The folds of the runs that end in a tile, by a work-item of a CPU.

typedef segment_memory run_memory;
#define RUN_MEMORY(name) SEGMENT_MEMORY(name)

// No values are held.
typedef struct {
  uint unused;
} select_held;
static inline bool runs_are_short(uint count) { return false; }
static inline bool runs_fill(select_input in, uint tile) { return false; }
static inline void runs_load(select_held *held, const __global STORED *values, uint tile) {}

// Folds the values of all runs that end in the tile.
INLINE void runs_fold(run_folds folds, ulong capacity, select_input in, uint tile, kept_of_tiles before, uint count,
                      const select_held *held, select_memory memory, run_memory own, named_values given) {
  runs_of_tile runs;
  runs_find(&runs, in, tile, capacity, before, count);
  __global ACC *out = folds.out + runs.first;
  // First what groups behind this one wait for.
  run_part part;
  run_find_open(&part, in, tile, capacity, before, runs, memory);
  run_fold_part(folds, in.head, false, part, false, 0, out, 0, own, given);
  for (uint i = 0; i < runs.ending; ++i) {
    const ulong begin = run_begin(runs, i, memory);
    const ulong length = runs.begin + run_end(runs, i, memory) - begin;
    if (length <= SEGMENT_OWN) {
      const fold_input from = {folds.values + begin};
      out[i] = canonical(segment_fold_own(false, from, (uint)length, given));
    } else {
      run_find_part(&part, runs, begin, length);
      run_fold_part(folds, in.head, false, part, true, runs.first + i, out + i, 0, own, given);
    }
  }
}
