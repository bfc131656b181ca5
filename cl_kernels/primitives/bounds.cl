// lower_bound and upper_bound: where each of many needles belongs in a sorted range. Plans and arguments:
// lib/primitives/bounds.cpp.
//
// All searches of a range take the same number of steps, so a work-item takes ITEMS needles in step: as many loads are under
// way, and no step depends on what a comparison says but by what it adds. Of many needles a GPU's groups have as many as run at
// once, and each holds what the first LEVELS steps ask for in local memory.

#ifdef FAR_PLACES
typedef ulong bounds_place;
#else
typedef uint bounds_place;
#endif

// Whether a needle's place is behind `x`.
static inline bool bounds_behind(KEY_LOADED x, KEY_LOADED needle, named_values given) {
  return IS_ON(UPPER) ? !comes_before(needle, x, given) : comes_before(x, needle, given);
}

// The first LEVELS steps of all searches (0: none) ask in few places, whose keys a group holds in local memory. The one that is
// asked after `behind`, the answers of the steps before with a 1 in front of them, is number `behind`.
enum { BOUNDS_TOP = 1 << LEVELS };
INLINE void bounds_load_top(__local KEY *top, const __global KEY *x, ulong n) {
  for (uint asked = 1 + get_local_id(0); asked < BOUNDS_TOP; asked += GROUP_SIZE) {
    bounds_place left = (bounds_place)n, place = 0, step = (left + 1) / 2;
    for (uint level = 31 - clz(asked); level > 0; --level) {
      place += (asked >> (level - 1) & 1) != 0 ? step : 0;
      left -= step;
      step = (left + 1) / 2;
    }
    top[asked] = x[place + step - 1];
  }
}

// The places of the needles `apart` from each other from number `first` on; the last one again where there are no more.
INLINE void bounds_of(const __local KEY *top, bounds_place *places, const __global KEY *x, ulong n,
                      const __global KEY *needles, ulong count, ulong first, ulong apart, named_values given) {
  KEY_LOADED held[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    held[k] = key_at(needles + min(first + k * apart, count - 1));
    places[k] = 0;
  }
  // A needle's place is at places[k] or up to `left` behind it.
  bounds_place left = (bounds_place)n;
  uint asked[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) asked[k] = 1;
  for (uint level = 0; level < LEVELS; ++level) {
    const bounds_place step = (left + 1) / 2;
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      const bool behind = bounds_behind(KEY_READ(top[asked[k]]), held[k], given);
      places[k] += behind ? step : 0;
      asked[k] = 2 * asked[k] + (behind ? 1 : 0);
    }
    left -= step;
  }
  while (left > 0) {
    const bounds_place step = (left + 1) / 2;
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
  __local KEY top[BOUNDS_TOP];
  if (LEVELS > 0) {
    bounds_load_top(top, x, n);
    GROUP_BARRIER();
  }
  const own_units share = own_share(count);
  const uint tile = GROUP_SIZE * ITEMS;
  const ulong apart = GROUP_SIZE, end = GROUP_SIZE > 1 ? count : share.end;
  // Without LEVELS a group of several work-items takes one tile.
  const ulong behind = GROUP_SIZE == 1 ? tile : LEVELS > 0 ? get_num_groups(0) * (ulong)tile : count;
  for (ulong first = GROUP_SIZE > 1 ? (ulong)get_group_id(0) * tile + get_local_id(0) : share.begin; first < end; first += behind) {
    bounds_place places[ITEMS];
    bounds_of(top, places, x, n, needles, count, first, apart, given);
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      if (first + k * apart < end) out[first + k * apart] = (INDEX)places[k];
    }
  }
}
