// layout on a CPU, whose groups are one work-item each. It converts a share of the structures, some at a time (layout.cl).

// A field of `count` structures. Each field has a loop of its own, of which compilers make gathers.
#define WRITE_FIELD(SIZE, OFFSET, UNIT, RUN, start)                                            \
  {                                                                                            \
    __global uchar *to = start + value_at(place, 0, SIZE);                                     \
    for (uint i = 0; i < count; ++i) {                                                         \
      for (uint u = 0; u < SIZE / UNIT; ++u)                                                   \
        ((__global packet_##UNIT *)(to + i * (ulong)SIZE))[u] =                                \
            ((const __global packet_##UNIT *)(structures + i * (ulong)STRIDE + OFFSET))[u];    \
    }                                                                                          \
  }
// A field of structure i. Structures are written one after the other, because scatters are slow.
#define READ_FIELD(SIZE, OFFSET, UNIT, RUN, start)                                             \
  for (uint u = 0; u < SIZE / UNIT; ++u)                                                       \
    ((__global packet_##UNIT *)(structures + i * (ulong)STRIDE + OFFSET))[u] =                 \
        ((const __global packet_##UNIT *)(start + value_at(place, 0, SIZE) + i * (ulong)SIZE))[u];
#define CLEAR_SPAN(OFFSET, SIZE) \
  for (uint b = 0; b < SIZE; ++b) structures[i * (ulong)STRIDE + OFFSET + b] = 0;

// How many structures of a work-item's share are taken at a time: TILE of them, or up to the end of a block.
static inline ulong up_to_block(block_place place) {
  return !IS_ON(IN_BLOCKS) ? TILE : min((ulong)TILE, (ulong)BLOCK - place.rest);
}

// Global size: any.
#ifdef TO_SOA
KERNEL void aos_to_soa(const __global uchar *restrict aos, ulong aos_offset, ulong n, PLANES) {
  const own_units own = own_share(n);
  uint count = 0;
  for (ulong first = own.begin; first < own.end; first += count) {
    const block_place place = place_of(first);
    count = (uint)min(own.end - first, up_to_block(place));
    const __global uchar *structures = aos + aos_offset + first * STRIDE;
    FIELDS(WRITE_FIELD)
  }
}
#else
KERNEL void soa_to_aos(__global uchar *restrict aos, ulong aos_offset, ulong n, PLANES) {
  const own_units own = own_share(n);
  uint count = 0;
  for (ulong first = own.begin; first < own.end; first += count) {
    const block_place place = place_of(first);
    count = (uint)min(own.end - first, up_to_block(place));
    __global uchar *structures = aos + aos_offset + first * STRIDE;
    for (uint i = 0; i < count; ++i) {
      SPANS(CLEAR_SPAN)
      FIELDS(READ_FIELD)
    }
  }
}
#endif
