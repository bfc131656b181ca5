// What a selection keeps of its input: elements as the programs of all others see them, or the keys of runs whose values
// are folded or scanned (KEY); where they lie, and what decides of each.

#ifdef KEY
// Keys are elements of a type of their own beside the values', and come in packets of their own.
typedef KEY KEPT;
typedef KEY_LOADED KEPT_LOADED;
#define KEPT_READ KEY_READ

typedef union {
#ifdef KEY_BITS
  KEY_BITS bits;
#endif
  KEPT elements[KEPT_VECTOR];
} kept_packet;

static inline kept_packet load_kept_packet(const __global KEPT *from) {
  kept_packet p;
#ifndef KEY_BITS
  UNROLL
  for (uint k = 0; k < KEPT_VECTOR; ++k) p.elements[k] = from[k];
#elif KEPT_VECTOR * KEPT_BYTES == 16
  p.bits = load_16_bytes(from);
#else
  p.bits = *(const __global KEY_BITS *)from;
#endif
  return p;
}

static inline KEPT kept_in(const kept_packet *p, uint k) { return p->elements[k]; }
static inline KEPT_LOADED unpack_kept(const kept_packet *p, uint k) { return READ_IN_PACKET(KEPT_READ, p->elements, k); }
static inline KEPT_LOADED load_kept(const __global KEPT *from) { return READ_AT(KEPT_READ, from); }

#else
typedef STORED KEPT;
typedef LOADED KEPT_LOADED;
typedef packet kept_packet;
#define KEPT_READ VALUE_READ
#ifdef PACKET_BY_WORD
#define KEPT_BY_WORD 1
#endif
#define load_kept_packet load_packet
#define load_kept load_element
#define kept_in stored_in
#define unpack_kept unpack
#endif

enum { SELECT_TILE = GROUP_SIZE * KEPT_ITEMS * KEPT_VECTOR };

// The elements from number `head` to before `end` of those that start at `x`. There whole packets begin, for all tiles.
#ifndef FLAG
typedef uchar select_flag;
#define SELECT_ARGUMENTS const __global KEPT *x, ulong x_offset, ELEMENTS_ARGUMENT, uint head
#define SELECT_FLAGS 0
#else
typedef FLAG select_flag;
#define SELECT_ARGUMENTS \
  const __global KEPT *x, ulong x_offset, ELEMENTS_ARGUMENT, uint head, const __global FLAG *flags, ulong flags_offset
#define SELECT_FLAGS flags + flags_offset - head
#endif
typedef struct {
  const __global KEPT *x;
  ulong end;
  uint head;
  const __global select_flag *flags;
} select_input;
#define SELECT_INPUT(in) \
  COLLECT_ELEMENTS       \
  const select_input in = {x + x_offset - head, n + head, head, SELECT_FLAGS}

static inline ulong select_begin(select_input in, uint tile) { return max((ulong)tile * SELECT_TILE, (ulong)in.head); }
static inline ulong select_end(select_input in, uint tile) { return min((ulong)(tile + 1) * SELECT_TILE, in.end); }

// What decides of an element beside itself: the one before it, or its flag.
#if defined(SAME_TEXT)
typedef KEPT_LOADED select_witness;
static inline bool are_same(KEPT_LOADED a, KEPT_LOADED b, named_values given) { return (SAME_TEXT) != 0; }
// The first of all has none before it.
INLINE select_witness select_witness_of(select_input in, ulong j, named_values given) {
  return load_kept(in.x + (j > in.head ? j - 1 : j));
}
INLINE bool select_keeps(select_input in, ulong j, KEPT_LOADED x, select_witness before, named_values given) {
  return j == in.head || !are_same(before, x, given);
}
#elif defined(FLAG)
typedef FLAG select_witness;
INLINE select_witness select_witness_of(select_input in, ulong j, named_values given) { return in.flags[j]; }
#ifdef PREDICATE_TEXT
// The flag is an element of a stencil, which decides with the element beside it.
INLINE bool select_keeps(select_input in, ulong j, KEPT_LOADED x, select_witness stencil, named_values given) {
  const FLAG_LOADED y = FLAG_READ(stencil);
  const ulong i = j - in.head;
  return PREDICATE_TEXT;
}
#else
INLINE bool select_keeps(select_input in, ulong j, KEPT_LOADED x, select_witness flag, named_values given) { return flag != 0; }
#endif
#else
typedef uint select_witness;
INLINE select_witness select_witness_of(select_input in, ulong j, named_values given) { return 0; }
INLINE bool select_keeps(select_input in, ulong j, KEPT_LOADED x, select_witness none, named_values given) {
  return lift(x, j - in.head, given) != 0;
}
#endif
