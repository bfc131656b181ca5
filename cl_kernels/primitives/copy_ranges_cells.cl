// copy_ranges on a GPU: groups go over cells (copy_ranges.cl).

// What the work-items before this one have, and in `sum` what all have. All must call; `sums` may be used again at once.
INLINE ulong sum_before(ulong own, ulong *sum, __local ulong *sums) {
  const uint id = get_local_id(0);
  ulong up_to = own;
  sums[id] = up_to;
  GROUP_BARRIER();
  for (uint distance = 1; distance < GROUP_SIZE; distance *= 2) {
    const ulong more = id >= distance ? sums[id - distance] : 0;
    GROUP_BARRIER();
    up_to += more;
    sums[id] = up_to;
    GROUP_BARRIER();
  }
  *sum = sums[GROUP_SIZE - 1];
  GROUP_BARRIER();
  return up_to - own;
}

#ifndef ONE_WINDOW
// Global size: GROUP_SIZE for each window.
KERNEL void copy_ranges_sums(TOLD_RANGES, const __global uchar *out, ulong out_offset, __global uchar *workspace,
                             ulong sums_at, ulong bads_at) {
  __local ulong sums[GROUP_SIZE];
  const uint id = get_local_id(0);
  const ulong k = (ulong)get_group_id(0) * RANGE_WINDOW + id;
  COLLECT_TOLD_RANGES
  __local uint bad_ones;
  if (IS_ON(COUNTS_BAD)) {
    if (id == 0) bad_ones = 0;
    GROUP_BARRIER();
  }
  ulong positions = 0;
  if (k < ranges) {
    const copied_range own = copied_range_at(&told, k);
    positions = cells_of(&own) + RANGE_COST;
    if (IS_ON(COUNTS_BAD) && own.bad) atomic_inc((volatile __local uint *)&bad_ones);
  }
  ulong sum;
  sum_before(positions, &sum, sums);
  if (id == 0) {
    ((__global ulong *)(workspace + sums_at))[get_group_id(0)] = sum;
    if (IS_ON(COUNTS_BAD)) ((__global uint *)(workspace + bads_at))[get_group_id(0)] = bad_ones;
  }
}

// Windows that a work-item takes at a time. Not measured.
enum { WINDOWS_OF_ITEM = 8 };

// Global size: GROUP_SIZE.
KERNEL void copy_ranges_windows(__global uchar *workspace, ulong sums_at, uint windows, ulong bads_at BAD_OF_RANGES) {
  __local ulong sums[GROUP_SIZE];
  __global ulong *begins = (__global ulong *)(workspace + sums_at);
  const uint id = get_local_id(0);
  ulong before = 0;
  ulong bad_ones = 0;
  for (uint first = 0; first < windows; first += GROUP_SIZE * WINDOWS_OF_ITEM) {
    const uint own_first = first + id * WINDOWS_OF_ITEM;
    ulong held[WINDOWS_OF_ITEM], own = 0;
    UNROLL
    for (uint k = 0; k < WINDOWS_OF_ITEM; ++k) {
      held[k] = own_first + k < windows ? begins[own_first + k] : 0;
      own += held[k];
    }
    ulong sum;
    ulong at = before + sum_before(own, &sum, sums);
    UNROLL
    for (uint k = 0; k < WINDOWS_OF_ITEM; ++k) {
      if (own_first + k < windows) begins[own_first + k] = at;
      at += held[k];
    }
    before += sum;
    for (uint k = 0; IS_ON(COUNTS_BAD) && k < WINDOWS_OF_ITEM; ++k) {
      if (own_first + k < windows) bad_ones += ((const __global uint *)(workspace + bads_at))[own_first + k];
    }
  }
  if (id == 0) begins[windows] = before;
  if (IS_ON(COUNTS_BAD)) {
    ulong all_bad;
    sum_before(bad_ones, &all_bad, sums);
    if (id == 0) {
      STORE_BAD_RANGES(all_bad)
    }
  }
}

