// sort, sort_by_key and argsort: a radix sort from the lowest digit of 8 bits to the highest. Plans and arguments:
// lib/primitives/sort.cpp.
//
// Few keys are brought to their places by their ranks (sort_ranks.cl), up to a tile is sorted in one launch of one group. Else,
// where groups can send each other messages: one launch counts the keys of each value of all digits, a second one sums the
// counts, and one more for each digit brings the keys to their places. Its groups rank their tiles, post how many keys of each
// digit they have, and look back for those of the tiles before.
// Elsewhere three launches for each digit: the counts of each tile's digits, their sums, and the keys to their places.
// A CPU's groups are one work-item each and have one part of the input each: sort_serial.cl.

// Where keys and what goes with them lie, in bytes; from where and to where, in turn from digit to digit.
static inline const __global KEY *sort_keys_at(const __global uchar *buffer, ulong at) {
  return (const __global KEY *)(buffer + at);
}
static inline __global KEY *sort_keys_to(__global uchar *buffer, ulong at) { return (__global KEY *)(buffer + at); }
static inline const __global carried *sort_carried_at(const __global uchar *buffer, ulong at) {
  return (const __global carried *)(buffer + at);
}
static inline __global carried *sort_carried_to(__global uchar *buffer, ulong at) { return (__global carried *)(buffer + at); }
#if defined(CARRIED_PART) || defined(INDEX)
#define CARRIED_ARGUMENTS \
  , const __global uchar *values, ulong values_at, __global uchar *values_to, ulong values_to_at, uint steps
#define COLLECT_CARRIED                                                       \
  const __global carried *carried_from = sort_carried_at(values, values_at); \
  __global carried *carried_to = sort_carried_to(values_to, values_to_at);
#else
#define CARRIED_ARGUMENTS
#define COLLECT_CARRIED                      \
  const __global carried *carried_from = 0; \
  __global carried *carried_to = 0;         \
  const uint steps = 0;
#endif

// Of a sort in one launch on a GPU: keys, and what goes with them, from where they lie to where they go.
#if defined(INDEX)
#define SORT_AT_ONCE_ARGUMENTS const __global uchar *keys, ulong keys_at, __global uchar *values_to, ulong values_to_at
#define COLLECT_AT_ONCE const sort_at_once all = {sort_keys_at(keys, keys_at), 0, 0, sort_carried_to(values_to, values_to_at)};
#elif defined(CARRIED_PART)
#define SORT_AT_ONCE_ARGUMENTS                                                             \
  const __global uchar *keys, ulong keys_at, __global uchar *keys_to, ulong keys_to_at,    \
      const __global uchar *values, ulong values_at, __global uchar *values_to, ulong values_to_at
#define COLLECT_AT_ONCE                                                                         \
  const sort_at_once all = {sort_keys_at(keys, keys_at), sort_keys_to(keys_to, keys_to_at),     \
                            sort_carried_at(values, values_at), sort_carried_to(values_to, values_to_at)};
#else
#define SORT_AT_ONCE_ARGUMENTS const __global uchar *keys, ulong keys_at, __global uchar *keys_to, ulong keys_to_at
#define COLLECT_AT_ONCE const sort_at_once all = {sort_keys_at(keys, keys_at), sort_keys_to(keys_to, keys_to_at), 0, 0};
#endif
typedef struct {
  const __global KEY *keys;
  __global KEY *keys_to;
  const __global carried *values;
  __global carried *values_to;
} sort_at_once;

// An argsort reads no values in its first step, and stores no keys in its last one.
enum { STEP_FIRST = 1, STEP_LAST = 2 };
static inline bool stores_keys(uint steps) { return !MAKES_ORDER || (steps & STEP_LAST) == 0; }
static inline carried sort_carried_of(const __global carried *from, uint steps, ulong i) {
#ifdef INDEX
  if ((steps & STEP_FIRST) != 0) return (INDEX)i;
#endif
  return from[i];
}

// Of the bits that are compared, the first one of each digit.
static inline uint sort_digit_begin(uint bits, uint pass, uint passes) { return bits * pass / passes; }

#if GROUP_SIZE > 1

#ifdef SORTS
// Loads a work-item's keys of the first `count` of a tile.
INLINE void sort_load(KEY *keys, const __global KEY *from, uint taken, uint count) {
  const uint first = sort_first(taken);
  if (sort_is_whole(count)) {
    SORT_EACH_TAKEN(k, taken) keys[k] = from[first + k * LANES];
  } else {
    SORT_EACH_TAKEN(k, taken) keys[k] = first + k * LANES < count ? from[first + k * LANES] : 0;
  }
}
#endif

