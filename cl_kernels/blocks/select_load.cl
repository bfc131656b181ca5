// Loads a tile of a selection, and asks which of its elements are kept. All work-items of the group must call select_load; each
// gets its own packets and the bits of their elements.
//
// A lane set takes SELECT_OF_SET neighbouring elements of the tile, as KEPT_ITEMS rows with a packet for each lane.

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
    for (uint k = 0; k < KEPT_ITEMS; ++k) held[k] = load_kept_packet(in.x + first + k * SELECT_ROW, given);
    select_witnesses witnesses;
    select_load_witnesses(&witnesses, in, first, given);
    UNROLL
    for (uint k = 0; k < KEPT_ITEMS; ++k) {
      select_begin_packet(&witnesses, &held[k], in, first + k * SELECT_ROW, given);
      UNROLL
      for (uint e = 0; e < KEPT_VECTOR; ++e) {
        const bool keeps = select_keeps_held(&witnesses, held, k, e, in, first + k * SELECT_ROW + e, given);
        kept |= (keeps ? (select_bits)1 : 0) << (k * KEPT_VECTOR + e);
      }
    }
    if (KEEPS_FIRST_OF_ALL && first == in.head) kept |= 1;
  } else {
    // Where the input begins or ends. One test stands for all, apart from the loads: few tiles come here, but all have the
    // program's length and registers.
    const uint from = (uint)(select_begin(in, tile) - begin), many = (uint)(select_end(in, tile) - begin) - from;
    const uint place = (uint)(first - begin) - from;
    const __global KEPT *at = in.x + first;
    UNROLL
    for (uint k = 0; k < KEPT_ITEMS; ++k) {
      clear_packet(&held[k]);
      UNROLL
      for (uint e = 0; e < KEPT_VECTOR; ++e) {
        if (place + k * SELECT_ROW + e < many) set_in_packet(&held[k], e, STORED_IN(at, k * SELECT_ROW + e));
      }
    }
    const uint most = min(from + many, (uint)(KEPT_ITEMS * KEPT_VECTOR));  // element b lies at b in the tile, or behind
    UNROLL_BY(1)
    for (uint b = 0; b < most; ++b) {
      const ulong j = first + b / KEPT_VECTOR * SELECT_ROW + b % KEPT_VECTOR;
      if ((uint)(j - begin) - from < many) {
        const bool keeps = select_keeps(in, j, given);
        kept |= (keeps ? (select_bits)1 : 0) << b;
      }
    }
  }
  return kept;
}
