// copy of a box on a CPU.

// The bytes of all rows, one after the other, are shared out; a chunk may begin and end inside a row.
// A packet is a byte here.
KERNEL void COPY_KERNEL(COPY_BOX) {
  const own_units own = own_share(width * rows);
  ulong row = own.begin / width;
  ulong x = own.begin % width;
  for (ulong left = own.end - own.begin; left > 0; ++row, x = 0) {
    const ulong run = min(left, width - x);
    copy_run(in + in_offset + row_start(row, height, in_row, in_slice) + x,
             out + out_offset + row_start(row, height, out_row, out_slice) + x, run);
    left -= run;
  }
}
