// gemm: C = alpha A B + beta C, column-major. Arguments: lib/primitives/gemm.cpp.
//
// A is m x k and B is k x n. Each lies in runs of contiguous elements: along k (A_ALONG_K, B_ALONG_K), or
// along m or n. A row-major product is the column-major one of the transposed matrices, so the host swaps
// A and B, and a transposed operand is one whose runs go the other way.
//
// A group computes a TILE_M x TILE_N tile of C and steps along k by TILE_K: with tiles of A and B in local
// memory an element is read from device memory once for TILE_M or TILE_N uses, and from local memory once
// for ITEM_M or ITEM_N. Every element of C is one chain of fma over rising k, whatever the tile.

// FACTOR is an element of A and B in memory, OUT one of the caller's C (element.cl).
typedef FACTOR GEMM_STORED;
static inline ACC to_acc(GEMM_STORED x) { return FACTOR_READ(x); }
typedef OUT OUT_STORED;
static inline OUT_STORED to_out(ACC x) { return OUT_WRITE(x); }
static inline ACC from_out(OUT_STORED x) { return OUT_READ(x); }

// C is not read where beta is 0: NaN may lie there.
static inline void store_out(__global OUT_STORED *to, ACC sum, ACC alpha, ACC beta) {
  *to = to_out(beta == 0 ? alpha * sum : fma(beta, from_out(*to), alpha * sum));
}

// What the product's kernel writes: C, or where k is cut the sum of each part into the workspace.
#ifdef IN_PARTS
typedef ACC SUM_STORED;
static inline void store_sum(__global SUM_STORED *to, ACC sum, ACC alpha, ACC beta) { *to = sum; }

// Adds the parts of k in order. Parts lie as column-major matrices of lines of `part_line` elements, one
// after another, the parts of a batch together. Global size: any.
KERNEL void gemm_fold(const __global ACC *restrict sums, ulong sums_offset, ulong parts, ulong part_line,
                      ulong part_stride, __global OUT_STORED *restrict c, ulong c_offset, ulong c_line,
                      ulong c_stride, ulong m, ulong n, ulong batches, ACC alpha, ACC beta) {
  const ulong count = m * n * batches;
  for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {
    const ulong row = i % m, column = i / m % n, batch = i / (m * n);
    const __global ACC *from = sums + sums_offset + batch * parts * part_stride + column * part_line + row;
    ACC sum = from[0];
    for (ulong part = 1; part < parts; ++part) sum += from[part * part_stride];
    store_out(c + c_offset + batch * c_stride + column * c_line + row, sum, alpha, beta);
  }
}
#else
typedef OUT_STORED SUM_STORED;
static inline void store_sum(__global SUM_STORED *to, ACC sum, ACC alpha, ACC beta) {
  store_out(to, sum, alpha, beta);
}
#endif

// Whether the contiguous elements of A, of B follow k.
enum { A_TURNED = IS_ON(A_ALONG_K), B_TURNED = IS_ON(B_ALONG_K) };

// Offsets, lines and strides are in elements. k is cut into parts of `part`; with more than one, C is the
// workspace, and takes each part's sum as if that were a batch.
#define GEMM_ARGUMENTS                                                                                   \
  const __global GEMM_STORED *restrict a, ulong a_offset, ulong a_line, ulong a_stride,                  \
      const __global GEMM_STORED *restrict b, ulong b_offset, ulong b_line, ulong b_stride,              \
      __global SUM_STORED *restrict c, ulong c_offset, ulong c_line, ulong c_stride, ulong m, ulong n,   \
      ulong k, ulong part, uint parts, uint tiles_m, uint tiles_n, ACC alpha, ACC beta

// Where a tile is.
typedef struct {
  ulong batch, part, row, column;
} tile_place;

// Tiles go in bands of BAND tile rows, column by column: groups that run at the same time then share tiles of A
// and B in the caches.
enum { BAND = 8 };
static inline tile_place place_of_tile(uint id, uint parts, uint tiles_m, uint tiles_n) {
  tile_place place;
  const uint tiles = tiles_m * tiles_n;
  const uint piece = id / tiles;
  const uint tile = id % tiles;
  place.batch = piece / parts;
  place.part = piece % parts;
  const uint band = tile / (BAND * tiles_n);
  const uint within = tile % (BAND * tiles_n);
  const uint height = min(tiles_m - band * BAND, (uint)BAND);
  place.row = (ulong)(band * BAND + within % height) * TILE_M;
  place.column = (ulong)(within / height) * TILE_N;
  return place;
}
// Of a group that has one tile.
static inline tile_place place_of_group(uint parts, uint tiles_m, uint tiles_n) {
  return place_of_tile(get_group_id(0), parts, tiles_m, tiles_n);
}
