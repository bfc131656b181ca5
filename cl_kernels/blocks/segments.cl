// Segments of one input, given by offsets, and how they are partitioned among groups. Segment s has the elements from offsets[s] to
// before offsets[s + 1]. Knows neither what is done with them nor in which order.
//
// A segment's position is its offset plus SEGMENT_COST for each segment before it. Groups have equal ranges of positions. A group
// takes the segments, and the tiles of long segments, that begin in its range:
//
//   segments  |0    |1    |2                                |3   |4     |   a bar is where one begins; positions rise to the right
//   ranges    |  group 0    |  group 1    |  group 2    |  group 3      |
//
// So group 0 takes segments 0 to 2, except the tiles of segment 2 that begin later, groups 1 and 2 such tiles alone, and group 3
// the last of them and segments 3 and 4.

// What each short segment goes through. Left as calls, these took four times as long on a CPU (PoCL 3.1, segments of 16).
#if GROUP_SIZE == 1
#define SEGMENT_INLINE static inline __attribute__((always_inline))
#else
#define SEGMENT_INLINE INLINE
#endif

// Segments that wait in local memory for the group: where they begin and how long they are, by entries in no order.
typedef struct {
  __local ulong *begins;
  __local ulong *lengths;
  __local uint *numbers;
} segments_waiting;

#ifdef OFFSET

// How many segments there are: a number `segments` that the host gives, or one on the device, which counts as `segments_most`
// where it is larger (lib/blocks/segments.hpp). A kernel has SEGMENTS_ARGUMENT among its arguments, and COLLECT_SEGMENTS before
// its first use of `segments`, which on the device may be 0. Launches are made for segments_most.
#ifdef SEGMENTS_COUNTED_BY
#define SEGMENTS_ARGUMENT const __global SEGMENTS_COUNTED_BY *restrict segments_at, ulong segments_offset, uint segments_most
#define COLLECT_SEGMENTS const uint segments = (uint)min((ulong)segments_at[segments_offset], (ulong)segments_most);
#else
#define SEGMENTS_ARGUMENT uint segments
#define COLLECT_SEGMENTS
#endif

typedef struct {
  ulong begin, length;
  uint fault;  // 0: none; SEGMENT_IS_BAD; or that and SEGMENT_FALLS, if it ends before it begins
} segment;

enum { SEGMENT_IS_BAD = 1, SEGMENT_FALLS = 2 };

static inline segment segment_at(const __global OFFSET *offsets, ulong n, uint s) {
  const ulong begin = offsets[s], end = offsets[s + 1];
  segment own = {begin, end - begin, 0};
  if (begin > end)
    own.fault = SEGMENT_IS_BAD | SEGMENT_FALLS;
  else if (end > n)
    own.fault = SEGMENT_IS_BAD;
  else if (IS_ON(NO_IDENTITY) && begin == end)
    own.fault = SEGMENT_IS_BAD;
  if (own.fault != 0) own.length = 0;
  return own;
}

// The position of a segment. Positions rise with the segments wherever the offsets do not fall.
static inline ulong segment_position(const __global OFFSET *offsets, ulong n, uint s) {
  return min((ulong)offsets[s], n) + (ulong)s * SEGMENT_COST;
}

// A group's own part: its positions, and the segments that begin there. Each group's part ends where the next one's begins,
// whatever the offsets are.
typedef struct {
  ulong from, to;
  uint begin, end;
} segments_part;

static inline segments_part segments_positions(const __global OFFSET *offsets, ulong n, uint segments) {
  const uint groups = get_num_groups(0), group = get_group_id(0);
  const ulong first = segment_position(offsets, n, 0), last = segment_position(offsets, n, segments);
  const ulong each = (ulong)max((long)(last - first), 0L) / groups + 1;
  segments_part own;
  own.from = first + each * group;
  own.to = own.from + each;
  own.begin = 0;
  own.end = segments;
  return own;
}

// SEGMENT_TILE is what one group takes at a time of a long segment.
static inline uint segment_tiles(ulong length) { return (uint)((length + SEGMENT_TILE - 1) / SEGMENT_TILE); }

// How many tiles of a segment begin before a position.
static inline uint segment_tiles_before(ulong own_position, ulong position, uint tiles) {
  return position <= own_position
             ? 0
             : (uint)min((position - own_position + SEGMENT_TILE - 1) / SEGMENT_TILE, (ulong)tiles);
}

