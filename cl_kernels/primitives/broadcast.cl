// broadcast: one function of a matrix's element and the value of its row or column. Plans and arguments:
// lib/primitives/transform.cpp.

DEFINE_OPERAND(X, X_STORED, X_BITS)
DEFINE_OPERAND(B, B_STORED, B_BITS)

static inline OUT_STORED broadcasted(X_LOADED x, B_LOADED b, named_values given) {
  return OUT_WRITE(OUT_CONVERT(TRANSFORM_TEXT));
}

// Offsets and pitches are in elements. Nothing writes b, so that it may be read through a read-only cache.
#define BROADCAST_OPERANDS                                                                         \
  const __global X_STORED *x, ulong x_offset, ulong x_row, const __global B_STORED *restrict b,    \
      ulong b_offset, __global OUT_STORED *out, ulong out_offset, ulong out_row, ulong rows,       \
      ulong columns
