// scatter of elements in several parts on a CPU.

// Global size: any.
KERNEL void scatter(const __global ELEMENT_PART *restrict x, ulong x_offset, INDICES_ARGUMENT GATHER_FLAGS,
                    __global ELEMENT_PART *restrict out, ulong out_offset, ELEMENTS_ARGUMENT,
                    ulong reach, ulong head GATHER_WORKSPACE VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  x += x_offset * ELEMENT_PARTS;
  COLLECT_INDICES
  COLLECT_FLAGS
  out += out_offset * ELEMENT_PARTS;
  const __global claim_number *claims = SCATTER_CLAIMS;
  bad_count bad = 0;
  const own_units own = own_share(n);
  for (ulong i = own.begin; i < own.end; ++i) {
    if (!is_moved(flags, i, given)) continue;
    const INDEX at = index_at(from, i);
    if (at < reach && is_claimed_by(HAS_CLAIMS ? claims[at] : 0, i)) {
      __global ELEMENT_PART *to = out + (ulong)at * ELEMENT_PARTS;
      const __global ELEMENT_PART *from = x + i * ELEMENT_PARTS;
      for (uint part = 0; part < ELEMENT_PARTS; ++part) to[part] = from[part];
    }
    bad += at >= reach ? 1 : 0;
  }
  STORE_BAD(bad)
}