// The last window that does not begin behind a position: all work-items look. `found` is a word of local memory.
INLINE uint window_at(const __global ulong *begins, uint windows, ulong position, __local uint *found) {
  const uint id = get_local_id(0);
  uint first = 0;  // so many windows surely begin before or there, and `left` more perhaps
  for (uint left = windows; left > 0;) {
    const uint apart = left / (GROUP_SIZE + 1) + 1;
    const uint asked = first + id * apart + apart - 1;
    if (id == 0) *found = 0;
    GROUP_BARRIER();
    if (asked < windows && begins[asked] <= position) atomic_max((volatile __local uint *)found, id + 1);
    GROUP_BARRIER();
    first += *found * apart;
    GROUP_BARRIER();
    left = apart - 1;
  }
  return min(first, windows) - 1;
}
#endif

// A cell of the output is on its way as the words of a packet.

// The 16 bytes that begin `over` bytes into two packets.
INLINE packet_16 shifted_cell(packet_16 low, packet_16 high, uint over) {
  const bool by_two = (over & 8) != 0;
  uint first = by_two ? low.z : low.x, second = by_two ? low.w : low.y, third = by_two ? high.x : low.z;
  uint fourth = by_two ? high.y : low.w;
  if (PART_BYTES < 8) {
    const bool by_one = (over & 4) != 0;
    uint fifth = by_two ? high.z : high.x;
    first = by_one ? second : first;
    second = by_one ? third : second;
    third = by_one ? fourth : third;
    fourth = by_one ? fifth : fourth;
    if (PART_BYTES < 4) {
      const uint sixth = by_two ? high.w : high.y;
      fifth = by_one ? sixth : fifth;
      first = straddling_word(first, second, over & 3);
      second = straddling_word(second, third, over & 3);
      third = straddling_word(third, fourth, over & 3);
      fourth = straddling_word(fourth, fifth, over & 3);
    }
  }
  return (uint4)(first, second, third, fourth);
}

// Of a cell at either end of x: word k, with those of its bytes that lie between `begin` and `end`.
static inline uint word_by_parts(const __global uchar *from, uint k, uint begin, uint end) {
  uint word = 0;
#if PART_BYTES < 4
  for (uint byte = max(begin, 4 * k); byte < min(end, 4 * k + 4); byte += PART_BYTES)
    word |= (uint)((const __global ELEMENT_PART *)from)[byte / PART_BYTES] << (8 * (byte - 4 * k));
#else
  if (4 * k >= begin && 4 * k < end) word = ((const __global uint *)from)[k];
#endif
  return word;
}

static inline uint word_of_cell(packet_16 cell, uint k) {
  const uint low = (k & 1) != 0 ? cell.y : cell.x, high = (k & 1) != 0 ? cell.w : cell.z;
  return (k & 2) != 0 ? high : low;
}

// Stores the cell's bytes from `begin` to before `end` in pieces of 1, 2, 4 and 8 bytes where these lie. So an element of as
// many is stored by one access.
#define STORE_PIECE(type, bytes, value)             \
  {                                                 \
    *(__global type *)(to + begin) = (type)(value); \
    begin += (bytes);                               \
  }
static inline uint low_bytes_at(packet_16 cell, uint begin) { return word_of_cell(cell, begin / 4) >> (8 * (begin % 4)); }
static inline ulong eight_bytes_at(packet_16 cell, uint begin) {
  return (ulong)word_of_cell(cell, begin / 4 + 1) << 32 | word_of_cell(cell, begin / 4);
}
INLINE void store_part_of_cell(__global uchar *to, packet_16 cell, uint begin, uint end) {
  if (PART_BYTES < 2 && (begin & 1) != 0 && begin < end) STORE_PIECE(uchar, 1, low_bytes_at(cell, begin))
  if (PART_BYTES < 4 && (begin & 2) != 0 && begin + 2 <= end) STORE_PIECE(ushort, 2, low_bytes_at(cell, begin))
  if (PART_BYTES < 8 && (begin & 4) != 0 && begin + 4 <= end) STORE_PIECE(uint, 4, low_bytes_at(cell, begin))
  if ((begin & 8) != 0 && begin + 8 <= end) STORE_PIECE(ulong, 8, eight_bytes_at(cell, begin))
  if (begin + 8 <= end) STORE_PIECE(ulong, 8, eight_bytes_at(cell, begin))
  if (PART_BYTES < 8 && begin + 4 <= end) STORE_PIECE(uint, 4, low_bytes_at(cell, begin))
  if (PART_BYTES < 4 && begin + 2 <= end) STORE_PIECE(ushort, 2, low_bytes_at(cell, begin))
  if (PART_BYTES < 2 && begin < end) STORE_PIECE(uchar, 1, low_bytes_at(cell, begin))
}

