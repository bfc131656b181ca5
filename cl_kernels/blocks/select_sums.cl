// The sums of what tiles keep, where groups cannot send messages: a launch of its own.

// What the tiles up to each one keep. One group, whose work-items sum neighbouring tiles.
KERNEL void select_sums(uint tiles, __global ulong *total, ulong total_offset, __global uchar *workspace) {
  __global kept_of_tiles *all = (__global kept_of_tiles *)(workspace + OWN_AT);
  __local kept_of_tiles sums[GROUP_SIZE];
  const uint id = get_local_id(0);
  const uint each = (tiles + GROUP_SIZE - 1) / GROUP_SIZE;
  const uint begin = min(id * each, tiles), end = min(begin + each, tiles);
  kept_of_tiles sum = kept_of_none();
  for (uint tile = begin; tile < end; ++tile) sum = kept_together(sum, all[tile]);
  sums[id] = sum;
  GROUP_BARRIER();
  kept_of_tiles up_to = kept_of_none();
  for (uint other = 0; other < id; ++other) up_to = kept_together(up_to, sums[other]);
  for (uint tile = begin; tile < end; ++tile) all[tile] = up_to = kept_together(up_to, all[tile]);
  if (end == tiles && begin < end) store_total(total, total_offset, up_to);
}
