// What copies and fills share.

#if GROUP_SIZE > 1
// Packets of a width that a work-item has in flight, one at least. Narrow ones take more to move as many
// bytes, up to the registers 16 of them fill.
#define PACKETS_IN_FLIGHT(width)                                          \
  (ITEMS * VECTOR_BYTES / (width) < 1    ? 1                              \
   : ITEMS * VECTOR_BYTES / (width) < 16 ? ITEMS * VECTOR_BYTES / (width) \
                                         : 16)
// Of a box, whose packets each have a place and a test of their own: more spilled scalar registers (clang-19, gfx942).
#define BOX_IN_FLIGHT(width) (PACKETS_IN_FLIGHT(width) < 8 ? PACKETS_IN_FLIGHT(width) : 8)
#define BLOCK_PACKETS(width) (GROUP_SIZE * PACKETS_IN_FLIGHT(width))
#else
// A CPU's wide register.
typedef JOINED(packet_, VECTOR_BYTES) wide;
enum { WIDE_BYTES = VECTOR_BYTES };
DEFINE_ANYWHERE(wide)
DEFINE_ANYWHERE(ulong)

// Both take a multiple of WIDE_BYTES.
static inline void store_wide(__global wide *to, wide value) { *to = value; }
static inline void store_streaming(__global wide *to, wide value) { STORE_STREAMING(to, value); }

// This work-item's share of `bytes`, cut at multiples of a wide register.
static inline own_units own_bytes(ulong bytes) {
  own_units own = own_share(bytes / WIDE_BYTES);
  own.begin *= WIDE_BYTES;
  own.end = get_group_id(0) == get_num_groups(0) - 1 ? bytes : own.end * WIDE_BYTES;
  return own;
}
#endif