#ifdef SORTS_SMALL
// All digits in one launch, of at most a tile. One group. In place, too: all is loaded before anything is stored.
KERNEL void sort_small(SORT_AT_ONCE_ARGUMENTS, ELEMENTS_ARGUMENT, uint shift, uint bits, uint passes) {
  COLLECT_ELEMENTS
  COLLECT_AT_ONCE
  SORT_MEMORY(memory);
  const uint count = (uint)n, taken = (count + GROUP_SIZE - 1) / GROUP_SIZE, first = sort_first(taken);
  KEY held[ITEMS];
  sort_load(held, all.keys, taken, count);
  held_digits digits;
  held_places to;
  held_places came_from;
  if (CARRIES) {
    SORT_EACH_TAKEN(k, taken) put_place(&came_from, k, first + k * LANES);
  }
  for (uint pass = 0; pass < passes; ++pass) {
    const uint begin = sort_digit_begin(bits, pass, passes), end = sort_digit_begin(bits, pass + 1, passes);
    uint sums[SORT_EACH], starts[SORT_EACH];
    const uint mask = (1u << (end - begin)) - 1;
    sort_count_digits(&digits, held, taken, count, shift + begin, mask, memory);
    GROUP_BARRIER();
    sort_starts(sums, starts, memory);
    GROUP_BARRIER();
    sort_place_keys(&to, held, &digits, taken, memory);
    GROUP_BARRIER();
    // The next pass brings keys there behind barriers of its own.
    SORT_EACH_TAKEN(k, taken) held[k] = memory.room->keys[first + k * LANES];
    if (CARRIES) {
      GROUP_BARRIER();
      SORT_EACH_TAKEN(k, taken) memory.room->places[place_of(&to, k)] = (ushort)place_of(&came_from, k);
      GROUP_BARRIER();
      SORT_EACH_TAKEN(k, taken) put_place(&came_from, k, (uint)memory.room->places[first + k * LANES]);
    }
  }
  if (CARRIES) {
    carried of_keys[ITEMS];
    SORT_EACH_TAKEN(k, taken) {
#ifdef INDEX
      of_keys[k] = place_of(&came_from, k);
#else
      if (first + k * LANES < count) of_keys[k] = all.values[place_of(&came_from, k)];
#endif
    }
    GROUP_GLOBAL_BARRIER();
    SORT_EACH_TAKEN(k, taken) {
      if (first + k * LANES < count) all.values_to[first + k * LANES] = of_keys[k];
    }
  }
  if (!MAKES_ORDER) {
    SORT_EACH_TAKEN(k, taken) {
      if (first + k * LANES < count) all.keys_to[first + k * LANES] = held[k];
    }
  }
}
#elif defined(SORTS)

// How many of the `tiles` that a launch is made for there are.
static inline uint sort_tiles(ulong n, uint tiles) {
  return IS_COUNTED ? (uint)((n + SORT_TILE - 1) / SORT_TILE) : tiles;
}

static inline uint sort_count_of_tile(ulong n, uint tile) {
  if (IS_COUNTED && (ulong)tile * SORT_TILE >= n) return 0;
  return (uint)min(n - (ulong)tile * SORT_TILE, (ulong)SORT_TILE);
}

#ifdef IN_ONE_PASS

// The digits of a call, and copies of their counts: lanes count apart, so that equal keys need not wait for each other.
enum {
  SORT_PASSES = KEY_BYTES > 2 ? KEY_BYTES : 2,
  SORT_COPIES = 8 / SORT_PASSES
};

