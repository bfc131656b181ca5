// Keys of a sort: what goes with them, and a tile of them sorted by some bits.
//
// A tile is sorted by up to 8 bits at a time. Each lane set takes neighbouring keys and counts those of each digit. The sums
// of the counts, digit after digit and in each of these set after set, are where a set's first key of each digit goes. Then
// it brings its keys there, LANES of them at a time: behind a key are those lanes below that have the same digit. (Adinets and
// Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022, from where matching lanes are taken.)
// What goes with each key: a value of CARRIED_WORDS parts, or the index of the key. CARRIES_IN_TILE: through local memory beside
// the keys, in their order in the tile; larger values go straight to their places.
#if defined(CARRIED_PART)
#if CARRIED_WORDS == 1
typedef CARRIED_PART carried;
#else
typedef struct {
  CARRIED_PART parts[CARRIED_WORDS];
} carried;
#endif
enum { CARRIES = 1, MAKES_ORDER = 0, CARRIES_IN_TILE = CARRIED_BYTES <= 8 };
static inline carried carried_index(ulong i) {
  carried none;
  return none;
}
#elif defined(INDEX)
typedef INDEX carried;
static inline carried carried_index(ulong i) { return (carried)i; }
enum { CARRIES = 1, MAKES_ORDER = 1, CARRIES_IN_TILE = 1 };
#else
typedef uchar carried;  // nothing
static inline carried carried_index(ulong i) { return 0; }
enum { CARRIES = 0, MAKES_ORDER = 0, CARRIES_IN_TILE = 0 };
#endif
#ifdef SORTS

static inline uint sort_digit(KEY bits, uint shift, uint mask) { return (uint)(key_ordered(bits) >> shift) & mask; }

enum { SORT_DIGITS = 256 };

// In the workspace: how many keys have each value of a digit, in one pass of all digits. In three launches the counts of
// the tiles follow, digit after digit.
static inline __global COUNT *sort_totals_of(__global uchar *workspace) { return (__global COUNT *)(workspace + OWN_AT); }
static inline __global COUNT *sort_counts_of(__global uchar *workspace) { return sort_totals_of(workspace) + SORT_DIGITS; }

#if GROUP_SIZE > 1
enum { SORT_TILE = GROUP_SIZE * ITEMS };
typedef char a_place_has_16_bits[SORT_TILE <= 65535 ? 1 : -1];

// So many neighbouring digits are each work-item's.
enum { SORT_EACH = (SORT_DIGITS + GROUP_SIZE - 1) / GROUP_SIZE };

// One after the other: keys, what goes with them, and from where in the tile it comes.
typedef union {
  KEY keys[SORT_TILE];
  ushort places[CARRIES ? SORT_TILE : 1];
  carried values[CARRIES_IN_TILE ? SORT_TILE : 1];
} sort_room;

