// broadcast on a GPU.

// A group takes a tile of tile_width packets (a power of two, at most GROUP_SIZE) by as many rows as it has
// work-items left; its work-items step along a row that shares a value, or down columns that do, and so read
// the value once for all their packets. Every row starts at a multiple of a packet; the last packet of a row
// may be short, and goes by element, straight from memory: a held packet whose place is not a literal would
// leave its registers. Global size: GROUP_SIZE for each tile.
KERNEL void broadcast(BROADCAST_OPERANDS, uint tile_width VALUES_ARGUMENTS) {
  COLLECT_VALUES
  x += x_offset;
  b += b_offset;
  out += out_offset;
  const uint tile_height = GROUP_SIZE / tile_width;
  const uint tile_x = get_local_id(0) & (tile_width - 1);
  const uint tile_y = get_local_id(0) / tile_width;
  const ulong width = (columns + VECTOR - 1) / VECTOR;
  const bool per_row = IS_ON(PER_ROW);
  const uint block_width = per_row ? tile_width * ITEMS : tile_width;
  const uint block_height = per_row ? tile_height : tile_height * ITEMS;
  const uint step_x = per_row ? tile_width : 0, step_y = per_row ? 0 : tile_height;
  const ulong across = (width + block_width - 1) / block_width;
  const ulong block = get_group_id(0);
  // A 64-bit division is a long routine on a GPU, and seldom needed.
  const ulong down = ((block | across) >> 32) != 0 ? block / across : (ulong)((uint)block / (uint)across);
  const ulong at_x = (block - down * across) * block_width + tile_x;
  const ulong at_y = down * block_height + tile_y;
  // Each value comes from memory once, and is handed to the row's work-items from local memory.
  __local B_STORED staged[IS_ON(STAGED) ? GROUP_SIZE : 1];
  if (IS_ON(STAGED)) {
    if (get_local_id(0) < tile_height && down * tile_height + get_local_id(0) < rows)
      staged[get_local_id(0)] = b[down * tile_height + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  X_ACCESS held[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const ulong column = (at_x + k * step_x) * VECTOR;
    const ulong row = at_y + k * step_y;
    if (row < rows && column + VECTOR <= columns)
      held[k].bits = *(const __global X_BITS *)(x + row * x_row + column);
  }
  B_ACCESS values;  // of a row's value the first element
  if (IS_ON(STAGED))
    values.elements[0] = staged[tile_y];
  else if (per_row && at_y < rows)
    values.elements[0] = b[at_y];
  else if (!per_row && at_x * VECTOR + VECTOR <= columns)
    values.bits = *(const __global B_BITS *)(b + at_x * VECTOR);
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const ulong column = (at_x + k * step_x) * VECTOR;
    const ulong row = at_y + k * step_y;
    if (row < rows && column + VECTOR <= columns) {
      OUT_ACCESS result;
      UNROLL
      for (uint e = 0; e < VECTOR; ++e)
        result.elements[e] = broadcasted(X_READ(held[k].elements[e]), B_READ(values.elements[per_row ? 0 : e]), given);
      *(__global OUT_BITS *)(out + row * out_row + column) = result.bits;
    }
    else if (VECTOR > 1 && row < rows) {
      for (uint e = 0; column + e < columns; ++e)
        out[row * out_row + column + e] =
            broadcasted(X_READ(x[row * x_row + column + e]), B_READ(per_row ? values.elements[0] : b[column + e]), given);
    }
  }
}