// Counts the keys of each value of all digits, apart for each group, and clears the messages of the launches that follow.
KERNEL void sort_digits(const __global uchar *keys, ulong keys_at, ELEMENTS_ARGUMENT, uint tiles, uint shift, uint bits,
                        uint passes, __global uchar *workspace, ulong counts_at, ulong messages_at) {
  COLLECT_ELEMENTS
  __local uint counts[SORT_COPIES * SORT_PASSES * SORT_DIGITS];
  const uint id = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
  __global digit_message *messages = (__global digit_message *)(workspace + messages_at);
  for (ulong m = (ulong)group * GROUP_SIZE + id; m < (ulong)sort_tiles(n, tiles) * SORT_DIGITS; m += (ulong)groups * GROUP_SIZE)
    messages[m] = 0;
  for (uint d = id; d < SORT_COPIES * SORT_PASSES * SORT_DIGITS; d += GROUP_SIZE) counts[d] = 0;
  GROUP_BARRIER();
  __local uint *own = counts + id % SORT_COPIES * (SORT_PASSES * SORT_DIGITS);
  for (uint tile = group; tile < sort_tiles(n, tiles); tile += groups) {
    const __global KEY *from = sort_keys_at(keys, keys_at) + (ulong)tile * SORT_TILE;
    const uint count = sort_count_of_tile(n, tile);
    KEY held[ITEMS];
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      if (k * GROUP_SIZE + id < count) held[k] = from[k * GROUP_SIZE + id];
    }
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) held[k] = (KEY)(key_ordered(held[k]) >> shift);
    for (uint pass = 0; pass < passes; ++pass) {
      const uint begin = sort_digit_begin(bits, pass, passes), end = sort_digit_begin(bits, pass + 1, passes);
      const uint mask = (1u << (end - begin)) - 1;
      __local uint *of_pass = own + pass * SORT_DIGITS;
      if (count == SORT_TILE) {
        UNROLL
        for (uint k = 0; k < ITEMS; ++k) atomic_inc(of_pass + ((uint)(held[k] >> begin) & mask));
      } else {
        UNROLL
        for (uint k = 0; k < ITEMS; ++k) {
          if (k * GROUP_SIZE + id < count) atomic_inc(of_pass + ((uint)(held[k] >> begin) & mask));
        }
      }
    }
  }
  GROUP_BARRIER();
  __global uint *to = (__global uint *)(workspace + counts_at) + (ulong)group * passes * SORT_DIGITS;
  for (uint d = id; d < passes * SORT_DIGITS; d += GROUP_SIZE) {
    uint sum = 0;
    UNROLL
    for (uint copy = 0; copy < SORT_COPIES; ++copy) sum += counts[copy * SORT_PASSES * SORT_DIGITS + d];
    to[d] = sum;
  }
}

// Sums what `rows` groups have counted. A group takes LANES values of a digit, each of its lane sets some of the rows.
KERNEL void sort_totals(uint rows, uint passes, __global uchar *workspace, ulong counts_at) {
  __local COUNT sums[GROUP_SIZE];
  const uint id = get_local_id(0);
  const ulong column = (ulong)get_group_id(0) * LANES + id % LANES, columns = (ulong)passes * SORT_DIGITS;
  const __global uint *counts = (const __global uint *)(workspace + counts_at);
  COUNT sum = 0;
  UNROLL_BY(8)
  for (uint row = id / LANES; row < rows; row += LANE_SETS) sum += counts[row * columns + column];
  sums[id] = sum;
  GROUP_BARRIER();
  if (id < LANES) {
    sum = 0;
    for (uint set = 0; set < LANE_SETS; ++set) sum += sums[set * LANES + id];
    sort_totals_of(workspace)[column] = sum;
  }
}

static inline uint sort_take_number(__global uchar *workspace, __local uint *number, uint numbers) {
  if (own_id_anew() == 0) *number = take_number((__global uint *)(workspace + COUNTER_AT), numbers);
  GROUP_BARRIER();
  return *number;
}
// Goes over the tiles that a group brings to their places. Groups that do not start in the order of their numbers take
// numbers as they start. Where elements are counted there are fewer groups than tiles may be: where the groups are
// enough, each has one tile, else each takes the next number from a counter: a tile's predecessors then have all begun.
#ifdef COUNTED_BY
static inline uint sort_take_tile(__global uchar *workspace, __local uint *number, uint tiles) {
  return sort_take_number(workspace, number, tiles + (uint)get_num_groups(0));
}
#define SORT_EACH_OWN_TILE(tile, tiles)                                                                      \
  __local uint number;                                                                                       \
  const bool takes = IS_ON(IN_ORDER_OF_START) || sort_tiles(n, tiles) > (uint)get_num_groups(0);             \
  for (uint tile = takes ? sort_take_tile(workspace, &number, sort_tiles(n, tiles)) : (uint)get_group_id(0); \
       tile < sort_tiles(n, tiles);                                                                          \
       tile = takes ? sort_take_tile(workspace, &number, sort_tiles(n, tiles)) : sort_tiles(n, tiles))
#else
#define SORT_EACH_OWN_TILE(tile, tiles) \
  __local uint number;                  \
  const uint tile = IS_ON(IN_ORDER_OF_START) ? sort_take_number(workspace, &number, tiles) : (uint)get_group_id(0);
#endif
#define PASS_ARGUMENTS , uint pass, ulong messages_at

#else

