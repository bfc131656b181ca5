// copy of a box on a GPU, whose rows all start at a multiple of PACKET_WIDTH bytes on both sides, and are as long as a multiple.

typedef JOINED(packet_, PACKET_WIDTH) copy_packet;

// A group takes a tile of tile_width columns (a power of two, at most GROUP_SIZE) by as many rows as it
// has work-items left; its work-items step tile by tile along the rows, or else down.
KERNEL void COPY_KERNEL(COPY_BOX) {
  const uint tile_height = GROUP_SIZE / tile_width;
  const uint block_width = along_rows ? tile_width * IN_FLIGHT : tile_width;
  const uint block_height = along_rows ? tile_height : tile_height * IN_FLIGHT;
  const ulong across = (width + block_width - 1) / block_width;
  const ulong blocks = across * ((rows + block_height - 1) / block_height);
  const uint step_x = along_rows ? tile_width : 0;
  const uint step_y = along_rows ? 0 : tile_height;
  for (ulong block = get_group_id(0); block < blocks; block += get_num_groups(0)) {
    const ulong down = slice_of(block, across);
    const ulong x = (block - down * across) * block_width + get_local_id(0) % tile_width;
    const ulong y = down * block_height + get_local_id(0) / tile_width;
    copy_packet held[IN_FLIGHT];
#pragma unroll
    for (uint i = 0; i < IN_FLIGHT; ++i) {
      if (x + i * step_x < width && y + i * step_y < rows)
        held[i] = ((const __global copy_packet *)(in + in_offset +
                                                  row_start(y + i * step_y, height, in_row, in_slice)))[x + i * step_x];
    }
#pragma unroll
    for (uint i = 0; i < IN_FLIGHT; ++i) {
      if (x + i * step_x < width && y + i * step_y < rows)
        ((__global copy_packet *)(out + out_offset +
                                  row_start(y + i * step_y, height, out_row, out_slice)))[x + i * step_x] = held[i];
    }
  }
}
