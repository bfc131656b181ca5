// fill: repeats a value. Plan and arguments: lib/primitives/fill.cpp; blocks and chunks are those of copy.cl.

// The host repeats the value until it is at least 64 bytes long (`period`, at most 128), and that on and
// on into a table of 192: any 64 bytes of the output are found in it as they are, from their place modulo
// the period.

// On a GPU:

// 16 bytes of the table from byte `phase`.
static inline uint4 fill_packet(const __local uint *table, uint phase) {
  const __local uint *words = table + phase / 4;
  const uint shift = phase % 4;
  return (uint4)(straddling_word(words[0], words[1], shift), straddling_word(words[1], words[2], shift),
                 straddling_word(words[2], words[3], shift), straddling_word(words[3], words[4], shift));
}

// Global size: GROUP_SIZE for each GROUP_SIZE * IN_FLIGHT of the bytes / 16 packets there are at most.
KERNEL void fill(__global uchar *restrict out, ulong out_offset, ulong bytes, uint period, uint16 table_0, uint16 table_1,
                 uint16 table_2) {
  __local uint table[48];
  const uint id = get_local_id(0);
  // Arguments cannot be indexed by a work-item's number without a trip through memory.
  if (id == 0) {
    vstore16(table_0, 0, table);
    vstore16(table_1, 1, table);
    vstore16(table_2, 2, table);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  __global uchar *to = out + out_offset;
  const ulong head = min(bytes, (ulong)bytes_to_boundary(to, 16));
  const ulong packets = (bytes - head) / 16;
  const __local uchar *table_bytes = (const __local uchar *)table;
  if (get_group_id(0) == 0) {
    for (uint i = id; i < head; i += GROUP_SIZE) to[i] = table_bytes[i];
  }
  if (get_group_id(0) == get_num_groups(0) - 1) {
    for (ulong i = head + packets * 16 + id; i < bytes; i += GROUP_SIZE) to[i] = table_bytes[i % period];
  }
  const uint group = get_group_id(0);
  const ulong first = group * (ulong)(GROUP_SIZE * IN_FLIGHT);
  if (first >= packets) return;
  const uint left = (uint)min(packets - first, (ulong)(GROUP_SIZE * IN_FLIGHT));
  __global uint4 *target = (__global uint4 *)(to + head) + first + id;
  // 32 bits are enough: the period is small.
  uint phase = ((group % period) * (GROUP_SIZE * IN_FLIGHT * 16 % period) + (uint)head + 16 * id) % period;
  const uint step = GROUP_SIZE * 16 % period;
  uint4 x = fill_packet(table, phase);
#pragma unroll
  for (uint i = 0; i < IN_FLIGHT; ++i) {
    if (id + i * GROUP_SIZE < left) target[i * GROUP_SIZE] = x;
    if (step != 0) {
      phase += step;
      phase -= phase >= period ? period : 0;
      x = fill_packet(table, phase);
    }
  }
}
