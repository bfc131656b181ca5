// Which elements a selection keeps: those whose flags say so. A program has one of keeps_if.cl, keeps_flagged.cl and
// keeps_unlike.cl, with the same functions.

// The flag is an element of a stencil, which decides with the element beside it, or by not being 0.
INLINE bool flag_keeps(select_input in, ulong j, KEPT_LOADED x, FLAG stencil, named_values given) {
  const FLAG_LOADED y = FLAG_READ(stencil);
  const ulong i = j - in.head;
  return PREDICATE_TEXT;
}

INLINE bool select_keeps(select_input in, ulong j, named_values given) {
  return flag_keeps(in, j, load_kept(in.x + j, given), in.flags[j], given);
}

// The flags of a packet, by one access where they lie so.
#ifdef FLAGS_BITS
typedef union {
  FLAGS_BITS bits;
  FLAG elements[KEPT_VECTOR];
} flags_packet;
static inline flags_packet load_flags(const __global FLAG *from) {
  flags_packet flags;
  flags.bits = *(const __global FLAGS_BITS *)from;
  return flags;
}
#else
typedef struct {
  FLAG elements[KEPT_VECTOR];
} flags_packet;
static inline flags_packet load_flags(const __global FLAG *from) {
  flags_packet flags;
  UNROLL
  for (uint e = 0; e < KEPT_VECTOR; ++e) flags.elements[e] = from[e];
  return flags;
}
#endif

typedef struct {
  flags_packet flags[KEPT_ITEMS];
} select_witnesses;
enum { KEEPS_FIRST_OF_ALL = 0 };

INLINE void select_load_witnesses(select_witnesses *witnesses, select_input in, ulong first, named_values given) {
  UNROLL
  for (uint k = 0; k < KEPT_ITEMS; ++k) witnesses->flags[k] = load_flags(in.flags + first + k * (LANES * KEPT_VECTOR));
}

static inline void select_begin_packet(select_witnesses *witnesses, const kept_packet *p, select_input in, ulong first,
                                       named_values given) {}

INLINE bool select_keeps_held(const select_witnesses *witnesses, const kept_packet *held, uint k, uint e, select_input in,
                              ulong j, named_values given) {
  return flag_keeps(in, j, unpack_kept(&held[k], e), witnesses->flags[k].elements[e], given);
}
