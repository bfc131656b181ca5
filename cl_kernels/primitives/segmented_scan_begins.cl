// segmented_scan and scan_by_key on a GPU whose work-items hold elements in registers: running folds of the segments of one
// input, by bits that say where they begin (scan_begins.cl). Plans and arguments: lib/primitives/segmented_scan.cpp and
// scan_by_key.cpp; order: scan_order.cl, counted from a segment's begin.
//
// The first launch finds the begins: where keys differ from those before them, or by offsets. The last one has a group for each
// part of the input. A segment of several units may extend over the parts of many groups. For such segments, a launch between
// leaves the folds of all tiles that are followed by others of their segment; or (BEGINS_IN_ONE_PASS) the groups of the last launch
// send each other the folds of blocks. With BEGINS_IN_ONE_LAUNCH these groups also find the begins, and there is no other launch
// (scan_by_key_one_launch.cl).

// A launch before has left the begins in the workspace. Elements have the numbers that they have there: of keys, from the
// first one's in its packet on. By offsets some segments may be bad.
#ifdef SEGMENTS_BY_KEY
#define BEGINS_SOURCE uint head
#define BEGINS_END(end) COLLECT_ELEMENTS const ulong end = n + head
#define BEGINS_BAD
#else
#define BEGINS_SOURCE const __global OFFSET *restrict offsets, ulong offsets_offset, SEGMENTS_ARGUMENT
#define BEGINS_END(end)                                    \
  COLLECT_SEGMENTS                                         \
  const uint head = 0;                                     \
  const uint wrong = SAME_IN_LANES(SEGMENTS_COUNTERS[0]);  \
  offsets += offsets_offset;                               \
  const ulong end = segments_end(offsets, n, segments, wrong)
#define BEGINS_BAD SEGMENTS_BAD