// Lane sets count apart, so that equal keys of different sets need not wait for each other.
enum { SORT_COPIES = LANE_SETS < 8 ? LANE_SETS : 8 };

// Global size: tiles * GROUP_SIZE.
KERNEL void sort_counts(const __global uchar *keys, ulong keys_at, ELEMENTS_ARGUMENT, uint tiles, uint shift, uint bits,
                        __global uchar *workspace) {
  COLLECT_ELEMENTS
  __local uint counts[SORT_COPIES * SORT_DIGITS];
  const uint id = get_local_id(0), tile = get_group_id(0);
  for (uint d = id; d < SORT_COPIES * SORT_DIGITS; d += GROUP_SIZE) counts[d] = 0;
  GROUP_BARRIER();
  const __global KEY *from = sort_keys_at(keys, keys_at) + (ulong)tile * SORT_TILE;
  const uint count = sort_count_of_tile(n, tile), mask = (1u << bits) - 1;
  __local uint *own = counts + id / LANES % SORT_COPIES * SORT_DIGITS;
  KEY held[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (k * GROUP_SIZE + id < count) held[k] = from[k * GROUP_SIZE + id];
  }
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (k * GROUP_SIZE + id < count) atomic_inc(own + sort_digit(held[k], shift, mask));
  }
  GROUP_BARRIER();
  for (uint d = id; d < SORT_DIGITS; d += GROUP_SIZE) {
    uint sum = 0;
    UNROLL
    for (uint copy = 0; copy < SORT_COPIES; ++copy) sum += counts[copy * SORT_DIGITS + d];
    sort_counts_of(workspace)[(ulong)d * tiles + tile] = sum;
  }
}

// Of each digit, where among all of its keys those of each tile begin, and how many there are. Global size: SORT_DIGITS *
// GROUP_SIZE.
KERNEL void sort_places(uint tiles, __global uchar *workspace) {
  __local uint sets[LANE_SETS];
  __local uint exchange[EXCHANGE_WORDS];
  const uint id = get_local_id(0), digit = get_group_id(0);
  __global COUNT *row = sort_counts_of(workspace) + (ulong)digit * tiles;
  COUNT before = 0;
  for (uint begin = 0; begin < tiles; begin += GROUP_SIZE) {
    const bool exists = id < tiles - begin;
    const uint count = exists ? (uint)row[begin + id] : 0;
    uint sum;
    const uint in_turn = group_sums(count, &sum, sets, exchange);
    if (exists) row[begin + id] = before + in_turn;
    before += sum;
    GROUP_BARRIER();
  }
  if (id == 0) sort_totals_of(workspace)[digit] = before;
}

#ifdef COUNTED_BY
#define SORT_EACH_OWN_TILE(tile, tiles) \
  for (uint tile = get_group_id(0); tile < sort_tiles(n, tiles); tile += (uint)get_num_groups(0))
#else
#define SORT_EACH_OWN_TILE(tile, tiles) const uint tile = get_group_id(0);
#endif
#define PASS_ARGUMENTS
#endif  // IN_ONE_PASS

// Stores the first `count` keys of a sorted tile, or all that it has room for. Their digits are kept, too, where something goes
// with keys through the tile.
INLINE void sort_store_keys(__global KEY *to, const __local COUNT *places, held_digits *digits, uint id, bool all, uint count,
                            uint shift, uint mask, uint steps, sort_memory memory) {
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const uint i = k * GROUP_SIZE + id;
    if (all || i < count) {
      const KEY key = memory.room->keys[i];
      const uint digit = sort_digit(key, shift, mask);
      if (stores_keys(steps)) to[places[digit] + i] = key;
      if (CARRIES_IN_TILE) put_digit(digits, k, digit);
    }
  }
}

