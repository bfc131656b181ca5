// The folds of the runs that end in a tile, by a group of a GPU.

// Where a set of lanes folds no more than this, it goes through the columns once.
enum { RUN_OF_SET = SEGMENT_SET * (SEGMENT_SLOTS > 0 ? SEGMENT_SLOTS : FOLD_ROWS) };
typedef char short_runs_take_slots_or_are_columns[(SEGMENT_SLOTS > 0) | IS_ON(CONTIGUOUS_COLUMNS) ? 1 : -1];

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
// Whether a tile has many short runs, or each key begins one.
static inline bool runs_are_short(uint count) { return count * (SEGMENT_OWN + SEGMENT_OWN / 4 + 1) >= SELECT_TILE; }
static inline bool runs_are_alone(uint count) { return count == SELECT_TILE; }
static inline bool runs_fill(select_input in, uint tile) {
  return (ulong)tile * SELECT_TILE >= in.head && (ulong)(tile + 1) * SELECT_TILE <= in.end;
}

// Loads the values of a whole tile; and brings them to local memory.
#ifdef RUN_PACKETS
typedef struct {
  packet packets[RUN_VALUES / VECTOR];
} select_held;
enum { RUN_HOLDS = 1 };

INLINE void runs_load(select_held *held, const __global STORED *values, uint tile) {
  const __global STORED *from = values + (ulong)tile * SELECT_TILE;
  const uint id = own_id_anew();
  UNROLL
  for (uint k = 0; k < RUN_VALUES / VECTOR; ++k) held->packets[k] = load_packet(from + (k * GROUP_SIZE + id) * VECTOR);
}

INLINE void runs_stage_held(const select_held *held, __local STORED *staged) {
  const uint id = own_id_anew();
  UNROLL
  for (uint k = 0; k < RUN_VALUES / VECTOR; ++k) {
    // By words, because compilers otherwise keep narrow values in memory. A packet does not go across a line.
    union {
      packet whole;
      uint words[PACKET_BYTES / 4];
    } own;
    own.whole = held->packets[k];
    __local uint *to = (__local uint *)(staged + run_at((k * GROUP_SIZE + id) * VECTOR));
    UNROLL
    for (uint w = 0; w < PACKET_BYTES / 4; ++w) to[w] = own.words[w];
  }
}
#elif VALUE_BYTES <= 8 && (VALUE_BYTES & (VALUE_BYTES - 1)) == 0
typedef struct {
  STORED values[RUN_VALUES];
} select_held;
enum { RUN_HOLDS = 1 };

INLINE void runs_load(select_held *held, const __global STORED *values, uint tile) {
  const __global STORED *from = values + (ulong)tile * SELECT_TILE;
  const uint id = own_id_anew();
  UNROLL
  for (uint k = 0; k < RUN_VALUES; ++k) held->values[k] = from[k * GROUP_SIZE + id];
}

INLINE void runs_stage_held(const select_held *held, __local STORED *staged) {
  const uint id = own_id_anew();
  UNROLL
  for (uint k = 0; k < RUN_VALUES; ++k) staged[run_at(k * GROUP_SIZE + id)] = held->values[k];
}
#else
typedef struct {
  uint unused;
} select_held;
enum { RUN_HOLDS = 0 };

static inline void runs_load(select_held *held, const __global STORED *values, uint tile) {}
static inline void runs_stage_held(const select_held *held, __local STORED *staged) {}
#endif

// Brings those to local memory that are held, or all of a tile that is not whole.
INLINE void runs_stage(const select_held *held, const __global STORED *values, select_input in, uint tile,
                       __local STORED *staged) {
  if (RUN_HOLDS && runs_fill(in, tile)) {
    runs_stage_held(held, staged);
    return;
  }
  const ulong begin = (ulong)tile * SELECT_TILE;
  for (uint i = own_id_anew(); i < SELECT_TILE; i += GROUP_SIZE) {
    if (begin + i >= in.head && begin + i < in.end) staged[run_at(i)] = values[begin + i];
  }
}

// Value number `k` of a run whose first one waits at place `from` in local memory.
INLINE FOLDED run_value_staged(const __local STORED *staged, uint from, uint k, named_values given) {
  return lift(VALUE_READ(staged[run_at(from + k)]), k, given);
}

