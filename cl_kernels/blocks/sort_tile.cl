// Keys of a sort: their order as bits, what goes with them, and a tile of them sorted by some bits in local memory.
//
// A tile is sorted by 4 bits at a time. A work-item takes neighbouring keys and counts, for each of the 16 digits, those
// before each key that are its own; the sum of all counts before, digit after digit and in each work-item after work-item,
// is where its first one goes. (Merrill and Grimshaw, "High Performance and Scalable Radix Sorting", 2011.)
#ifdef PRIMITIVE_SORT

// The bits of a key, as they are in memory, KEY_BYTES of them, as the numbers without a sign that have its order.
static inline KEY sort_ordered(KEY bits) {
  const KEY sign_bit = (KEY)((KEY)1 << (KEY_BYTES * 8 - 1));
#if defined(KEY_INFINITY)
  // Floats. The bits above those of infinity are NaNs.
  KEY ordered = (bits & sign_bit) != 0 ? (KEY)~bits : (KEY)(bits | sign_bit);
  if ((KEY)(bits & (KEY)~sign_bit) > (KEY)KEY_INFINITY) ordered = (KEY)~(KEY)0;
#elif defined(KEY_IS_SIGNED)
  const KEY ordered = bits ^ sign_bit;
#elif defined(KEY_IS_BOOL)
  const KEY ordered = bits != 0 ? 1 : 0;
#else
  const KEY ordered = bits;
#endif
#ifdef DESCENDING
  return (KEY)~ordered;
#else
  return ordered;
#endif
}

static inline uint sort_digit(KEY bits, uint shift, uint mask) { return (uint)(sort_ordered(bits) >> shift) & mask; }

// What goes with each key: a value of CARRIED_WORDS parts, or the index of the key.
#if defined(CARRIED_PART)
#if CARRIED_WORDS == 1
typedef CARRIED_PART carried;
#else
typedef struct {
  CARRIED_PART parts[CARRIED_WORDS];
} carried;
#endif
#define CARRIES 1
#elif defined(INDEX)
typedef INDEX carried;
#define CARRIES 1
#endif

#define SORT_DIGITS 256

#if GROUP_SIZE > 1
#define SORT_TILE (GROUP_SIZE * ITEMS)
typedef char a_place_has_16_bits[SORT_TILE <= 65535 ? 1 : -1];

// A word of space in each 32, so that work-items that take neighbouring words meet different banks.
#define SORT_SKEWED(word) ((word) + (word) / 32)
#define SORT_COUNTERS 8  // words of a work-item: two counters each, of digits d and d + 8

typedef struct {
  __local KEY *keys;
#ifdef CARRIES
  __local ushort *places;  // where in the tile each key was
#endif
  __local uint *counters;
  __local uint *sets;      // a word for each lane set
  __local uint *exchange;  // a word for each work-item, where lanes exchange through local memory
} sort_memory;
#ifdef CARRIES
#define SORT_PLACES(name)                  \
  __local ushort name##_places[SORT_TILE]; \
  name.places = name##_places
#else
#define SORT_PLACES(name)
#endif
#ifdef LANES_NEED_EXCHANGE
#define SORT_EXCHANGE(name)                 \
  __local uint name##_exchange[GROUP_SIZE]; \
  name.exchange = name##_exchange
#else
#define SORT_EXCHANGE(name) name.exchange = 0
#endif
#define SORT_MEMORY(name)                                                    \
  sort_memory name;                                                          \
  __local KEY name##_keys[SORT_TILE];                                        \
  __local uint name##_counters[SORT_SKEWED(SORT_COUNTERS * GROUP_SIZE)];     \
  __local uint name##_sets[LANE_SETS];                                       \
  SORT_PLACES(name);                                                         \
  SORT_EXCHANGE(name);                                                       \
  name.keys = name##_keys;                                                   \
  name.counters = name##_counters;                                           \
  name.sets = name##_sets

// The sum of the words of all work-items before each one, and in `sum` that of all. All work-items must call; between two
// calls, and before a call where others may still read `sets`, stands a barrier.
INLINE uint sort_sums(uint word, uint *sum, __local uint *sets, __local uint *exchange) {
  const uint up_to = LANES_SUMS(word, exchange);
  const uint id = own_id_anew();
  if (id % LANES == LANES - 1) sets[id / LANES] = up_to;
  GROUP_BARRIER();
  uint before;
  *sum = sum_of_sets(&before, sets);
  return before + up_to - word;
}

// Loads `count` keys, and notes their places. They can be read after a barrier.
INLINE void sort_load(const __global KEY *from, uint count, sort_memory memory) {
  for (uint i = own_id_anew(); i < count; i += GROUP_SIZE) {
    memory.keys[i] = from[i];
#ifdef CARRIES
    memory.places[i] = (ushort)i;
#endif
  }
}

// Sorts the first `count` keys in local memory, and their places, by at most 4 bits. All work-items must call, behind a
// barrier; the result can be read at once.
INLINE void sort_by_4_bits(uint count, uint shift, uint mask, sort_memory memory) {
  const uint id = own_id_anew();
  KEY keys[ITEMS];
#ifdef CARRIES
  ushort places[ITEMS];
#endif
  uint ranks[ITEMS];
  UNROLL
  for (uint w = 0; w < SORT_COUNTERS; ++w) memory.counters[SORT_SKEWED(w * GROUP_SIZE + id)] = 0;
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const uint i = id * ITEMS + k;
    keys[k] = 0;
    ranks[k] = 0;
    if (i < count) {
      keys[k] = memory.keys[i];
#ifdef CARRIES
      places[k] = memory.places[i];
#endif
      const uint digit = sort_digit(keys[k], shift, mask);
      const uint word = SORT_SKEWED(digit % 8 * GROUP_SIZE + id), half_word = digit / 8 * 16;
      const uint counts = memory.counters[word];
      ranks[k] = counts >> half_word & 0xffff;
      memory.counters[word] = counts + (1u << half_word);
    }
  }
  GROUP_BARRIER();
  uint counts[SORT_COUNTERS], own = 0;
  UNROLL
  for (uint w = 0; w < SORT_COUNTERS; ++w) {
    counts[w] = memory.counters[SORT_SKEWED(id * SORT_COUNTERS + w)];
    own += counts[w];
  }
  uint all;
  uint before = sort_sums(own, &all, memory.sets, memory.exchange);
  before += all << 16;  // digits from 8 on come behind those below
  UNROLL
  for (uint w = 0; w < SORT_COUNTERS; ++w) {
    memory.counters[SORT_SKEWED(id * SORT_COUNTERS + w)] = before;
    before += counts[w];
  }
  GROUP_BARRIER();
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (id * ITEMS + k < count) {
      const uint digit = sort_digit(keys[k], shift, mask);
      const uint word = SORT_SKEWED(digit % 8 * GROUP_SIZE + id), half_word = digit / 8 * 16;
      const uint rank = ranks[k] + (memory.counters[word] >> half_word & 0xffff);
      memory.keys[rank] = keys[k];
#ifdef CARRIES
      memory.places[rank] = places[k];
#endif
    }
  }
  GROUP_BARRIER();
}

// The same by `bits` bits from `shift` on.
INLINE void sort_by_bits(uint count, uint shift, uint bits, sort_memory memory) {
  for (uint done = 0; done < bits; done += 4)
    sort_by_4_bits(count, shift + done, (1u << min(bits - done, 4u)) - 1, memory);
}
#endif  // GROUP_SIZE

#endif  // PRIMITIVE_SORT
