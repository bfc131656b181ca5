// scatter of elements in several parts on a GPU.

// Global size: GROUP_SIZE for each GROUP_SIZE * ITEMS of the n * ELEMENT_PARTS units.
KERNEL void scatter(const __global ELEMENT_PART *restrict x, ulong x_offset, INDICES_ARGUMENT GATHER_FLAGS,
                    __global ELEMENT_PART *restrict out, ulong out_offset, ELEMENTS_ARGUMENT,
                    ulong reach, ulong head GATHER_WORKSPACE VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  x += x_offset * ELEMENT_PARTS;
  COLLECT_INDICES
  COLLECT_FLAGS
  out += out_offset * ELEMENT_PARTS;
  bad_count bad = 0;
  const own_parts own = own_parts_of_group();
  uint set = 0;
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (HAS_FLAGS && unit_element(own, k) < n) set |= (is_moved(flags, unit_element(own, k), given) ? 1u : 0u) << k;
  }
  INDEX at[ITEMS];
  ELEMENT_PART held[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (unit_element(own, k) < n && is_set(set, k)) {
      at[k] = index_at(from, unit_element(own, k));
      held[k] = x[unit_element(own, k) * ELEMENT_PARTS + unit_part(own, k)];
    }
  }
  const __global claim_number *claims = SCATTER_CLAIMS;
  claim_number claimed[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (HAS_CLAIMS && unit_element(own, k) < n && is_set(set, k) && at[k] < reach) claimed[k] = claims[at[k]];
  }
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (unit_element(own, k) < n && is_set(set, k)) {
      if (at[k] < reach && is_claimed_by(claimed[k], unit_element(own, k)))
        out[(ulong)at[k] * ELEMENT_PARTS + unit_part(own, k)] = held[k];
      bad += at[k] >= reach && unit_part(own, k) == 0 ? 1 : 0;
    }
  }
  STORE_BAD(bad)
}
