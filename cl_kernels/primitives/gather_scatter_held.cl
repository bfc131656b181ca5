// scatter of elements that a work-item holds, on a GPU.

typedef union {
  X_BITS bits;
  X_STORED elements[VECTOR];
} element_packet;

// Global size: GROUP_SIZE for each GROUP_SIZE * ITEMS of the n / VECTOR packets, one group at least; any where counted.
KERNEL void scatter(X_AND_OUT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  AT_MOST_ELEMENTS(head)
  x += x_offset;
  COLLECT_INDICES
  COLLECT_FLAGS
  out += out_offset;
  const __global claim_number *claims = SCATTER_CLAIMS;
  bad_count bad = 0;
  const ulong packets = (n - head) / VECTOR;
  // The i before the first packet and after the last, at most 2 * VECTOR - 2.
  if (VECTOR > 1 && get_group_id(0) == 0) {
    const ulong tail = head + packets * VECTOR;
    for (ulong beside = get_local_id(0); beside < head + (n - tail); beside += GROUP_SIZE) {
      const ulong i = beside < head ? beside : tail + (beside - head);
      const INDEX at = index_at(from, i);
      if (at < reach && is_claimed_by(HAS_CLAIMS ? claims[at] : 0, i)) out[at] = moved(x[i], i, given);
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
    element_packet held[ITEMS];
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      if (k * GROUP_SIZE < left && is_set(set, k)) {
        load_indices(&at[k], from, head, first, k);
        held[k].bits = ((const __global X_BITS *)(x + head))[first + k * GROUP_SIZE];
      }
    }
    claim_number claimed[ITEMS * VECTOR];
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      UNROLL
      for (uint e = 0; e < VECTOR; ++e) {
        if (HAS_CLAIMS && k * GROUP_SIZE < left && is_set(set, k) && at[k].indices[e] < reach)
          claimed[k * VECTOR + e] = claims[at[k].indices[e]];
      }
    }
    LOADS_DO_NOT_PASS();
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      if (k * GROUP_SIZE < left && is_set(set, k)) {
        UNROLL
        for (uint e = 0; e < VECTOR; ++e) {
          const ulong i = packet_element(head, first, k, e);
          const INDEX to = at[k].indices[e];
          if (to < reach && is_claimed_by(claimed[k * VECTOR + e], i))
            out[to] = moved(held[k].elements[e], i, given);
          bad += to >= reach ? 1 : 0;
        }
      }
    }
  }
  STORE_BAD(bad)
}
