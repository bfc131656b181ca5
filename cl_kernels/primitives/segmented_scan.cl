// segmented_scan by offsets: running folds of each of many segments of one input. Plan and arguments:
// lib/primitives/segmented_scan.cpp, which says where bits tell segments instead (segmented_scan_begins.cl); order:
// scan_order.cl, counted from a segment's begin.
//
// Groups have equal ranges of the segments' positions (segments.cl). A work-item takes a short segment; the group takes several
// segments of a few strips at a time, and any longer one block after block, carrying the prefix from one block to the next, so it
// needs local memory for one block only. A segment of several tiles may extend over the ranges of many groups, each of which
// takes the tiles that begin in its own range. For such segments, a first launch leaves the folds of all tiles that are followed
// by others of their segment.
//
// Offsets may be wrong. The first launch looks at all of them, and where any segment ends before it begins, the second
// writes no results: such segments may share elements. A segment that ends past the input is never read.

// How many segments there are: as segments.cl has it, or as a launch before has counted the runs of equal keys, whose offsets
// it left in the workspace (scan_by_key).
#ifdef SEGMENTS_BY_KEY
#define SEGMENTS_NUMBER const __global ulong *runs, ulong runs_offset
#define SEGMENTS_COLLECT                                        \
  COLLECT_ELEMENTS                                              \
  const uint segments = SAME_IN_LANES((uint)runs[runs_offset]); \
  RETURN_BEHIND(0, segments)
#else
#define SEGMENTS_NUMBER SEGMENTS_ARGUMENT
#define SEGMENTS_COLLECT COLLECT_SEGMENTS
#endif
#define SEGMENTS_INPUT                                                                                                     \
  const __global STORED *x, ulong x_offset, ELEMENTS_ARGUMENT, const __global OFFSET *restrict offsets,                    \
      ulong offsets_offset,                                                                                                \
      SEGMENTS_NUMBER

// The folds of a long segment's tiles, except the last, whose fold is not needed: so a value for each whole tile of the input is
// enough, also for segments that follow each other.
static inline __global FOLDED *segment_results(__global uchar *workspace, ulong results_at, ulong begin) {
  return (__global FOLDED *)(workspace + results_at) + begin / SEGMENT_TILE;
}

