// Folds the values of the runs of equal keys that end in a tile of keys, each in the order of fold.cl for its own length. A run's
// key and index are those of its first key (select_tile.cl); it ends where the next one begins.
//
// A group folds the runs that end in its tile, wherever they begin: a work-item each takes the short ones (from local memory if the
// tile has many), a set of lanes longer ones, the whole group the longest. Runs of more than FOLD_TILE values are folded as
// fold_long_runs.cl says.

// The runs that end in a tile, at most as many as there is room for. Places count from the start of the tile.
typedef struct {
  ulong begin;   // of the tile
  ulong began;   // of the run that reaches into it
  ulong first;   // the number of the first run that ends in it
  uint skipped;  // before the first run of all there is none
  uint ending;
  uint end;      // of the tile
  uint count;    // of runs that begin in it
} runs_of_tile;

// (Structures of this size are set, not returned: what compilers make of such a return stops oclgrind.)
static inline void runs_find(runs_of_tile *found, select_input in, uint tile, ulong capacity, kept_of_tiles before,
                             uint count) {
  const bool is_last = select_is_last(in, tile);
  runs_of_tile runs;
  runs.begin = (ulong)tile * SELECT_TILE;
  runs.began = before.last - 1 + in.head;
  runs.skipped = before.count == 0 ? 1 : 0;
  runs.first = before.count + runs.skipped - 1;
  runs.count = count;
  runs.end = is_last ? (uint)(in.end - runs.begin) : SELECT_TILE;
  const uint ending = count - runs.skipped + (is_last ? 1 : 0);
  runs.ending = (uint)min((ulong)ending, capacity - min(runs.first, capacity));
  *found = runs;
}

// Where the run ends that is number `i` of those that end in the tile, and where it begins.
static inline uint run_end(runs_of_tile runs, uint i, select_memory memory) {
  return i + runs.skipped < runs.count ? memory.places[i + runs.skipped] : runs.end;
}
static inline bool run_is_inside(runs_of_tile runs, uint i) { return i + runs.skipped > 0; }
static inline ulong run_begin(runs_of_tile runs, uint i, select_memory memory) {
  return run_is_inside(runs, i) ? runs.begin + memory.places[i + runs.skipped - 1] : runs.began;
}

// Of a run that ends in the tile: all, or of a long one the tiles that no group before has folded.
static inline void run_find_part(run_part *found, runs_of_tile runs, ulong begin, ulong length) {
  run_part part = {begin, length, 0, 1, false};
  if (IS_ON(RUN_LEVELS)) {
    if (length > FOLD_TILE) {
      part.first = run_tiles_before(begin, runs.begin);
      part.tiles = (uint)((length + FOLD_TILE - 1) / FOLD_TILE);
      part.is_long = true;
    }
  }
  *found = part;
}

// Of the run that goes on behind the tile: the tiles of values that end in it. With one that ends where the tile does, its
// neighbour begins: who has that one knows whether the run is long.
static inline void run_find_open(run_part *found, select_input in, uint tile, ulong capacity, kept_of_tiles before,
                                 runs_of_tile runs, select_memory memory) {
  run_part part = {in.head, 0, 0, 0, false};
  if (IS_ON(RUN_LEVELS)) {
    if (!select_is_last(in, tile) && before.count + runs.count <= capacity) {
      part.begin = runs.count > 0 ? runs.begin + memory.places[runs.count - 1] : runs.began;
      part.first = run_tiles_before(part.begin, runs.begin);
      part.tiles = run_tiles_before(part.begin, runs.begin + SELECT_TILE);
      part.length = (ulong)part.tiles * FOLD_TILE;
      part.is_long = true;
    }
  }
  *found = part;
}

// Whether packets may be loaded from where a run begins.
static inline bool run_in_packets(ulong begin, uint head) {
  if (IS_ON(SEGMENT_PACKETS)) return SAME_IN_LANES((uint)((begin - head) % VECTOR)) == 0;
  return false;
}
