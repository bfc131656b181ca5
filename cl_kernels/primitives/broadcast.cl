// broadcast: one function of a matrix's element and the value of its row or column. Plans and arguments:
// lib/primitives/transform.cpp.

DEFINE_OPERAND(X, X_STORED, X_BITS)
DEFINE_OPERAND(B, B_STORED, B_BITS)

static inline OUT_STORED broadcasted(X_LOADED x, B_LOADED b, named_values given) {
  return OUT_WRITE(OUT_CONVERT(TRANSFORM_TEXT));
}

// Offsets and pitches are in elements. Nothing writes b, so that it may be read through a read-only cache.
#define BROADCAST_OPERANDS                                                                         \
  const __global X_STORED *x, ulong x_offset, ulong x_row, const __global B_STORED *restrict b,    \
      ulong b_offset, __global OUT_STORED *out, ulong out_offset, ulong out_row, ulong rows,       \
      ulong columns

#if GROUP_SIZE > 1

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

#else  // GROUP_SIZE == 1

// The elements of all rows, one row after the other, are shared out. Global size: any.
KERNEL void broadcast(BROADCAST_OPERANDS, uint tile_width VALUES_ARGUMENTS) {
  COLLECT_VALUES
  const own_units own = own_share(columns * rows);
  x += x_offset;
  b += b_offset;
  out += out_offset;
  ulong row = own.begin / columns;
  ulong column = own.begin % columns;
  for (ulong left = own.end - own.begin; left > 0; ++row, column = 0) {
    const ulong run = min(left, columns - column);
    const __global X_STORED *from = x + row * x_row + column;
    __global OUT_STORED *to = out + row * out_row + column;
    if (IS_ON(PER_ROW)) {
      const B_LOADED value = B_READ(b[row]);
      EACH_ALONE
      for (ulong i = 0; i < run; ++i) to[i] = broadcasted(X_READ(from[i]), value, given);
    } else {
      const __global B_STORED *values = b + column;
      EACH_ALONE
      for (ulong i = 0; i < run; ++i) to[i] = broadcasted(X_READ(from[i]), B_READ(values[i]), given);
    }
    left -= run;
  }
}
#endif
