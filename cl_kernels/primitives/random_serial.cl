// Random numbers by the cores of a CPU.

// VECTOR elements from element `number` on, which is the first of its block.
static inline void store_packet(__global OUT_STORED *to, ulong number, random_source from) {
#ifdef PERMUTES
  for (uint e = 0; e < VECTOR; ++e) to[e] = random_element(number + e, from);
#else
  union {
    uint halves[64];
    WORD words[VECTOR];
  } made;
  // Behind the last number of an element comes 0, and its block.
  const ulong16 numbers = number + (ulong16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) * BLOCK_ELEMENTS;
  philox_16(numbers / BLOCK_ELEMENTS, (uint2)(from.stream, 0), (uint2)((uint)from.seed, (uint)(from.seed >> 32)), made.halves);
  EACH_ALONE
  for (uint e = 0; e < VECTOR; ++e) to[e] = element_of_word(made.words[e], number + e, from);
#endif
}

// Packets begin at element `head`. Global size: any.
KERNEL void random(__global OUT_STORED *restrict out, ulong out_offset, ulong n, ulong head, RANDOM_ARGUMENTS) {
  COLLECT_RANDOM
  out += out_offset;
  const ulong packets = (n - head) / VECTOR;
  const own_units own = own_share(packets);
  if (get_group_id(0) == 0) {
    for (ulong i = 0; i < head; ++i) out[i] = random_element(from.first + i, from);
  }
  for (ulong packet = own.begin; packet < own.end; ++packet) {
    const ulong i = head + packet * VECTOR;
    store_packet(out + i, from.first + i, from);
  }
  if (get_group_id(0) == get_num_groups(0) - 1) {
    for (ulong i = head + packets * VECTOR; i < n; ++i) out[i] = random_element(from.first + i, from);
  }
}
