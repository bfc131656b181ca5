// copy on a CPU: a work-item copies its share of all bytes.

// STREAMING: it stores past the caches, for more bytes than they hold. Global size: any.
KERNEL void COPY_KERNEL(COPY_OPERANDS, ulong bytes) {
  const own_units own = own_bytes(bytes);
  copy_run(in + in_offset + own.begin, out + out_offset + own.begin, own.end - own.begin);
}
