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
// k, are made before one is stored, for an output may take the place of an input.
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

#if GROUP_SIZE > 1

#define DECLARE_HELD(v, V) V##_ACCESS v##_held[ITEMS];
#define LOAD_HELD(v, V) v##_held[k].bits = ((const __global V##_BITS *)(v + head))[first + k * GROUP_SIZE];
#define HELD_ELEMENT(v, V) READ_IN_BITS(V##_READ, v##_held[k], e),

// All operands reach a multiple of their packets at element `head`. Global size: GROUP_SIZE for each GROUP_SIZE * ITEMS of the
// n / VECTOR packets, one group at least; any where elements are counted. 1 <= n, or it is counted.
KERNEL void transform(FOR_EACH_INPUT(AS_ARGUMENT) __global OUT_STORED *out, ulong out_offset,
                      FOR_EACH_FURTHER(FURTHER_ARGUMENT) ELEMENTS_ARGUMENT,
                      ulong head VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  AT_MOST_ELEMENTS(head)
  FOR_EACH_INPUT(SET_OFFSET)
  out += out_offset;
  FOR_EACH_FURTHER(OFFSET_FURTHER)
  const ulong packets = (n - head) / VECTOR;
  // The elements before the first packet and after the last, at most 2 * VECTOR - 2.
  if (VECTOR > 1 && get_group_id(0) == 0) {
    const ulong tail = head + packets * VECTOR;
    for (ulong w = get_local_id(0); w < head + (n - tail); w += GROUP_SIZE) {
      const ulong i = w < head ? w : tail + (w - head);
      FOR_EACH_FURTHER(MAKE_FURTHER)
      out[i] = transformed(FOR_EACH_INPUT(ELEMENT) i, given);
      FOR_EACH_FURTHER(STORE_FURTHER)
    }
  }
  EACH_OWN_BLOCK(first, GROUP_SIZE * ITEMS, packets) {
    if (first >= packets) return;  // where it is the only block
    const ulong left = packets - first;
    FOR_EACH_INPUT(DECLARE_HELD)
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      if (k * GROUP_SIZE < left) {
        FOR_EACH_INPUT(LOAD_HELD)
      }
    }
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      if (k * GROUP_SIZE < left) {
        OUT_ACCESS result;
        FOR_EACH_FURTHER(DECLARE_FURTHER_RESULT)
        UNROLL
        for (uint e = 0; e < VECTOR; ++e) {
          const ulong i = head + (first + k * GROUP_SIZE) * VECTOR + e;
          result.elements[e] = transformed(FOR_EACH_INPUT(HELD_ELEMENT) i, given);
          FOR_EACH_FURTHER(MAKE_FURTHER_RESULT)
        }
        ((__global OUT_BITS *)(out + head))[first + k * GROUP_SIZE] = result.bits;
        FOR_EACH_FURTHER(STORE_FURTHER_RESULT)
      }
    }
  }
}

#else  // GROUP_SIZE == 1

#ifdef STREAMING
// The compiler widens a loop over results, but not one of stores past the caches: so it makes as many results as are whole
// lines, and these are stored. The lines of some pages in turn.
enum {
  MADE = 64,
  PAGES_IN_TURN = 4
};

typedef union {
  uint16 lines[MADE * OUT_BYTES / 64];
  OUT_STORED elements[MADE];
} made_results;

enum { PAGE_ELEMENTS = PAGE_BYTES / OUT_BYTES };  // a multiple of MADE
#endif

// Global size: any. STREAMING: OUT_BYTES is a power of two, 64 at most, and divides the place of `out`.
KERNEL void transform(FOR_EACH_INPUT(AS_ARGUMENT) __global OUT_STORED *out, ulong out_offset,
                      FOR_EACH_FURTHER(FURTHER_ARGUMENT) ELEMENTS_ARGUMENT,
                      ulong head VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  const own_units own = own_share(n);
  FOR_EACH_INPUT(SET_OFFSET)
  out += out_offset;
  FOR_EACH_FURTHER(OFFSET_FURTHER)
  ulong done = own.begin;
#ifdef STREAMING
  const ulong lines = min(own.end, done + bytes_to_boundary((const __global uchar *)(out + done), 64) / OUT_BYTES);
  EACH_ALONE
  for (ulong i = done; i < lines; ++i) out[i] = transformed(FOR_EACH_INPUT(ELEMENT) i, given);
  for (done = lines; done + PAGES_IN_TURN * PAGE_ELEMENTS <= own.end; done += PAGES_IN_TURN * PAGE_ELEMENTS) {
    for (uint at = 0; at < PAGE_ELEMENTS; at += MADE) {
      for (uint page = 0; page < PAGES_IN_TURN; ++page) {
        const ulong first = done + page * PAGE_ELEMENTS + at;
        made_results made;
        EACH_ALONE
        for (uint k = 0; k < MADE; ++k) {
          const ulong i = first + k;
          made.elements[k] = transformed(FOR_EACH_INPUT(ELEMENT) i, given);
        }
        UNROLL
        for (uint k = 0; k < MADE * OUT_BYTES / 64; ++k)
          STORE_STREAMING((__global uint16 *)(out + first) + k, made.lines[k]);
      }
    }
  }
#endif
  EACH_ALONE
  for (ulong i = done; i < own.end; ++i) {
    FOR_EACH_FURTHER(MAKE_FURTHER)
    out[i] = transformed(FOR_EACH_INPUT(ELEMENT) i, given);
    FOR_EACH_FURTHER(STORE_FURTHER)
  }
}
#endif
