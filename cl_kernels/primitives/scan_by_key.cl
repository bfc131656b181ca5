// scan_by_key: where runs begin, as bits, for segmented_scan_begins.cl. Where it is by offsets, the kernels that find runs are
// those of select.cl, those that scan them are of segmented_scan.cl. Plan and arguments: lib/primitives/scan_by_key.cpp.

enum {
  BEGINS_MASK = (1 << KEPT_VECTOR) - 1,
  PACKETS_OF_WORD = 32 / KEPT_VECTOR,
  PACKETS_OF_TILE = SELECT_TILE / KEPT_VECTOR,
  WORDS_OF_TILE = SELECT_TILE / 32
};
typedef char a_word_has_the_bits_of_a_work_item[KEPT_ITEMS * KEPT_VECTOR <= 32 ? 1 : -1];
typedef char a_short_has_the_bits_of_a_packet[KEPT_VECTOR <= 16 ? 1 : -1];

// The bits of each packet of a tile of keys, which must begin before the last key. All must call.
INLINE void begins_of_packets(__local ushort *packets, select_input in, uint tile, named_values given) {
  const uint id = own_id_anew();
  kept_packet held[KEPT_ITEMS];
  const uint begins = select_load(held, in, tile, given);
  UNROLL
  for (uint k = 0; k < KEPT_ITEMS; ++k)
    packets[(id / LANES * KEPT_ITEMS + k) * LANES + id % LANES] = (ushort)(begins >> (k * KEPT_VECTOR) & BEGINS_MASK);
}

// Word `w` of them.
static inline uint begins_word(const __local ushort *packets, uint w) {
  uint word = 0;
  UNROLL
  for (uint k = 0; k < PACKETS_OF_WORD; ++k) word |= (uint)packets[w * PACKETS_OF_WORD + k] << (k * KEPT_VECTOR);
  return word;
}
