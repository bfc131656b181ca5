// layout on a GPU.

enum { TILE_BYTES = TILE * STRIDE };

// In local memory the packets of structures whose fields would all lie in the same few banks are exchanged, each
// 128 bytes in their own way.
static inline uint byte_at(uint byte) {
  if (STRIDE % 16 == 0) return byte ^ (byte >> 3 & 0x70);
  return byte;
}

// Packets of PACKET_BYTES, between memory and local memory.
typedef JOINED(packet_, PACKET_BYTES) packet_bytes;
enum { PACKETS_EACH = (TILE_BYTES / PACKET_BYTES + GROUP_SIZE - 1) / GROUP_SIZE };
enum { PACKETS_HELD = PACKETS_EACH < 8 ? PACKETS_EACH : 8 };

static inline void load_structures(const __global uchar *from, uint bytes, __local uchar *tile) {
  const uint id = get_local_id(0);
  const uint packets = bytes / PACKET_BYTES;
  for (uint first = id; first < TILE_BYTES / PACKET_BYTES; first += PACKETS_HELD * GROUP_SIZE) {
    packet_bytes held[PACKETS_HELD];
    UNROLL
    for (uint k = 0; k < PACKETS_HELD; ++k) {
      const uint i = first + k * GROUP_SIZE;
      if (i < packets) held[k] = ((const __global packet_bytes *)from)[i];
    }
    UNROLL
    for (uint k = 0; k < PACKETS_HELD; ++k) {
      const uint i = first + k * GROUP_SIZE;
      if (i < packets) *(__local packet_bytes *)(tile + byte_at(i * PACKET_BYTES)) = held[k];
    }
  }
  for (uint b = packets * PACKET_BYTES + id; b < bytes; b += GROUP_SIZE) tile[byte_at(b)] = from[b];
}

static inline void store_structures(__global uchar *to, uint bytes, const __local uchar *tile) {
  const uint id = get_local_id(0);
  const uint packets = bytes / PACKET_BYTES;
  for (uint k = 0; k < PACKETS_EACH; ++k) {
    const uint i = id + k * GROUP_SIZE;
    if (i < packets) ((__global packet_bytes *)to)[i] = *(const __local packet_bytes *)(tile + byte_at(i * PACKET_BYTES));
  }
  for (uint b = packets * PACKET_BYTES + id; b < bytes; b += GROUP_SIZE) to[b] = tile[byte_at(b)];
}