// Of those that wait some are taken several at a time (scan_slots.cl), of which a block has room for two at least: they wait
// from the first entry on, the others from the last one backwards.
#define SEGMENTS_WAITING(name, count)       \
  __local ulong name##_begins[GROUP_SIZE];  \
  __local ulong name##_lengths[GROUP_SIZE]; \
  __local uint name##_numbers[GROUP_SIZE];  \
  __local uint count[2];                    \
  const segments_waiting name = {name##_begins, name##_lengths, name##_numbers}

INLINE void segment_waits(segments_waiting waiting, __local uint *count, segment each, uint s) {
  const bool in_slots = IS_ON(SCAN_STAGED) && each.length <= SCAN_STRIPS / 2 * SCAN_STRIP;
  const uint entry = in_slots ? segments_count_up(count) : GROUP_SIZE - 1 - segments_count_up(count + 1);
  waiting.begins[entry] = each.begin;
  waiting.lengths[entry] = each.length;
  waiting.numbers[entry] = s;
}

// Stores the results of a segment of at most a strip, element after element. In place an element is read before its result
// is there.
SEGMENT_INLINE void segment_give_short(const __global STORED *x, __global ACC *out, uint count,
                                       scan_before outside, named_values given) {
  FOLDED s, runs, fold;
  for (uint first = 0; first < count; first += SCAN_RUN) {
    const uint own = min(count - first, (uint)SCAN_RUN);
    for (uint e = 0; e < own; ++e) {
      const uint i = first + e;
      const FOLDED value = lift(load_element(x + i), i, given);
      if (IS_ON(EXCLUSIVE)) out[i] = canonical(scan_result(i > 0, fold, outside, given));
      s = e == 0 ? value : combine(s, value, given);
      fold = first == 0 ? s : combine(runs, s, given);
      if (!IS_ON(EXCLUSIVE)) out[i] = canonical(scan_result(true, fold, outside, given));
    }
    runs = fold;
  }
}

// ---------------------------------------------------------------------------------------- the launches
// What is wrong with segments, and the folds of tiles. Global size: groups * GROUP_SIZE.
KERNEL void segmented_scan_folds(SEGMENTS_INPUT, __global uchar *workspace, ulong results_at VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SEGMENTS_COLLECT
  SCAN_MEMORY(memory);
  SEGMENTS_WAITING(waiting, count);
  __local uint found[2];
  const uint id = get_local_id(0);
  offsets += offsets_offset;
  x += x_offset;
  const segments_part own = segments_own(offsets, n, segments, found);
  uint fault = 0;
  scan_held held;
  for (uint first = own.begin > 0 ? own.begin - 1 : 0; first < own.end; first += GROUP_SIZE) {
    if (id == 0) count[0] = count[1] = 0;
    GROUP_BARRIER();
    const uint s = first + id;
    if (s < own.end) {
      const segment each = segment_at(offsets, n, s);
      fault |= each.fault;
      if (each.length > SEGMENT_TILE) segment_waits(waiting, count, each, s);
    }
    GROUP_BARRIER();
    const uint all = SAME_IN_LANES(count[1]);
    for (uint entry = GROUP_SIZE - all; entry < GROUP_SIZE; ++entry) {
      const ulong begin = waiting.begins[entry], length = waiting.lengths[entry];
      const ulong position = begin + (ulong)waiting.numbers[entry] * SEGMENT_COST;
      const uint last = segment_tiles(length) - 1;
      const uint end = segment_tiles_before(position, own.to, last);
      for (uint tile = segment_tiles_before(position, own.from, last); tile < end; ++tile) {
        FOLDED fold;
        for (uint k = 0; k < SEGMENT_BLOCKS; ++k) {
          if (k + 1 < SEGMENT_BLOCKS) segment_fetch_block(x + begin, length, tile * SEGMENT_BLOCKS + k + 1);
          scan_fold(&held, x + begin, length, tile * SEGMENT_BLOCKS + k, memory, given);
          fold = k == 0 ? memory.total[0] : combine(fold, memory.total[0], given);
        }
        if (id == 0) segment_results(workspace, results_at, begin)[tile] = fold;
      }
    }
    GROUP_BARRIER();
  }
  if (fault != 0) atomic_or(SEGMENTS_COUNTERS, fault);
  MEET_AT_END
}

// The results, and how many segments are bad. As many groups as before.
KERNEL void segmented_scan(SEGMENTS_INPUT, __global ACC *out, ulong out_offset, ACC start,
                           __global uchar *workspace, ulong results_at SEGMENTS_BAD VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SEGMENTS_COLLECT
  SCAN_MEMORY(memory);
  SEGMENTS_WAITING(waiting, count);
#ifdef SCAN_STAGED
  SCAN_SLOTS(slots);
#endif
  __local FOLDED folds[GROUP_SIZE];
  __local uint found[2];
  __local uint own_count[1];
  const uint id = get_local_id(0);
  offsets += offsets_offset;
  x += x_offset;
  out += out_offset;
  const uint wrong = SAME_IN_LANES(SEGMENTS_COUNTERS[0]);
  segments_part own = segments_own(offsets, n, segments, found);
  if ((wrong & SEGMENT_FALLS) != 0) own.begin = own.end = 0;
  const scan_before nothing = scan_nothing(start, given);
  scan_held held;
  for (uint first = own.begin > 0 ? own.begin - 1 : 0; first < own.end; first += GROUP_SIZE) {
    if (id == 0) count[0] = count[1] = 0;
    GROUP_BARRIER();
    const uint s = first + id;
    segment each = {0, 0, 0};
    if (s < own.end) each = segment_at(offsets, n, s);
    const bool is_own = s >= own.begin;
    if (each.length > SEGMENT_OWN && (is_own || each.length > SEGMENT_TILE)) segment_waits(waiting, count, each, s);
    GROUP_BARRIER();
    const uint few = SAME_IN_LANES(count[0]), all = SAME_IN_LANES(count[1]);
    const bool is_short = is_own && each.length > 0 && each.length <= SEGMENT_OWN;
#ifdef SCAN_STAGED
    // Where there are no others, and all have room together, neighbouring work-items store neighbouring results.
    const uint all_from = min(max(first, own.begin), own.end);
    const ulong from = offsets[all_from], to = offsets[min(first + GROUP_SIZE, own.end)];
    const bool together = few + all == 0 && to <= n && to - from <= SEGMENT_BLOCK;
    if (is_short)
      scan_give_strip(x + each.begin, out + each.begin, 0, (uint)each.length, 0, memory, nothing, together,
                      (uint)(each.begin - from), given);
    GROUP_BARRIER();
    scan_store_staged(memory.staged, out + from, together ? (uint)(to - from) : 0);
    for (uint done = 0; done < few;) {
      if (id == 0) scan_fill_slots(slots, waiting, done, few);
      GROUP_BARRIER();
      done = SAME_IN_LANES(slots.taken[1]);
      scan_give_slots(x, out, slots, SAME_IN_LANES(slots.taken[0]), memory, nothing, given);
    }
#else
    if (is_short) segment_give_short(x + each.begin, out + each.begin, (uint)each.length, nothing, given);
#endif
    for (uint entry = GROUP_SIZE - all; entry < GROUP_SIZE; ++entry) {
      const ulong begin = waiting.begins[entry], length = waiting.lengths[entry];
      const ulong position = begin + (ulong)waiting.numbers[entry] * SEGMENT_COST;
      const uint tiles = segment_tiles(length);
      const uint tile = segment_tiles_before(position, own.from, tiles), end = segment_tiles_before(position, own.to, tiles);
      scan_before before = nothing;
      segment_carry_tiles(&before, segment_results(workspace, results_at, begin), tile < end ? tile : 0, folds, given);
      const uint blocks = (uint)min((ulong)end * SEGMENT_BLOCKS, (length + SEGMENT_BLOCK - 1) / SEGMENT_BLOCK);
      for (uint block = tile * SEGMENT_BLOCKS; block < blocks; ++block) {
        if (block + 1 < blocks) segment_fetch_block(x + begin, length, block + 1);
        scan_fold(&held, x + begin, length, block, memory, given);
        const FOLDED fold = memory.total[0];
        scan_settle(&held, length, block, memory, given);
        scan_give(&held, x + begin, out + begin, length, block, memory, before, given);
        if (block + 1 < blocks) segment_carry_block(&before, block, fold, given);
      }
    }
    GROUP_BARRIER();
  }
  segments_count_bad(offsets, n, segments, wrong, own_count, workspace SEGMENTS_WITH_BAD);
  MEET_AT_END
}
