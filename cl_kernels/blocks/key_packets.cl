// Keys in packets: what a work-item of a GPU loads of a tile, by accesses of 16 bytes where keys lie so.

enum { KEYS_OF_TILE = GROUP_SIZE * ITEMS * VECTOR };

// The keys from number `head` to before `end` of those that start at `x`. There whole packets begin, for all tiles.
typedef struct {
  const __global KEY *x;
  ulong end;
  uint head;
} key_input;

static inline key_input key_input_of(const __global KEY *x, ulong n, uint head) {
  const key_input in = {x - head, n + head, head};
  return in;
}

static inline ulong keys_begin(key_input in, uint tile) { return max((ulong)tile * KEYS_OF_TILE, (ulong)in.head); }
static inline ulong keys_end(key_input in, uint tile) { return min((ulong)(tile + 1) * KEYS_OF_TILE, in.end); }

typedef union {
#if VECTOR > 1
  uint4 bits;
#endif
  uint words[VECTOR > 1 ? 4 : 1];
  KEY keys[VECTOR];
} key_packet;

// VECTOR keys from `from`, which must be aligned to the packet's size. Each is read once in a launch, and nothing writes it.
static inline key_packet load_key_packet(const __global KEY *from, named_values given) {
  key_packet p;
#if VECTOR > 1
#if VECTOR * KEY_BYTES != 16 || defined(LAZY_TEXT)
#error "a packet has 16 bytes, and elements that lie nowhere come in none"
#endif
  p.bits = load_16_bytes(from);
#else
  p.keys[0] = STORED_IN(from, 0);
#endif
  return p;
}

// Narrow keys come out of the packet's words: where compilers see them, they give a register to each.
enum { KEYS_BY_WORD = (VECTOR > 1) & (KEY_BYTES < 4) & IS_LITTLE_ENDIAN };
static inline KEY key_in(const key_packet *p, uint k) {
  return KEYS_BY_WORD ? (KEY)(p->words[k * KEY_BYTES / 4] >> (k * KEY_BYTES % 4 * 8)) : p->keys[k];
}

// Where in a whole tile the keys of a work-item's packet lie.
static inline uint packet_in_tile(uint packet) { return (packet * GROUP_SIZE + own_id_anew()) * VECTOR; }

// A work-item's packets of a whole tile at `from`.
INLINE void load_key_packets(key_packet held[ITEMS], const __global KEY *from, named_values given) {
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) held[k] = load_key_packet(from + packet_in_tile(k), given);
}
