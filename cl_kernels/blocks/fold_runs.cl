// Folds the values of the runs of equal keys that end in a tile of keys, in the order of fold.cl and of each run's own
// length. A run's key and place are those of its first key (select_tile.cl); where the next one begins, the run ends.
//
// A group knows where the runs that end in its tile begin, be it far before the tile, and folds each: short ones by a
// work-item each, from local memory where the tile has many, others by a set of lanes, the longest by the group; of a run of
// more than FOLD_TILE values what fold_long_runs.cl says.

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

#if GROUP_SIZE == 1
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

#else
// Where a set of lanes folds no more than this, it goes through the columns once.
#ifdef SEGMENT_SLOTS
enum { RUN_OF_SET = SEGMENT_SLOTS * SEGMENT_SET };
#elif defined(CONTIGUOUS_COLUMNS)
enum { RUN_OF_SET = SEGMENT_SET * FOLD_ROWS };
#else
#error "short runs take slots"
#endif

// Runs that wait for sets of lanes: those that go several at a time from the first entry on, others from the last one
// backwards; how many these are, and whether any of the former does not lie where packets do.
enum { RUN_ENTRIES = SELECT_TILE / (SEGMENT_OWN + 1) + 2 };
typedef struct {
  segments_waiting waiting;
  segment_memory segments;
  __local uint *counts;
  __local ulong *told;  // what is known of the tile, so that one can see that all lanes know the same
} run_memory;
#define RUN_MEMORY(name)                            \
  SEGMENT_MEMORY(name##_segments);                  \
  __local ulong name##_begins[RUN_ENTRIES];         \
  __local ulong name##_lengths[RUN_ENTRIES];        \
  __local uint name##_numbers[RUN_ENTRIES];         \
  __local uint name##_counts[3];                    \
  __local ulong name##_told[3];                     \
  run_memory name;                                  \
  name.waiting.begins = name##_begins;              \
  name.waiting.lengths = name##_lengths;            \
  name.waiting.numbers = name##_numbers;            \
  name.segments = name##_segments;                  \
  name.counts = name##_counts;                      \
  name.told = name##_told

// The values of a tile of keys that has many short runs, on their way to local memory: in packets where they lie so, else
// by element, but larger ones and those of odd sizes, which compilers keep in memory, go there at once.
enum { RUN_VALUES = KEPT_ITEMS * KEPT_VECTOR };
static inline uint run_at(uint i) { return i + i / RUN_LINE * RUN_GAP; }
#if defined(RUN_PACKETS) || (VALUE_BYTES <= 8 && (VALUE_BYTES & (VALUE_BYTES - 1)) == 0)
#define RUN_HOLDS 1
#endif
typedef struct {
#ifdef RUN_PACKETS
  packet packets[RUN_VALUES / VECTOR];
#elif defined(RUN_HOLDS)
  STORED values[RUN_VALUES];
#else
  uint unused;
#endif
} select_held;

// Whether a tile has many short runs, or each key begins one.
static inline bool runs_are_short(uint count) { return count * (SEGMENT_OWN + SEGMENT_OWN / 4 + 1) >= SELECT_TILE; }
static inline bool runs_are_alone(uint count) { return count == SELECT_TILE; }
static inline bool runs_fill(select_input in, uint tile) {
  return (ulong)tile * SELECT_TILE >= in.head && (ulong)(tile + 1) * SELECT_TILE <= in.end;
}

// Loads the values of a whole tile.
INLINE void runs_load(select_held *held, const __global STORED *values, uint tile) {
  const __global STORED *from = values + (ulong)tile * SELECT_TILE;
  const uint id = own_id_anew();
#ifdef RUN_PACKETS
  UNROLL
  for (uint k = 0; k < RUN_VALUES / VECTOR; ++k) held->packets[k] = load_packet(from + (k * GROUP_SIZE + id) * VECTOR);
#elif defined(RUN_HOLDS)
  UNROLL
  for (uint k = 0; k < RUN_VALUES; ++k) held->values[k] = from[k * GROUP_SIZE + id];
#endif
}

// Brings them to local memory, or those of a tile that is not whole.
INLINE void runs_stage(const select_held *held, const __global STORED *values, select_input in, uint tile,
                       __local STORED *staged) {
  const uint id = own_id_anew();
  const bool is_held = IS_ON(RUN_HOLDS) && runs_fill(in, tile);
  if (is_held) {
#ifdef RUN_PACKETS
    UNROLL
    for (uint k = 0; k < RUN_VALUES / VECTOR; ++k) {
      // By words, for compilers else keep narrow values in memory. A packet does not go across a line.
      union {
        packet whole;
        uint words[PACKET_BYTES / 4];
      } own;
      own.whole = held->packets[k];
      __local uint *to = (__local uint *)(staged + run_at((k * GROUP_SIZE + id) * VECTOR));
      UNROLL
      for (uint w = 0; w < PACKET_BYTES / 4; ++w) to[w] = own.words[w];
    }
#elif defined(RUN_HOLDS)
    UNROLL
    for (uint k = 0; k < RUN_VALUES; ++k) staged[run_at(k * GROUP_SIZE + id)] = held->values[k];
#endif
  } else {
    const ulong begin = (ulong)tile * SELECT_TILE;
    for (uint i = id; i < SELECT_TILE; i += GROUP_SIZE) {
      if (begin + i >= in.head && begin + i < in.end) staged[run_at(i)] = values[begin + i];
    }
  }
}

// Value number `k` of a run whose first one waits at place `from` in local memory.
INLINE FOLDED run_value_staged(const __local STORED *staged, uint from, uint k, named_values given) {
  return lift(VALUE_READ(staged[run_at(from + k)]), k, given);
}

// Folds the 1 <= count <= SEGMENT_OWN values from place `from` on that wait there.
INLINE FOLDED run_fold_staged(const __local STORED *staged, uint from, uint count, named_values given) {
#ifdef CONTIGUOUS_COLUMNS
  FOLDED value = run_value_staged(staged, from, 0, given);
  for (uint k = 1; k < count; ++k) value = combine(value, run_value_staged(staged, from, k, given), given);
  return value;
#else
  FOLDED values[SEGMENT_OWN];
  values[0] = run_value_staged(staged, from, 0, given);
  if (count == 1) return values[0];
  UNROLL
  for (uint k = 1; k < SEGMENT_OWN; ++k) {
#if FOLDED_WORDS > 2
    // Compilers keep a structure that may not be set in memory.
    values[k] = run_value_staged(staged, from, min(k, count - 1), given);
#else
    if (k < count) values[k] = run_value_staged(staged, from, k, given);
#endif
  }
  return segment_fold_pairs(values, count, given);
#endif
}

// Where lanes exchange through local memory all sets go in step, and one without a run folds another's.
#ifdef LANES_NEED_EXCHANGE
enum { RUN_SETS_GO_IN_STEP = 1 };
#else
enum { RUN_SETS_GO_IN_STEP = 0 };
#endif

// Folds runs that wait, turn after turn: first those that go several at a time, a set of lanes takes RUNS_OF_SET of them, then
// one by each set. All work-items must call.
#ifdef SEGMENT_SLOTS
enum { RUNS_OF_SET = SEGMENT_SLOTS };
#else
enum { RUNS_OF_SET = 1 };
#endif
static inline uint run_turns_of_many(uint many) {
  return (many + SEGMENT_SETS * RUNS_OF_SET - 1) / (SEGMENT_SETS * RUNS_OF_SET);
}
static inline uint run_turns_of_sets(uint many, uint single) {
  return run_turns_of_many(many) + (single + SEGMENT_SETS - 1) / SEGMENT_SETS;
}
INLINE void runs_fold_by_sets(uint turn, uint many, uint single, run_folds folds, uint head, __global ACC *out,
                              run_memory own, named_values given) {
  const uint of_many = run_turns_of_many(many), set = SEGMENT_OWN_SET;
  const bool several = turn < of_many;
  const uint number = several ? (turn * SEGMENT_SETS + set) * RUNS_OF_SET : (turn - of_many) * SEGMENT_SETS + set;
  const uint entry = several ? min(number, many - 1) : RUN_ENTRIES - 1 - min(number, single > 0 ? single - 1 : 0);
  const ulong begin = own.waiting.begins[entry], length = own.waiting.lengths[entry];
  const bool takes = SAME_IN_LANES(several ? number < many : number < single && length <= RUN_OF_SET) != 0;
  if (RUN_SETS_GO_IN_STEP || takes) {
    const bool in_packets = run_in_packets(begin, head);
#ifdef SEGMENT_SLOTS
    const fold_input from = {folds.values};
    const bool packets =
        several ? SAME_IN_LANES(own.counts[2]) == 0 : in_packets && SAME_IN_LANES((uint)(length % VECTOR)) == 0;
    segments_fold_slots(several, packets, from, own.waiting, several ? number : entry, several ? many - 1 : takes ? entry : 0,
                        out, own.segments.exchange, given);
#else
    const fold_input from = {folds.values + begin};
    const uint taken = SAME_IN_LANES((uint)min(length, (ulong)RUN_OF_SET));
    const FOLDED result = segment_fold_columns(true, in_packets, from, 0, 0, taken, 0, fold_columns(taken),
                                               own.segments.exchange, given);
    if (takes && SEGMENT_LANE == LANES - 1) out[own.waiting.numbers[entry]] = canonical(result);
#endif
  }
}

// The same by the group: in turn 0, as groups behind this one wait for it, the run that goes on behind the tile, then those
// that are too long for a set.
INLINE void runs_fold_by_group(uint turn, uint single, run_folds folds, ulong capacity, select_input in, uint tile,
                               kept_of_tiles before, runs_of_tile runs, __global ACC *out, select_memory memory,
                               run_memory own, named_values given) {
  const bool ends = turn > 0;
  const uint entry = RUN_ENTRIES - 1 - (ends ? turn - 1 : 0);
  const ulong begin = own.waiting.begins[entry], length = own.waiting.lengths[entry];
  run_part part;
  if (ends)
    run_find_part(&part, runs, begin, length);
  else
    run_find_open(&part, in, tile, capacity, before, runs, memory);
  if (ends && length <= RUN_OF_SET) part.tiles = 0;
  part.first = SAME_IN_LANES(part.first);
  part.tiles = SAME_IN_LANES(part.tiles);
  const uint run = ends ? own.waiting.numbers[entry] : 0;
  run_fold_part(folds, in.head, run_in_packets(part.begin, in.head), part, ends, runs.first + run, out + run, own.counts + 2,
                own.segments, given);
}

// All that wait. In two loops, for in one a compiler keeps registers for both (108 where 94 do); but one that follows all ways
// from barrier to barrier takes minutes over two.
INLINE void runs_fold_waiting(run_folds folds, ulong capacity, select_input in, uint tile, kept_of_tiles before,
                              runs_of_tile runs, __global ACC *out, select_memory memory, run_memory own, named_values given) {
  const uint many = SAME_IN_LANES(own.counts[0]), single = SAME_IN_LANES(own.counts[1]);
  const uint of_sets = run_turns_of_sets(many, single);
#define RUNS_BY_SETS(turn) runs_fold_by_sets(turn, many, single, folds, in.head, out, own, given)
#define RUNS_BY_GROUP(turn) \
  runs_fold_by_group(turn, single, folds, capacity, in, tile, before, runs, out, memory, own, given)
  if (IS_ON(LANES_NEED_EXCHANGE)) {
    for (uint turn = 0; turn <= of_sets + single; ++turn) {
      if (turn < of_sets)
        RUNS_BY_SETS(turn);
      else
        RUNS_BY_GROUP(turn - of_sets);
    }
  } else {
    for (uint turn = 0; turn < of_sets; ++turn) RUNS_BY_SETS(turn);
    for (uint turn = 0; turn <= single; ++turn) RUNS_BY_GROUP(turn);
  }
}

// Folds the runs of one value each that end in a tile where each key begins one: all but that which reaches into the tile.
INLINE void runs_fold_alone(const __local STORED *staged, runs_of_tile runs, __global ACC *out, named_values given) {
  const uint first = 1 - runs.skipped, skew = SELECT_SKEW(out);
  for (uint at = own_id_anew(); at < runs.ending + skew; at += GROUP_SIZE) {
    if (at >= first + skew)
      STORE_ONCE(ACC, out + (at - skew), canonical(run_value_staged(staged, at - skew - first, 0, given)));
  }
}

// Folds the values of all runs that end in the tile; what `held` holds of them, if runs are short. All work-items must call.
INLINE void runs_fold(run_folds folds, ulong capacity, select_input in, uint tile, kept_of_tiles before, uint count,
                      const select_held *held, select_memory memory, run_memory own, named_values given) {
  const bool staged = runs_are_short(count);
  __local STORED *values = (__local STORED *)memory.elements;  // where they are staged
  const uint id = own_id_anew();
  GROUP_BARRIER();  // the keys have left their place in local memory
  if (id < 3) own.counts[id] = 0;
  if (id == 0) {
    own.told[0] = before.count;
    own.told[1] = before.last;
    own.told[2] = count;
  }
  if (staged) runs_stage(held, folds.values, in, tile, values);
  GROUP_BARRIER();
  before.count = own.told[0];
  before.last = own.told[1];
  runs_of_tile runs;
  runs_find(&runs, in, tile, capacity, before, (uint)own.told[2]);
  __global ACC *out = folds.out + runs.first;
  const uint skew = SELECT_SKEW(out);
  uint ending = runs.ending;
  if (runs_are_alone((uint)own.told[2])) {
    runs_fold_alone(values, runs, out, given);
    ending = min(ending, 1 - runs.skipped);
  }
  for (uint at = id; at < ending + skew; at += GROUP_SIZE) {
    if (at >= skew) {
      const uint i = at - skew;
      const ulong begin = run_begin(runs, i, memory);
      const uint end = run_end(runs, i, memory);
      const ulong length = runs.begin + end - begin;
      if (length > SEGMENT_OWN) {
#ifdef SEGMENT_SLOTS
        const bool several = length <= SEGMENT_SET;
#else
        const bool several = false;
#endif
        const uint entry = several ? atomic_inc(own.counts) : RUN_ENTRIES - 1 - atomic_inc(own.counts + 1);
        own.waiting.begins[entry] = begin;
        own.waiting.lengths[entry] = length;
        own.waiting.numbers[entry] = i;
        if (IS_ON(SEGMENT_PACKETS)) {
          if (several && (length % VECTOR != 0 || (begin - in.head) % VECTOR != 0)) atomic_or(own.counts + 2, 1u);
        } else {
          if (several) atomic_or(own.counts + 2, 1u);
        }
      } else if (staged && run_is_inside(runs, i)) {
        STORE_ONCE(ACC, out + i, canonical(run_fold_staged(values, end - (uint)length, (uint)length, given)));
      } else {
        const fold_input from = {folds.values + begin};
        out[i] = canonical(segment_fold_own(false, from, (uint)length, given));
      }
    }
  }
  GROUP_BARRIER();
  runs_fold_waiting(folds, capacity, in, tile, before, runs, out, memory, own, given);
}
#endif
