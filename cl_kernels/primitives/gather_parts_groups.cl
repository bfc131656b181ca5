// gather and scatter of elements in several parts on a GPU: neighbouring work-items move the parts of an element.

// This work-item's first unit, as the element of the group's first unit and the parts behind that element's beginning:
// what follows from the second is 32-bit arithmetic.
typedef struct {
  ulong element;
  uint first;
} own_parts;
static inline own_parts own_parts_of_group(void) {
  const ulong first = (ulong)get_group_id(0) * (GROUP_SIZE * ITEMS);
  const own_parts own = {first / ELEMENT_PARTS, (uint)(first % ELEMENT_PARTS) + get_local_id(0)};
  return own;
}
static inline ulong unit_element(own_parts own, uint k) { return own.element + (own.first + k * GROUP_SIZE) / ELEMENT_PARTS; }
static inline uint unit_part(own_parts own, uint k) { return (own.first + k * GROUP_SIZE) % ELEMENT_PARTS; }

// Global size: GROUP_SIZE for each GROUP_SIZE * ITEMS of the n * ELEMENT_PARTS units.
#ifndef SCATTERS
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
#else
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
#endif
