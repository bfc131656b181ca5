// segmented_reduce: folds each of many segments of one input. Plan and arguments: lib/primitives/segmented_reduce.cpp; order:
// fold.cl.
//
// The host does not know how long segments are. A segment's position is its offset plus SEGMENT_COST for each segment before it
// (segments.cl); each group gets an equal range of positions, finds by search which segments begin there, and folds them. A
// segment of more than a tile may extend over the ranges of many groups: each folds the tiles that begin in its own range and
// leaves their results in the workspace, and the group of the last tile notes the segment in a list of its own. A second launch
// folds the levels above (SEGMENT_LEVELS).
//
// Offsets may be wrong. A segment that ends before it begins, or past the input, is never read. Where none falls, the others
// are as they should be. Where some fall, searches may lead groups astray: all short segments are still folded, some perhaps
// twice, with the same bits; but tiles may be missing, so that no long one is finished. Counters say what was found, and the
// second launch counts all segments without a result.

// What a segment without elements, or one that cannot be folded, gives: `identity`, or what a text of the user's says; nothing
// where the operator has none.
static inline void segment_nothing(__global ACC *to, ACC identity, named_values given) {
#ifdef IDENTITY_TEXT
  *to = identity_value(given);
#else
  if (!IS_ON(NO_IDENTITY)) *to = identity;
#endif
}

#define SEGMENTS_INPUT                                                                                            \
  const __global STORED *restrict x, ulong x_offset, ulong n, const __global OFFSET *restrict offsets,            \
      ulong offsets_offset, SEGMENTS_ARGUMENT

#ifdef SEGMENT_LEVELS
// The workspace: counters, results of tiles, and at `lists_at` of each group the number of its long segments, `capacity` at
// most, and these.
#define SEGMENTS_WORKSPACE , uint capacity, ulong lists_at, __global uchar *workspace
static inline __global uint *segments_list(__global uchar *workspace, ulong lists_at, uint capacity) {
  return (__global uint *)(workspace + lists_at) + (ulong)get_group_id(0) * (capacity + 1);
}
// Two long segments that follow each other have room for as many results as they have tiles: of m tiles each but the last
// is whole, and 2 * (m - 1) >= m.
static inline __global FOLDED *segment_results(__global uchar *workspace, ulong begin) {
  return (__global FOLDED *)(workspace + OWN_AT) + 2 * (begin / FOLD_TILE);
}

// A group's long segments, of which it has noted some.
typedef struct {
  __global uchar *workspace;
  __global uint *list;
  uint capacity, noted;
} long_segments;
#define COLLECT_LONG_SEGMENTS(name) long_segments name = {workspace, segments_list(workspace, lists_at, capacity), capacity, 0};

// Folds those tiles of a long segment that begin in the group's part, and notes the segment where the last is one of them.
// All work-items must call.
INLINE void segment_fold_tiles(fold_input in, bool packets, ulong begin, ulong length, uint s, segments_part own,
                               long_segments *longs, segment_memory memory, named_values given) {
  __global FOLDED *results = segment_results(longs->workspace, begin);
  const uint tiles = (uint)((length + FOLD_TILE - 1) / FOLD_TILE);
  const ulong position = begin + (ulong)s * SEGMENT_COST;
  const uint end = segment_tiles_before(position, own.to, tiles);
  uint tile = segment_tiles_before(position, own.from, tiles);
  if (tile < end && end == tiles && longs->noted < longs->capacity) {
    ++longs->noted;
    if (get_local_id(0) == 0) longs->list[longs->noted] = s;
  }
  in.x += begin;
  for (; tile < end; ++tile) {
    const ulong base = (ulong)tile * FOLD_TILE;
    const FOLDED result = segment_fold_tile(true, packets, in, 0, base, (uint)min(length - base, (ulong)FOLD_TILE),
                                            memory, given);
    if (get_local_id(0) == 0) results[tile] = result;
  }
}

// Leaves how many are noted, and what is wrong with segments. One work-item.
static inline void segments_leave(const long_segments *longs, uint wrong) {
  __global uchar *workspace = longs->workspace;
  longs->list[0] = longs->noted;
  if (wrong != 0) atomic_or(SEGMENTS_COUNTERS, wrong);
}

// The levels above the first of all long segments, and how many segments have no result. As many groups as before.
KERNEL void segmented_reduce_levels(ulong n, const __global OFFSET *restrict offsets, ulong offsets_offset, SEGMENTS_ARGUMENT,
                                    __global ACC *out, ulong out_offset,
                                    ACC identity SEGMENTS_WORKSPACE SEGMENTS_BAD VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_SEGMENTS
  SEGMENT_MEMORY(memory);
  __local uint own_count[1];
  const uint id = get_local_id(0);
  offsets += offsets_offset;
  out += out_offset;
  const uint wrong = SAME_IN_LANES(SEGMENTS_COUNTERS[0]);
  const bool falls = (wrong & SEGMENT_FALLS) != 0;
  const __global uint *list = segments_list(workspace, lists_at, capacity);
  const uint long_ones = falls ? 0 : SAME_IN_LANES(list[0]);
  for (uint k = 1; k <= long_ones; ++k) {
    const uint s = SAME_IN_LANES(list[k]);
    const segment each = segment_at(offsets, n, s);
    segment_fold_levels(segment_results(workspace, each.begin), (uint)((each.length + FOLD_TILE - 1) / FOLD_TILE), out + s,
                        memory, given);
  }
  if (id == 0) own_count[0] = 0;
  GROUP_BARRIER();
  if (wrong != 0) {
    for (uint s = get_global_id(0); s < segments; s += get_global_size(0)) {
      const segment each = segment_at(offsets, n, s);
      const bool unfinished = falls && each.length > FOLD_TILE;
      if (unfinished) segment_nothing(out + s, identity, given);
      if (unfinished || each.fault != 0) atomic_inc(own_count);
    }
  }
  segments_add_up(wrong, own_count, workspace SEGMENTS_WITH_BAD);
}

#else
// No segment is long.
#define SEGMENTS_WORKSPACE
typedef struct {
  uint unused;
} long_segments;
#define COLLECT_LONG_SEGMENTS(name) long_segments name;
static inline void segment_fold_tiles(fold_input in, bool packets, ulong begin, ulong length, uint s, segments_part own,
                                      long_segments *longs, segment_memory memory, named_values given) {}
static inline void segments_leave(const long_segments *longs, uint wrong) {}
#endif