// A field of `units` times UNIT bytes: neighbouring work-items take neighbouring units.
// Left to the compiler to unroll: told to, PoCL 3.1 loses the stores.
#define FOR_EACH_UNIT(units)                                       \
  for (uint k = 0; k < (TILE * (units) + GROUP_SIZE - 1) / GROUP_SIZE; ++k) { \
    const uint value = (get_local_id(0) + k * GROUP_SIZE) / (units); \
    const uint unit = (get_local_id(0) + k * GROUP_SIZE) % (units);

#define DEFINE_FIELD(UNIT)                                                                                       \
  static inline void write_field_##UNIT(const __local uchar *tile, __global uchar *start, block_place place,     \
                                        uint count, const uint size, const uint offset) {                        \
    FOR_EACH_UNIT(size / UNIT)                                                                                   \
      if (value < count)                                                                                         \
        *(__global packet_##UNIT *)(start + value_at(place, value, size) + unit * UNIT) =                        \
            *(const __local packet_##UNIT *)(tile + byte_at(value * STRIDE + offset + unit * UNIT));             \
    }                                                                                                            \
  }                                                                                                              \
  static inline void read_field_##UNIT(__local uchar *tile, const __global uchar *start, block_place place,      \
                                       uint count, const uint size, const uint offset) {                         \
    FOR_EACH_UNIT(size / UNIT)                                                                                   \
      if (value < count)                                                                                         \
        *(__local packet_##UNIT *)(tile + byte_at(value * STRIDE + offset + unit * UNIT)) =                      \
            *(const __global packet_##UNIT *)(start + value_at(place, value, size) + unit * UNIT);               \
    }                                                                                                            \
  }
DEFINE_FIELD(1)
DEFINE_FIELD(2)
DEFINE_FIELD(4)
DEFINE_FIELD(8)
DEFINE_FIELD(16)

// Fields of one or two bytes, as many as fill a word at a time. Blocks have whole words, as the host knows; the
// last structures may not. (Shifts, because PoCL 3.1 loses bytes that are put together in a union here.)
#define DEFINE_SHORT_FIELD(UNIT)                                                                                 \
  static inline void write_words_##UNIT(const __local uchar *tile, __global uchar *start, block_place place,     \
                                        uint count, const uint offset) {                                         \
    for (uint w = get_local_id(0); w < TILE * UNIT / 4; w += GROUP_SIZE) {                                       \
      const uint value = w * (4 / UNIT);                                                                         \
      if (value + 4 / UNIT <= count) {                                                                           \
        uint word = 0;                                                                                           \
        for (uint j = 0; j < 4 / UNIT; ++j)                                                                      \
          word |= (uint) * (const __local packet_##UNIT *)(tile + byte_at((value + j) * STRIDE + offset))        \
                  << (8 * UNIT * j);                                                                             \
        *(__global uint *)(start + value_at(place, value, UNIT)) = word;                                         \
      } else {                                                                                                   \
        for (uint v = value; v < count; ++v)                                                                     \
          *(__global packet_##UNIT *)(start + value_at(place, v, UNIT)) =                                        \
              *(const __local packet_##UNIT *)(tile + byte_at(v * STRIDE + offset));                             \
      }                                                                                                          \
    }                                                                                                            \
  }                                                                                                              \
  static inline void read_words_##UNIT(__local uchar *tile, const __global uchar *start, block_place place,      \
                                       uint count, const uint offset) {                                          \
    for (uint w = get_local_id(0); w < TILE * UNIT / 4; w += GROUP_SIZE) {                                       \
      const uint value = w * (4 / UNIT);                                                                         \
      if (value + 4 / UNIT <= count) {                                                                           \
        const uint word = *(const __global uint *)(start + value_at(place, value, UNIT));                        \
        for (uint j = 0; j < 4 / UNIT; ++j)                                                                      \
          *(__local packet_##UNIT *)(tile + byte_at((value + j) * STRIDE + offset)) =                            \
              (packet_##UNIT)(word >> (8 * UNIT * j));                                                           \
      } else {                                                                                                   \
        for (uint v = value; v < count; ++v)                                                                     \
          *(__local packet_##UNIT *)(tile + byte_at(v * STRIDE + offset)) =                                      \
              *(const __global packet_##UNIT *)(start + value_at(place, v, UNIT));                               \
      }                                                                                                          \
    }                                                                                                            \
  }
DEFINE_SHORT_FIELD(1)
DEFINE_SHORT_FIELD(2)

#define WRITE_FIELD(SIZE, OFFSET, UNIT, RUN, start)                         \
  if (RUN == 1)                                                             \
    write_field_##UNIT(tile, start, place, count, SIZE, OFFSET);            \
  else if (RUN == 2)                                                        \
    write_words_2(tile, start, place, count, OFFSET);                       \
  else                                                                      \
    write_words_1(tile, start, place, count, OFFSET);
#define READ_FIELD(SIZE, OFFSET, UNIT, RUN, start)                          \
  if (RUN == 1)                                                             \
    read_field_##UNIT(tile, start, place, count, SIZE, OFFSET);             \
  else if (RUN == 2)                                                        \
    read_words_2(tile, start, place, count, OFFSET);                        \
  else                                                                      \
    read_words_1(tile, start, place, count, OFFSET);

// What both have in common: the group's structures.
#define OWN_STRUCTURES                                                  \
  __local uint4 tile_packets[(TILE_BYTES + 15) / 16];                   \
  __local uchar *tile = (__local uchar *)tile_packets;                  \
  const ulong first = get_group_id(0) * (ulong)TILE;                    \
  const uint count = n - first < TILE ? (uint)(n - first) : TILE;       \
  const block_place place = place_of(first);

// Global size: GROUP_SIZE for each TILE structures.
#ifdef TO_SOA
KERNEL void aos_to_soa(const __global uchar *restrict aos, ulong aos_offset, ulong n, PLANES) {
  OWN_STRUCTURES
  load_structures(aos + aos_offset + first * STRIDE, count * STRIDE, tile);
  barrier(CLK_LOCAL_MEM_FENCE);
  FIELDS(WRITE_FIELD)
}
#else
KERNEL void soa_to_aos(__global uchar *restrict aos, ulong aos_offset, ulong n, PLANES) {
  OWN_STRUCTURES
  if (IS_ON(HAS_SPANS)) {
    for (uint i = get_local_id(0); i < (TILE_BYTES + 15) / 16; i += GROUP_SIZE) tile_packets[i] = (uint4)(0);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  FIELDS(READ_FIELD)
  barrier(CLK_LOCAL_MEM_FENCE);
  store_structures(aos + aos_offset + first * STRIDE, count * STRIDE, tile);
}
#endif
