// segmented_sort by the work-items of a CPU: segments one by one, and the passes that merge the tiles of longer ones. What
// both ways share: segmented_sort.cl.

// The same by work-items that are groups of their own.
KERNEL void segmented_sort_tiles(const __global KEY *keys, ulong keys_offset CARRIED_INPUT, SEGMENTS_INPUT,
                                 SEGMENTS_OUTPUT SEGMENTS_BAD VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_SEGMENTS
  SEGMENT_ROOMS(rooms);
  __local uint own_count[1];
  offsets += offsets_offset;
  keys += keys_offset;
  COLLECT_CARRIED_INPUT
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
#if defined(KEEPS_FIRST)
        segment_sort_kept(keys, rooms, side, at, (uint)count, given);
#elif defined(CARRIED_PART)
        merge_sort_serially(keys + at, keys_of(rooms, side, at), own_values + at * CARRIED_WORDS, carried_of(rooms, side, at),
                            keys_of(rooms, !side, at), carried_of(rooms, !side, at), count, 0, given);
#else
        merge_sort_serially(keys + at, keys_of(rooms, side, at), keys_of(rooms, !side, at), count, 0, given);
#endif
      }
      if (IS_ON(KEEPS_FIRST) && !is_long) {
        const ulong kept = kept_of(rooms, each.length), result = (ulong)s * rooms.kept;
        for (ulong i = 0; i < kept; ++i) {
          rooms.best[result + i] = keys_of(rooms, side, each.begin)[i];
          rooms.indices[result + i] = *(const __global first_index *)(carried_of(rooms, side, each.begin) + i * CARRIED_WORDS);
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
#ifdef KEEPS_FIRST
    const bool is_last = passes - pass == 1;
    const ulong result = (ulong)s * rooms.kept;
    segment_merge_kept(keys_of(rooms, side, each.begin), carried_of(rooms, side, each.begin),
                       is_last ? rooms.best + result : keys_of(rooms, !side, each.begin),
                       is_last ? rooms.indices + result : carried_of(rooms, !side, each.begin), rooms.kept, each.length,
                       (ulong)SEGMENT_TILE << pass, first, end, given);
#elif defined(CARRIED_PART)
    carried_from values = carried_of(rooms, side, each.begin);
    carried_to values_to = carried_of(rooms, !side, each.begin);
    merge_sort_pairs(keys_of(rooms, side, each.begin), keys_of(rooms, !side, each.begin), values, values_to, each.length,
                     (ulong)SEGMENT_TILE << pass, SEGMENT_TILE, first, end, given);
#else
    merge_sort_pairs(keys_of(rooms, side, each.begin), keys_of(rooms, !side, each.begin), each.length,
                     (ulong)SEGMENT_TILE << pass, SEGMENT_TILE, first, end, given);
#endif
  }
}
