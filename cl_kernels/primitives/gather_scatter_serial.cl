// scatter of elements that a work-item holds, on a CPU.

// Global size: any.
KERNEL void scatter(X_AND_OUT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  x += x_offset;
  COLLECT_INDICES
  COLLECT_FLAGS
  out += out_offset;
  const __global claim_number *claims = SCATTER_CLAIMS;
  bad_count bad = 0;
  const own_units own = own_share(n);
  for (ulong i = own.begin; i < own.end; ++i) {
    if (!is_moved(flags, i, given)) continue;
    const INDEX at = index_at(from, i);
    if (at < reach && is_claimed_by(HAS_CLAIMS ? claims[at] : 0, i)) out[at] = moved(x[i], i, given);
    bad += at >= reach ? 1 : 0;
  }
  STORE_BAD(bad)
}
