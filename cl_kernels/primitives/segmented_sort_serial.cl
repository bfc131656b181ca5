// segmented_sort by the work-items of a CPU: segments one by one, and the passes that merge the tiles of longer ones. What
// both ways share: segmented_sort.cl.

// Merges the pairs of runs of `n` keys that the results from `begin` to before `end` are of, as far as these go, and as far as
// they are kept.
INLINE void segment_merge_kept(const __global KEY *keys, carried_from values, __global KEY *keys_to, carried_to values_to,
                               ulong kept, ulong n, ulong run, ulong begin, ulong end, named_values given) {
  for (ulong at = begin; at < end;) {
    const merge_pair pair = merge_pair_of(at, run, n);
    const __global KEY *a = keys + pair.begin, *b = keys + pair.middle;
    const ulong a_n = pair.middle - pair.begin, b_n = pair.end - pair.middle;
    const ulong from = min(at - pair.begin, kept), to = min(min(pair.end, end) - pair.begin, kept);
    if (from < to) {
      const merge_part of_a = {merge_path(a, a_n, b, b_n, from, given), merge_path(a, a_n, b, b_n, to, given)};
      const merge_part of_b = {from - of_a.begin, to - of_a.end};
      const merge_places places = {a, b, keys_to, values + pair.begin, values + pair.middle, values_to};
      merge_serially(places, of_a, of_b, pair.begin + from, given);
    }
    at = min(pair.end, end);
  }
}

// Sorts `count` keys, from number `at` of the input on, to a side, of which the first ones are kept.
INLINE void segment_sort_kept(const __global KEY *keys, segment_rooms rooms, bool side, ulong at, uint count, named_values given) {
  const uint passes = merge_passes_of(count);
  bool on = passes % 2 == 0 ? side : !side;
  for (uint i = 0; i < count; i += MERGE_BLOCK) {
    carried_to indices = carried_of(rooms, on, at + i);
    merge_sort_block(keys + at + i, keys_of(rooms, on, at + i), indices, indices, min(count - i, (uint)MERGE_BLOCK), at + i, given);
  }
  for (uint pass = 0; pass < passes; ++pass) {
    segment_merge_kept(keys_of(rooms, on, at), carried_of(rooms, on, at), keys_of(rooms, !on, at), carried_of(rooms, !on, at),
                       rooms.kept, count, (ulong)MERGE_BLOCK << pass, 0, count, given);
    on = !on;
  }
}

// Sorts the segments, or tiles of longer ones, that begin in a work-item's range of positions (segments.cl).
KERNEL void segmented_sort_tiles(const __global KEY *keys, ulong keys_offset CARRIED_INPUT, SEGMENTS_INPUT,
                                 SEGMENTS_OUTPUT SEGMENTS_BAD VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_SEGMENTS
  SEGMENT_ROOMS(rooms);
  __local uint own_count[1];
  offsets += offsets_offset;
  keys += keys_offset;
  const carried_from own_values = OWN_VALUES;
  const uint wrong = segments_wrong(get_group_id(0) == 0, workspace);
  own_count[0] = 0;
  if ((wrong & SEGMENT_FALLS) == 0) {
    const segments_part own = segments_own(offsets, n, segments, own_count);
    for (uint s = own.begin > 0 ? own.begin - 1 : 0; s < own.end; ++s) {
      const segment each = segment_at(offsets, n, s);
      const bool is_long = each.length > SEGMENT_TILE;
      if (!is_long && s < own.begin) continue;
      const uint tiles = segment_tiles(each.length);
      const ulong position = each.begin + (ulong)s * SEGMENT_COST;
      const uint end = is_long ? segment_tiles_before(position, own.to, tiles) : tiles;
      const bool side = segment_passes(each.length) % 2 != 0;
      for (uint tile = is_long ? segment_tiles_before(position, own.from, tiles) : 0; tile < end; ++tile) {
        const ulong at = each.begin + (ulong)tile * SEGMENT_TILE;
        const ulong count = min(each.begin + each.length - at, (ulong)SEGMENT_TILE);
        if (IS_ON(KEEPS_FIRST))
          segment_sort_kept(keys, rooms, side, at, (uint)count, given);
        else
          merge_sort_serially(keys + at, keys_of(rooms, side, at), own_values + at * CARRIED_WORDS, carried_of(rooms, side, at),
                              keys_of(rooms, !side, at), carried_of(rooms, !side, at), count, 0, given);
      }
      if (IS_ON(KEEPS_FIRST) && !is_long) {
        const ulong kept = kept_of(rooms, each.length), result = (ulong)s * rooms.kept;
        for (ulong i = 0; i < kept; ++i) {
          rooms.best[result + i] = keys_of(rooms, side, each.begin)[i];
          rooms.indices[result + i] = carried_of(rooms, side, each.begin)[i];
        }
      }
    }
  }
  if (wrong != 0) {
    const own_units own = own_share(segments);
    for (ulong s = own.begin; s < own.end; ++s) own_count[0] += segment_at(offsets, n, (uint)s).fault != 0 ? 1 : 0;
  }
  segments_add_up(wrong, own_count, workspace SEGMENTS_WITH_BAD);
}

KERNEL void segmented_sort_pass(SEGMENTS_INPUT, SEGMENTS_OUTPUT, uint pass VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_SEGMENTS
  SEGMENT_ROOMS(rooms);
  if (*segments_passes(workspace) <= pass) return;
  offsets += offsets_offset;
  const segments_part own = segments_own(offsets, n, segments, 0);
  for (uint s = own.begin > 0 ? own.begin - 1 : 0; s < own.end; ++s) {
    const segment each = segment_at(offsets, n, s);
    const uint passes = segment_passes(each.length);
    if (passes <= pass) continue;
    const uint tiles = segment_tiles(each.length);
    const ulong position = each.begin + (ulong)s * SEGMENT_COST;
    const ulong first = (ulong)segment_tiles_before(position, own.from, tiles) * SEGMENT_TILE,
                end = min((ulong)segment_tiles_before(position, own.to, tiles) * SEGMENT_TILE, each.length);
    const bool side = (passes - pass) % 2 != 0;
    const __global KEY *keys = keys_of(rooms, side, each.begin);
    __global KEY *keys_to = keys_of(rooms, !side, each.begin);
    const carried_from values = carried_of(rooms, side, each.begin);
    const carried_to values_to = carried_of(rooms, !side, each.begin);
    const ulong run = (ulong)SEGMENT_TILE << pass;
    if (IS_ON(KEEPS_FIRST)) {
      const bool is_last = passes - pass == 1;
      const ulong result = (ulong)s * rooms.kept;
      segment_merge_kept(keys, values, is_last ? rooms.best + result : keys_to, is_last ? rooms.indices + result : values_to,
                         rooms.kept, each.length, run, first, end, given);
    } else {
      merge_sort_pairs(keys, keys_to, values, values_to, each.length, run, SEGMENT_TILE, first, end, given);
    }
  }
}
