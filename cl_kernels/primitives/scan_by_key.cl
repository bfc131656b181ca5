// scan_by_key: where runs begin, as bits, for segmented_scan_begins.cl. Where it is by offsets, messages that mean nothing; the
// kernels that find runs are then those of select.cl, those that scan them are of segmented_scan.cl. Plan and arguments:
// lib/primitives/scan_by_key.cpp.
#ifdef SEGMENTS_BY_BEGINS

#define BEGINS_MASK ((1u << KEPT_VECTOR) - 1)
#define PACKETS_OF_WORD (32 / KEPT_VECTOR)
typedef char a_word_has_the_bits_of_a_work_item[KEPT_ITEMS * KEPT_VECTOR <= 32 ? 1 : -1];
typedef char a_short_has_the_bits_of_a_packet[KEPT_VECTOR <= 16 ? 1 : -1];

// A bit for each key, set where a run begins, and of each part the first and the last one. A part has `tiles` tiles of keys.
// Global size: parts * GROUP_SIZE.
KERNEL void scan_by_key_begins(SELECT_ARGUMENTS, __global uchar *workspace, uint tiles,
                               ulong parts_at BEGINS_TOLD_AT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SELECT_INPUT(in);
  AT_MOST_OF_GROUP(tiles, in.end, SELECT_TILE, 1)
  __local ushort packets[SELECT_TILE / KEPT_VECTOR];
  __local uint found[2];
  const uint id = own_id_anew(), part = get_group_id(0);
  const uint begin = part * tiles, end = min(begin + tiles, (uint)((in.end + SELECT_TILE - 1) / SELECT_TILE));
  __global uint *words = (__global uint *)(workspace + OWN_AT) + (ulong)begin * (SELECT_TILE / 32);
  uint first = 0xffffffffu, last = 0;  // counted from 1
  for (uint tile = begin; tile < end; ++tile) {
    kept_packet held[KEPT_ITEMS];
    const uint begins = select_load(held, in, tile, given);
    UNROLL
    for (uint k = 0; k < KEPT_ITEMS; ++k)
      packets[(id / LANES * KEPT_ITEMS + k) * LANES + id % LANES] = (ushort)(begins >> (k * KEPT_VECTOR) & BEGINS_MASK);
    GROUP_BARRIER();
    for (uint w = id; w < SELECT_TILE / 32; w += GROUP_SIZE) {
      uint word = 0;
      UNROLL
      for (uint k = 0; k < PACKETS_OF_WORD; ++k) word |= (uint)packets[w * PACKETS_OF_WORD + k] << (k * KEPT_VECTOR);
      const uint at = (tile - begin) * (SELECT_TILE / 32) + w;
      words[at] = word;
      if (word != 0) {
        first = min(first, at * 32 + 1 + LOWEST_BIT(word));
        last = at * 32 + 1 + HIGHEST_BIT(word);
      }
    }
    GROUP_BARRIER();
  }
  tell_of_part((__global uint *)(workspace + parts_at) + part, first, last, found);
  BEGINS_CLEAR_MESSAGE(workspace, part);
}

// Offsets of runs would be taken for messages where other calls look for theirs, so this call's workspace is not among the
// memory that is kept for such calls. Its own messages lie where anything may have been.
#elif defined(IN_ONE_PASS)

// Sets so many words to 0, which is no call's number. Any number of groups.
KERNEL void scan_by_key_clear(ulong words, __global uchar *workspace) {
  __global ulong *messages = (__global ulong *)(workspace + OWN_AT);
  for (ulong word = get_global_id(0); word < words; word += get_global_size(0)) messages[word] = 0;
}

#endif
