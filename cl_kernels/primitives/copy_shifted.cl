// copy on a GPU from any address to any other.

// A word of the destination lies across two of the source: both are read (the second
// is a neighbour's first, and still in the nearest cache) and shifted together. Every word read lies
// inside the source. Global size:
// GROUP_SIZE for each GROUP_SIZE * IN_FLIGHT of the words that there are at most.
KERNEL void COPY_KERNEL(COPY_OPERANDS, ulong bytes) {
  const __global uchar *from = in + in_offset;
  __global uchar *to = out + out_offset;
  ulong head = bytes_to_boundary(to, 4);
  const uint shift = (uint)(size_t)(from + head) & 3;
  // The first source word begins `shift` bytes before its first byte that is needed.
  if (shift > head) head += 4;
  ulong words = 0;
  if (bytes > head + 4) {
    words = (bytes - head + shift - 4) / 4;
  } else {
    head = bytes;
  }
  copy_edges(from, to, head, head + words * 4, bytes);
  const ulong first = get_group_id(0) * (ulong)(GROUP_SIZE * IN_FLIGHT);
  if (first >= words) return;
  const uint id = get_local_id(0);
  const __global uint *source = (const __global uint *)(from + (head - shift)) + first + id;
  __global uint *target = (__global uint *)(to + head) + first + id;
  const uint left = (uint)min(words - first, (ulong)(GROUP_SIZE * IN_FLIGHT));
  uint low[IN_FLIGHT];
  uint high[IN_FLIGHT];
#pragma unroll
  for (uint i = 0; i < IN_FLIGHT; ++i) {
    if (id + i * GROUP_SIZE < left) {
      low[i] = source[i * GROUP_SIZE];
      high[i] = source[i * GROUP_SIZE + 1];
    }
  }
#pragma unroll
  for (uint i = 0; i < IN_FLIGHT; ++i) {
    if (id + i * GROUP_SIZE < left) target[i * GROUP_SIZE] = straddling_word(low[i], high[i], shift);
  }
}
