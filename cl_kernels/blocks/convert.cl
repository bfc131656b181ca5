// Numbers into integers, where a number may be a float: OpenCL leaves open what a value out of the integer's range
// becomes, and devices differ. Here it is the nearest value in the range, and a NaN is 0. Integers wrap. A user's text
// may give either, so the compiler chooses by the type that it has.
//
// DEFINE_TO_INTEGER(name, to, components) defines `name` for all numbers, of as many components as the integer type `to` has:
// 4 for int4, and NOTHING for int, as the types' names end. The functions that convert what texts give ask for it.

#define NOTHING
#define DEFINE_FROM_INTEGER(name, to, from) \
  static inline __attribute__((overloadable)) to name(from x) { return JOINED(convert_, to)(x); }
#define DEFINE_FROM_FLOAT(name, to, from)                                     \
  static inline __attribute__((overloadable)) to name(from x) {               \
    return JOINED(JOINED(convert_, to), _sat)(x == x ? x : (from)(0)); \
  }
#define DEFINE_TO_INTEGER(name, to, components)            \
  DEFINE_FROM_INTEGER(name, to, JOINED(char, components))   \
  DEFINE_FROM_INTEGER(name, to, JOINED(uchar, components))  \
  DEFINE_FROM_INTEGER(name, to, JOINED(short, components))  \
  DEFINE_FROM_INTEGER(name, to, JOINED(ushort, components)) \
  DEFINE_FROM_INTEGER(name, to, JOINED(int, components))    \
  DEFINE_FROM_INTEGER(name, to, JOINED(uint, components))   \
  DEFINE_FROM_INTEGER(name, to, JOINED(long, components))   \
  DEFINE_FROM_INTEGER(name, to, JOINED(ulong, components))  \
  DEFINE_FROM_FLOAT(name, to, JOINED(float, components))    \
  DEFINE_FROM_DOUBLE(name, to, JOINED(double, components))
#ifdef USE_FP64
#define DEFINE_FROM_DOUBLE(name, to, from) DEFINE_FROM_FLOAT(name, to, from)
#else
#define DEFINE_FROM_DOUBLE(name, to, from)
#endif

// SATURATED is the integer type, of SATURATED_COMPONENTS components.
#ifdef SATURATED
DEFINE_TO_INTEGER(to_integer, SATURATED, SATURATED_COMPONENTS)
#endif

// Numbers into floats that are rounded to 16 bits afterwards: a float that is not exact is made odd. So the number is
// rounded once, in whatever direction: a float has 13 bits more than a half and 16 more than a bfloat16, and no odd one
// is halfway between two of them.
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
