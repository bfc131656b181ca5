// What copies and fills on a CPU share: its wide register, and the bytes of a work-item's share.

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
