// adjacent_difference on a CPU.

// Global size: any. 1 <= n. In place the chunk is gone through from its end, so that an element is read before it is written
// over; the compiler may take several at a time, because it reads all of these first.
KERNEL void adjacent_difference(const __global X_STORED *x, ulong x_offset, __global OUT_STORED *out, ulong out_offset, ulong n,
                                uint head ADJACENT_EDGES VALUES_ARGUMENTS) {
  COLLECT_VALUES
  x += x_offset;
  out += out_offset;
  const adjacent_span own = adjacent_own(n, head);
  if (own.begin >= own.end) return;
  if (IS_ON(IN_PLACE)) {
    for (ulong i = own.end - 1; i > own.begin; --i)
      out[i] = adjacent_difference_of(X_READ(x[i]), X_READ(x[i - 1]), i, given);
    if (own.begin > 0)
      out[own.begin] = adjacent_difference_of(X_READ(x[own.begin]), X_READ(ADJACENT_EDGE(own.begin)), own.begin, given);
  } else {
    EACH_ALONE
    for (ulong i = max(own.begin, 1ul); i < own.end; ++i)
      out[i] = adjacent_difference_of(X_READ(x[i]), X_READ(x[i - 1]), i, given);
  }
  if (own.begin == 0) out[0] = adjacent_difference_first(X_READ(x[0]));
}
