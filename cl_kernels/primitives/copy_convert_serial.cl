// copy where elements are converted on a CPU.

// Global size: any. Sixteen elements at a time, at any alignment.
KERNEL void convert(CONVERT_OPERANDS, ulong n) {
  const own_units own = own_share(n);
  const __global FROM *from = in + in_offset;
  __global TO *to = out + out_offset;
  ulong i = own.begin;
  for (; i + 16 <= own.end; i += 16) {
    const FROM_16 x = READ_16(FROM_READ, from + i);
    const FROM_16 numbers = IS_ON(NAN_IS_ZERO) ? (x == x ? x : (FROM_16)(0)) : x;
    JOINED(TO_WRITE, _to_16)(CONVERT_16(numbers), to + i);
  }
  for (; i < own.end; ++i) to[i] = converted(from[i]);
}
