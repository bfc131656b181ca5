// gather of elements in several parts on a CPU.

// Global size: any.
KERNEL void gather(const __global ELEMENT_PART *restrict x, ulong x_offset, INDICES_ARGUMENT GATHER_FLAGS,
                   __global ELEMENT_PART *restrict out, ulong out_offset, ELEMENTS_ARGUMENT,
                   ulong reach, ulong head GATHER_WORKSPACE OUTSIDE_ARGUMENTS VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
#ifdef HAS_OUTSIDE
  outside_parts outside;
  outside.words[0] = outside_low;
  outside.words[1] = outside_high;
#endif
  x += x_offset * ELEMENT_PARTS;
  COLLECT_INDICES
  COLLECT_FLAGS
  out += out_offset * ELEMENT_PARTS;
  bad_count bad = 0;
  const own_units own = own_share(n);
  for (ulong i = own.begin; i < own.end; ++i) {
    if (!is_moved(flags, i, given)) continue;
    const INDEX at = index_at(from, i);
    __global ELEMENT_PART *to = out + i * ELEMENT_PARTS;
    if (at < reach) {
      const __global ELEMENT_PART *from = x + (ulong)at * ELEMENT_PARTS;
      for (uint part = 0; part < ELEMENT_PARTS; ++part) to[part] = from[part];
    } else {
      for (uint part = 0; part < ELEMENT_PARTS; ++part) to[part] = OUTSIDE_PART(part);
    }
    bad += at >= reach ? 1 : 0;
  }
  STORE_BAD(bad)
}