// Folds the 1 <= count <= SEGMENT_OWN values from place `from` on that wait there.
INLINE FOLDED run_fold_staged(const __local STORED *staged, uint from, uint count, named_values given) {
  if (IS_ON(CONTIGUOUS_COLUMNS)) {
    FOLDED value = run_value_staged(staged, from, 0, given);
    for (uint k = 1; k < count; ++k) value = combine(value, run_value_staged(staged, from, k, given), given);
    return value;
  }
  FOLDED values[SEGMENT_OWN];
  values[0] = run_value_staged(staged, from, 0, given);
  if (count == 1) return values[0];
  UNROLL
  for (uint k = 1; k < SEGMENT_OWN; ++k) {
    // Compilers keep a structure that may not be set in memory.
    if (FOLDED_WORDS > 2)
      values[k] = run_value_staged(staged, from, min(k, count - 1), given);
    else if (k < count)
      values[k] = run_value_staged(staged, from, k, given);
  }
  return segment_fold_pairs(values, count, given);
}

// Where lanes exchange through local memory all sets go in step, and one without a run folds another's.
enum { RUN_SETS_GO_IN_STEP = IS_ON(LANES_NEED_EXCHANGE) };

// Folds runs that wait, turn after turn: first those that go several at a time, a set of lanes takes RUNS_OF_SET of them, then
// one by each set. All work-items must call.
enum { RUNS_OF_SET = SLOTS };
static inline uint run_turns_of_many(uint many) {
  return (many + SEGMENT_SETS * RUNS_OF_SET - 1) / (SEGMENT_SETS * RUNS_OF_SET);
}
static inline uint run_turns_of_sets(uint many, uint single) {
  return run_turns_of_many(many) + (single + SEGMENT_SETS - 1) / SEGMENT_SETS;
}
INLINE void runs_fold_by_sets(uint turn, uint many, uint single, run_folds folds, uint head, __global ACC *out,
                              run_memory own, named_values given) {
  const uint of_many = run_turns_of_many(many), set = segment_own_set();
  const bool several = turn < of_many;
  const uint number = several ? (turn * SEGMENT_SETS + set) * RUNS_OF_SET : (turn - of_many) * SEGMENT_SETS + set;
  const uint entry = several ? min(number, many - 1) : RUN_ENTRIES - 1 - min(number, single > 0 ? single - 1 : 0);
  const ulong begin = own.waiting.begins[entry], length = own.waiting.lengths[entry];
  const bool takes = SAME_IN_LANES(several ? number < many : number < single && length <= RUN_OF_SET) != 0;
  if (RUN_SETS_GO_IN_STEP || takes) {
    const bool in_packets = run_in_packets(begin, head);
    if (SEGMENT_SLOTS > 0) {
      const fold_input all = {folds.values};
      const bool packets =
          several ? SAME_IN_LANES(own.counts[2]) == 0 : in_packets && SAME_IN_LANES((uint)(length % VECTOR)) == 0;
      segments_fold_slots(several, packets, all, own.waiting, several ? number : entry, several ? many - 1 : takes ? entry : 0,
                          out, own.segments.exchange, given);
      return;
    }
    const fold_input from = {folds.values + begin};
    const uint taken = SAME_IN_LANES((uint)min(length, (ulong)RUN_OF_SET));
    const FOLDED result = segment_fold_columns(true, in_packets, from, 0, 0, taken, 0, fold_columns(taken),
                                               own.segments.exchange, given);
    if (takes && segment_lane() == LANES - 1) out[own.waiting.numbers[entry]] = canonical(result);
  }
}

// Folds one run, or its tiles, by the whole group: in turn 0 the run that goes on after the tile, because later groups wait for it,
// then the runs that are too long for a set of lanes. All work-items must call.
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

// Folds all runs that wait. In two loops, because in one a compiler keeps registers for both (108 instead of 94); but a compiler
// that follows all ways from barrier to barrier takes minutes over two.
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
        const bool several = SEGMENT_SLOTS > 0 && length <= SEGMENT_SET;
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
