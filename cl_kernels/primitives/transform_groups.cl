// transform on a GPU.

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
