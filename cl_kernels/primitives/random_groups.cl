// Random numbers by the groups of a GPU.

// VECTOR elements from element `number` on, the SKIPPED-th of its block.
static inline OUT_ACCESS random_packet(ulong number, random_source from) {
  OUT_ACCESS made;
#ifdef PERMUTES
  UNROLL
  for (uint e = 0; e < VECTOR; ++e) made.elements[e] = random_element(number + e, from);
#else
  random_block blocks[(SKIPPED + VECTOR + BLOCK_ELEMENTS - 1) / BLOCK_ELEMENTS];
  UNROLL
  for (uint k = 0; k < sizeof(blocks) / 16; ++k) {
    // Behind the last number of an element comes 0, and its block.
    const ulong block = (number + k * BLOCK_ELEMENTS) / BLOCK_ELEMENTS;
    blocks[k].bits = random_bits(block, from.stream, 0, from.seed);
  }
  UNROLL
  for (uint e = 0; e < VECTOR; ++e) {
    const WORD word = blocks[(SKIPPED + e) / BLOCK_ELEMENTS].words[(SKIPPED + e) % BLOCK_ELEMENTS];
    made.elements[e] = element_of_word(word, number + e, from);
  }
#endif
  return made;
}

// Packets begin at element `head`. Global size: GROUP_SIZE for each GROUP_SIZE * ITEMS of the (n - head) / VECTOR packets, one
// group at least.
KERNEL void random(__global OUT_STORED *restrict out, ulong out_offset, ulong n, ulong head, RANDOM_ARGUMENTS) {
  COLLECT_RANDOM
  out += out_offset;
  const ulong packets = (n - head) / VECTOR;
  // The elements before the first packet and after the last, at most 2 * VECTOR - 2.
  if (VECTOR > 1 && get_group_id(0) == 0) {
    const ulong tail = head + packets * VECTOR;
    for (ulong beside = get_local_id(0); beside < head + (n - tail); beside += GROUP_SIZE) {
      const ulong i = beside < head ? beside : tail + (beside - head);
      out[i] = random_element(from.first + i, from);
    }
  }
  const ulong begin = get_group_id(0) * (ulong)(GROUP_SIZE * ITEMS) + get_local_id(0);
  if (begin >= packets) return;
  const ulong left = packets - begin;
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (k * GROUP_SIZE < left) {
      const ulong packet = begin + k * GROUP_SIZE;
      const OUT_ACCESS made = random_packet(from.first + head + packet * VECTOR, from);
      if (IS_ON(STORES_PACKETS)) {
        ((__global OUT_BITS *)(out + head))[packet] = made.bits;
      } else {
        UNROLL
        for (uint e = 0; e < VECTOR; ++e) out[head + packet * VECTOR + e] = made.elements[e];
      }
    }
  }
}
