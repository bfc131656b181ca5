// gemm of a C with few rows or few columns, one vector among them: bound by what is read of the factor that has all the others.
//
// That factor is the long one: each of its elements is used for THIN elements of C, which one work-item sums, in registers. So
// it goes past local memory, in which the thin factor lies. A work-item has OWN of the long factor's rows or columns:
//
//   long factor       | thin factor      C is m x n; M_IS_THIN: m is the thin side, B the long factor
//   id, id + GROUP_SIZE, ...             k by k: TILE_K steps of the thin factor at a time
//
// The order of sums is that of all tiles: a chain of fma over rising k.
enum {
  M_IS_THIN = TILE_M < TILE_N,
  THIN = M_IS_THIN ? TILE_M : TILE_N,
  OWN = M_IS_THIN ? ITEM_N : ITEM_M,
  LONG_TURNED = M_IS_THIN ? B_TURNED : A_TURNED,
  THIN_TURNED = M_IS_THIN ? A_TURNED : B_TURNED
};
// Steps of k that are loaded while as many are multiplied: with 16-byte accesses, 32 steps of floats are a line of memory, which
// one work-item then reads all at once.
enum { AHEAD = VECTOR == 1 ? 8 : FACTOR_BYTES == 8 ? 16 : 32 };
typedef union {
  uint4 bits;
  GEMM_STORED elements[VECTOR];
} long_run;

// The long factor's elements of AHEAD steps from `from` on, which are `step` elements apart.
INLINE void load_ahead(GEMM_STORED *next, const __global GEMM_STORED *from, ulong step) {
#if VECTOR > 1
  UNROLL
  for (uint i = 0; i < AHEAD; i += VECTOR) {
    long_run run;
    run.bits = *(const __global uint4 *)(from + i);
    UNROLL
    for (uint e = 0; e < VECTOR; ++e) next[i + e] = run.elements[e];
  }
#else
  UNROLL
  for (uint i = 0; i < AHEAD; ++i) next[i] = from[i * step];
#endif
}

INLINE void multiply_thin(ACC *sums, ACC x, const __local ACC *thin) {
  UNROLL
  for (uint s = 0; s < THIN; ++s) sums[s] = fma(x, thin[s], sums[s]);
}

// Global size: GROUP_SIZE for each tile of each part of each batch. VECTOR > 1 says that the long factor's lines follow k and all
// begin at multiples of 16 bytes.
KERNEL void gemm_thin(GEMM_ARGUMENTS) {
  __local ACC thin_tile[TILE_K * THIN] __attribute__((aligned(16)));
  const tile_place place = place_of_group(parts, tiles_m, tiles_n);
  const uint id = get_local_id(0);
  const ulong k_begin = place.part * part, depth = min(part, k - k_begin);
  const ulong corner = M_IS_THIN ? place.column : place.row, end = M_IS_THIN ? n : m;
  const ulong thin_corner = M_IS_THIN ? place.row : place.column;
  const uint thin_count = (uint)min((ulong)THIN, (M_IS_THIN ? m : n) - thin_corner);
  const ulong long_line = M_IS_THIN ? b_line : a_line, thin_line = M_IS_THIN ? a_line : b_line;
  const __global GEMM_STORED *const long_factor =
      M_IS_THIN ? b + b_offset + place.batch * b_stride : a + a_offset + place.batch * a_stride;
  const __global GEMM_STORED *const thin_factor =
      (M_IS_THIN ? a + a_offset + place.batch * a_stride : b + b_offset + place.batch * b_stride) +
      (THIN_TURNED ? thin_corner * thin_line + k_begin : k_begin * thin_line + thin_corner);
  const ulong step = LONG_TURNED ? 1 : long_line, thin_step = THIN_TURNED ? 1 : thin_line, thin_next = THIN_TURNED ? thin_line : 1;

  // What lies beyond C is read from its last row or column, and not stored.
  const __global GEMM_STORED *from[OWN];
  ACC sums[OWN][THIN];
  UNROLL
  for (uint j = 0; j < OWN; ++j) {
    const ulong x = min(corner + id + j * GROUP_SIZE, end - 1);
    from[j] = long_factor + (LONG_TURNED ? x * long_line + k_begin : k_begin * long_line + x);
    UNROLL
    for (uint s = 0; s < THIN; ++s) sums[j][s] = 0;
  }
  for (ulong at = 0; at < depth; at += TILE_K) {
    const uint steps = (uint)min(depth - at, (ulong)TILE_K), whole = steps / AHEAD * AHEAD;
    GEMM_STORED now[OWN][AHEAD], next[OWN][AHEAD];
    if (whole > 0) {
      UNROLL
      for (uint j = 0; j < OWN; ++j) load_ahead(next[j], from[j], step);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = id; i < TILE_K * THIN; i += GROUP_SIZE) {
      const uint s = THIN_TURNED ? i / TILE_K : i % THIN, kk = THIN_TURNED ? i % TILE_K : i / THIN;
      thin_tile[kk * THIN + s] =
          s < thin_count && kk < steps ? to_acc(thin_factor[(at + kk) * thin_step + s * thin_next]) : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL_BY(1)
    for (uint kk = 0; kk < whole; kk += AHEAD) {
      UNROLL
      for (uint j = 0; j < OWN; ++j) {
        UNROLL
        for (uint i = 0; i < AHEAD; ++i) now[j][i] = next[j][i];
        from[j] += AHEAD * step;
        if (kk + AHEAD < whole) load_ahead(next[j], from[j], step);
      }
      UNROLL
      for (uint i = 0; i < AHEAD; ++i) {
        UNROLL
        for (uint j = 0; j < OWN; ++j) multiply_thin(sums[j], to_acc(now[j][i]), thin_tile + (kk + i) * THIN);
      }
    }
    UNROLL_BY(1)
    for (uint kk = whole; kk < steps; ++kk) {
      UNROLL
      for (uint j = 0; j < OWN; ++j) {
        multiply_thin(sums[j], to_acc(*from[j]), thin_tile + kk * THIN);
        from[j] += step;
      }
    }
  }

  __global SUM_STORED *const out = c + c_offset + (place.batch * parts + place.part) * c_stride;
  UNROLL
  for (uint j = 0; j < OWN; ++j) {
    const ulong x = corner + id + j * GROUP_SIZE;
    if (x >= end) continue;
    __global SUM_STORED *const to = out + (M_IS_THIN ? x * c_line + thin_corner : thin_corner * c_line + x);
    UNROLL
    for (uint s = 0; s < THIN; ++s) {
      if (s < thin_count) store_sum(to + (M_IS_THIN ? s : s * c_line), sums[j][s], alpha, beta);
    }
  }
}
