// gemm: C = alpha A B + beta C, column-major. Arguments: lib/primitives/gemm.cpp.
//
// A is m x k and B is k x n. Each lies in runs of contiguous elements: along k (A_ALONG_K, B_ALONG_K), or
// along m or n. A row-major product is the column-major one of the transposed matrices, so the host swaps
// A and B, and a transposed operand is one whose runs go the other way.
//
// A group computes a TILE_M x TILE_N tile of C and steps along k by TILE_K: with tiles of A and B in local
// memory an element is read from device memory once for TILE_M or TILE_N uses, and from local memory once
// for ITEM_M or ITEM_N. Every element of C is one chain of fma over rising k, whatever the tile.
#ifdef PRIMITIVE_GEMM

#ifdef FACTOR_IS_HALF
typedef ushort GEMM_STORED;
static inline ACC to_acc(GEMM_STORED x) { return vload_half(0, (const half *)&x); }
#else
typedef FACTOR GEMM_STORED;
static inline ACC to_acc(GEMM_STORED x) { return x; }
#endif

// OUT is what the caller's C holds.
#ifdef OUT_IS_HALF
typedef ushort OUT_STORED;
static inline OUT_STORED to_out(ACC x) {
  ushort bits;
  vstore_half_rte(x, 0, (half *)&bits);
  return bits;
}
static inline ACC from_out(OUT_STORED x) { return vload_half(0, (const half *)&x); }
#else
typedef OUT OUT_STORED;
static inline OUT_STORED to_out(ACC x) { return x; }
static inline ACC from_out(OUT_STORED x) { return x; }
#endif

// C is not read where beta is 0: NaN may lie there.
static inline void store_out(__global OUT_STORED *to, ACC sum, ACC alpha, ACC beta) {
  *to = to_out(beta == 0 ? alpha * sum : fma(beta, from_out(*to), alpha * sum));
}

// What the product's kernel writes: C, or where k is cut the sum of each part into the workspace.
#ifdef IN_PARTS
typedef ACC SUM_STORED;
#define SUM_IS_ACC 1
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
#ifndef OUT_IS_HALF
#define SUM_IS_ACC 1
#endif
static inline void store_sum(__global SUM_STORED *to, ACC sum, ACC alpha, ACC beta) {
  store_out(to, sum, alpha, beta);
}
#endif

// Offsets, lines and strides are in elements. k is cut into parts of `part`; with more than one, C is the
// workspace, and takes each part's sum as if that were a batch.
#define GEMM_ARGUMENTS                                                                                   \
  const __global GEMM_STORED *restrict a, ulong a_offset, ulong a_line, ulong a_stride,                  \
      const __global GEMM_STORED *restrict b, ulong b_offset, ulong b_line, ulong b_stride,              \
      __global SUM_STORED *restrict c, ulong c_offset, ulong c_line, ulong c_stride, ulong m, ulong n,   \
      ulong k, ulong part, uint parts, uint tiles_m, uint tiles_n, ACC alpha, ACC beta

// Where a group's tile is.
typedef struct {
  ulong batch, part, row, column;
} tile_place;