// The first of the offsets from `first` on that is more than `at`, of those before `end`; else `end`.
static inline uint first_offset_behind(const __global OFFSET *offsets, uint first, uint end, ulong at) {
  while (first < end) {
    const uint middle = first + (end - first) / 2;
    if (offsets[middle] <= at)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

// Where the last segment ends that does not end behind the input: there all bad ones begin or follow. 0 where offsets fall.
static inline ulong segments_end(const __global OFFSET *offsets, ulong n, uint segments, uint wrong) {
  if (wrong == 0) return offsets[segments];
  if ((wrong & SEGMENT_FALLS) != 0) return 0;
  const uint behind = first_offset_behind(offsets, 0, segments + 1, n);
  return behind > 0 ? offsets[behind - 1] : 0;
}

enum {
  BEGINS_MOST = BEGINS_UNIT < 32768 ? BEGINS_UNIT : 32768,
  OFFSETS_LOOKED = 4  // by a work-item at a time
};

// What is wrong with segments, and a bit for each element, set where one begins; of each part the first and the last one.
// Global size: parts * GROUP_SIZE.
KERNEL void segmented_scan_begins(ulong n, const __global OFFSET *restrict offsets, ulong offsets_offset, SEGMENTS_ARGUMENT,
                                  __global uchar *workspace, uint part, ulong parts_at, ulong results_at) {
  COLLECT_SEGMENTS
  __local uint bits[BEGINS_MOST / 32];
  __local uint found[2];
  const uint id = own_id_anew(), words = part / 32;
  offsets += offsets_offset;
  uint fault = 0;
  for (uint s = get_global_id(0); s < segments; s += get_global_size(0)) fault |= segment_at(offsets, n, s).fault;
  if (fault != 0) atomic_or(SEGMENTS_COUNTERS, fault);
  for (uint w = id; w < words; w += GROUP_SIZE) bits[w] = 0;
  segments_part own;
  own.from = (ulong)get_group_id(0) * part;
  own.to = own.from + part;
  own.begin = 0;
  own.end = segments;
  segments_search(&own, offsets, n, segments, found);
  for (uint first = own.begin; first < own.end;) {
    UNROLL
    for (uint k = 0; k < OFFSETS_LOOKED; ++k) {
      const uint s = first + k * GROUP_SIZE + id;
      const ulong at = offsets[min(s, segments)];
      if (s < own.end && at >= own.from && at < own.to)
        atomic_or(bits + (uint)(at - own.from) / 32, 1u << (uint)(at - own.from) % 32);
    }
    const ulong at = offsets[first];
    first += OFFSETS_LOOKED * GROUP_SIZE;
    // Segments without elements may be more than there is time for. Each work-item searches for itself: PoCL 3.1 updates
    // `first` for one work-item alone where a branch of the loop has barriers.
    if (first < own.end && offsets[first] == at) first = first_offset_behind(offsets, first, own.end, at);
  }
  GROUP_BARRIER();
  __global uint *to = (__global uint *)(workspace + OWN_AT) + (ulong)get_group_id(0) * words;
  uint first = 0xffffffffu, last = 0;  // counted from 1
  for (uint w = id; w < words; w += GROUP_SIZE) {
    const uint word = bits[w];
    to[w] = word;
    if (word != 0) {
      first = min(first, w * 32 + 1 + lowest_bit(word));
      last = w * 32 + 1 + highest_bit(word);
    }
  }
  tell_of_part((__global uint *)(workspace + parts_at) + get_group_id(0), first, last, found);
  // A part's message is cleared before the launch in which it is posted.
  if (IS_ON(BEGINS_IN_ONE_PASS) && id < FOLDED_WORDS)
    ((__global ulong *)(workspace + results_at))[(ulong)get_group_id(0) * FOLDED_WORDS + id] = 0;
}
#endif
#define BEGINS_INPUT                                                                                                     \
  const __global STORED *x, ulong x_offset, ELEMENTS_ARGUMENT, BEGINS_SOURCE, __global uchar *workspace, uint part, \
      ulong parts_at, ulong results_at
#define BEGINS_COLLECT(name)                                                                                        \
  BEGINS_END(end);                                                                                                  \
  AT_MOST_OF_GROUP(part, end, SELECT_TILE, SELECT_TILE)                                                             \
  const scan_begins name = {(const __global uint *)(workspace + OWN_AT), 0, (const __global uint *)(workspace + parts_at), \
                            part, end}

// What a group needs beside the memory of a window; the last three if groups send each other the folds of blocks.
typedef struct {
  __global uchar *workspace;
  ulong results_at;
  __local FOLDED *folds;  // GROUP_SIZE
  uint call;
  __local uint *found;
  scan_memory of_block;
} begins_place;

#ifdef BEGINS_IN_ONE_PASS
// A segment may go on behind the part of a group. Then this group folds the last block of its part and posts the fold as a message,
// for which the groups that go on with the segment wait. They wait a bounded time, and fold the block themselves if no message
// comes: so the call ends, in whatever order a device runs its groups.
#define NO_BLOCK 0xffffffffu
static inline __global ulong *message_of_part(begins_place place, ulong part) {
  return (__global ulong *)(place.workspace + place.results_at) + part * MESSAGE_WORDS;
}

// Posts the fold of the last block of `length` elements of the segment at `of_segment`, which goes on behind the part.
INLINE void begins_tell(const __global STORED *of_segment, ulong length, uint part, begins_place place, named_values given) {
  scan_held held;
  scan_fold(&held, of_segment, length, (uint)(length / SEGMENT_BLOCK) - 1, place.of_block, given);
  if (own_id_anew() == 0) {
    post_message(message_of_part(place, part), place.call, place.of_block.total[0]);
    message_before_stores();
  }
}

// The prefix of the block `unit` > 0 in the segment at `of_segment`, which begins at element `begin`; parts have `part` elements.
// All work-items must call and get it.
INLINE void begins_carry(scan_before *before, const __global STORED *of_segment, ulong begin, uint unit, uint part,
                          begins_place place, named_values given) {
  const uint id = own_id_anew();
  for (uint first = 0; first < unit; first += BLOCKS_CARRIED) {
    const uint count = min(unit - first, (uint)BLOCKS_CARRIED);
    bool wanted = id < count;
    for (uint looked = 0, missing = 0; missing != NO_BLOCK; ++looked) {
      if (looked > 0 && looked < LOOKS) pause_for(looked == 1 ? FIRST_PAUSE : NEXT_PAUSE);
      if (id == 0) *place.found = NO_BLOCK;
      GROUP_BARRIER();
      FOLDED fold;
      if (wanted && read_message(message_of_part(place, (begin + (ulong)(first + id) * SEGMENT_BLOCK) / part), place.call, &fold)) {
        place.folds[id] = fold;
        wanted = false;
      }
      if (wanted) atomic_min(place.found, id);
      GROUP_BARRIER();
      missing = SAME_IN_LANES(*place.found);
      if (missing != NO_BLOCK && looked + 1 >= LOOKS) {
        const uint it = first + missing;
        __global ulong *message = message_of_part(place, (begin + (ulong)it * SEGMENT_BLOCK) / part);
        scan_held held;
        scan_fold(&held, of_segment, (ulong)(it + 1) * SEGMENT_BLOCK, it, place.of_block, given);
        // In place its elements may be results by now: then its message is there.
        if (id == 0 && !message_is_there(message, place.call)) post_message(message, place.call, place.of_block.total[0]);
      }
      GROUP_GLOBAL_BARRIER();  // what this group has posted is there
    }
    segment_carry_blocks(before, place.folds, first, count, given);
  }
}

#else
// The folds of a long segment's tiles, except the last, whose fold is not needed: so a value for each whole tile of the input is
// enough, also for segments that follow each other.
static inline __global FOLDED *begins_results(__global uchar *workspace, ulong results_at, ulong begin) {
  return (__global FOLDED *)(workspace + results_at) + begin / SEGMENT_TILE;
}

// The folds of all tiles that are followed by others of their segment. Global size: parts * GROUP_SIZE.
KERNEL void segmented_scan_folds(BEGINS_INPUT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SCAN_MEMORY(memory);
  __local uint found[1];
  BEGINS_COLLECT(begins);
  const uint own = get_group_id(0);
  const ulong from = (ulong)own * part, to = min(from + part, begins.end);
  // Only the last unit that begins in a part is followed by so many elements of its segment.
  const uint last = last_begin(begins.parts[own]);
  const ulong begin = last > 0 ? from + last : begin_before_part(begins, own, found);  // from 1 on
  const ulong tile = begin > 0 ? (max(from + 1, begin) - begin + SEGMENT_TILE - 1) / SEGMENT_TILE : 0;
  const ulong unit = begin > 0 ? begin - 1 + tile * SEGMENT_TILE : to;
  bool is_followed = unit < to && unit + SEGMENT_TILE < begins.end;
  for (uint k = own + 1; is_followed && (ulong)k * part <= unit + SEGMENT_TILE; ++k) {
    const uint first = first_begin(begins.parts[k]);
    if (first > 0) {
      is_followed = (ulong)k * part + first - 1 > unit + SEGMENT_TILE;
      break;
    }
  }
  if (is_followed) {
    const __global STORED *of_segment = x + x_offset + (begin - 1 - head);
    scan_held held;
    FOLDED fold;
    for (uint k = 0; k < SEGMENT_BLOCKS; ++k) {
      scan_fold(&held, of_segment, (tile + 1) * SEGMENT_TILE, (uint)tile * SEGMENT_BLOCKS + k, memory, given);
      fold = k == 0 ? memory.total[0] : combine(fold, memory.total[0], given);
    }
    if (own_id_anew() == 0) begins_results(workspace, results_at, begin - 1)[tile] = fold;
  }
}

// No messages are posted.
static inline void begins_tell(const __global STORED *of_segment, ulong length, uint part, begins_place place,
                               named_values given) {}

// The prefix of the tile `unit` > 0 in a segment that begins at element `begin`. All work-items must call and get it.
INLINE void begins_carry(scan_before *before, const __global STORED *of_segment, ulong begin, uint unit, uint part,
                         begins_place place, named_values given) {
  segment_carry_tiles(before, begins_results(place.workspace, place.results_at, begin), unit, place.folds, given);
}
#endif

// The results of the units that begin in a part, whose begins are `told` of and before which `before` is the last one: from the
// element `at` on to before `stop`. Element `head` is the first one, at `x`.
INLINE void begins_scan_part(scan_begins begins, const __global STORED *x, __global ACC *out, uint head, uint own, uint told,
                             ulong before, ulong at, ulong stop, scan_before nothing, begins_place place, window_memory memory,
                             named_values given) {
  const ulong from = (ulong)own * begins.part;
  const uint first = first_begin(told), last = last_begin(told);
  if (at >= from + begins.part || at >= begins.end) return;
  window_before outside;
  outside.begin = first > 0 && at == from + first - 1 ? at : before - 1;
  outside.has_strips = false;
  outside.before = nothing;
  const uint unit = (uint)((at - outside.begin) / BEGINS_UNIT);
  const ulong begin_of_last = last > 0 ? from + last - 1 : outside.begin, length = stop - begin_of_last;
  const ulong stop_bit = stop - begins.bits_from;
  if (IS_ON(BEGINS_IN_ONE_PASS) && stop < begins.end && length > 0 && length % SEGMENT_BLOCK == 0 &&
      !has_bit(begins.bits[stop_bit / 32], stop_bit % 32))
    begins_tell(x + (begin_of_last - head), length, own, place, given);
  if (unit > 0) begins_carry(&outside.before, x + (outside.begin - head), outside.begin, unit, begins.part, place, given);
  if (IS_ON(EXCLUSIVE)) outside.result = canonical(scan_result(false, nothing.first_result, outside.before, given));
  window_clear(memory);
  GROUP_BARRIER();
  while (at < stop) {
    const uint limit = (uint)min(stop - at, (ulong)WINDOW);
    const ulong i = at - head;
    at += scan_window(begins, x + i, out + i, at, limit, at + limit < stop, &outside, nothing, memory, given);
  }
}

#ifndef BEGINS_IN_ONE_LAUNCH
// The results. Global size: parts * GROUP_SIZE.
KERNEL void segmented_scan(BEGINS_INPUT, __global ACC *out, ulong out_offset, ACC start BEGINS_BAD VALUES_ARGUMENTS) {
  COLLECT_VALUES
  WINDOW_MEMORY(memory);
  SCAN_MEMORY(of_block);
  __local FOLDED folds[GROUP_SIZE];
  __local uint found[1];
  BEGINS_COLLECT(begins);
  const uint own = get_group_id(0);
  const ulong before = begin_before_part(begins, own, found);  // from 1 on
  const uint told = begins.parts[own], last = last_begin(told);
  const ulong at = first_unit(begins, own, before);
  const ulong stop = first_unit(begins, own + 1, last > 0 ? (ulong)own * part + last : before);
  const scan_before nothing = scan_nothing(start, given);
  const begins_place place = {workspace, results_at, folds, 1, found, of_block};  // the launch before has cleared the messages
  begins_scan_part(begins, x + x_offset, out + out_offset, head, own, told, before, at, stop, nothing, place, memory, given);
#ifndef SEGMENTS_BY_KEY
  segments_count_bad(offsets, n, segments, wrong, found, workspace SEGMENTS_WITH_BAD);
#endif
}
#endif
