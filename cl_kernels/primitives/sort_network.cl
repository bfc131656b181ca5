// sort: few keys in one launch of one group, by a network of comparisons in local memory. Plans and arguments:
// lib/primitives/sort.cpp.
//
// A bitonic sort: neighbouring blocks, of which one rises and one falls, become one that rises or falls, until one block has all.
// A block of 2^k words takes k steps; step by step words are compared whose numbers differ in one bit, from the highest of the k
// to the lowest. A work-item takes eight words whose numbers differ in three bits, and makes up to three steps in registers
// before it puts them back. Words of blocks that fall are complemented, so that every comparison is the same.
// (Batcher, "Sorting networks and their applications", 1968.)
//
// What bounds it on one unit of an H200, 4096 words of 4 bytes: 28 passes, each of which moves all words from local memory and
// back, 128 bytes a clock, in 256 clocks: 7168 in all, 4 us. Measured, with the launch, by digits before and so: 1024 integers
// 11.8 and 6.7 us, 4096 17.5 and 15.5, 1024 doubles 20.1 and 8.8, 4096 34.6 and 25.6. A pass takes three times as long as local
// memory, for all lane sets load, compare and store at the same time.
#ifdef SORTS_BY_NETWORK

#define NETWORK_HELD 8
#define NETWORK_KEYS (GROUP_SIZE * NETWORK_HELD)

// Where word `number` lies. Lanes take words whose numbers differ in any five of the lower eight bits, and these are in
// different banks then, or in two places of a bank.
static inline uint network_place(uint number) { return number ^ (number >> 5 & 7) ^ (number >> 3 & 24); }

// All bits where a block falls, which bit `bit` of `number` says; else none.
static inline KEY network_mask(uint number, uint bit) { return (KEY)0 - (KEY)(number >> bit & 1); }

// The smaller of two words becomes the first one.
INLINE void network_compare(KEY *held, uint first, uint second) {
  const KEY smaller = min(held[first], held[second]);
  held[second] = max(held[first], held[second]);
  held[first] = smaller;
}

// Of the eight words, those are compared whose numbers differ in bit `bit`; where bit `falls` is set, the larger one comes first.
INLINE void network_step(KEY *held, uint bit, uint falls) {
  UNROLL
  for (uint k = 0; k < NETWORK_HELD; ++k) {
    if ((k & bit) == 0) network_compare(held, (k & falls) != 0 ? k | bit : k, (k & falls) != 0 ? k : k | bit);
  }
}

// Sorts a work-item's eight neighbours, and makes those of every second one fall, if there are others.
INLINE void network_begin(__local KEY *words, uint unit, bool alone) {
  const uint at = network_place(unit * NETWORK_HELD);
  const KEY mask = alone ? 0 : network_mask(unit, 0);
  KEY held[NETWORK_HELD];
  UNROLL
  for (uint k = 0; k < NETWORK_HELD; ++k) held[k] = words[at ^ network_place(k)] ^ mask;
  network_step(held, 1, 2);
  network_step(held, 2, 4);
  network_step(held, 1, 4);
  network_step(held, 4, NETWORK_HELD);
  network_step(held, 2, NETWORK_HELD);
  network_step(held, 1, NETWORK_HELD);
  UNROLL
  for (uint k = 0; k < NETWORK_HELD; ++k) words[at ^ network_place(k)] = held[k];
}

// Up to three steps, of which the first is that of bit `low` + 2. Words are complemented by `mask`, and those where that bit is
// set by all of its bits.
INLINE void network_pass(__local KEY *words, uint unit, uint low, uint steps, KEY mask, KEY mask_above) {
  const uint below = unit & ((1u << low) - 1);
  const uint at = network_place((unit - below) * NETWORK_HELD | below);
  KEY held[NETWORK_HELD];
  UNROLL
  for (uint k = 0; k < NETWORK_HELD; ++k)
    held[k] = words[at ^ network_place(k << low)] ^ (k < NETWORK_HELD / 2 ? mask : mask_above);
  network_step(held, 4, NETWORK_HELD);
  if (steps > 1) network_step(held, 2, NETWORK_HELD);
  if (steps > 2) network_step(held, 1, NETWORK_HELD);
  UNROLL
  for (uint k = 0; k < NETWORK_HELD; ++k) words[at ^ network_place(k << low)] = held[k];
}

