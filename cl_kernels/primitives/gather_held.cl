// gather of elements that a work-item holds, on a GPU.

typedef union {
  OUT_BITS bits;
  OUT_STORED elements[VECTOR];
} element_packet;

// Global size: GROUP_SIZE for each GROUP_SIZE * ITEMS of the n / VECTOR packets, one group at least; any where counted.
KERNEL void gather(X_AND_OUT, OUT_STORED outside VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  AT_MOST_ELEMENTS(head)
  x += x_offset;
  COLLECT_INDICES
  COLLECT_FLAGS
  out += out_offset;
  bad_count bad = 0;
  const ulong packets = (n - head) / VECTOR;
  // The i before the first packet and after the last, at most 2 * VECTOR - 2.
  if (VECTOR > 1 && get_group_id(0) == 0) {
    const ulong tail = head + packets * VECTOR;
    for (ulong beside = get_local_id(0); beside < head + (n - tail); beside += GROUP_SIZE) {
      const ulong i = beside < head ? beside : tail + (beside - head);
      const INDEX at = index_at(from, i);
      if (at < reach)
        out[i] = moved(x[at], i, given);
      else
        out[i] = outside;
      bad += at >= reach ? 1 : 0;
    }
  }
  EACH_OWN_BLOCK(first, GROUP_SIZE * ITEMS, packets) {
    const ulong left = packets > first ? packets - first : 0;
    uint set = 0;
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      if (HAS_FLAGS && k * GROUP_SIZE < left)
        set |= (is_moved(flags, packet_element(head, first, k, 0), given) ? 1u : 0u) << k;
    }
    index_packet at[ITEMS];
    X_STORED held[ITEMS * VECTOR];
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      if (INDICES_ARE_COMPUTED || (k * GROUP_SIZE < left && is_set(set, k))) load_indices(&at[k], from, head, first, k);
    }
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      UNROLL
      for (uint e = 0; e < VECTOR; ++e) {
        if (k * GROUP_SIZE < left && is_set(set, k) && at[k].indices[e] < reach) held[k * VECTOR + e] = x[at[k].indices[e]];
      }
    }
    LOADS_DO_NOT_PASS();
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      if (k * GROUP_SIZE < left && is_set(set, k)) {
        element_packet result;
        UNROLL
        for (uint e = 0; e < VECTOR; ++e) {
          const bool inside = at[k].indices[e] < reach;
          OUT_STORED one = outside;
          if (inside) one = moved(held[k * VECTOR + e], packet_element(head, first, k, e), given);
          result.elements[e] = one;
          bad += inside ? 0 : 1;
        }
        ((__global OUT_BITS *)(out + head))[first + k * GROUP_SIZE] = result.bits;
      }
    }
  }
  STORE_BAD(bad)
}
