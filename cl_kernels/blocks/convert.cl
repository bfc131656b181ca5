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
