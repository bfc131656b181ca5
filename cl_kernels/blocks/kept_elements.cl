// What a selection keeps of its input: elements, as the programs of all others see them.

typedef STORED KEPT;
typedef LOADED KEPT_LOADED;
typedef packet kept_packet;

static inline kept_packet load_kept_packet(const __global KEPT *from, named_values given) { return load_packet(from); }
static inline KEPT_LOADED load_kept(const __global KEPT *from, named_values given) { return load_element(from); }
static inline KEPT_LOADED kept_as_loaded(KEPT x) { return VALUE_READ(x); }
static inline KEPT kept_in(const kept_packet *p, uint k) { return stored_in(p, k); }
static inline KEPT_LOADED unpack_kept(const kept_packet *p, uint k) { return unpack(p, k); }

// Sets the elements of a packet one after the other, once it was cleared.
#ifdef PACKET_BY_WORD
static inline void clear_packet(kept_packet *p) {
  UNROLL
  for (uint w = 0; w < KEPT_VECTOR * KEPT_BYTES / 4; ++w) p->words[w] = 0;
}
static inline void set_in_packet(kept_packet *p, uint k, KEPT x) {
  union {
    uint word;
    KEPT element;
  } low;
  low.word = 0;
  low.element = x;
  p->words[k * KEPT_BYTES / 4] |= low.word << (k * KEPT_BYTES % 4 * 8);
}
#else
static inline void clear_packet(kept_packet *p) {}
static inline void set_in_packet(kept_packet *p, uint k, KEPT x) { p->elements[k] = x; }
#endif
