// copy where elements are converted on a GPU.

typedef union {
  FROM_BITS bits;
  FROM elements[VECTOR];
} from_packet;
typedef union {
  TO_BITS bits;
  TO elements[VECTOR];
} to_packet;

// VECTOR elements as one load and one store. The host knows that both sides reach a multiple of their
// packets' sizes at the same element. Global size: GROUP_SIZE for each block of n / VECTOR packets.
KERNEL void convert_packets(CONVERT_OPERANDS, ulong n) {
  const __global FROM *from = in + in_offset;
  __global TO *to = out + out_offset;
  const uint id = get_local_id(0);
  const ulong head = min(n, (ulong)(bytes_to_boundary((__global uchar *)to, sizeof(to_packet)) / sizeof(TO)));
  const ulong packets = (n - head) / VECTOR;
  const ulong tail = head + packets * VECTOR;
  if (get_group_id(0) == 0) {
    for (ulong i = id; i < head; i += GROUP_SIZE) to[i] = converted(from[i]);
  }
  if (get_group_id(0) == get_num_groups(0) - 1) {
    for (ulong i = tail + id; i < n; i += GROUP_SIZE) to[i] = converted(from[i]);
  }
  const ulong first = get_group_id(0) * (ulong)(GROUP_SIZE * ITEMS);
  if (first >= packets) return;
  const __global FROM_BITS *source = (const __global FROM_BITS *)(from + head) + first + id;
  __global TO_BITS *target = (__global TO_BITS *)(to + head) + first + id;
  const uint left = (uint)min(packets - first, (ulong)(GROUP_SIZE * ITEMS));
  from_packet x[ITEMS];
#pragma unroll
  for (uint i = 0; i < ITEMS; ++i) {
    if (id + i * GROUP_SIZE < left) x[i].bits = source[i * GROUP_SIZE];
  }
#pragma unroll
  for (uint i = 0; i < ITEMS; ++i) {
    if (id + i * GROUP_SIZE < left) {
      to_packet y;
#pragma unroll
      for (uint k = 0; k < VECTOR; ++k) y.elements[k] = converted(x[i].elements[k]);
      target[i * GROUP_SIZE] = y.bits;
    }
  }
}

// Element by element, for any two places. Global size: GROUP_SIZE for each block of elements.
enum { ELEMENTS_IN_FLIGHT = ITEMS * VECTOR < 16 ? ITEMS * VECTOR : 16 };
KERNEL void convert_elements(CONVERT_OPERANDS, ulong n) {
  const ulong first = get_group_id(0) * (ulong)(GROUP_SIZE * ELEMENTS_IN_FLIGHT);
  if (first >= n) return;
  const uint id = get_local_id(0);
  const __global FROM *source = in + in_offset + first + id;
  __global TO *target = out + out_offset + first + id;
  const uint left = (uint)min(n - first, (ulong)(GROUP_SIZE * ELEMENTS_IN_FLIGHT));
  FROM x[ELEMENTS_IN_FLIGHT];
#pragma unroll
  for (uint i = 0; i < ELEMENTS_IN_FLIGHT; ++i) {
    if (id + i * GROUP_SIZE < left) x[i] = source[i * GROUP_SIZE];
  }
#pragma unroll
  for (uint i = 0; i < ELEMENTS_IN_FLIGHT; ++i) {
    if (id + i * GROUP_SIZE < left) target[i * GROUP_SIZE] = converted(x[i]);
  }
}
