// scatter of elements in several parts, or of indices that may be equal: which i writes to each index, in a launch before.

// Each i leaves its number at its index in `claims`. Of several with one index the last store stands, whole, as it is of 4 or
// 8 bytes; the launch behind this one sees which. Only indices that some i has are claimed, and only their claims are read.
// Global size: any.
KERNEL void scatter_claims(INDICES_ARGUMENT GATHER_FLAGS, ELEMENTS_ARGUMENT,
                           ulong reach, __global uchar *workspace, ulong claims_at VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  __global CLAIM *claims = (__global CLAIM *)(workspace + claims_at);
  COLLECT_INDICES
  COLLECT_FLAGS
  if (GROUP_SIZE > 1) {
    INDEX at[CLAIM_ITEMS];
    const ulong first = (ulong)get_group_id(0) * (GROUP_SIZE * CLAIM_ITEMS) + get_local_id(0);
    uint set = 0;
    UNROLL
    for (uint k = 0; k < CLAIM_ITEMS; ++k) {
      if (HAS_FLAGS && first + k * GROUP_SIZE < n) set |= (is_moved(flags, first + k * GROUP_SIZE, given) ? 1u : 0u) << k;
    }
    UNROLL
    for (uint k = 0; k < CLAIM_ITEMS; ++k) {
      if (first + k * GROUP_SIZE < n && is_set(set, k)) at[k] = index_at(from, first + k * GROUP_SIZE);
    }
    UNROLL
    for (uint k = 0; k < CLAIM_ITEMS; ++k) {
      const ulong i = first + k * GROUP_SIZE;
      if (i < n && is_set(set, k) && at[k] < reach) claims[at[k]] = (CLAIM)i;
    }
  } else {
    const own_units own = own_share(n);
    for (ulong i = own.begin; i < own.end; ++i) {
      if (!is_moved(flags, i, given)) continue;
      const INDEX at = index_at(from, i);
      if (at < reach) claims[at] = (CLAIM)i;
    }
  }
}
