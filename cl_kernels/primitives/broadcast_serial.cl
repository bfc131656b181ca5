// broadcast on a CPU.

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