// Tiles go in bands of 8 tile rows, column by column: groups that run at the same time then share tiles of A
// and B in the caches.
#ifndef BAND
#define BAND 8
#endif
static inline tile_place place_of_group(uint parts, uint tiles_m, uint tiles_n) {
  tile_place place;
  const uint tiles = tiles_m * tiles_n;
  const uint id = get_group_id(0);
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

#if defined(MATRIX)
// --------------------------------------------------------------------- matrix instructions

// Tiles go into local memory STAGES steps of k at a time, so that copies have time to arrive. A set of lanes
// computes ITEM_M x ITEM_N elements of C. The instructions' rows are C's columns and the other way about: results
// next to one another in a lane, or in neighbours, are then so in memory.
#ifdef A_ALONG_K
#define A_TURNED 1
#else
#define A_TURNED 0
#endif
#ifdef B_ALONG_K
#define B_TURNED 1
#else
#define B_TURNED 0
#endif

// How a tile lies in local memory, and how it comes.
#ifdef LINES_AS_LOADED
#define A_LOCAL_TURNED A_TURNED
#define B_LOCAL_TURNED B_TURNED
#else
#define A_LOCAL_TURNED 1
#define B_LOCAL_TURNED 1
#endif
#define LINE_CHUNKS(tile, turned) (((turned) ? TILE_K : (tile)) / CHUNK_ELEMENTS)
#define A_CHUNKS (TILE_M * TILE_K / CHUNK_ELEMENTS)
#define B_CHUNKS (TILE_N * TILE_K / CHUNK_ELEMENTS)
#define LOADS_A (A_CHUNKS / GROUP_SIZE)
#define LOADS_B (B_CHUNKS / GROUP_SIZE)
#define SETS_M (TILE_M / ITEM_M)
// A tile of results in local memory has a chunk between its lines, against stores to one bank.
#define RESULT_LINE (TILE_M + 8)
#if defined(OUT_IS_HALF) && !defined(IN_PARTS) && TILE_N * RESULT_LINE * 2 <= STAGES * (A_CHUNKS + B_CHUNKS) * 16
#define RESULTS_BY_TILE 1
#endif

// `elements` elements, at most a chunk, and zeros.
static inline chunk load_chunk(const __global GEMM_STORED *from, uint elements) {
#if VECTOR > 1
  if (elements == CHUNK_ELEMENTS) return *(const __global chunk *)from;
#endif
  chunk_elements x;
  UNROLL
  for (uint e = 0; e < CHUNK_ELEMENTS; ++e)
    x.elements[e] = e < elements ? ((const __global matrix_element *)from)[e] : 0;
  return x.bits;
}

// Puts a chunk that came from line `line`, place `at`, into a tile.
static inline void store_chunk(__local chunk *tile, chunk x, uint line, uint at, uint size, uint turned,
                               uint local_turned) {
  if (turned == local_turned) {
    tile[chunk_place(line, at, LINE_CHUNKS(size, turned), turned)] = x;
    return;
  }
  chunk_elements y;
  y.bits = x;
  UNROLL
  for (uint e = 0; e < CHUNK_ELEMENTS; ++e)
    *(__local matrix_element *)element_of_tile(tile, at * CHUNK_ELEMENTS + e, line, LINE_CHUNKS(size, 1), 1) =
        y.elements[e];
}

// Global size: GROUP_SIZE for each tile of each part of each batch. What lies beyond a matrix is taken for 0.
// VECTOR > 1 says that all lines begin at multiples of 16 bytes.
KERNEL void gemm_matrix(GEMM_ARGUMENTS) {
  __local chunk tiles[STAGES * (A_CHUNKS + B_CHUNKS)] __attribute__((aligned(128)));
  const tile_place place = place_of_group(parts, tiles_m, tiles_n);
  const uint id = get_local_id(0), lane = id % LANES, set = id / LANES;
  const ulong k_begin = place.part * part;
  const ulong depth = min(part, k - k_begin);
  const ulong steps = (depth + TILE_K - 1) / TILE_K;
  const uint corner_m = set % SETS_M * ITEM_M, corner_n = set / SETS_M * ITEM_N;

  // Where the work-item's next chunks start, and how many elements of them there are across k.
  const __global GEMM_STORED *a_from[LOADS_A];
  const __global GEMM_STORED *b_from[LOADS_B];
  uint a_width[LOADS_A], b_width[LOADS_B];
  const ulong a_step = A_TURNED ? TILE_K : TILE_K * a_line;
  const ulong b_step = B_TURNED ? TILE_K : TILE_K * b_line;
#define CHUNK_LINE(i, tile, turned) ((id + (i)*GROUP_SIZE) / LINE_CHUNKS(tile, turned))
#define CHUNK_AT(i, tile, turned) ((id + (i)*GROUP_SIZE) % LINE_CHUNKS(tile, turned))
#define PREPARE_CHUNKS(COUNT, TILE, TURNED, from, width, base, line, corner, end)                             \
  UNROLL                                                                                                      \
  for (uint i = 0; i < COUNT; ++i) {                                                                          \
    const uint of = CHUNK_LINE(i, TILE, TURNED), at = CHUNK_AT(i, TILE, TURNED) * CHUNK_ELEMENTS;             \
    const ulong x = corner + (TURNED ? of : at);                                                              \
    const ulong step = k_begin + (TURNED ? at : of);                                                          \
    width[i] = x < end ? (uint)min(end - x, (ulong)CHUNK_ELEMENTS) : 0;                                       \
    from[i] = base + (width[i] == 0 ? 0 : TURNED ? x * line + step : step * line + x);                        \
  }
  PREPARE_CHUNKS(LOADS_A, TILE_M, A_TURNED, a_from, a_width, a + a_offset + place.batch * a_stride, a_line, place.row,
                 m)
  PREPARE_CHUNKS(LOADS_B, TILE_N, B_TURNED, b_from, b_width, b + b_offset + place.batch * b_stride, b_line,
                 place.column, n)

// How many elements of a chunk are to be read, with `left` steps of k to come.
#define CHUNK_COUNT(i, TILE, TURNED, width)                                                                        \
  ((TURNED) ? (width[i] == 0 || CHUNK_AT(i, TILE, TURNED) * CHUNK_ELEMENTS >= left                                 \
                   ? 0u                                                                                            \
                   : min(left - CHUNK_AT(i, TILE, TURNED) * CHUNK_ELEMENTS, (uint)CHUNK_ELEMENTS))                 \
            : (CHUNK_LINE(i, TILE, TURNED) < left ? width[i] : 0u))
#if defined(COPIES_RUN_ON) && defined(LINES_AS_LOADED) && VECTOR > 1
  const bool is_whole = place.row + TILE_M <= m && place.column + TILE_N <= n;
#define CHUNK_TO(i, TILE, TURNED, to)                                                                          \
  (to + chunk_place(CHUNK_LINE(i, TILE, TURNED), CHUNK_AT(i, TILE, TURNED), LINE_CHUNKS(TILE, TURNED), TURNED))
#define START(COUNT, TILE, TURNED, from, width, step, to, next)                                                \
  if (is_whole && left == TILE_K) {                                                                            \
    UNROLL                                                                                                     \
    for (uint i = 0; i < COUNT; ++i) copy_all_16_to_local(CHUNK_TO(i, TILE, TURNED, to), from[i]);             \
  } else {                                                                                                     \
    UNROLL                                                                                                     \
    for (uint i = 0; i < COUNT; ++i) {                                                                         \
      const uint elements = CHUNK_COUNT(i, TILE, TURNED, width);                                               \
      copy_16_to_local(CHUNK_TO(i, TILE, TURNED, to), elements == 0 ? (const __global void *)a : from[i],      \
                       elements * FACTOR_BYTES);                                                               \
    }                                                                                                          \
  }                                                                                                            \
  UNROLL                                                                                                       \
  for (uint i = 0; i < COUNT; ++i) from[i] += step;
#define FINISH(COUNT, TILE, TURNED, LOCAL_TURNED, to, next)
#else
  // Through registers: they are loaded before a step is multiplied, and stored after it.
  chunk a_next[LOADS_A], b_next[LOADS_B];
#define START(COUNT, TILE, TURNED, from, width, step, to, next)                   \
  UNROLL                                                                          \
  for (uint i = 0; i < COUNT; ++i) {                                              \
    next[i] = load_chunk(from[i], CHUNK_COUNT(i, TILE, TURNED, width));           \
    from[i] += step;                                                              \
  }
#define FINISH(COUNT, TILE, TURNED, LOCAL_TURNED, to, next)                                                        \
  UNROLL                                                                                                           \
  for (uint i = 0; i < COUNT; ++i)                                                                                 \
    store_chunk(to, next[i], CHUNK_LINE(i, TILE, TURNED), CHUNK_AT(i, TILE, TURNED), TILE, TURNED, LOCAL_TURNED);
#endif
// Starts to bring the next step, while there is one, into stage `stage`; and puts it there.
#define START_STEP(stage)                                                               \
  const uint left = (uint)min(to_fetch, (ulong)TILE_K);                                 \
  __local chunk *to = tiles + (stage) * (A_CHUNKS + B_CHUNKS);                          \
  if (left > 0) {                                                                       \
    START(LOADS_A, TILE_M, A_TURNED, a_from, a_width, a_step, to, a_next)               \
    START(LOADS_B, TILE_N, B_TURNED, b_from, b_width, b_step, (to + A_CHUNKS), b_next)  \
    to_fetch -= left;                                                                   \
  }
#define FINISH_STEP                                                                     \
  if (left > 0) {                                                                       \
    FINISH(LOADS_A, TILE_M, A_TURNED, A_LOCAL_TURNED, to, a_next)                       \
    FINISH(LOADS_B, TILE_N, B_TURNED, B_LOCAL_TURNED, (to + A_CHUNKS), b_next)          \
  }

  ulong to_fetch = depth;
  for (uint s = 0; s < STAGES - 1; ++s) {
    START_STEP(s)
    FINISH_STEP
    end_of_copies();
  }

  ACC results[ITEM_N / 16][ITEM_M / 16][MATRIX_RESULTS];
  UNROLL
  for (uint j = 0; j < ITEM_N / 16; ++j) {
    UNROLL
    for (uint i = 0; i < ITEM_M / 16; ++i) {
      UNROLL
      for (uint r = 0; r < MATRIX_RESULTS; ++r) results[j][i][r] = 0;
    }
  }

  uint stage = 0;
  for (ulong step = 0; step < steps; ++step) {
    // This step's tiles have come, and the stage that is filled next is read by nobody any more.
    wait_for_copies();
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint filled = stage == 0 ? STAGES - 1 : stage - 1;
    START_STEP(filled)
    end_of_copies();
    const __local chunk *a_tile = tiles + stage * (A_CHUNKS + B_CHUNKS);
    const __local chunk *b_tile = a_tile + A_CHUNKS;
    UNROLL
    for (uint kk = 0; kk < TILE_K; kk += MATRIX_K) {
      matrix_operand x[ITEM_M / 16], y[ITEM_N / 16];
      UNROLL
      for (uint i = 0; i < ITEM_M / 16; ++i)
        x[i] = load_matrix_columns(a_tile, corner_m + 16 * i, kk, LINE_CHUNKS(TILE_M, A_LOCAL_TURNED), A_LOCAL_TURNED,
                                   lane);
      UNROLL
      for (uint j = 0; j < ITEM_N / 16; ++j)
        y[j] = load_matrix_rows(b_tile, corner_n + 16 * j, kk, LINE_CHUNKS(TILE_N, B_LOCAL_TURNED), B_LOCAL_TURNED,
                                lane);
      UNROLL
      for (uint j = 0; j < ITEM_N / 16; ++j) {
        UNROLL
        for (uint i = 0; i < ITEM_M / 16; ++i) multiply_matrices(results[j][i], &y[j], &x[i]);
      }
    }
    FINISH_STEP
    stage = stage == STAGES - 1 ? 0 : stage + 1;
  }

  __global SUM_STORED *out = c + c_offset + (place.batch * parts + place.part) * c_stride + place.column * c_line +
                             place.row;
  const uint rows = (uint)min((ulong)TILE_M, m - place.row), columns = (uint)min((ulong)TILE_N, n - place.column);
#ifdef RESULTS_BY_TILE
  // Two bytes a store are too few: a whole tile of halves is put together in local memory and leaves in chunks.
  if (beta == 0 && rows == TILE_M && columns == TILE_N && (((size_t)out | c_line * sizeof(OUT_STORED)) & 15) == 0) {
    __local OUT_STORED *whole = (__local OUT_STORED *)tiles;
    barrier(CLK_LOCAL_MEM_FENCE);  // no copy is under way any more
    UNROLL
    for (uint j = 0; j < ITEM_N / 16; ++j) {
      UNROLL
      for (uint i = 0; i < ITEM_M / 16; ++i) {
        UNROLL
        for (uint r = 0; r < MATRIX_RESULTS; ++r)
          whole[(corner_n + 16 * j + result_row(lane, r)) * RESULT_LINE + corner_m + 16 * i + result_column(lane, r)] =
              to_out(alpha * results[j][i][r]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (uint i = 0; i < TILE_M * TILE_N / 8 / GROUP_SIZE; ++i) {
      const uint at = id + i * GROUP_SIZE, line = at / (TILE_M / 8), x = at % (TILE_M / 8) * 8;
      *(__global chunk *)(out + line * c_line + x) = *(const __local chunk *)(whole + line * RESULT_LINE + x);
    }
    return;
  }
#endif
  UNROLL
  for (uint j = 0; j < ITEM_N / 16; ++j) {
    UNROLL
    for (uint i = 0; i < ITEM_M / 16; ++i) {
      UNROLL
      for (uint r = 0; r < MATRIX_RESULTS; ++r) {
        const uint row = corner_m + 16 * i + result_column(lane, r);
        const uint column = corner_n + 16 * j + result_row(lane, r);
        if (row < rows && column < columns) store_sum(out + column * c_line + row, results[j][i][r], alpha, beta);
      }
    }
  }
}

#elif GROUP_SIZE > 1
// --------------------------------------------------------------------- tiles in local memory

// What one access of local memory moves.
#if ACC_BYTES == 4
#define PACK 4
typedef float4 pack_bits;
#else
#define PACK 2
typedef double2 pack_bits;
#endif
typedef union {
  pack_bits bits;
  ACC elements[PACK];
} pack;

#if VECTOR == 1
typedef GEMM_STORED load_bits;
#elif VECTOR * FACTOR_BYTES == 16
typedef uint4 load_bits;
#else
typedef uint2 load_bits;
#endif
typedef union {
  load_bits bits;
  GEMM_STORED elements[VECTOR];
} loaded;

// Tiles lie with m or n contiguous. A tile that comes along k is turned as it is stored: 16 bytes between its
// lines (32 for doubles) keep those stores out of each other's banks.
#define TILE_PAD 4
#ifdef A_ALONG_K
#define A_LINE (TILE_M + TILE_PAD)
#else
#define A_LINE TILE_M
#endif
#ifdef B_ALONG_K
#define B_LINE (TILE_N + TILE_PAD)
#else
#define B_LINE TILE_N
#endif

// Work-items of a group along m and n. 32 neighbours form a patch that is about square, so that they read few
// different packs at a time: local memory hands one to many for the price of one.
#define ROWS (TILE_M / ITEM_M)
#define COLUMNS (TILE_N / ITEM_N)
#if COLUMNS < 4
#define PATCH_ROWS (32 / COLUMNS)
#elif ROWS < 8
#define PATCH_ROWS ROWS
#else
#define PATCH_ROWS 8
#endif
#define PATCH_COLUMNS (32 / PATCH_ROWS)

// Loads a work-item makes for a step.
#define LOADS_A ((TILE_M * TILE_K / VECTOR + GROUP_SIZE - 1) / GROUP_SIZE)
#define LOADS_B ((TILE_N * TILE_K / VECTOR + GROUP_SIZE - 1) / GROUP_SIZE)
// Whether every work-item makes its i-th.
#define IS_LOAD(i, tile) \
  (TILE_K * (tile) / VECTOR % GROUP_SIZE == 0 || id + (i)*GROUP_SIZE < TILE_K * (tile) / VECTOR)

// Which element of the tile a load starts at. Along k neighbours take SPAN loads of a line and go on in the
// next: enough for a whole sector of memory, and their stores, turned, meet no bank twice.
#if TILE_K > VECTOR
#define SPAN 2
#else
#define SPAN 1
#endif
static inline uint load_x(uint load, uint tile, uint along_k) {
  return along_k ? load / SPAN % tile : load % (tile / VECTOR) * VECTOR;
}
static inline uint load_k(uint load, uint tile, uint along_k) {
  return along_k ? (load / (SPAN * tile) * SPAN + load % SPAN) * VECTOR : load / (tile / VECTOR);
}
// Where a work-item's loads lie at a fixed distance, one pointer serves them all.
#define IS_ONE(tile, along_k) (GROUP_SIZE % ((along_k) ? SPAN * (tile) : (tile) / VECTOR) == 0)
#define DISTANCE(tile, along_k, line) \
  ((along_k) ? (ulong)(GROUP_SIZE / (SPAN * (tile)) * SPAN * VECTOR) : GROUP_SIZE / ((tile) / VECTOR) * line)

static inline void store_to_tile(__local ACC *tile, uint line, loaded from, uint x, uint k, uint along_k) {
  if (along_k) {
    UNROLL
    for (uint e = 0; e < VECTOR; ++e) tile[(k + e) * line + x] = to_acc(from.elements[e]);
  } else {
#if VECTOR >= PACK
    UNROLL
    for (uint e = 0; e < VECTOR; e += PACK) {
      pack p;
      UNROLL
      for (uint i = 0; i < PACK; ++i) p.elements[i] = to_acc(from.elements[e + i]);
      *(__local pack_bits *)(tile + k * line + x + e) = p.bits;
    }
#else
    tile[k * line + x] = to_acc(from.elements[0]);
#endif
  }
}

#ifdef A_ALONG_K
#define A_TURNED 1
#else
#define A_TURNED 0
#endif
#ifdef B_ALONG_K
#define B_TURNED 1
#else
#define B_TURNED 0
#endif

// One step of the sum: acc += a column of A's tile times a row of B's.
#define MULTIPLY_STEP(kk)                                                                          \
  {                                                                                                \
    pack x[ITEM_M / PACK], y[ITEM_N / PACK];                                                       \
    UNROLL                                                                                         \
    for (uint p = 0; p < ITEM_M / PACK; ++p)                                                       \
      x[p].bits = *(const __local pack_bits *)(a_now + (kk)*A_LINE + (p * ROWS + item_row) * PACK); \
    UNROLL                                                                                         \
    for (uint p = 0; p < ITEM_N / PACK; ++p)                                                       \
      y[p].bits = *(const __local pack_bits *)(b_now + (kk)*B_LINE + (p * COLUMNS + item_column) * PACK); \
    UNROLL                                                                                         \
    for (uint j = 0; j < ITEM_N; ++j) {                                                            \
      UNROLL                                                                                       \
      for (uint i = 0; i < ITEM_M; ++i)                                                            \
        acc[j][i] = fma(x[i / PACK].elements[i % PACK], y[j / PACK].elements[j % PACK], acc[j][i]); \
    }                                                                                              \
  }

// Whether tiles come by copies that run on. They do not convert, and move packs or single elements.
#if defined(COPIES_RUN_ON) && VECTOR > 1 && !defined(FACTOR_IS_HALF)
#define TILES_BY_COPY 1
#define TILE_STAGES STAGES

// Copies a step's tile: `limit` steps of k from `from`, which is a work-item's own first element. Along k a
// sector of a line goes to neighbours, each of which copies single elements of several lines; otherwise each
// copies packs of several steps. What is not there is taken from the last that is.
#define SECTOR (32 / FACTOR_BYTES)
#if FACTOR_BYTES == 4
#define COPY_ELEMENT copy_4_to_local
#else
#define COPY_ELEMENT copy_8_to_local
#endif
static inline void copy_tile(__local ACC *tile, uint tile_line, uint size, uint along_k,
                             const __global GEMM_STORED *from, ulong line, uint limit, uint more, uint id) {
  if (along_k) {
    const uint rows = GROUP_SIZE / SECTOR;
    __local ACC *to = tile + id % SECTOR * tile_line + id / SECTOR;
    UNROLL
    for (uint kk = 0; kk < TILE_K; kk += SECTOR) {
      const __global GEMM_STORED *p = from + min(kk + id % SECTOR, limit - 1);
      UNROLL
      for (uint x = 0; x < size; x += rows) {
        if (rows <= size || id / SECTOR < size) COPY_ELEMENT(to + kk * tile_line + x, p);
        p += x / rows < more ? rows * line : 0;
      }
    }
  } else {
    const uint packs = size / PACK, rows = GROUP_SIZE / packs;  // no tile has more packs in a line than work-items
    const uint first = id / packs;
    UNROLL
    for (uint kk = 0; kk < TILE_K; kk += rows) {
      if (rows <= TILE_K || first < TILE_K)
        copy_all_16_to_local(tile + (kk + first) * tile_line + id % packs * PACK,
                             from + min(kk + first, limit - 1) * line);
    }
  }
}
#else
#define TILE_STAGES 2
#endif

// Global size: GROUP_SIZE for each tile of each part of each batch.
//
// The short step of k % TILE_K comes first, so that all others are whole. Rows and columns beyond C are read
// from its last ones, and not stored. Loads are in runs of VECTOR: the host knows that all runs are multiples
// of that and begin at one.
KERNEL void gemm_tiles(GEMM_ARGUMENTS) {
  __local ACC a_tiles[TILE_STAGES * TILE_K * A_LINE] __attribute__((aligned(16)));
  __local ACC b_tiles[TILE_STAGES * TILE_K * B_LINE] __attribute__((aligned(16)));
  const tile_place place = place_of_group(parts, tiles_m, tiles_n);
  const uint id = get_local_id(0);
  const ulong k_begin = place.part * part;
  const ulong depth = min(part, k - k_begin);
  const ulong steps = (depth + TILE_K - 1) / TILE_K;
#ifdef WHOLE_STEPS
  const uint first = TILE_K;
#else
  const uint first = depth % TILE_K == 0 ? TILE_K : (uint)(depth % TILE_K);
#endif

  const uint patch = id / 32 % (ROWS / PATCH_ROWS) * PATCH_ROWS;
  const uint item_row = patch + id % PATCH_ROWS;
  const uint item_column = id / 32 / (ROWS / PATCH_ROWS) * PATCH_COLUMNS + id % 32 / PATCH_ROWS;

  const __global GEMM_STORED *a_first = a + a_offset + place.batch * a_stride;
  const __global GEMM_STORED *b_first = b + b_offset + place.batch * b_stride;

#ifdef TILES_BY_COPY
  // The work-item's first element of a step's tiles, and how many more lines it has inside the matrix.
#define PREPARE_COPIES(TILE, TURNED, from, more, base, line, corner, end)                                    \
  {                                                                                                          \
    const ulong x = corner + (TURNED ? id / SECTOR : id % (TILE / PACK) * PACK);                             \
    const ulong inside = min(x, end - (TURNED ? 1 : PACK));                                                  \
    from = base + (TURNED ? inside * line + k_begin : k_begin * line + inside);                              \
    more = TURNED && x < end ? (uint)min((end - 1 - x) / (GROUP_SIZE / SECTOR), (ulong)TILE) : 0;            \
  }
  const __global GEMM_STORED *a_from, *b_from;
  uint a_more, b_more;
  PREPARE_COPIES(TILE_M, A_TURNED, a_from, a_more, a_first, a_line, place.row, m)
  PREPARE_COPIES(TILE_N, B_TURNED, b_from, b_more, b_first, b_line, place.column, n)
  ulong to_copy = steps;
#define COPY_STEP(stage)                                                                                       \
  if (to_copy > 0) {                                                                                           \
    const uint limit = to_copy == steps ? first : TILE_K;                                                      \
    copy_tile(a_tiles + (stage) * (TILE_K * A_LINE), A_LINE, TILE_M, A_TURNED, a_from, a_line, limit, a_more, id); \
    copy_tile(b_tiles + (stage) * (TILE_K * B_LINE), B_LINE, TILE_N, B_TURNED, b_from, b_line, limit, b_more, id); \
    a_from += A_TURNED ? limit : limit * a_line;                                                               \
    b_from += B_TURNED ? limit : limit * b_line;                                                               \
    --to_copy;                                                                                                 \
  }                                                                                                            \
  end_of_copies();
  for (uint s = 0; s < TILE_STAGES - 1; ++s) {
    COPY_STEP(s)
  }
#else
  // Where the work-item's loads of the second step start; the first step's are elsewhere, if it is short.
  const __global GEMM_STORED *a_from[LOADS_A];
  const __global GEMM_STORED *b_from[LOADS_B];
  loaded a_next[LOADS_A], b_next[LOADS_B];
  const ulong a_step = A_TURNED ? TILE_K : TILE_K * a_line;
  const ulong b_step = B_TURNED ? TILE_K : TILE_K * b_line;
#define PREPARE_LOADS(COUNT, TILE, TURNED, from, next, base, line, corner, end)                      \
  UNROLL                                                                                             \
  for (uint i = 0; i < COUNT; ++i) {                                                                 \
    const uint load = id + i * GROUP_SIZE;                                                           \
    const uint unit = TURNED ? 1 : VECTOR;                                                           \
    const ulong x = min(corner + load_x(load, TILE, TURNED), end - unit);                            \
    const uint at_k = load_k(load, TILE, TURNED);                                                    \
    const ulong early = k_begin + min(at_k, first - (TURNED ? VECTOR : 1));                          \
    const ulong late = k_begin + first + at_k;                                                       \
    from[i] = base + (TURNED ? x * line + late : late * line + x);                                   \
    if (steps > 0 && IS_LOAD(i, TILE))                                                               \
      next[i].bits = *(const __global load_bits *)(base + (TURNED ? x * line + early : early * line + x)); \
  }
#define LOAD_NEXT(COUNT, TILE, TURNED, from, next, line, step)                                          \
  UNROLL                                                                                             \
  for (uint i = 0; i < COUNT; ++i) {                                                                 \
    if (IS_LOAD(i, TILE))                                                                            \
      next[i].bits = *(const __global load_bits *)(IS_ONE(TILE, TURNED)                              \
                                                       ? from[0] + i * DISTANCE(TILE, TURNED, line)  \
                                                       : from[i]);                                   \
  }                                                                                                  \
  UNROLL                                                                                             \
  for (uint i = 0; i < (IS_ONE(TILE, TURNED) ? 1 : COUNT); ++i) from[i] += step;
#define STORE_LOADS(COUNT, TILE, TURNED, next, to, LINE)                            \
  UNROLL                                                                            \
  for (uint i = 0; i < COUNT; ++i) {                                                \
    const uint load = id + i * GROUP_SIZE;                                          \
    if (IS_LOAD(i, TILE))                                                           \
      store_to_tile(to, LINE, next[i], load_x(load, TILE, TURNED), load_k(load, TILE, TURNED), TURNED); \
  }

  PREPARE_LOADS(LOADS_A, TILE_M, A_TURNED, a_from, a_next, a_first, a_line, place.row, m)
  PREPARE_LOADS(LOADS_B, TILE_N, B_TURNED, b_from, b_next, b_first, b_line, place.column, n)
  if (steps > 0) {
    STORE_LOADS(LOADS_A, TILE_M, A_TURNED, a_next, a_tiles, A_LINE)
    STORE_LOADS(LOADS_B, TILE_N, B_TURNED, b_next, b_tiles, B_LINE)
  }
#endif

  ACC acc[ITEM_N][ITEM_M];
  UNROLL
  for (uint j = 0; j < ITEM_N; ++j) {
    UNROLL
    for (uint i = 0; i < ITEM_M; ++i) acc[j][i] = 0;
  }

  uint stage = 0;
  for (ulong left = steps; left > 0; --left) {
    // What was stored for this step can be read, and the stage that is stored to next is read by nobody any more.
    wait_for_copies();
    barrier(CLK_LOCAL_MEM_FENCE);
#ifdef TILES_BY_COPY
    COPY_STEP(stage == 0 ? TILE_STAGES - 1 : stage - 1)
#else
    const bool more = left > 1;
    if (more) {
      LOAD_NEXT(LOADS_A, TILE_M, A_TURNED, a_from, a_next, a_line, a_step)
      LOAD_NEXT(LOADS_B, TILE_N, B_TURNED, b_from, b_next, b_line, b_step)
    }
#endif
    const __local ACC *a_now = a_tiles + stage * (TILE_K * A_LINE);
    const __local ACC *b_now = b_tiles + stage * (TILE_K * B_LINE);
    const uint count = left == steps ? first : TILE_K;
#ifndef EMULATE_LANES
    if (count == TILE_K) {
      UNROLL
      for (uint kk = 0; kk < TILE_K; ++kk) MULTIPLY_STEP(kk)
    } else
#endif
    {
#pragma unroll 1
      for (uint kk = 0; kk < count; ++kk) MULTIPLY_STEP(kk)
    }
#ifndef TILES_BY_COPY
    if (more) {
      STORE_LOADS(LOADS_A, TILE_M, A_TURNED, a_next, a_tiles + (stage ^ 1) * (TILE_K * A_LINE), A_LINE)
      STORE_LOADS(LOADS_B, TILE_N, B_TURNED, b_next, b_tiles + (stage ^ 1) * (TILE_K * B_LINE), B_LINE)
    }
#endif
    stage = stage == TILE_STAGES - 1 ? 0 : stage + 1;
  }

  __global SUM_STORED *out = c + c_offset + (place.batch * parts + place.part) * c_stride;
  UNROLL
  for (uint j = 0; j < ITEM_N; ++j) {
    const ulong column = place.column + (j / PACK * COLUMNS + item_column) * PACK + j % PACK;
    if (column >= n) continue;
    UNROLL
    for (uint p = 0; p < ITEM_M / PACK; ++p) {
      const ulong row = place.row + (p * ROWS + item_row) * PACK;
      __global SUM_STORED *to = out + column * c_line + row;
#if VECTOR > 1 && defined(SUM_IS_ACC)
      if (row + PACK <= m) {
        pack y;
        UNROLL
        for (uint e = 0; e < PACK; ++e) y.elements[e] = acc[j][p * PACK + e];
#ifndef IN_PARTS
        if (beta == 0) {
          y.bits *= alpha;
        } else {
          y.bits = fma((pack_bits)(beta), *(const __global pack_bits *)to, alpha * y.bits);
        }
#endif
        *(__global pack_bits *)to = y.bits;
        continue;
      }
#endif
      UNROLL
      for (uint e = 0; e < PACK; ++e) {
        if (row + e < m) store_sum(to + e, acc[j][p * PACK + e], alpha, beta);
      }
    }
  }
}

#else
// --------------------------------------------------------------------- blocks of a CPU

// A work-item is a group. It packs TILE_K steps of A's rows and B's columns into panels that its caches hold
// and its registers read in order, and multiplies panel by panel: ITEM_M rows in two wide registers, by
// ITEM_N columns. Its block of C waits in the cache until k is through.
#define PARTS_OF_ROWS (ITEM_M / WIDTH)

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
#ifdef A_ALONG_K
  const ulong a_x = a_line, a_k = 1;
  const uint a_turned = 1;
#else
  const ulong a_x = 1, a_k = a_line;
  const uint a_turned = 0;
#endif
#ifdef B_ALONG_K
  const ulong b_x = b_line, b_k = 1;
  const uint b_turned = 1;
#else
  const ulong b_x = 1, b_k = b_line;
  const uint b_turned = 0;
#endif
  const __global GEMM_STORED *a_first = a + a_offset + place.batch * a_stride + place.row * a_x;
  const __global GEMM_STORED *b_first = b + b_offset + place.batch * b_stride + place.column * b_x;

  for (uint i = 0; i < TILE_M * TILE_N; ++i) blocks[i] = 0;
  for (ulong at = k_begin; at < k_end; at += TILE_K) {
    const uint depth = (uint)min((ulong)TILE_K, k_end - at);
    pack_panels(a_panels, a_first + at * a_k, a_line, rows, ITEM_M, depth, a_turned);
    pack_panels(b_panels, b_first + at * b_k, b_line, columns, ITEM_N, depth, b_turned);
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
#endif

#endif  // PRIMITIVE_GEMM
