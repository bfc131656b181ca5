// segmented_sort: sorts each of many segments of one input. Plans and arguments: lib/primitives/segmented_sort.cpp.
//
// A first launch checks all offsets: if any segment ends before it begins, nothing is written, because segments may share keys.
// Then groups have equal ranges of the segments' positions (segments.cl). On a GPU, a group loads as many neighbouring segments
// as fit in a tile and sorts them in local memory at once: each segment gets the work-items that its keys need, which sort their
// parts of it and then merge these, until the longest segment is one run. A longer segment may extend over the ranges of many
// groups: each sorts the tiles that begin in its own range, and in each later launch merges the tiles of longer runs that begin
// there (merge_runs.cl). The first launch records how many such launches are needed; the others return at once. Passes write a
// segment's runs to the output and to a scratch buffer alternately (ping-pong), the last one to the output.
//
// With KEEPS_FIRST the first `kept` keys of each segment are wanted, and where each of them is in the input (top_k.hpp). The other
// keys of a run decide nothing, so only the first `kept` keys of each run are stored and merged; runs begin where they would with
// all. Both buffers then lie in the workspace, and a segment's results go to an output of their own.

#define SEGMENTS_INPUT ulong n, const __global OFFSET *restrict offsets, ulong offsets_offset, SEGMENTS_ARGUMENT

// The two buffers that passes write to: the output (`side` 0) and the scratch buffer (`side` 1). With KEEPS_FIRST also how many
// keys are kept, and where they and their indices go.
typedef struct {
  __global KEY *out, *spare;
  carried_to values_out, values_spare;
  ulong kept;
  __global KEY *best;
  __global carried_part *indices;
} segment_rooms;
// And what goes with the keys of the input, as kernels take it, behind these.
#if defined(KEEPS_FIRST)
#define CARRIED_INPUT
#define OWN_VALUES 0
#define SEGMENTS_OUTPUT                                                                                                     \
  __global KEY *out, ulong out_offset, carried_to values_out, ulong values_out_offset, __global uchar *workspace,          \
      ulong spare_at, ulong values_spare_at, ulong kept, __global KEY *best, ulong best_offset, __global carried_part *indices, \
      ulong indices_offset
#define SEGMENT_ROOMS(rooms)                                                                                            \
  const segment_rooms rooms = {out + out_offset, (__global KEY *)(workspace + spare_at),                                \
                               values_out + values_out_offset * CARRIED_WORDS, (carried_to)(workspace + values_spare_at), \
                               kept, best + best_offset, indices + indices_offset}
#elif defined(CARRIED_PART)
#define CARRIED_INPUT , carried_from values, ulong values_offset
#define OWN_VALUES values + values_offset * CARRIED_WORDS
#define SEGMENTS_OUTPUT                                                                                           \
  __global KEY *out, ulong out_offset, carried_to values_out, ulong values_out_offset, __global uchar *workspace, \
      ulong spare_at, ulong values_spare_at
#define SEGMENT_ROOMS(rooms)                                                             \
  const segment_rooms rooms = {out + out_offset, (__global KEY *)(workspace + spare_at), \
                               values_out + values_out_offset * CARRIED_WORDS, (carried_to)(workspace + values_spare_at)}
#else
#define CARRIED_INPUT
#define OWN_VALUES 0
#define SEGMENTS_OUTPUT __global KEY *out, ulong out_offset, __global uchar *workspace, ulong spare_at
#define SEGMENT_ROOMS(rooms) const segment_rooms rooms = {out + out_offset, (__global KEY *)(workspace + spare_at)}
#endif
static inline __global KEY *keys_of(segment_rooms rooms, bool side, ulong at) { return (side ? rooms.spare : rooms.out) + at; }
static inline carried_to carried_of(segment_rooms rooms, bool side, ulong at) {
  return (side ? rooms.values_spare : rooms.values_out) + at * CARRIED_WORDS;
}
// How many of a run's keys are kept.
static inline ulong kept_of(segment_rooms rooms, ulong n) { return min(n, rooms.kept); }

// The passes of merges that a segment takes, whose runs are twice as long each time. Before pass `p` its runs are on the side
// of the number of passes that are left.
static inline uint segment_passes(ulong length) {
  const uint tiles = segment_tiles(length);
  return tiles > 1 ? 32 - (uint)clz(tiles - 1) : 0;
}

// What the longest segment takes, in a counter until the first launch has ended, then at the front of the workspace.
static inline volatile __global uint *segments_most_passes(__global uchar *workspace) {
  return (volatile __global uint *)(workspace + COUNTER_AT) + 3;
}
static inline __global uint *segments_passes(__global uchar *workspace) { return (__global uint *)(workspace + OWN_AT); }

// What is wrong with the segments. The first work-item of the launch keeps their passes for those that follow: none where the
// offsets fall, and nothing is sorted.
static inline uint segments_wrong(bool is_first, __global uchar *workspace) {
  const uint wrong = SEGMENTS_COUNTERS[0];
  if (is_first) {
    const uint passes = atomic_xchg(segments_most_passes(workspace), 0u);
    *segments_passes(workspace) = (wrong & SEGMENT_FALLS) != 0 ? 0 : passes;
  }
  return wrong;
}

KERNEL void segmented_sort_check(SEGMENTS_INPUT, __global uchar *workspace) {
  COLLECT_SEGMENTS
  __local uint found[2];
  const uint id = get_local_id(0);
  offsets += offsets_offset;
  if (id == 0) found[0] = found[1] = 0;
  GROUP_BARRIER();
  uint fault = 0, passes = 0;
  EACH_OWN_UNIT(s, segments) {
    const segment each = segment_at(offsets, n, (uint)s);
    fault |= each.fault;
    passes = max(passes, segment_passes(each.length));
  }
  if (GROUP_SIZE > 1) {
    if (fault != 0) atomic_or(found, fault);
    if (passes != 0) atomic_max(found + 1, passes);
    GROUP_BARRIER();
    fault = found[0];
    passes = found[1];
  }
  if (id == 0 && fault != 0) atomic_or(SEGMENTS_COUNTERS, fault);
  if (id == 0 && passes != 0) atomic_max(segments_most_passes(workspace), passes);
}
