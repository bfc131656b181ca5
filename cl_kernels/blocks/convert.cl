// Numbers into integers, where a number may be a float: OpenCL leaves open what a value out of the integer's range
// becomes, and devices differ. Here it is the nearest value in the range, and a NaN is 0. Integers wrap. A user's text
// may give either, so the compiler chooses by the type that it has.
//
// SATURATED is the integer type, of SATURATED_COMPONENTS components.
#ifdef SATURATED

#define SATURATED_JOIN_(a, b) a##b
#define SATURATED_JOIN(a, b) SATURATED_JOIN_(a, b)
#if SATURATED_COMPONENTS == 1
#define SATURATED_FROM(type) type
#else
#define SATURATED_FROM(type) SATURATED_JOIN(type, SATURATED_COMPONENTS)
#endif

#define DEFINE_FROM_INTEGER(type)                                                               \
  static inline __attribute__((overloadable)) SATURATED to_integer(SATURATED_FROM(type) x) {    \
    return SATURATED_JOIN(convert_, SATURATED)(x);                                              \
  }
#define DEFINE_FROM_FLOAT(type)                                                                 \
  static inline __attribute__((overloadable)) SATURATED to_integer(SATURATED_FROM(type) x) {    \
    return SATURATED_JOIN(SATURATED_JOIN(convert_, SATURATED), _sat)(x == x ? x : (SATURATED_FROM(type))(0)); \
  }

DEFINE_FROM_INTEGER(char)
DEFINE_FROM_INTEGER(uchar)
DEFINE_FROM_INTEGER(short)
DEFINE_FROM_INTEGER(ushort)
DEFINE_FROM_INTEGER(int)
DEFINE_FROM_INTEGER(uint)
DEFINE_FROM_INTEGER(long)
DEFINE_FROM_INTEGER(ulong)
DEFINE_FROM_FLOAT(float)
#ifdef USE_FP64
DEFINE_FROM_FLOAT(double)
#endif

#endif  // SATURATED

// Numbers into floats that are rounded to bfloat16 afterwards: a float that is not exact is made odd. So the number is
// rounded once, in whatever direction: a float has 16 bits more, and no odd one is halfway between two bfloat16.
#ifdef ODD_FLOATS
#define DEFINE_EXACT_FLOAT(type)                                                                                \
  static inline __attribute__((overloadable)) float to_odd_float(type x) { return x; }                          \
  static inline __attribute__((overloadable)) float16 to_odd_float_16(type##16 x) { return convert_float16(x); }
#define DEFINE_ODD_FLOAT(type)                                                                                  \
  static inline __attribute__((overloadable)) float to_odd_float(type x) {                                      \
    const float cut = convert_float_rtz(x);                                                                     \
    return as_float(as_uint(cut) | (uint)(convert_##type(cut) != x));                                           \
  }                                                                                                             \
  static inline __attribute__((overloadable)) float16 to_odd_float_16(type##16 x) {                             \
    const float16 cut = convert_float16_rtz(x);                                                                 \
    return as_float16(as_uint16(cut) | (convert_uint16(convert_##type##16(cut) != x) & 1u));                    \
  }

DEFINE_EXACT_FLOAT(char)
DEFINE_EXACT_FLOAT(uchar)
DEFINE_EXACT_FLOAT(short)
DEFINE_EXACT_FLOAT(ushort)
DEFINE_EXACT_FLOAT(float)
DEFINE_ODD_FLOAT(int)
DEFINE_ODD_FLOAT(uint)
DEFINE_ODD_FLOAT(long)
DEFINE_ODD_FLOAT(ulong)
#ifdef USE_FP64
DEFINE_ODD_FLOAT(double)
#endif

#endif  // ODD_FLOATS
