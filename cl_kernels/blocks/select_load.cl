// Loading a tile of a selection, and which of its elements are kept.
//
// A lane set takes neighbouring elements of the tile, KEPT_ITEMS rows of a packet for each lane.

enum {
  SELECT_ROW = LANES * KEPT_VECTOR,
  SELECT_OF_SET = KEPT_ITEMS * SELECT_ROW
};

// A bit for each element of a work-item.
#if KEPT_ITEMS * KEPT_VECTOR > 32
typedef ulong select_bits;
#else
typedef uint select_bits;
#endif

#ifdef FLAG
// The flags of a packet, by one access where they lie so.
typedef union {
#ifdef FLAGS_BITS
  FLAGS_BITS bits;
#endif
  FLAG elements[KEPT_VECTOR];
} flags_packet;
static inline flags_packet load_flags(const __global FLAG *from) {
  flags_packet flags;
#ifdef FLAGS_BITS
  flags.bits = *(const __global FLAGS_BITS *)from;
#else
  UNROLL
  for (uint e = 0; e < KEPT_VECTOR; ++e) flags.elements[e] = from[e];
#endif
  return flags;
}
#endif

// Sets the elements of a packet one after the other, once it was cleared.
static inline void clear_packet(kept_packet *p) {
#ifdef KEPT_BY_WORD
  UNROLL
  for (uint w = 0; w < KEPT_VECTOR * KEPT_BYTES / 4; ++w) p->words[w] = 0;
#endif
}
static inline void set_in_packet(kept_packet *p, uint k, KEPT x) {
#ifdef KEPT_BY_WORD
  union {
    uint word;
    KEPT element;
  } low;
  low.word = 0;
  low.element = x;
  p->words[k * KEPT_BYTES / 4] |= low.word << (k * KEPT_BYTES % 4 * 8);
#else
  p->elements[k] = x;
#endif
}

#ifdef SAME_TEXT
// The element before a work-item's packet: the last one of the lane below or, of a set's first lane, of the row before, where
// lanes can hand it over. Packet after packet, so that no registers hold those of all.
#if defined(LANE_WORD_FROM_BELOW) && KEPT_BYTES <= 16
typedef union {
  KEPT element;
  uint words[(KEPT_BYTES + 3) / 4];
} select_handed;  // to the first lane, by the row before

static inline select_handed select_hand_first(select_input in, ulong first, named_values given) {
  select_handed before;
  UNROLL
  for (uint w = 0; w < (KEPT_BYTES + 3) / 4; ++w) before.words[w] = 0;
  if (own_id_anew() % LANES == 0) before.element = STORED_IN(in.x, first > in.head ? first - 1 : first);
  return before;
}

// All lanes must call.
INLINE select_witness select_before_packet(select_handed *row_before, const kept_packet *p) {
  const bool is_first = own_id_anew() % LANES == 0;
  select_handed last;
  last.words[(KEPT_BYTES + 3) / 4 - 1] = 0;
  last.element = kept_in(p, KEPT_VECTOR - 1);
  select_handed own;
  UNROLL
  for (uint w = 0; w < (KEPT_BYTES + 3) / 4; ++w) {
    const uint below = LANE_WORD_FROM_BELOW(last.words[w]);
    own.words[w] = is_first ? row_before->words[w] : below;
    row_before->words[w] = below;
  }
  return KEPT_READ(own.element);
}
#define SELECT_HANDED(name, in, first) select_handed name = select_hand_first(in, first, given)
#define SELECT_BEFORE_PACKET(name, p, in, first) select_before_packet(&name, p)
#else
#define SELECT_HANDED(name, in, first)
#define SELECT_BEFORE_PACKET(name, p, in, first) select_witness_of(in, first, given)
#endif
#endif

// The bits of packet k, the first one in the lowest place; above them are others. They come from a word of 32 bits, of
// which some compilers make several bits to predicates at a time.
static inline uint select_bits_of(select_bits kept, uint k) {
  return (uint)(kept >> (k * KEPT_VECTOR / 32 * 32)) >> (k * KEPT_VECTOR % 32);
}

// Loads the work-item's packets. Gives a bit for each element that is kept, element e of packet k at k * KEPT_VECTOR + e.
INLINE select_bits select_load(kept_packet *held, select_input in, uint tile, named_values given) {
  const uint id = own_id_anew();
  const ulong begin = (ulong)tile * SELECT_TILE;
  const ulong first = begin + id / LANES * SELECT_OF_SET + id % LANES * KEPT_VECTOR;
  select_bits kept = 0;
  if (begin >= in.head && begin + SELECT_TILE <= in.end) {
    UNROLL
    for (uint k = 0; k < KEPT_ITEMS; ++k) held[k] = load_kept_packet(in.x + first + k * SELECT_ROW);
#if defined(FLAG)
    flags_packet flags[KEPT_ITEMS];
    UNROLL
    for (uint k = 0; k < KEPT_ITEMS; ++k) flags[k] = load_flags(in.flags + first + k * SELECT_ROW);
#elif defined(SAME_TEXT)
    SELECT_HANDED(handed, in, first);
#endif
    UNROLL
    for (uint k = 0; k < KEPT_ITEMS; ++k) {
#ifdef SAME_TEXT
      const select_witness before = SELECT_BEFORE_PACKET(handed, &held[k], in, first + k * SELECT_ROW);
#endif
      UNROLL
      for (uint e = 0; e < KEPT_VECTOR; ++e) {
#if defined(FLAG)
        const select_witness witness = flags[k].elements[e];
#elif defined(SAME_TEXT)
        const select_witness witness = e == 0 ? before : unpack_kept(&held[k], e - 1);
#else
        const select_witness witness = 0;
#endif
#ifdef SAME_TEXT
        const bool keeps = !are_same(witness, unpack_kept(&held[k], e), given);
#else
        const ulong j = first + k * SELECT_ROW + e;
        const bool keeps = select_keeps(in, j, unpack_kept(&held[k], e), witness, given);
#endif
        kept |= (keeps ? (select_bits)1 : 0) << (k * KEPT_VECTOR + e);
      }
    }
#ifdef SAME_TEXT
    if (first == in.head) kept |= 1;  // the first of all
#endif
  } else {
    // Where the input begins or ends. One test stands for all, apart from the loads: few tiles come here, but all have the
    // program's length and registers.
    const uint from = (uint)(select_begin(in, tile) - begin), many = (uint)(select_end(in, tile) - begin) - from;
    UNROLL
    for (uint k = 0; k < KEPT_ITEMS; ++k) {
      clear_packet(&held[k]);
      UNROLL
      for (uint e = 0; e < KEPT_VECTOR; ++e) {
        const ulong j = first + k * SELECT_ROW + e;
        if ((uint)(j - begin) - from < many) set_in_packet(&held[k], e, STORED_IN(in.x, j));
      }
    }
    const uint most = min(from + many, (uint)(KEPT_ITEMS * KEPT_VECTOR));  // element b lies at b in the tile, or behind
    UNROLL_BY(1)
    for (uint b = 0; b < most; ++b) {
      const ulong j = first + b / KEPT_VECTOR * SELECT_ROW + b % KEPT_VECTOR;
      if ((uint)(j - begin) - from < many) {
        const bool keeps = select_keeps(in, j, load_kept(in.x + j), select_witness_of(in, j, given), given);
        kept |= (keeps ? (select_bits)1 : 0) << b;
      }
    }
  }
  return kept;
}
