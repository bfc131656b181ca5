// What a selection keeps of its input: the keys of runs whose values are folded or scanned. Keys are elements of a type of their
// own beside the values', and come in packets of their own.

typedef KEY KEPT;
typedef KEY_LOADED KEPT_LOADED;

#ifdef KEY_BITS
typedef union {
  KEY_BITS bits;
  KEPT elements[KEPT_VECTOR];
} kept_packet;
static inline kept_packet load_kept_packet(const __global KEPT *from, named_values given) {
  kept_packet p;
#if KEPT_VECTOR * KEPT_BYTES == 16
  p.bits = load_16_bytes(from);
#else
  p.bits = *(const __global KEY_BITS *)from;
#endif
  return p;
}
#else
typedef struct {
  KEPT elements[KEPT_VECTOR];
} kept_packet;
static inline kept_packet load_kept_packet(const __global KEPT *from, named_values given) {
  kept_packet p;
  UNROLL
  for (uint k = 0; k < KEPT_VECTOR; ++k) p.elements[k] = from[k];
  return p;
}
#endif

static inline KEPT_LOADED load_kept(const __global KEPT *from, named_values given) { return READ_AT(KEY_READ, from); }
static inline KEPT_LOADED kept_as_loaded(KEPT x) { return KEY_READ(x); }
static inline KEPT kept_in(const kept_packet *p, uint k) { return p->elements[k]; }
static inline KEPT_LOADED unpack_kept(const kept_packet *p, uint k) { return READ_IN_PACKET(KEY_READ, p->elements, k); }

// Sets the elements of a packet one after the other.
static inline void clear_packet(kept_packet *p) {}
static inline void set_in_packet(kept_packet *p, uint k, KEPT x) { p->elements[k] = x; }