// How many segments begin before a position.
static inline uint segments_before(const __global OFFSET *offsets, ulong n, uint segments, ulong position) {
  uint first = 0, end = segments;
  while (first < end) {
    const uint middle = first + (end - first) / 2;
    if (segment_position(offsets, n, middle) < position)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

// Finds the segments of the group's part: half of the work-items look for the first, the others for the one after the last. In
// each step a work-item compares the position of one of the segments that are left. All must call; `found` is two words of local
// memory, which a CPU does not need.
enum { SEGMENT_PROBES = GROUP_SIZE > 1 ? GROUP_SIZE / 2 : 1 };
static inline void segments_search(segments_part *own, const __global OFFSET *offsets, ulong n, uint segments,
                                   __local uint *found) {
  const bool is_first = get_group_id(0) == 0, is_last = get_group_id(0) + 1 >= get_num_groups(0);
  if (GROUP_SIZE == 1) {
    if (!is_first) own->begin = segments_before(offsets, n, segments, own->from);
    if (!is_last) own->end = segments_before(offsets, n, segments, own->to);
    return;
  }
  const uint lane = get_local_id(0), which = lane / SEGMENT_PROBES, probe = lane % SEGMENT_PROBES;
  const ulong position = which == 0 ? own->from : own->to;
  uint first = 0;
  for (uint left = segments; left > 0;) {
    // The one looked for is one of `left`, or the one behind them.
    const uint step = left / (SEGMENT_PROBES + 1) + 1;
    const uint asked = first + probe * step + step - 1;
    if (probe == 0) found[which] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (asked < segments && segment_position(offsets, n, asked) < position) atomic_max(found + which, probe + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    first += found[which] * step;
    barrier(CLK_LOCAL_MEM_FENCE);
    left = step - 1;
  }
  if (probe == 0) found[which] = min(first, segments);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!is_first) own->begin = SAME_IN_LANES(found[0]);
  if (!is_last) own->end = SAME_IN_LANES(found[1]);
}

// The group's part; the segment before its first may have tiles in it, too. All must call; `found` as in segments_search.
INLINE segments_part segments_own(const __global OFFSET *offsets, ulong n, uint segments, __local uint *found) {
  segments_part own = segments_positions(offsets, n, segments);
  segments_search(&own, offsets, n, segments, found);
  return own;
}

// Counters of the workspace: [0] the faults of all segments, [1] groups that have counted, [2] the bad segments they counted.
#define SEGMENTS_COUNTERS ((volatile __global uint *)(workspace + COUNTER_AT))
#ifdef COUNTS_BAD
#define SEGMENTS_BAD , __global ulong *bad, ulong bad_offset
#define SEGMENTS_WITH_BAD , bad + bad_offset
#else
#define SEGMENTS_BAD
#define SEGMENTS_WITH_BAD , 0
#endif

// The end of a call's last launch: adds up the bad segments that each group has counted, if anything is `wrong`, and stores their
// number. Leaves the counters at 0. All work-items must call.
INLINE void segments_add_up(uint wrong, const __local uint *own_count, __global uchar *workspace, __global ulong *bad) {
  const uint id = get_local_id(0);
  GROUP_GLOBAL_BARRIER();  // all have read the counter
  if (id == 0 && wrong != 0) {
    // The second uses what the first returns, which is never 0xffffffff, so that it comes after it: whoever takes the last number
    // finds all counts.
    const uint before = atomic_add(SEGMENTS_COUNTERS + 2, own_count[0]);
    const uint number = atomic_add(SEGMENTS_COUNTERS + 1, before == 0xffffffffu ? 2u : 1u);
    if (number == get_num_groups(0) - 1) {
      const uint count = atomic_xchg(SEGMENTS_COUNTERS + 2, 0u);
      atomic_xchg(SEGMENTS_COUNTERS, 0u);
      atomic_xchg(SEGMENTS_COUNTERS + 1, 0u);
      if (IS_ON(COUNTS_BAD)) *bad = count;
    }
  }
  if (IS_ON(COUNTS_BAD) && wrong == 0 && get_global_id(0) == 0) *bad = 0;
}

// A group of one work-item needs no atomic operation.
static inline uint segments_count_up(__local uint *counter) { return GROUP_SIZE > 1 ? atomic_inc(counter) : (*counter)++; }

// segments_add_up for a launch that has not counted the bad segments: counts them first. `own_count` is a word of local memory.
INLINE void segments_count_bad(const __global OFFSET *offsets, ulong n, uint segments, uint wrong, __local uint *own_count,
                               __global uchar *workspace, __global ulong *bad) {
  if (get_local_id(0) == 0) own_count[0] = 0;
  GROUP_BARRIER();
  if (wrong != 0) {
    for (uint s = get_global_id(0); s < segments; s += get_global_size(0)) {
      if (segment_at(offsets, n, s).fault != 0) segments_count_up(own_count);
    }
  }
  segments_add_up(wrong, own_count, workspace, bad);
}

#endif  // OFFSET
