// Scans by key: the launch that finds where runs begin.

// A bit for each key, set where a run begins, and of each part the first and the last one. A part has `tiles` tiles of keys.
// Global size: parts * GROUP_SIZE.
KERNEL void scan_by_key_begins(SELECT_ARGUMENTS, __global uchar *workspace, uint tiles, ulong parts_at VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SELECT_INPUT(in);
  AT_MOST_OF_GROUP(tiles, in.end, SELECT_TILE, 1)
  __local ushort packets[PACKETS_OF_TILE];
  __local uint found[2];
  const uint id = own_id_anew(), part = get_group_id(0);
  const uint begin = part * tiles, end = min(begin + tiles, (uint)((in.end + SELECT_TILE - 1) / SELECT_TILE));
  __global uint *words = (__global uint *)(workspace + OWN_AT) + (ulong)begin * WORDS_OF_TILE;
  uint first = 0xffffffffu, last = 0;  // counted from 1
  for (uint tile = begin; tile < end; ++tile) {
    begins_of_packets(packets, in, tile, given);
    GROUP_BARRIER();
    for (uint w = id; w < WORDS_OF_TILE; w += GROUP_SIZE) {
      const uint word = begins_word(packets, w);
      const uint at = (tile - begin) * WORDS_OF_TILE + w;
      words[at] = word;
      if (word != 0) {
        first = min(first, at * 32 + 1 + lowest_bit(word));
        last = at * 32 + 1 + highest_bit(word);
      }
    }
    GROUP_BARRIER();
  }
  tell_of_part((__global uint *)(workspace + parts_at) + part, first, last, found);
}
