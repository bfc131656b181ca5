// Which elements a selection keeps: those of which a predicate is true. A program has one of keeps_if.cl, keeps_flagged.cl and
// keeps_unlike.cl, with the same functions.

// Whether an element is kept, asked by itself.
INLINE bool select_keeps(select_input in, ulong j, named_values given) {
  return lift(load_kept(in.x + j, given), j - in.head, given) != 0;
}

// For packets that a work-item holds: what else than the elements themselves decides whether they are kept. Here that is nothing.
// The first packet begins at element `first`, and a lane's next ones follow SELECT_ROW elements apart.
typedef struct {
  uint unused;
} select_witnesses;
enum { KEEPS_FIRST_OF_ALL = 0 };

static inline void select_load_witnesses(select_witnesses *witnesses, select_input in, ulong first, named_values given) {}

// Before the elements of packet `p`, which begins at element `first`, are asked for: packet after packet. All lanes must call.
static inline void select_begin_packet(select_witnesses *witnesses, const kept_packet *p, select_input in, ulong first,
                                       named_values given) {}

// Whether element e of packet k is kept, which is the input's element j.
INLINE bool select_keeps_held(const select_witnesses *witnesses, const kept_packet *held, uint k, uint e, select_input in,
                              ulong j, named_values given) {
  return lift(unpack_kept(&held[k], e), j - in.head, given) != 0;
}