typedef struct {
  __local sort_room *room;
  __local uint *counts;    // of each lane set's digits
  __local uint *sets;      // a word for each lane set
  __local uint *exchange;  // where lanes exchange through local memory, a word for each work-item; or masks of digits
} sort_memory;
enum { SORT_EXCHANGED = IS_ON(LANES_MATCH_IN_MEMORY) ? LANE_SETS * SORT_DIGITS : EXCHANGE_WORDS };
#define SORT_MEMORY(name)                              \
  __local sort_room name##_room;                       \
  __local uint name##_counts[LANE_SETS * SORT_DIGITS]; \
  __local uint name##_sets[LANE_SETS];                 \
  __local uint name##_exchange[SORT_EXCHANGED];        \
  const sort_memory name = {&name##_room, name##_counts, name##_sets, name##_exchange}

// Of a tile of which each work-item takes `taken` keys a lane set takes neighbours, LANES of them at a time. Where the first
// key of a work-item is; the next ones follow LANES places apart.
static inline uint sort_first(uint taken) {
  const uint id = own_id_anew();
  return id / LANES * taken * LANES + id % LANES;
}

// A loop over those keys. It has a constant bound, since registers have no index; emulated lanes end where no key is taken.
// sort_is_whole: whether a tile has all of its keys, so that no test is needed for each. Emulated code always tests.
#ifdef EMULATE_LANES
#define SORT_EACH_TAKEN(k, taken) for (uint k = 0; k < (taken); ++k)
static inline bool sort_is_whole(uint count) { return false; }
#else
#define SORT_EACH_TAKEN(k, taken)  \
  UNROLL                           \
  for (uint k = 0; k < ITEMS; ++k) \
    if (k < (taken))
static inline bool sort_is_whole(uint count) { return count == SORT_TILE; }
#endif

// Small numbers of a work-item's keys, two or four to a register: where each key goes in a tile, and its digit.
typedef struct {
  uint words[(ITEMS + 1) / 2];
} held_places;
typedef struct {
  uint words[(ITEMS + 3) / 4];
} held_digits;
INLINE void put_place(held_places *places, uint k, uint place) {
  places->words[k / 2] = k % 2 == 0 ? place : places->words[k / 2] | place << 16;
}
INLINE uint place_of(const held_places *places, uint k) { return places->words[k / 2] >> k % 2 * 16 & 0xffff; }
INLINE void put_digit(held_digits *digits, uint k, uint digit) {
  digits->words[k / 4] = k % 4 == 0 ? digit : digits->words[k / 4] | digit << k % 4 * 8;
}
INLINE uint digit_of(const held_digits *digits, uint k) { return digits->words[k / 4] >> k % 4 * 8 & 0xff; }

// Loads a work-item's keys of the first `count` of a tile.
INLINE void sort_load(KEY *keys, const __global KEY *from, uint taken, uint count) {
  const uint first = sort_first(taken);
  if (sort_is_whole(count)) {
    SORT_EACH_TAKEN(k, taken) keys[k] = from[first + k * LANES];
  } else {
    SORT_EACH_TAKEN(k, taken) keys[k] = first + k * LANES < count ? from[first + k * LANES] : 0;
  }
}

// How many of the `tiles` that a launch is made for there are.
static inline uint sort_tiles(ulong n, uint tiles) {
  return IS_COUNTED ? (uint)((n + SORT_TILE - 1) / SORT_TILE) : tiles;
}

static inline uint sort_count_of_tile(ulong n, uint tile) {
  if (IS_COUNTED && (ulong)tile * SORT_TILE >= n) return 0;
  return (uint)min(n - (ulong)tile * SORT_TILE, (ulong)SORT_TILE);
}

// A tile of a pass, of so many tiles.
typedef struct {
  __global uchar *workspace;
  ulong messages_at;
  uint pass, tile, tiles, shift, mask;
  const __global KEY *keys;  // of all tiles
  __local COUNT *places;     // where a tile's first key of each digit goes, less where it is in the sorted tile: sums with it wrap
  __local uint *asked_for;   // a word, of groups that send messages
} sort_pass;

// Finds the digits of a work-item's keys, and counts those of each lane set's. The counts can be read behind a barrier. Digits
// of keys behind those of the tile, which has `count`, are the highest ones. All work-items must call.
INLINE void sort_count_digits(held_digits *digits, const KEY *keys, uint taken, uint count, uint shift, uint mask,
                              sort_memory memory) {
  const uint lane = own_id_anew() % LANES, first = sort_first(taken);
  __local uint *counts = memory.counts + own_id_anew() / LANES * SORT_DIGITS;
  for (uint d = lane; d < SORT_DIGITS; d += LANES) counts[d] = 0;
  if (IS_ON(LANES_MATCH_IN_MEMORY)) {
    __local uint *masks = memory.exchange + own_id_anew() / LANES * SORT_DIGITS;
    for (uint d = lane; d < SORT_DIGITS; d += LANES) masks[d] = 0;
  }
  lanes_barrier();
  if (sort_is_whole(count)) {
    SORT_EACH_TAKEN(k, taken) {
      const uint digit = sort_digit(keys[k], shift, mask);
      put_digit(digits, k, digit);
      atomic_inc(counts + digit);
    }
  } else {
    SORT_EACH_TAKEN(k, taken) {
      const uint digit = first + k * LANES < count ? sort_digit(keys[k], shift, mask) : SORT_DIGITS - 1;
      put_digit(digits, k, digit);
      atomic_inc(counts + digit);
    }
  }
}

// From the counts of the sets' digits, behind a barrier: of a work-item's own digits, how many keys of the tile have
// each one, and where the first of these goes in the tile. The counts become where each set's first keys go. All work-items
// must call; what is in local memory can be read behind a barrier.
INLINE void sort_starts(uint *sums, uint *starts, sort_memory memory) {
  const uint first = own_id_anew() * SORT_EACH;
  uint own = 0;
  UNROLL
  for (uint e = 0; e < SORT_EACH; ++e) {
    uint sum = 0;
    if (first + e < SORT_DIGITS) {
      UNROLL
      for (uint set = 0; set < LANE_SETS; ++set) {
        __local uint *count = memory.counts + set * SORT_DIGITS + first + e;
        const uint of_set = *count;
        *count = sum;
        sum += of_set;
      }
    }
    sums[e] = sum;
    own += sum;
  }
  uint all;
  uint start = group_sums(own, &all, memory.sets, memory.exchange);
  UNROLL
  for (uint e = 0; e < SORT_EACH; ++e) {
    starts[e] = start;
    if (first + e < SORT_DIGITS) {
      UNROLL
      for (uint set = 0; set < LANE_SETS; ++set) memory.counts[set * SORT_DIGITS + first + e] += start;
    }
    start += sums[e];
  }
}

// Brings a work-item's keys to their places in the sorted tile, in local memory, from where each set's first keys of each
// digit go, which is behind a barrier. Keys, and where each one goes, can be read behind another. All work-items must call.
INLINE void sort_place_keys(held_places *places, const KEY *keys, const held_digits *digits, uint taken, sort_memory memory) {
  const uint lane = own_id_anew() % LANES;
  __local uint *next = memory.counts + own_id_anew() / LANES * SORT_DIGITS;
  __local uint *exchange = memory.exchange;
  if (IS_ON(LANES_MATCH_IN_MEMORY)) exchange += own_id_anew() / LANES * SORT_DIGITS;
  lane_mask matching[ITEMS];
  if (IS_ON(MATCHES_BY_BALLOTS)) {
    // All before the first one waits for local memory.
    SORT_EACH_TAKEN(k, taken) matching[k] = lanes_that_match(digit_of(digits, k), exchange);
  }
  SORT_EACH_TAKEN(k, taken) {
    const uint digit = digit_of(digits, k);
    const lane_mask same = IS_ON(MATCHES_BY_BALLOTS) ? matching[k] : lanes_that_match(digit, exchange);
    const uint place = next[digit] + (uint)popcount(same & (((lane_mask)1 << lane) - 1));
    lanes_barrier();
    if (same >> lane == 1) {
      next[digit] = place + 1;
      if (IS_ON(LANES_MATCH_IN_MEMORY)) exchange[digit] = 0;
    }
    lanes_barrier();
    memory.room->keys[place] = keys[k];
    put_place(places, k, place);
  }
}

// Where the keys of each of a work-item's own digits begin, from how many there are. Of sums that 32 bits may not hold, 16
// bits at a time. All work-items must call.
INLINE void sort_digit_starts(COUNT *starts, const __global COUNT *totals, sort_memory memory) {
  const uint first = own_id_anew() * SORT_EACH;
  COUNT sum = 0;
  UNROLL
  for (uint e = 0; e < SORT_EACH; ++e) {
    starts[e] = first + e < SORT_DIGITS ? totals[first + e] : 0;
    sum += starts[e];
  }
  uint all;
  COUNT start = 0;
  if (IS_ON(MANY_KEYS)) {
    for (uint part = 0; part < 48; part += 16) {
      GROUP_BARRIER();
      start += (COUNT)group_sums((uint)(sum >> part) & 0xffff, &all, memory.sets, memory.exchange) << part;
    }
  } else {
    GROUP_BARRIER();
    start = group_sums((uint)sum, &all, memory.sets, memory.exchange);
  }
  UNROLL
  for (uint e = 0; e < SORT_EACH; ++e) {
    const COUNT of_digit = starts[e];
    starts[e] = start;
    start += of_digit;
  }
}
#endif  // GROUP_SIZE

#endif  // SORTS
