// gemm by matrix instructions, with the tiles of A and B in local memory.
#if defined(PRIMITIVE_GEMM) && defined(MATRIX)

// Tiles go into local memory STAGES steps of k at a time, so that copies have time to arrive. A set of lanes
// computes ITEM_M x ITEM_N elements of C. The instructions' rows are C's columns and the other way about: results
// next to one another in a lane, or in neighbours, are then so in memory.
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
#if !defined(OUT_IS_ACC) && !defined(IN_PARTS) && TILE_N * RESULT_LINE * 2 <= STAGES * (A_CHUNKS + B_CHUNKS) * 16
#define RESULTS_BY_TILE 1
#endif

// The chunks that a work-item brings of a step: LOADS_A of A, then those of B. Of chunk i: whether its lines follow k, how
// many chunks a line has, and its line and its place there.
#define LOADS (LOADS_A + LOADS_B)
static inline uint turned_of(uint i) { return i < LOADS_A ? A_TURNED : B_TURNED; }
static inline uint chunks_of(uint i) {
  return i < LOADS_A ? LINE_CHUNKS(TILE_M, A_TURNED) : LINE_CHUNKS(TILE_N, B_TURNED);
}
static inline uint number_of(uint i) {
  return (uint)get_local_id(0) + (i < LOADS_A ? i : i - LOADS_A) * GROUP_SIZE;
}
static inline uint line_of(uint i) { return number_of(i) / chunks_of(i); }
static inline uint place_of(uint i) { return number_of(i) % chunks_of(i); }

// How many elements of it are to be read, `width` across k, with `left` steps of k to come.
static inline uint elements_of(uint i, uint width, uint left) {
  const uint at = place_of(i) * CHUNK_ELEMENTS;
  return turned_of(i) ? (width == 0 || at >= left ? 0 : min(left - at, (uint)CHUNK_ELEMENTS))
                      : (line_of(i) < left ? width : 0);
}

// Starts to bring a step of `left` > 0, whose chunks start at `from`, into the stage at `to`, and sets `from` to those of the
// next. `is_whole`: no row or column of the tile is beyond C. `anywhere` is an address to name where nothing is read.
// By copies that run on; or where there are none into `next`, which finish_step stores after a step is multiplied.
#if defined(COPIES_RUN_ON) && defined(LINES_AS_LOADED) && VECTOR > 1
static inline __local chunk *copied_to(__local chunk *to, uint i) {
  return to + (i < LOADS_A ? 0 : A_CHUNKS) + chunk_place(line_of(i), place_of(i), chunks_of(i), turned_of(i));
}

INLINE void start_step(const __global GEMM_STORED **from, const uint *width, ulong a_step, ulong b_step, uint left,
                       bool is_whole, const __global void *anywhere, __local chunk *to, chunk *next) {
  if (is_whole && left == TILE_K) {
    UNROLL
    for (uint i = 0; i < LOADS; ++i) copy_all_16_to_local(copied_to(to, i), from[i]);
  } else {
    UNROLL
    for (uint i = 0; i < LOADS; ++i) {
      const uint elements = elements_of(i, width[i], left);
      copy_16_to_local(copied_to(to, i), elements == 0 ? anywhere : (const __global void *)from[i],
                       elements * FACTOR_BYTES);
    }
  }
  UNROLL
  for (uint i = 0; i < LOADS; ++i) from[i] += i < LOADS_A ? a_step : b_step;
}

INLINE void finish_step(const chunk *next, __local chunk *to) {}
#else
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

INLINE void start_step(const __global GEMM_STORED **from, const uint *width, ulong a_step, ulong b_step, uint left,
                       bool is_whole, const __global void *anywhere, __local chunk *to, chunk *next) {
  UNROLL
  for (uint i = 0; i < LOADS; ++i) {
    next[i] = load_chunk(from[i], elements_of(i, width[i], left));
    from[i] += i < LOADS_A ? a_step : b_step;
  }
}

INLINE void finish_step(const chunk *next, __local chunk *to) {
  UNROLL
  for (uint i = 0; i < LOADS; ++i) {
    if (i < LOADS_A)
      store_chunk(to, next[i], line_of(i), place_of(i), TILE_M, A_TURNED, A_LOCAL_TURNED);
    else
      store_chunk(to + A_CHUNKS, next[i], line_of(i), place_of(i), TILE_N, B_TURNED, B_LOCAL_TURNED);
  }
}
#endif

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
  const __global GEMM_STORED *from[LOADS];
  uint width[LOADS];
  const ulong a_step = A_TURNED ? TILE_K : TILE_K * a_line;
  const ulong b_step = B_TURNED ? TILE_K : TILE_K * b_line;
  UNROLL
  for (uint i = 0; i < LOADS; ++i) {
    const bool of_a = i < LOADS_A;
    const ulong line = of_a ? a_line : b_line, end = of_a ? m : n;
    const uint of = line_of(i), at = place_of(i) * CHUNK_ELEMENTS;
    const ulong x = (of_a ? place.row : place.column) + (turned_of(i) ? of : at);
    const ulong step = k_begin + (turned_of(i) ? at : of);
    width[i] = (uint)min(end - min(x, end), (ulong)CHUNK_ELEMENTS);
    from[i] = (of_a ? a + a_offset + place.batch * a_stride : b + b_offset + place.batch * b_stride) +
              (width[i] == 0 ? 0 : turned_of(i) ? x * line + step : step * line + x);
  }
  const bool is_whole = place.row + TILE_M <= m && place.column + TILE_N <= n;
  chunk next[LOADS];
  ulong to_fetch = depth;
  for (uint s = 0; s < STAGES - 1; ++s) {
    const uint left = (uint)min(to_fetch, (ulong)TILE_K);
    __local chunk *to = tiles + s * (A_CHUNKS + B_CHUNKS);
    if (left > 0) {
      start_step(from, width, a_step, b_step, left, is_whole, a, to, next);
      to_fetch -= left;
      finish_step(next, to);
    }
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
    __local chunk *to = tiles + filled * (A_CHUNKS + B_CHUNKS);
    const uint left = (uint)min(to_fetch, (ulong)TILE_K);
    if (left > 0) {
      start_step(from, width, a_step, b_step, left, is_whole, a, to, next);
      to_fetch -= left;
    }
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
    if (left > 0) finish_step(next, to);
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

#endif  // PRIMITIVE_GEMM && MATRIX
