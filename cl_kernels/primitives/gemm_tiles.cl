// gemm by ordinary arithmetic on a GPU, with the tiles of A and B in local memory.
// (Nath, Tomov and Dongarra, "An Improved MAGMA GEMM for Fermi GPUs", 2010.)
//
//                  B  |    TILE_N    |         A group makes TILE_M x TILE_N elements of C. Step by step along k it brings
//            TILE_K   |     ****     |         TILE_K columns of A and as many rows of B into local memory; each work-item
//          |--------| |--------------|         multiplies ITEM_M of the one by ITEM_N of the other, which are every ROWS-th
//   TILE_M |  A  ** | |  C  ****     |         and every COLUMNS-th pack of a tile, so that neighbours read neighbouring packs,
//          |     ** | |     ****     |         and keeps its elements of C in registers.

// What one access of local memory moves.
enum { PACK = ACC_BYTES == 4 ? 4 : 2, STORES_PACKS = (VECTOR > 1) & (IS_ON(IN_PARTS) | IS_ON(OUT_IS_ACC)) };
#if ACC_BYTES == 4
typedef float4 pack_bits;
typedef float2 acc_pair;
#else
typedef double2 pack_bits;
typedef double2 acc_pair;
#endif
typedef union {
  pack_bits bits;
  ACC elements[PACK];
} pack;

typedef LOAD_BITS load_bits;
typedef union {
  load_bits bits;
  GEMM_STORED elements[VECTOR];
} loaded;

// Tiles lie with m or n contiguous. A tile that comes along k is turned as it is stored: 16 bytes between its
// lines (32 for doubles) keep those stores out of each other's banks.
enum {
  TILE_PAD = 4,
  A_LINE = TILE_M + (A_TURNED ? TILE_PAD : 0),
  B_LINE = TILE_N + (B_TURNED ? TILE_PAD : 0)
};

// Work-items of a group along m and n. 32 neighbours form a patch that is about square, so that they read few
// different packs at a time: local memory hands one to many for the price of one.
enum {
  ROWS = TILE_M / ITEM_M,
  COLUMNS = TILE_N / ITEM_N,
  PATCH_ROWS = COLUMNS < 4 ? 32 / COLUMNS : ROWS < 8 ? ROWS : 8,
  PATCH_COLUMNS = 32 / PATCH_ROWS
};

// Loads a work-item makes for a step.
enum {
  LOADS_A = (TILE_M * TILE_K / VECTOR + GROUP_SIZE - 1) / GROUP_SIZE,
  LOADS_B = (TILE_N * TILE_K / VECTOR + GROUP_SIZE - 1) / GROUP_SIZE
};
// Whether every work-item makes its i-th.
#define IS_LOAD(i, tile) \
  (TILE_K * (tile) / VECTOR % GROUP_SIZE == 0 || id + (i)*GROUP_SIZE < TILE_K * (tile) / VECTOR)

// Which element of the tile a load starts at. Along k neighbours take SPAN loads of a line and go on in the
// next: enough for a whole sector of memory, and their stores, turned, meet no bank twice.
enum { SPAN = TILE_K > VECTOR ? 2 : 1 };
static inline uint load_x(uint load, uint tile, uint along_k) {
  return along_k ? load / SPAN % tile : load % (tile / VECTOR) * VECTOR;
}
static inline uint load_k(uint load, uint tile, uint along_k) {
  return along_k ? (load / (SPAN * tile) * SPAN + load % SPAN) * VECTOR : load / (tile / VECTOR);
}
// Where a work-item's loads lie at a fixed distance, one pointer serves them all.
static inline bool is_one(uint tile, uint along_k) { return GROUP_SIZE % (along_k ? SPAN * tile : tile / VECTOR) == 0; }
static inline ulong load_distance(uint tile, uint along_k, ulong line) {
  return along_k ? (ulong)(GROUP_SIZE / (SPAN * tile) * SPAN * VECTOR) : GROUP_SIZE / (tile / VECTOR) * line;
}

static inline void store_to_tile(__local ACC *tile, uint line, loaded from, uint x, uint k, uint along_k) {
  if (along_k) {
    UNROLL
    for (uint e = 0; e < VECTOR; ++e) tile[(k + e) * line + x] = to_acc(from.elements[e]);
  } else {
    if (VECTOR < PACK) tile[k * line + x] = to_acc(from.elements[0]);
    UNROLL
    for (uint e = 0; VECTOR >= PACK && e < VECTOR; e += PACK) {
      pack p;
      UNROLL
      for (uint i = 0; i < PACK; ++i) p.elements[i] = to_acc(from.elements[e + i]);
      *(__local pack_bits *)(tile + k * line + x + e) = p.bits;
    }
  }
}

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
#if defined(COPIES_RUN_ON) && VECTOR > 1 && defined(FACTOR_IS_ACC)
#define TILES_BY_COPY 1
enum { TILE_STAGES = STAGES };

// Copies a step's tile: `limit` steps of k from `from`, which is a work-item's own first element. Along k a
// sector of a line goes to neighbours, each of which copies single elements of several lines; otherwise each
// copies packs of several steps. What is not there is taken from the last that is.
enum { SECTOR = 32 / FACTOR_BYTES };
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
        if (rows <= size || id / SECTOR < size) {
          if (FACTOR_BYTES == 4)
            copy_4_to_local(to + kk * tile_line + x, p);
          else
            copy_8_to_local(to + kk * tile_line + x, p);
        }
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
enum { TILE_STAGES = 2 };
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
  const uint first = IS_ON(WHOLE_STEPS) ? TILE_K : depth % TILE_K == 0 ? TILE_K : (uint)(depth % TILE_K);

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
      next[i].bits = *(const __global load_bits *)(is_one(TILE, TURNED)                              \
                                                       ? from[0] + i * load_distance(TILE, TURNED, line)  \
                                                       : from[i]);                                   \
  }                                                                                                  \
  UNROLL                                                                                             \
  for (uint i = 0; i < (is_one(TILE, TURNED) ? 1 : COUNT); ++i) from[i] += step;
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
    if (!IS_ON(EMULATE_LANES) && count == TILE_K) {
      UNROLL
      for (uint kk = 0; kk < TILE_K; ++kk) MULTIPLY_STEP(kk)
      UNROLL
      for (uint j = 0; j < ITEM_N; ++j) {
        UNROLL
        for (uint i = 0; i < ITEM_M; i += 2) COMPUTED_ABOVE(acc_pair, acc[j][i], acc[j][i + 1]);
      }
    } else {
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
      if (STORES_PACKS && row + PACK <= m) {
        pack y;
        UNROLL
        for (uint e = 0; e < PACK; ++e) y.elements[e] = acc[j][p * PACK + e];
        if (!IS_ON(IN_PARTS)) {
          if (beta == 0) {
            y.bits *= alpha;
          } else {
            y.bits = fma((pack_bits)(beta), *(const __global pack_bits *)to, alpha * y.bits);
          }
        }
        *(__global pack_bits *)to = y.bits;
        continue;
      }
      UNROLL
      for (uint e = 0; e < PACK; ++e) {
        if (row + e < m) store_sum(to + e, acc[j][p * PACK + e], alpha, beta);
      }
    }
  }
}
