// gemm on a CPU: one work-item multiplies panels that its caches hold, in wide registers.
// (Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008.)

// A work-item is a group. It packs TILE_K steps of A's rows and B's columns into panels that its caches hold
// and its registers read in order, and multiplies panel by panel: ITEM_M rows in two wide registers, by
// ITEM_N columns. Its block of C waits in the cache until k is through.
enum { PARTS_OF_ROWS = ITEM_M / WIDTH };

static inline void multiply_panels(const __local ACC *a_panel, const __local ACC *b_panel, __local ACC *block,
                                   uint depth) {
  WIDE acc[ITEM_N][PARTS_OF_ROWS];
#pragma unroll
  for (uint j = 0; j < ITEM_N; ++j) {
#pragma unroll
    for (uint p = 0; p < PARTS_OF_ROWS; ++p) acc[j][p] = LOAD_WIDE(j * PARTS_OF_ROWS + p, block);
  }
  for (uint kk = 0; kk < depth; ++kk) {
    WIDE x[PARTS_OF_ROWS];
#pragma unroll
    for (uint p = 0; p < PARTS_OF_ROWS; ++p) x[p] = LOAD_WIDE(kk * PARTS_OF_ROWS + p, a_panel);
#pragma unroll
    for (uint j = 0; j < ITEM_N; ++j) {
      const WIDE y = (WIDE)(b_panel[kk * ITEM_N + j]);
#pragma unroll
      for (uint p = 0; p < PARTS_OF_ROWS; ++p) acc[j][p] = fma(x[p], y, acc[j][p]);
    }
  }
#pragma unroll
  for (uint j = 0; j < ITEM_N; ++j) {
#pragma unroll
    for (uint p = 0; p < PARTS_OF_ROWS; ++p) STORE_WIDE(acc[j][p], j * PARTS_OF_ROWS + p, block);
  }
}

// Packs `count` (at most TILE) rows or columns of a matrix into panels of `width`, each step's next to one
// another. What lies beyond the matrix is 0, and is not stored in the end.
static inline void pack_panels(__local ACC *panels, const __global GEMM_STORED *from, ulong line, uint count,
                               uint width, uint depth, uint along_k) {
  for (uint x = 0; x < count; x += width) {
    __local ACC *panel = panels + x * TILE_K;
    const uint here = min(width, count - x);
    if (along_k) {
      for (uint w = 0; w < here; ++w) {
        const __global GEMM_STORED *run = from + (x + w) * line;
        for (uint kk = 0; kk < depth; ++kk) panel[kk * width + w] = to_acc(run[kk]);
      }
    } else {
      for (uint kk = 0; kk < depth; ++kk) {
        const __global GEMM_STORED *run = from + kk * line + x;
        for (uint w = 0; w < here; ++w) panel[kk * width + w] = to_acc(run[w]);
      }
    }
    if (here == width) continue;
    for (uint kk = 0; kk < depth; ++kk) {
      for (uint w = here; w < width; ++w) panel[kk * width + w] = 0;
    }
  }
}

// Global size: a work-item for each block of each part of each batch.
KERNEL void gemm_blocks(GEMM_ARGUMENTS) {
  __local ACC a_panels[TILE_M * TILE_K] __attribute__((aligned(64)));
  __local ACC b_panels[TILE_N * TILE_K] __attribute__((aligned(64)));
  __local ACC blocks[TILE_M * TILE_N] __attribute__((aligned(64)));
  const tile_place place = place_of_group(parts, tiles_m, tiles_n);
  const ulong k_begin = place.part * part;
  const ulong k_end = k_begin + min(part, k - k_begin);
  const uint rows = (uint)min((ulong)TILE_M, m - place.row);
  const uint columns = (uint)min((ulong)TILE_N, n - place.column);
  const ulong a_x = A_TURNED ? a_line : 1, a_k = A_TURNED ? 1 : a_line;
  const ulong b_x = B_TURNED ? b_line : 1, b_k = B_TURNED ? 1 : b_line;
  const __global GEMM_STORED *a_first = a + a_offset + place.batch * a_stride + place.row * a_x;
  const __global GEMM_STORED *b_first = b + b_offset + place.batch * b_stride + place.column * b_x;

  for (uint i = 0; i < TILE_M * TILE_N; ++i) blocks[i] = 0;
  for (ulong at = k_begin; at < k_end; at += TILE_K) {
    const uint depth = (uint)min((ulong)TILE_K, k_end - at);
    pack_panels(a_panels, a_first + at * a_k, a_line, rows, ITEM_M, depth, A_TURNED);
    pack_panels(b_panels, b_first + at * b_k, b_line, columns, ITEM_N, depth, B_TURNED);
    for (uint y = 0; y < columns; y += ITEM_N) {
      for (uint x = 0; x < rows; x += ITEM_M)
        multiply_panels(a_panels + x * TILE_K, b_panels + y * TILE_K, blocks + (y * TILE_M + x * ITEM_N), depth);
    }
  }

  __global SUM_STORED *out = c + c_offset + (place.batch * parts + place.part) * c_stride +
                             place.column * c_line + place.row;
  for (uint y = 0; y < columns; ++y) {
    for (uint x = 0; x < rows; ++x) {
      const uint column = y / ITEM_N * ITEM_N;
      const uint row = x / ITEM_M * ITEM_M;
      const ACC sum = blocks[column * TILE_M + row * ITEM_N + (y - column) * ITEM_M + (x - row)];
      store_sum(out + y * c_line + x, sum, alpha, beta);
    }
  }
}
