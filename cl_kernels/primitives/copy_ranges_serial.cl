// copy_ranges on a CPU, whose work-items are groups: they go over ranges (copy_ranges.cl).

// Adds to `bad` how many of some ranges are bad, and returns how many positions they have.
static inline ulong positions_of(const told_ranges *told, ulong first, ulong end, ulong *bad) {
  ulong positions = 0;
  for (ulong k = first; k < end; ++k) {
    const copied_range own = copied_range_at(told, k);
    positions += cells_of(&own) + RANGE_COST;
    *bad += own.bad;
  }
  return positions;
}

#ifndef ONE_WINDOW
// Global size: any.
KERNEL void copy_ranges_sums(TOLD_RANGES, const __global uchar *out, ulong out_offset, __global uchar *workspace,
                             ulong sums_at, ulong bads_at) {
  COLLECT_TOLD_RANGES
  const own_units own = own_share((ranges + RANGE_WINDOW - 1) / RANGE_WINDOW);
  for (ulong window = own.begin; window < own.end; ++window) {
    ulong bad_ones = 0;
    ((__global ulong *)(workspace + sums_at))[window] =
        positions_of(&told, window * RANGE_WINDOW, min((window + 1) * RANGE_WINDOW, ranges), &bad_ones);
    if (IS_ON(COUNTS_BAD)) ((__global uint *)(workspace + bads_at))[window] = (uint)bad_ones;
  }
}

// Global size: 1.
KERNEL void copy_ranges_windows(__global uchar *workspace, ulong sums_at, uint windows, ulong bads_at BAD_OF_RANGES) {
  __global ulong *begins = (__global ulong *)(workspace + sums_at);
  ulong before = 0;
  for (uint window = 0; window < windows; ++window) {
    const ulong positions = begins[window];
    begins[window] = before;
    before += positions;
  }
  begins[windows] = before;
  ulong bad_ones = 0;
  for (uint window = 0; IS_ON(COUNTS_BAD) && window < windows; ++window)
    bad_ones += ((const __global uint *)(workspace + bads_at))[window];
  STORE_BAD_RANGES(bad_ones)
}

// The last window that does not begin behind a position.
static inline uint window_at(const __global ulong *begins, uint windows, ulong position) {
  uint first = 0, end = windows;
  while (end - first > 1) {
    const uint middle = first + (end - first) / 2;
    if (begins[middle] <= position)
      first = middle;
    else
      end = middle;
  }
  return first;
}
#endif

// Copies whole elements. Of one that has 8 bytes or fewer, all are stored by one access.
static inline void copy_elements(const __global uchar *restrict from, __global uchar *restrict to, ulong bytes) {
  if (bytes >= WIDE_BYTES) {
    copy_run(from, to, bytes);
    return;
  }
  ulong at = 0;
  for (; PART_BYTES < 8 && at + 8 <= bytes; at += 8)
    ANYWHERE(__global, ulong, to + at) = ANYWHERE(const __global, ulong, from + at);
  for (; at < bytes; at += PART_BYTES) *(__global ELEMENT_PART *)(to + at) = *(const __global ELEMENT_PART *)(from + at);
}

// Global size: any.
KERNEL void copy_ranges(const __global uchar *restrict x, ulong x_offset, TOLD_RANGES, __global uchar *restrict out,
                        ulong out_offset WINDOWS_OF_RANGES) {
  COLLECT_TOLD_RANGES
  x += x_offset;
  __global uchar *const first_cell = out + out_offset - told.phase;
#ifdef ONE_WINDOW
  ulong bad_ones = 0;
  const ulong sum = positions_of(&told, 0, ranges, &bad_ones);
  if (get_group_id(0) == 0) {
    STORE_BAD_RANGES(bad_ones)
  }
#else
  const __global ulong *window_begins = (const __global ulong *)(workspace + sums_at);
  const ulong sum = window_begins[windows];
#endif
  const ulong each = sum / get_num_groups(0) + 1;
  const ulong from = each * get_group_id(0), to = min(from + each, sum);
  if (from >= to) return;
#ifdef ONE_WINDOW
  ulong k = 0, position = 0;
#else
  const uint window = window_at(window_begins, windows, from);
  ulong k = (ulong)window * RANGE_WINDOW, position = window_begins[window];
#endif
  for (; k < ranges && position < to; ++k) {
    const copied_range own = copied_range_at(&told, k);
    const ulong cells = cells_of(&own);
    const ulong low = max(from, position) - position, high = min(to - position, cells);
    if (low < high) {
      const ulong first = own.begin / CELL_BYTES;
      const ulong begin = max(own.begin, (first + low) * CELL_BYTES), end = min(own.end, (first + high) * CELL_BYTES);
      copy_elements(x + (begin + own.apart), first_cell + begin, end - begin);
    }
    position += cells + RANGE_COST;
  }
}
