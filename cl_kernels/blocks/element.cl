// Elements: how each kind lies in memory, what arithmetic sees of it, and the functions between the two. The only part
// that knows. The host names an element's functions by words (X_READ, OUT_WRITE; lib/program/element_words.cpp); what
// else depends on them is found here by their names.
//
// A name for reading stands for a function of one stored element; READ_AT, READ_IN_PACKET, READ_16 and READ_IN_BITS do
// the same where compilers want it said otherwise. A name for writing stands for a function of a computed value.

#define AS_IT_IS(value) (value)

// ---------------------------------------------------------------------------- 16 bits that are computed with as a float
// A half lies in memory as its bits, because no device need have the type.
static inline float half_as_float(ushort bits) { return vload_half(0, (const half *)&bits); }

// STORE_HALF says how numbers are rounded into halves: vstore_half_rte, ..._rtz, ..._rtp, ..._rtn. STORE_HALF_16 does the same
// for sixteen. Both go by way of private memory, where halves are aligned: PoCL 5.0 takes for granted that sixteen halves in
// global memory are, and ends the process where they are not.
#ifdef STORE_HALF
static inline __attribute__((overloadable)) ushort number_as_half(float value) {
  ushort bits;
  STORE_HALF(value, 0, (half *)&bits);
  return bits;
}
static inline __attribute__((overloadable)) void number_as_half_to_16(float16 values, __global ushort *to) {
  ushort16 bits;
  STORE_HALF_16(values, 0, (half *)&bits);
  vstore16(bits, 0, to);
}
#ifdef USE_FP64
static inline __attribute__((overloadable)) ushort number_as_half(double value) {
  ushort bits;
  STORE_HALF(value, 0, (half *)&bits);
  return bits;
}
static inline __attribute__((overloadable)) void number_as_half_to_16(double16 values, __global ushort *to) {
  ushort16 bits;
  STORE_HALF_16(values, 0, (half *)&bits);
  vstore16(bits, 0, to);
}
#endif
#endif

// A bfloat16 is the upper half of a float.
static inline float bfloat16_as_float(ushort bits) { return as_float((uint)bits << 16); }

// BFLOAT16_ROUNDED says how floats are rounded into bfloat16: to even, to zero, up, or down.
enum { ROUNDED_rte, ROUNDED_rtz, ROUNDED_rtp, ROUNDED_rtn };
#ifdef BFLOAT16_ROUNDED
// What is added to a float's bits, or those of several, before the lower half is cut off. It carries into the exponent, and so to
// infinity, as it should. A NaN becomes the one quiet NaN of its sign.
#define BFLOAT16_ADDED(bits)                                          \
  (BFLOAT16_ROUNDED == ROUNDED_rte   ? 0x7fffu + ((bits) >> 16 & 1u)  \
   : BFLOAT16_ROUNDED == ROUNDED_rtp ? ((bits) >> 31 ^ 1u) * 0xffffu  \
   : BFLOAT16_ROUNDED == ROUNDED_rtn ? ((bits) >> 31) * 0xffffu       \
                                     : (bits) & 0u)
#define BFLOAT16_BITS(value, bits) \
  ((value) != (value) ? ((bits) >> 16 & 0x8000u) | 0x7fc0u : ((bits) + BFLOAT16_ADDED(bits)) >> 16)
static inline ushort float_as_bfloat16(float value) { return (ushort)BFLOAT16_BITS(value, as_uint(value)); }
static inline void float_as_bfloat16_to_16(float16 values, __global ushort *to) {
  vstore16(convert_ushort16(BFLOAT16_BITS(values, as_uint16(values))), 0, to);
}
#endif

// ---------------------------------------------------------------------------- truth values
// Lie in memory as bytes. A byte that is not 0 is true.
#define TO_BOOL(value) ((uchar)((value) != 0))
#define TO_BOOL_16(values) (convert_uchar16((values) != (uchar)0) & (uchar)1)

// ---------------------------------------------------------------------------- complex numbers
// COMPLEX is float2 or double2. Each product and sum is rounded on its own (target.cl forbids to fuse them).
#ifdef COMPLEX
static inline COMPLEX complex_product(COMPLEX a, COMPLEX b) {
  return (COMPLEX)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
#endif

// ---------------------------------------------------------------------------- the same for several elements
// The name for reading or writing is the first word of the name of what does it for several.
// The element at a place in global memory.
#define READ_AT(read, from) JOINED(read, _at)(from)
#define AS_IT_IS_at(from) (*(from))
static inline float half_as_float_at(const __global ushort *from) { return vload_half(0, (const __global half *)from); }
static inline float bfloat16_as_float_at(const __global ushort *from) { return bfloat16_as_float(*from); }
static inline uchar TO_BOOL_at(const __global uchar *from) { return TO_BOOL(*from); }

// Element k of a packet's array of elements.
#define READ_IN_PACKET(read, elements, k) JOINED(read, _in_packet)(elements, k)
#define AS_IT_IS_in_packet(elements, k) ((elements)[k])
static inline float half_as_float_in_packet(const ushort *elements, uint k) { return vload_half(k, (const half *)elements); }
static inline float bfloat16_as_float_in_packet(const ushort *elements, uint k) { return bfloat16_as_float(elements[k]); }
static inline uchar TO_BOOL_in_packet(const uchar *elements, uint k) { return TO_BOOL(elements[k]); }

// Element k of a packet that was loaded as `bits`. 16-bit ones by the words they are in, because compilers else keep the
// packet in memory.
#define READ_IN_BITS(read, packet, k) JOINED(read, _in_bits)(packet, k)
#define AS_IT_IS_in_bits(packet, k) (packet).elements[k]
#define TO_BOOL_in_bits(packet, k) TO_BOOL((packet).elements[k])
#define HALF_WORD(packet, k)                                                                                          \
  (IS_LITTLE_ENDIAN && VECTOR > 1 ? (ushort)(((const uint *)&(packet).bits)[(k) / 2] >> ((k) % 2 * 16)) \
                                  : (packet).elements[k])
#define half_as_float_in_bits(packet, k) half_as_float(HALF_WORD(packet, k))
#define bfloat16_as_float_in_bits(packet, k) bfloat16_as_float(HALF_WORD(packet, k))

// 16 elements of global memory, of any alignment. Halves go by way of private memory, as above.
static inline float16 half_as_float_from_16(const __global ushort *from) {
  const ushort16 bits = vload16(0, from);
  return vload_half16(0, (const half *)&bits);
}
#define READ_16(read, from) JOINED(read, _from_16)(from)
#define AS_IT_IS_from_16(from) vload16(0, from)
static inline float16 bfloat16_as_float_from_16(const __global ushort *from) {
  return as_float16(convert_uint16(vload16(0, from)) << 16);
}
static inline uchar16 TO_BOOL_from_16(const __global uchar *from) { return TO_BOOL_16(vload16(0, from)); }
#define AS_IT_IS_to_16(values, to) vstore16(values, 0, to)
