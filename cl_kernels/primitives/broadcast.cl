// broadcast: one function of a matrix's element and the value of its row or column. Plans and arguments:
// lib/primitives/transform.cpp.

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
#ifdef PER_ROW
  const uint block_width = tile_width * ITEMS, block_height = tile_height;
  const uint step_x = tile_width, step_y = 0;
#else
  const uint block_width = tile_width, block_height = tile_height * ITEMS;
  const uint step_x = 0, step_y = tile_height;
#endif
  const ulong across = (width + block_width - 1) / block_width;
  const ulong block = get_group_id(0);
  // A 64-bit division is a long routine on a GPU, and seldom needed.
  const ulong down = ((block | across) >> 32) != 0 ? block / across : (ulong)((uint)block / (uint)across);
  const ulong at_x = (block - down * across) * block_width + tile_x;
  const ulong at_y = down * block_height + tile_y;
#ifdef STAGED
  // Each value comes from memory once, and is handed to the row's work-items from local memory.
  __local B_STORED staged[GROUP_SIZE];
  if (get_local_id(0) < tile_height && down * tile_height + get_local_id(0) < rows)
    staged[get_local_id(0)] = b[down * tile_height + get_local_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  X_ACCESS held[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const ulong column = (at_x + k * step_x) * VECTOR;
    const ulong row = at_y + k * step_y;
    if (row < rows && column + VECTOR <= columns)
      held[k].bits = *(const __global X_BITS *)(x + row * x_row + column);
  }
#ifdef PER_ROW
  B_STORED value;
#ifdef STAGED
  value = staged[tile_y];
#else
  if (at_y < rows) value = b[at_y];
#endif
#define VALUE_AT(column, e) B_READ(value)
#define HELD_VALUE(e) B_READ(value)
#else
  B_ACCESS values;
  if (at_x * VECTOR + VECTOR <= columns) values.bits = *(const __global B_BITS *)(b + at_x * VECTOR);
#define VALUE_AT(column, e) B_READ(b[(column) + (e)])
#define HELD_VALUE(e) B_READ(values.elements[e])
#endif
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const ulong column = (at_x + k * step_x) * VECTOR;
    const ulong row = at_y + k * step_y;
    if (row < rows && column + VECTOR <= columns) {
      OUT_ACCESS result;
      UNROLL
      for (uint e = 0; e < VECTOR; ++e)
        result.elements[e] = broadcasted(X_READ(held[k].elements[e]), HELD_VALUE(e), given);
      *(__global OUT_BITS *)(out + row * out_row + column) = result.bits;
    }
    else if (VECTOR > 1 && row < rows) {
      for (uint e = 0; column + e < columns; ++e)
        out[row * out_row + column + e] =
            broadcasted(X_READ(x[row * x_row + column + e]), VALUE_AT(column, e), given);
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
#ifdef PER_ROW
    const B_LOADED value = B_READ(b[row]);
    EACH_ALONE
    for (ulong i = 0; i < run; ++i) to[i] = broadcasted(X_READ(from[i]), value, given);
#else
    const __global B_STORED *values = b + column;
    EACH_ALONE
    for (ulong i = 0; i < run; ++i) to[i] = broadcasted(X_READ(from[i]), B_READ(values[i]), given);
#endif
    left -= run;
  }
}
#endif
