// A selection in three launches: counts of all tiles, their sums (blocks/select_sums.cl), results.

// What each tile keeps. Global size: tiles * GROUP_SIZE.
KERNEL void select_counts(SELECT_ARGUMENTS, __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SELECT_MEMORY(memory);
  SELECT_INPUT(in);
  const uint tile = get_group_id(0);
  // All that there may be are summed.
  if (IS_COUNTED && get_local_id(0) == 0) ((__global kept_of_tiles *)(workspace + OWN_AT))[tile] = kept_of_none();
  RETURN_BEHIND(tile, select_tiles(in.end))
  const uint count = select_count(in, tile, memory, given);
  if (get_local_id(0) == 0) ((__global kept_of_tiles *)(workspace + OWN_AT))[tile] = select_kept_of(in, tile, count, memory);
  MEET_AT_END
}

// The results, from the last tile on: caches still hold what the launch that counted has read last. Global size:
// tiles * GROUP_SIZE.
KERNEL void select_results(SELECT_ARGUMENTS, OUTPUT_ARGUMENTS, __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  const uint call = 0;  // no message is sent
  SELECT_OUTPUTS(to);
  SELECT_MEMORY(memory);
  SELECT_INPUT(in);
  const uint tiles = select_tiles(in.end);
  RETURN_BEHIND(get_group_id(0), tiles)
  const uint tile = tiles - 1 - get_group_id(0);
  select_taken taken;
  const uint count = select_take(&taken, in, tile, STORES_OTHERS, memory, given);
  select_compact(&taken, in, tile, count, STORES_OTHERS, memory);
  select_held held;
  select_load_beside(&held, to, in, tile, count);
  const kept_of_tiles before =
      tile > 0 ? ((__global kept_of_tiles *)(workspace + OWN_AT))[tile - 1] : kept_of_none();
  GROUP_BARRIER();
  select_give(to, in, tile, before, count, &held, memory, given);
  MEET_AT_END
}
