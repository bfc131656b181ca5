// top_k where k is large: all elements are sorted by the kernels of sort, and the first ones taken.

// The first k of all sorted indices, and the elements there.
KERNEL void top_k_take(const __global KEY *x, ulong x_offset, ELEMENTS_ARGUMENT, ulong k, __global KEY *values,
                       ulong values_offset, __global INDEX *indices, ulong indices_offset,
                       const __global uchar *workspace, ulong sorted_at) {
  COLLECT_ELEMENTS
  AT_MOST_ELEMENTS(k)
  const __global INDEX *sorted = (const __global INDEX *)(workspace + sorted_at);
  EACH_OWN_UNIT(i, k) {
    values[values_offset + i] = x[x_offset + sorted[i]];
    indices[indices_offset + i] = sorted[i];
  }
}