// A vector's components may be stored one by one, and an element of 8 bytes must not.
INLINE void store_cell(__global uchar *to, packet_16 cell) {
  if (PART_BYTES == 8)
    STORE_ONCE(ulong2, (__global ulong2 *)to, as_ulong2(cell));
  else
    STORE_ONCE(packet_16, (__global packet_16 *)to, cell);
}

// The last range whose first cell is not behind one: ranges without cells begin where the next one does.
INLINE uint range_of_cell(const __local uint *firsts, uint cell) {
  uint s = 0;
  for (uint more = GROUP_SIZE / 2; more > 0; more /= 2) {
    if (firsts[s + more] <= cell) s += more;
  }
  return s;
}

// Cells that a group goes over between two looks at a window's ranges, at most: a word counts them.
enum { MOST_CELLS = 1 << 30 };

// Global size: any.
KERNEL void copy_ranges(const __global uchar *restrict x, ulong x_offset, TOLD_RANGES, __global uchar *restrict out,
                        ulong out_offset WINDOWS_OF_RANGES) {
  __local uint firsts[GROUP_SIZE + 1];  // each range's first cell among those that the group takes of the window
  __local ulong cells_at[GROUP_SIZE];   // what makes of the number of a cell there its place, in cells
  __local ulong begins[GROUP_SIZE], ends[GROUP_SIZE], aparts[GROUP_SIZE];
  __local ulong marks[2];
  const uint id = get_local_id(0);
  COLLECT_TOLD_RANGES
  x += x_offset;
  const ulong x_bytes = n * element_bytes;
  __global uchar *const first_cell = out + out_offset - told.phase;
  uint window = 0;
  ulong before_window = 0;
#ifdef ONE_WINDOW
  ulong from = 0, to = 1;
  bool is_dealt = false;
  __local uint bad_ones;
  if (IS_ON(COUNTS_BAD)) {
    if (id == 0) bad_ones = 0;
    GROUP_BARRIER();
  }
#else
  __local uint found;
  const __global ulong *window_begins = (const __global ulong *)(workspace + sums_at);
  const ulong each = window_begins[windows] / get_num_groups(0) + 1;
  ulong from = each * get_group_id(0);
  const ulong to = min(from + each, window_begins[windows]);
  if (from < to) {
    window = window_at(window_begins, windows, from, &found);
    before_window = window_begins[window];
  }
#endif
  while (from < to) {
    const ulong k = (ulong)window * RANGE_WINDOW + id;
    copied_range own = {0, 0, 0, 0};
    ulong cells = 0, positions = 0;
    if (k < ranges) {
      own = copied_range_at(&told, k);
      cells = cells_of(&own);
      positions = cells + RANGE_COST;
    }
    if (id < 2) marks[id] = 0;
    ulong sum;
    const ulong before = sum_before(positions, &sum, ends);
#ifdef ONE_WINDOW
    if (!is_dealt) {
      is_dealt = true;
      const ulong each = sum / get_num_groups(0) + 1;
      from = each * get_group_id(0);
      to = min(from + each, sum);
      if (IS_ON(COUNTS_BAD) && own.bad) atomic_inc((volatile __local uint *)&bad_ones);
    }
#endif
    // The part of the window's positions that is taken now, and of its cells.
    const ulong low = from - before_window;
    const ulong high = min(min(to - before_window, sum), low + MOST_CELLS);
    const ulong cells_before = k < ranges ? before - (ulong)RANGE_COST * id : ~(ulong)0;
    if (positions != 0 && before <= low && low - before < positions) marks[0] = cells_before + min(low - before, cells);
    if (positions != 0 && before < high && high - before <= positions) marks[1] = cells_before + min(high - before, cells);
    GROUP_BARRIER();
    const ulong cells_from = marks[0], cells_to = marks[1];
    const uint count = from < to ? SAME_IN_LANES((uint)(cells_to - cells_from)) : 0;
    firsts[id] = cells_before <= cells_from ? 0 : (uint)(min(cells_before, cells_to) - cells_from);
    if (id == 0) firsts[GROUP_SIZE] = count;
    cells_at[id] = own.begin / CELL_BYTES + cells_from - cells_before;
    begins[id] = own.begin;
    ends[id] = own.end;
    aparts[id] = own.apart;
    GROUP_BARRIER();
    uint first = 0;
    for (uint block = 0; block < count; block += GROUP_SIZE * ITEMS) {
      const uint behind = min(block + GROUP_SIZE * ITEMS, count);
      if (firsts[first + 1] < behind) first = range_of_cell(firsts, block);
      const bool is_one = firsts[first + 1] >= behind;
      ulong places[ITEMS];
      uint own_begins[ITEMS], own_ends[ITEMS];
      const __global uchar *froms[ITEMS];  // a cell's first byte in x, or before it
      uint overs[ITEMS];                   // bytes from a multiple of CELL_BYTES to there
      bool by_packets[ITEMS];              // the packets that it lies in are x's
      UNROLL
      for (uint i = 0; i < ITEMS; ++i) {
        const uint cell = block + i * GROUP_SIZE + id;
        own_begins[i] = own_ends[i] = 0;
        by_packets[i] = false;
        if (cell < behind) {
          const uint s = is_one ? first : range_of_cell(firsts, cell);
          places[i] = (cells_at[s] + cell) * CELL_BYTES;
          own_begins[i] = begins[s] > places[i] ? (uint)(begins[s] - places[i]) : 0;
          own_ends[i] = (uint)min(ends[s] - places[i], (ulong)CELL_BYTES);
          const long at = (long)(places[i] + aparts[s]);
          froms[i] = x + at;
          overs[i] = (uint)(size_t)froms[i] % CELL_BYTES;
          by_packets[i] =
              at >= (long)overs[i] && (ulong)at - overs[i] + (overs[i] == 0 ? CELL_BYTES : 2 * CELL_BYTES) <= x_bytes;
        }
      }
      // All loads are in flight before the first is waited for.
      packet_16 held[ITEMS], held_behind[ITEMS];
      UNROLL
      for (uint i = 0; i < ITEMS; ++i) {
        if (by_packets[i]) held[i] = *(const __global packet_16 *)(froms[i] - overs[i]);
        if (by_packets[i] && overs[i] != 0) held_behind[i] = *(const __global packet_16 *)(froms[i] - overs[i] + CELL_BYTES);
      }
      UNROLL
      for (uint i = 0; i < ITEMS; ++i) {
        const uint begin = own_begins[i], end = own_ends[i];
        if (begin != end) {
          packet_16 cell = held[i];
          if (!by_packets[i])
            cell = (uint4)(word_by_parts(froms[i], 0, begin, end), word_by_parts(froms[i], 1, begin, end),
                           word_by_parts(froms[i], 2, begin, end), word_by_parts(froms[i], 3, begin, end));
          else if (overs[i] != 0)
            cell = shifted_cell(cell, held_behind[i], overs[i]);
          if (end - begin == CELL_BYTES)
            store_cell(first_cell + places[i], cell);
          else
            store_part_of_cell(first_cell + places[i], cell, begin, end);
        }
      }
    }
    GROUP_BARRIER();
    from = before_window + high;
    if (high == sum) {
      before_window += sum;
      ++window;
    }
  }
#ifdef ONE_WINDOW
  if (get_group_id(0) == 0 && id == 0) {
    STORE_BAD_RANGES(bad_ones)
  }
#endif
}
