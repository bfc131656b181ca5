// lower_bound and upper_bound: where each of many needles belongs in a sorted range. Plans and arguments:
// lib/primitives/bounds.cpp.
//
// All searches of a range take the same number of steps, so a work-item takes ITEMS needles in step: as many loads are under
// way, and no step depends on what a comparison says but by what it adds.

// Whether a needle's place is behind `x`.
static inline bool bounds_behind(KEY_LOADED x, KEY_LOADED needle, named_values given) {
#ifdef UPPER
  return !comes_before(needle, x, given);
#else
  return comes_before(x, needle, given);
#endif
}

// The places of the needles `apart` from each other from number `first` on; the last one again where there are no more.
INLINE void bounds_of(ulong *places, const __global KEY *x, ulong n, const __global KEY *needles, ulong count, ulong first,
                      ulong apart, named_values given) {
  KEY_LOADED held[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    held[k] = key_at(needles + min(first + k * apart, count - 1));
    places[k] = 0;
  }
  // A needle's place is at places[k] or up to `left` behind it.
  for (ulong left = n; left > 0;) {
    const ulong step = (left + 1) / 2;
    bool behind[ITEMS];
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) behind[k] = bounds_behind(key_at(x + places[k] + step - 1), held[k], given);
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) places[k] += behind[k] ? step : 0;
    left -= step;
  }
}

KERNEL void bounds(const __global KEY *restrict x, ulong x_offset, ulong n, const __global KEY *restrict needles,
                   ulong needles_offset, ulong count, __global INDEX *restrict out, ulong out_offset VALUES_ARGUMENTS) {
  COLLECT_VALUES
  x += x_offset;
  needles += needles_offset;
  out += out_offset;
#if GROUP_SIZE > 1
  const ulong first = (ulong)get_group_id(0) * (GROUP_SIZE * ITEMS) + get_local_id(0), end = count, apart = GROUP_SIZE;
#else
  const own_units own = own_share(count);
  const ulong end = own.end, apart = 1;
  for (ulong first = own.begin; first < own.end; first += ITEMS)
#endif
  {
    ulong places[ITEMS];
    bounds_of(places, x, n, needles, count, first, apart, given);
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      if (first + k * apart < end) out[first + k * apart] = (INDEX)places[k];
    }
  }
}
