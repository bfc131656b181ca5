// The operands of a function of elements: VECTOR elements as one access, and what a CPU's loops are told.

#define DEFINE_OPERAND(NAME, STORED, BITS) \
  typedef union {                          \
    BITS bits;                             \
    STORED elements[VECTOR];               \
  } NAME##_ACCESS;

DEFINE_OPERAND(OUT, OUT_STORED, OUT_BITS)

// The CPU's loops: what an output shares with an input it shares element by element.
#define EACH_ALONE _Pragma("clang loop vectorize(assume_safety)")
// A text for which there are no wide instructions is not worth a warning to the user.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
