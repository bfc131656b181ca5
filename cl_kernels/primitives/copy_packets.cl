// copy on a GPU, where input and output have the same place between multiples of PACKET_WIDTH bytes.

typedef JOINED(packet_, PACKET_WIDTH) copy_packet;

// (Copies by narrower packets are slower with STORE_ONCE.)
static inline void store_packet(__global copy_packet *to, copy_packet packet) {
  if (PACKET_WIDTH == 16)
    STORE_ONCE(copy_packet, to, packet);
  else
    *to = packet;
}

// COPIES_WHOLE: all is packets, as it mostly is, and there are no edges to look for. A block that is whole is moved without a
// test for each packet. Global size: GROUP_SIZE for each GROUP_SIZE * IN_FLIGHT of the packets that there are at most.
KERNEL void COPY_KERNEL(COPY_OPERANDS, ulong bytes) {
  const __global uchar *from = in + in_offset;
  __global uchar *to = out + out_offset;
  const ulong head = IS_ON(COPIES_WHOLE) ? 0 : min(bytes, (ulong)bytes_to_boundary(to, PACKET_WIDTH));
  const ulong packets = (bytes - head) / PACKET_WIDTH;
  const ulong first = get_group_id(0) * (ulong)(GROUP_SIZE * IN_FLIGHT);
  if (!IS_ON(COPIES_WHOLE)) {
    copy_edges(from, to, head, head + packets * PACKET_WIDTH, bytes);
    if (first >= packets) return;
  }
  const uint id = get_local_id(0);
  const __global copy_packet *source = (const __global copy_packet *)(from + head) + first + id;
  __global copy_packet *target = (__global copy_packet *)(to + head) + first + id;
  const uint left = (uint)min(packets - first, (ulong)(GROUP_SIZE * IN_FLIGHT));
  copy_packet x[IN_FLIGHT];
  if (IN_FLIGHT > 1 && left == GROUP_SIZE * IN_FLIGHT) {
#pragma unroll
    for (uint i = 0; i < IN_FLIGHT; ++i) x[i] = source[i * GROUP_SIZE];
#pragma unroll
    for (uint i = 0; i < IN_FLIGHT; ++i) store_packet(target + i * GROUP_SIZE, x[i]);
  } else {
#pragma unroll
    for (uint i = 0; i < IN_FLIGHT; ++i) {
      if (id + i * GROUP_SIZE < left) x[i] = source[i * GROUP_SIZE];
    }
#pragma unroll
    for (uint i = 0; i < IN_FLIGHT; ++i) {
      if (id + i * GROUP_SIZE < left) store_packet(target + i * GROUP_SIZE, x[i]);
    }
  }
}
