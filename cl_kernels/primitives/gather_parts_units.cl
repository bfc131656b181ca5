// gather of elements in several parts on a GPU.

// Global size: GROUP_SIZE for each GROUP_SIZE * ITEMS of the n * ELEMENT_PARTS units.
KERNEL void gather(const __global ELEMENT_PART *restrict x, ulong x_offset, INDICES_ARGUMENT GATHER_FLAGS,
                   __global ELEMENT_PART *restrict out, ulong out_offset, ELEMENTS_ARGUMENT,
                   ulong reach, ulong head GATHER_WORKSPACE OUTSIDE_ARGUMENTS VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
#ifdef HAS_OUTSIDE
  __local outside_parts outside;
  if (get_local_id(0) == 0) {
    outside.words[0] = outside_low;
    outside.words[1] = outside_high;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
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
    if (unit_element(own, k) < n && is_set(set, k)) at[k] = index_at(from, unit_element(own, k));
  }
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (unit_element(own, k) < n && is_set(set, k) && at[k] < reach) held[k] = x[(ulong)at[k] * ELEMENT_PARTS + unit_part(own, k)];
  }
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (unit_element(own, k) < n && is_set(set, k)) {
      __global ELEMENT_PART *to = out + unit_element(own, k) * ELEMENT_PARTS + unit_part(own, k);
      if (at[k] < reach)
        *to = held[k];
      else
        *to = OUTSIDE_PART(unit_part(own, k));
      bad += at[k] >= reach && unit_part(own, k) == 0 ? 1 : 0;
    }
  }
  STORE_BAD(bad)
}
