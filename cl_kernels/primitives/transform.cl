// transform: one function of the elements at the same place. Plans and arguments: lib/primitives/transform.cpp.
//
// On a GPU a work-item loads all its packets before it stores the first, so an output may take the place of
// an input of the same size: no element is read after another work-item wrote it. On a CPU a work-item is a
// group, takes a contiguous chunk, and its loop over elements is left to the compiler to widen.

// The host says what inputs and outputs there are: FOR_EACH_INPUT(M) is M(x, X), then M(y, Y) and M(z, Z) where there are such;
// nothing where results are functions of the index alone, or of an x that lies nowhere. FOR_EACH_FURTHER(M) is M(1), then M(2) and
// M(3) where a transform has two, three or four outputs.
#define DEFINE_INPUT(v, V) DEFINE_OPERAND(V, V##_STORED, V##_BITS)
FOR_EACH_INPUT(DEFINE_INPUT)

#define AS_PARAMETER(v, V) V##_LOADED v,
// KEPT is the operand that lies where the results go: as it is stored, so that what is kept has the bits that it had.
static inline OUT_STORED transformed(FOR_EACH_INPUT(AS_PARAMETER) ulong i, named_values given) {
#ifdef LAZY_TEXT
  const X_LOADED x = X_READ(LAZY_WRITE(LAZY_TEXT));
#endif
#ifdef PREDICATE_TEXT
  if (!(PREDICATE_TEXT)) return KEPT;
#endif
  return OUT_WRITE(OUT_CONVERT(TRANSFORM_TEXT));
}

// Of a further output: its elements, its arguments, and what a work-item does for it. All results of an element, or of a packet
// k, are made before one is stored, because an output may take the place of an input.
#define DEFINE_FURTHER(o)                                                                                    \
  DEFINE_OPERAND(OUT_##o, OUT_##o##_STORED, OUT_##o##_BITS)                                                  \
  static inline OUT_##o##_STORED transformed_##o(FOR_EACH_INPUT(AS_PARAMETER) ulong i, named_values given) { \
    return OUT_##o##_WRITE(OUT_##o##_CONVERT(FURTHER_TEXT_##o));                                             \
  }
#define FURTHER_ARGUMENT(o) __global OUT_##o##_STORED *out_##o, ulong out_##o##_offset,
#define OFFSET_FURTHER(o) out_##o += out_##o##_offset;
#define MAKE_FURTHER(o) const OUT_##o##_STORED made_##o = transformed_##o(FOR_EACH_INPUT(ELEMENT) i, given);
#define STORE_FURTHER(o) out_##o[i] = made_##o;
#define DECLARE_FURTHER_RESULT(o) OUT_##o##_ACCESS result_##o;
#define MAKE_FURTHER_RESULT(o) result_##o.elements[e] = transformed_##o(FOR_EACH_INPUT(HELD_ELEMENT) i, given);
#define STORE_FURTHER_RESULT(o) ((__global OUT_##o##_BITS *)(out_##o + head))[first + k * GROUP_SIZE] = result_##o.bits;
FOR_EACH_FURTHER(DEFINE_FURTHER)

#define AS_ARGUMENT(v, V) const __global V##_STORED *v, ulong v##_offset,
#define SET_OFFSET(v, V) v += v##_offset;
#define ELEMENT(v, V) V##_READ(v[i]),
