// gather of elements that a work-item holds, on a CPU.

// Global size: any.
KERNEL void gather(X_AND_OUT, OUT_STORED outside VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  x += x_offset;
  COLLECT_INDICES
  COLLECT_FLAGS
  out += out_offset;
  bad_count bad = 0;
  const own_units own = own_share(n);
  for (ulong i = own.begin; i < own.end; ++i) {
    if (!is_moved(flags, i, given)) continue;
    const INDEX at = index_at(from, i);
    OUT_STORED one = outside;
    if (at < reach) one = moved(x[at], i, given);
    out[i] = one;
    bad += at >= reach ? 1 : 0;
  }
  STORE_BAD(bad)
}