// Sorts the first 2^levels words. All work-items must call.
INLINE void network_sort(__local KEY *words, uint levels) {
  const uint unit = get_local_id(0), units = 1u << (levels - 3);
  if (unit < units) network_begin(words, unit, levels == 3);
  bool among_lanes = true;
  for (uint level = 4; level <= levels; ++level) {
    uint steps = level % 3 == 0 ? 3 : level % 3;
    // The blocks of the level before fall where the highest bit that is compared is set.
    KEY mask = level == levels ? 0 : network_mask(unit, level - 3), mask_above = (KEY)~mask;
    for (uint top = level; top > 0;) {
      const uint low = top - 3;
      // What the lanes of a set take is theirs alone, in this pass and the one before.
      const bool stays = (1u << low) <= LANES;
      if (stays && among_lanes)
        LANES_BARRIER();
      else
        GROUP_BARRIER();
      among_lanes = stays;
      if (unit < units) network_pass(words, unit, low, steps, mask, mask_above);
      mask = mask_above = 0;
      top -= steps;
      steps = 3;
    }
  }
  GROUP_BARRIER();
}

// The key of which a word was made. All NaNs have one word.
static inline KEY network_key(KEY word) {
#ifdef DESCENDING
  word = (KEY)~word;
#endif
  const KEY sign_bit = (KEY)((KEY)1 << (KEY_BYTES * 8 - 1));
#if defined(KEY_INFINITY)
  return (word & sign_bit) != 0 ? word ^ sign_bit : (KEY)~word;
#elif defined(KEY_IS_SIGNED)
  return word ^ sign_bit;
#else
  return word;
#endif
}

#ifdef KEY_INFINITY
#ifdef DESCENDING
#define NETWORK_NAN ((KEY)0)
#else
#define NETWORK_NAN ((KEY)~(KEY)0)
#endif

typedef struct {
  uint begin, end;
} network_places;

// NaNs are equal, so that they keep their order, and each has its own bits: a work-item finds those of its neighbouring keys,
// before anybody stores a key, and stores them. Returns where all of them go. All work-items must call.
INLINE network_places network_move_nans(__global KEY *to, const __global KEY *from, uint count, __local uint *counts) {
  const uint id = get_local_id(0), first = id * NETWORK_HELD;
  KEY held[NETWORK_HELD];
  uint own = 0;
  UNROLL
  for (uint k = 0; k < NETWORK_HELD; ++k) {
    held[k] = first + k < count ? from[first + k] : 0;  // which is no NaN
    own += key_ordered(held[k]) == NETWORK_NAN ? 1 : 0;
  }
  counts[id] = own;
  GROUP_GLOBAL_BARRIER();
  uint before = 0, all = 0;
  for (uint other = 0; other < GROUP_SIZE; ++other) {
    before += other < id ? counts[other] : 0;
    all += counts[other];
  }
#ifdef DESCENDING
  const network_places places = {0, all};
#else
  const network_places places = {count - all, count};
#endif
  UNROLL
  for (uint k = 0; k < NETWORK_HELD; ++k) {
    if (key_ordered(held[k]) == NETWORK_NAN) to[places.begin + before++] = held[k];
  }
  return places;
}
#endif

// Keys of all of whose bits are compared, at most NETWORK_KEYS and more than 2^(levels - 1) of them, or 8. One group. In place,
// too: all is loaded before anything is stored.
KERNEL void sort_network(const __global uchar *keys, ulong keys_at, __global uchar *keys_to, ulong keys_to_at, ulong n,
                         uint levels) {
  __local KEY words[NETWORK_KEYS];
#ifdef KEY_INFINITY
  __local uint counts[GROUP_SIZE];
#endif
  const __global KEY *from = KEYS_AT(keys, keys_at);
  __global KEY *to = KEYS_TO(keys_to, keys_to_at);
  const uint id = get_local_id(0), count = (uint)n;
  // Behind the keys words that no key is behind.
  KEY held[NETWORK_HELD];
  UNROLL
  for (uint k = 0; k < NETWORK_HELD; ++k) {
    const uint i = k * GROUP_SIZE + id;
    held[k] = i < count ? key_ordered(from[i]) : (KEY)~(KEY)0;
  }
  UNROLL
  for (uint k = 0; k < NETWORK_HELD; ++k) {
    const uint i = k * GROUP_SIZE + id;
    if (i < 1u << levels) words[network_place(i)] = held[k];
  }
  GROUP_BARRIER();
  network_sort(words, levels);
#ifdef KEY_INFINITY
  network_places nans = {0, 0};
#ifdef DESCENDING
  if (words[network_place(0)] == NETWORK_NAN)
#else
  if (words[network_place(count - 1)] == NETWORK_NAN)
#endif
    nans = network_move_nans(to, from, count, counts);
#define NETWORK_STORES(i) ((i) < count && ((i) < nans.begin || (i) >= nans.end))
#else
#define NETWORK_STORES(i) ((i) < count)
#endif
  UNROLL
  for (uint k = 0; k < NETWORK_HELD; ++k) {
    const uint i = k * GROUP_SIZE + id;
    if (NETWORK_STORES(i)) to[i] = network_key(words[network_place(i)]);
  }
}

#endif  // SORTS_BY_NETWORK
