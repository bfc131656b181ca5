// A tile of a selection on a GPU: which of its elements are kept, counted, and side by side in local memory.

// Of row k, in which word of the counts it is, and at which of its bits.
static inline uint select_word(uint k) { return SELECT_COUNTS_NIBBLES ? k / 8 * 2 + k % 2 : k / SELECT_ROWS; }
static inline uint select_shift(uint k) { return (SELECT_COUNTS_NIBBLES ? k % 8 / 2 : k % SELECT_ROWS) * SELECT_BITS; }

// Word w of the counts of a work-item's rows.
static inline uint select_counts_of(select_bits kept, uint w) {
  if (SELECT_COUNTS_NIBBLES) {
    // The bits of each packet are added in its own place, of all at a time.
    uint nibbles = (uint)(kept >> (w / 2 * 32));
    nibbles -= nibbles >> 1 & 0x55555555;
    nibbles = (nibbles & 0x33333333) + (nibbles >> 2 & 0x33333333);
    return nibbles >> w % 2 * 4 & 0x0f0f0f0f;
  }
  uint counts = 0;
  UNROLL
  for (uint r = 0; r < SELECT_ROWS; ++r) {
    const uint k = w * SELECT_ROWS + r;
    if (k < KEPT_ITEMS) counts |= popcount(select_bits_of(kept, k) & ((1u << KEPT_VECTOR) - 1)) << (r * SELECT_BITS);
  }
  return counts;
}

// Puts those of a packet that bits of `kept` say side by side from number `number` on, and their places; the packet lies at
// `at` in the tile. By pointers: a number counted on took twice the instructions.
INLINE void select_put(const kept_packet *held, uint kept, uint at, uint number, select_memory memory) {
  __local KEPT *to = memory.elements + number;
  __local ushort *places = memory.places + number;
  UNROLL
  for (uint e = 0; e < KEPT_VECTOR; ++e) {
    if ((kept >> e & 1) != 0) {
      if (!IS_ON(ONLY_PLACES)) *to++ = kept_in(held, e);
      if (IS_ON(KEEPS_PLACES)) *places++ = (ushort)(at + e);
    }
  }
}

// The bits of those that are not kept, of elements that the input has.
INLINE select_bits select_others(select_bits kept, select_input in, uint tile) {
  const ulong begin = (ulong)tile * SELECT_TILE;
  select_bits all = ~(select_bits)0 >> (sizeof all * 8 - KEPT_ITEMS * KEPT_VECTOR);
  if (begin < in.head || begin + SELECT_TILE > in.end) {
    const uint set = own_id_anew() / LANES, lane = own_id_anew() % LANES;
    all = 0;
    UNROLL_BY(1)
    for (uint b = 0; b < KEPT_ITEMS * KEPT_VECTOR; ++b) {
      const ulong j = begin + set * SELECT_OF_SET + b / KEPT_VECTOR * SELECT_ROW + lane * KEPT_VECTOR + b % KEPT_VECTOR;
      all |= (j >= in.head && j < in.end ? (select_bits)1 : 0) << b;
    }
  }
  return all & ~kept;
}

// The group goes over `count` results that are stored from `to` on, each number `i` in one work-item. The lanes of a set
// take what one line of memory holds.
#define SELECT_STORE_EACH(i, to, count)                                                                               \
  UNROLL_BY(4)                                                                                                        \
  for (uint skew = SELECT_SKEW(to), at = own_id_anew(), i = at - skew; at < (count) + skew; at += GROUP_SIZE, i = at - skew) \
    if (at >= skew)

// Stores `count` elements from local memory, several loads before their stores.
INLINE void select_store(__global KEPT *to, const __local KEPT *from, uint count) {
  enum { at_once = KEPT_BYTES <= 8 ? 4 : KEPT_BYTES <= 16 ? 2 : 1 };
  uint i = own_id_anew() - SELECT_SKEW(to);  // in lanes before the first element a number past all
  if (i < count) STORE_ONCE(KEPT, to + i, from[i]);
  i += GROUP_SIZE;
  to += i;
  from += i;
  UNROLL_BY(1)
  for (; i + (at_once - 1) * GROUP_SIZE < count; i += at_once * GROUP_SIZE) {
    KEPT held[at_once];
    UNROLL
    for (uint k = 0; k < at_once; ++k) held[k] = from[k * GROUP_SIZE];
    UNROLL
    for (uint k = 0; k < at_once; ++k) STORE_ONCE(KEPT, to + k * GROUP_SIZE, held[k]);
    to += at_once * GROUP_SIZE;
    from += at_once * GROUP_SIZE;
  }
  UNROLL_BY(1)
  for (; i < count; i += GROUP_SIZE, to += GROUP_SIZE, from += GROUP_SIZE) STORE_ONCE(KEPT, to, *from);
}

INLINE void select_store_others(__global KEPT *to, select_memory memory, uint kept, uint in_tile, uint count) {
  select_store(to, memory.elements + kept, count);
}

// Before select_find_last, with a barrier behind it. All work-items must call.
INLINE void select_clear_last(select_memory memory) {
  if (!IS_ON(TELLS_LAST)) return;
  if (own_id_anew() == 0) *memory.last = 0;
  GROUP_BARRIER();
}

// Where the last kept element lies in the tile, in `memory.last`, after a barrier. All work-items must call. Before the
// counts are summed: PoCL 3.1 sums them wrongly where `kept` is still used behind the sums.
INLINE void select_find_last(select_bits kept, select_memory memory) {
  if (!IS_ON(TELLS_LAST)) return;
  const uint id = own_id_anew();
  if (kept != 0) {
    const uint bit = sizeof kept * 8 - 1 - (uint)clz(kept);
    const uint in_set = bit / KEPT_VECTOR * SELECT_ROW + id % LANES * KEPT_VECTOR + bit % KEPT_VECTOR;
    atomic_max(memory.last, id / LANES * SELECT_OF_SET + in_set);
  }
}
