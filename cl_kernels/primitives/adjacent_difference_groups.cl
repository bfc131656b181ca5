// adjacent_difference on a GPU.

// Packets of elements of less than 4 bytes are taken apart and put together by words: compilers that see elements keep such a
// packet in memory.
enum {
  X_BY_WORD = IS_LITTLE_ENDIAN & (X_BYTES < 4) & (VECTOR * X_BYTES % 4 == 0),
  OUT_BY_WORD = IS_LITTLE_ENDIAN & (OUT_BYTES < 4) & (VECTOR * OUT_BYTES % 4 == 0)
};
#define DEFINE_ADJACENT_PACKET(NAME)                     \
  typedef union {                                        \
    NAME##_BITS bits;                                    \
    uint words[(VECTOR * NAME##_BYTES + 3) / 4];         \
    NAME##_STORED elements[VECTOR];                      \
  } NAME##_PACKET;                                       \
  typedef union {                                        \
    uint word;                                           \
    NAME##_STORED element;                               \
  } NAME##_ALONE;
DEFINE_ADJACENT_PACKET(X)
DEFINE_ADJACENT_PACKET(OUT)

static inline X_STORED adjacent_get(X_PACKET packet, uint e) {
  if (!X_BY_WORD) return packet.elements[e];
  X_ALONE one;
  one.word = packet.words[e * X_BYTES / 4] >> (e * X_BYTES % 4 * 8);
  return one.element;
}

// Sets element e of a packet whose words were 0 before the first.
static inline void adjacent_set_X(X_PACKET *packet, uint e, X_STORED value) {
  if (X_BY_WORD) {
    X_ALONE one;
    one.word = 0;
    one.element = value;
    packet->words[e * X_BYTES / 4] |= one.word << (e * X_BYTES % 4 * 8);
  } else {
    packet->elements[e] = value;
  }
}
static inline void adjacent_set_OUT(OUT_PACKET *packet, uint e, OUT_STORED value) {
  if (OUT_BY_WORD) {
    OUT_ALONE one;
    one.word = 0;
    one.element = value;
    packet->words[e * OUT_BYTES / 4] |= one.word << (e * OUT_BYTES % 4 * 8);
  } else {
    packet->elements[e] = value;
  }
}

// A place counts from the beginning of the first packet: element i lies at place i + head.
// (Macros, because compilers make other code of functions.)
#define ADJACENT_IS_WHOLE(place) ((place) >= head && (place)-head + VECTOR <= n)
#define ADJACENT_IS_ONE(place) ((place) >= head && (place)-head < n)

// The result of element e of a packet at `place`, with the one before the packet.
static inline OUT_STORED adjacent_difference_in(X_PACKET packet, X_STORED before, uint e, ulong i, named_values given) {
  const X_LOADED one = X_READ(adjacent_get(packet, e));
  if (i == 0) return adjacent_difference_first(one);
  if (e == 0) return adjacent_difference_of(one, X_READ(before), i, given);
  return adjacent_difference_of(one, X_READ(adjacent_get(packet, (e + VECTOR - 1) % VECTOR)), i, given);
}

// Global size: GROUP_SIZE for each GROUP_SIZE * ITEMS packets. 1 <= n.
KERNEL void adjacent_difference(const __global X_STORED *x, ulong x_offset, __global OUT_STORED *out, ulong out_offset, ulong n,
                                uint head ADJACENT_EDGES VALUES_ARGUMENTS) {
  COLLECT_VALUES
  x += x_offset;
  out += out_offset;
  const ulong base = get_group_id(0) * (ulong)(GROUP_SIZE * ITEMS * VECTOR);
  X_PACKET held[ITEMS];
  X_STORED before[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const ulong place = base + (get_local_id(0) + k * GROUP_SIZE) * VECTOR;
    if (ADJACENT_IS_WHOLE(place)) {
      held[k].bits = *(const __global X_BITS *)(x + (place - head));
    } else {
      UNROLL
      for (uint w = 0; X_BY_WORD && w < VECTOR * X_BYTES / 4; ++w) held[k].words[w] = 0;
      UNROLL
      for (uint e = 0; e < VECTOR; ++e) {
        if (ADJACENT_IS_ONE(place + e)) adjacent_set_X(&held[k], e, x[place + e - head]);
      }
    }
    if (place > base && place > head && ADJACENT_IS_ONE(place - 1)) before[k] = x[place - head - 1];
  }
  if (IS_ON(IN_PLACE)) barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0 && get_group_id(0) > 0) before[0] = ADJACENT_EDGE(base - head);
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const ulong place = base + (get_local_id(0) + k * GROUP_SIZE) * VECTOR;
    if (ADJACENT_IS_WHOLE(place)) {
      OUT_PACKET result;
      UNROLL
      for (uint w = 0; OUT_BY_WORD && w < VECTOR * OUT_BYTES / 4; ++w) result.words[w] = 0;
      UNROLL
      for (uint e = 0; e < VECTOR; ++e)
        adjacent_set_OUT(&result, e, adjacent_difference_in(held[k], before[k], e, place + e - head, given));
      *(__global OUT_BITS *)(out + (place - head)) = result.bits;
    } else {
      UNROLL
      for (uint e = 0; e < VECTOR; ++e) {
        if (ADJACENT_IS_ONE(place + e))
          out[place + e - head] = adjacent_difference_in(held[k], before[k], e, place + e - head, given);
      }
    }
  }
}