// Global size: tiles * GROUP_SIZE; any multiple of GROUP_SIZE where elements are counted.
KERNEL void sort_move_keys(const __global uchar *keys, ulong keys_at, __global uchar *keys_to, ulong keys_to_at
                           CARRIED_ARGUMENTS, ELEMENTS_ARGUMENT, uint tiles, uint shift, uint bits, __global uchar *workspace
                           PASS_ARGUMENTS) {
  COLLECT_ELEMENTS
  COLLECT_CARRIED
  SORT_MEMORY(memory);
  // Where a tile's first key of each digit goes, less where it is in the sorted tile. Sums with it wrap.
  __local COUNT places[SORT_DIGITS];
  __local uint asked_for;  // of groups that send messages
  SORT_EACH_OWN_TILE(tile, tiles) {
    const uint id = own_id_anew(), first = sort_first(ITEMS), own = id * SORT_EACH, mask = (1u << bits) - 1;
    const ulong begin = (ulong)tile * SORT_TILE;
    const uint count = sort_count_of_tile(n, tile);
    KEY held[ITEMS];
    held_digits digits;
    held_places to;
    uint sums[SORT_EACH], starts[SORT_EACH];
    COUNT before[SORT_EACH];
    sort_load(held, sort_keys_at(keys, keys_at) + begin, ITEMS, count);
    sort_count_digits(&digits, held, ITEMS, count, shift, mask, memory);
    GROUP_BARRIER();
    sort_starts(sums, starts, memory);
#ifdef IN_ONE_PASS
    const digit_messages posted = messages_of_launch(workspace + messages_at, pass);
    const __global COUNT *totals = sort_totals_of(workspace) + pass * SORT_DIGITS;
    uint far[SORT_EACH];
    UNROLL
    for (uint e = 0; e < SORT_EACH; ++e) {
      before[e] = 0;
      far[e] = tile;
    }
    if (tile == 0) sort_digit_starts(before, totals, memory);
    if (id == 0) asked_for = NO_TILE;
    if (tile + 1 < tiles) {
      UNROLL
      for (uint e = 0; e < SORT_EACH; ++e) {
        if (own + e < SORT_DIGITS) post_digit(posted, tile, own + e, before[e] + sums[e], tile == 0);
      }
    }
#else
    sort_digit_starts(before, sort_totals_of(workspace), memory);
    UNROLL
    for (uint e = 0; e < SORT_EACH; ++e) {
      if (own + e < SORT_DIGITS)
        places[own + e] = before[e] + sort_counts_of(workspace)[(ulong)(own + e) * tiles + tile] - starts[e];
    }
#endif
    GROUP_BARRIER();
    sort_place_keys(&to, held, &digits, ITEMS, memory);
#ifdef IN_ONE_PASS
    // One way out of each loop: PoCL 3.1 makes a copy for each of all that follows.
    bool complete = false;
    for (uint looks = LOOKS; !complete; looks = 1) {
      uint missing = NO_TILE;
      UNROLL
      for (uint e = 0; e < SORT_EACH; ++e) {
        if (own + e < SORT_DIGITS) {
          far[e] = look_back_digits(&before[e], far[e], posted, own + e, looks);
          if (far[e] == 0 && tile > 0 && tile + 1 < tiles) post_digit(posted, tile, own + e, before[e] + sums[e], true);
          missing = min(missing, far[e] - 1);
          places[own + e] = before[e] - starts[e];
        }
      }
      if (missing != NO_TILE) atomic_min(&asked_for, missing);
      GROUP_BARRIER();
      missing = asked_for;
      complete = missing == NO_TILE;
      if (!complete) {
        GROUP_BARRIER();
        if (id == 0) asked_for = NO_TILE;
        sort_count_missing(posted, missing, sort_keys_at(keys, keys_at), shift, mask, totals, (__local uint *)places, memory);
      }
    }
#else
    GROUP_BARRIER();
#endif
    if (sort_is_whole(count))
      sort_store_keys(sort_keys_to(keys_to, keys_to_at), places, &digits, id, true, count, shift, mask, steps, memory);
    else
      sort_store_keys(sort_keys_to(keys_to, keys_to_at), places, &digits, id, false, count, shift, mask, steps, memory);
    if (CARRIES_IN_TILE) {
      carried of_keys[ITEMS];
      SORT_EACH_TAKEN(k, ITEMS) {
        const ulong i = begin + first + k * LANES;
        if (first + k * LANES < count) of_keys[k] = sort_carried_of(carried_from, steps, i);
      }
      GROUP_BARRIER();
      SORT_EACH_TAKEN(k, ITEMS) {
        if (first + k * LANES < count) memory.room->values[place_of(&to, k)] = of_keys[k];
      }
      GROUP_BARRIER();
      UNROLL
      for (uint k = 0; k < ITEMS; ++k) {
        const uint i = k * GROUP_SIZE + id;
        if (i < count) carried_to[places[digit_of(&digits, k)] + i] = memory.room->values[i];
      }
    } else if (CARRIES) {
      SORT_EACH_TAKEN(k, ITEMS) {
        if (first + k * LANES < count)
          carried_to[places[digit_of(&digits, k)] + place_of(&to, k)] = carried_from[begin + first + k * LANES];
      }
    }
    MEET_AT_END
  }
}

#endif  // SORTS_SMALL

#endif  // GROUP_SIZE > 1
