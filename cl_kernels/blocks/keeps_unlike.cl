// Which elements a selection keeps: those that differ from the one before them, and the first of all. A program has one of
// keeps_if.cl, keeps_flagged.cl and keeps_unlike.cl, with the same functions.

static inline bool are_same(KEPT_LOADED a, KEPT_LOADED b, named_values given) { return (SAME_TEXT) != 0; }

INLINE bool select_keeps(select_input in, ulong j, named_values given) {
  return j == in.head || !are_same(load_kept(in.x + (j - 1), given), load_kept(in.x + j, given), given);
}

enum { KEEPS_FIRST_OF_ALL = 1 };

// The element before a work-item's packet: the last one of the lane below or, of a set's first lane, of the row before, where
// lanes can hand it over. Packet after packet, so that no registers hold those of all.
#if defined(LANE_WORD_FROM_BELOW) && KEPT_BYTES <= 16
typedef union {
  KEPT element;
  uint words[(KEPT_BYTES + 3) / 4];
} select_handed;
typedef struct {
  select_handed row_before;  // what the row before hands to the first lane
  KEPT_LOADED before;        // the packet
} select_witnesses;

INLINE void select_load_witnesses(select_witnesses *witnesses, select_input in, ulong first, named_values given) {
  UNROLL
  for (uint w = 0; w < (KEPT_BYTES + 3) / 4; ++w) witnesses->row_before.words[w] = 0;
  if (own_id_anew() % LANES == 0) witnesses->row_before.element = STORED_IN(in.x, first > in.head ? first - 1 : first);
}

INLINE void select_begin_packet(select_witnesses *witnesses, const kept_packet *p, select_input in, ulong first,
                                named_values given) {
  const bool is_first = own_id_anew() % LANES == 0;
  select_handed last;
  last.words[(KEPT_BYTES + 3) / 4 - 1] = 0;
  last.element = kept_in(p, KEPT_VECTOR - 1);
  select_handed own;
  UNROLL
  for (uint w = 0; w < (KEPT_BYTES + 3) / 4; ++w) {
    const uint below = LANE_WORD_FROM_BELOW(last.words[w]);
    own.words[w] = is_first ? witnesses->row_before.words[w] : below;
    witnesses->row_before.words[w] = below;
  }
  witnesses->before = kept_as_loaded(own.element);
}
#else
typedef struct {
  KEPT_LOADED before;  // the packet
} select_witnesses;

static inline void select_load_witnesses(select_witnesses *witnesses, select_input in, ulong first, named_values given) {}

INLINE void select_begin_packet(select_witnesses *witnesses, const kept_packet *p, select_input in, ulong first,
                                named_values given) {
  witnesses->before = load_kept(in.x + (first > in.head ? first - 1 : first), given);
}
#endif

INLINE bool select_keeps_held(const select_witnesses *witnesses, const kept_packet *held, uint k, uint e, select_input in,
                              ulong j, named_values given) {
  return !are_same(e == 0 ? witnesses->before : unpack_kept(&held[k], e - 1), unpack_kept(&held[k], e), given);
}
