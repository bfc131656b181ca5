// gemm by matrix instructions, with the tiles of A and B in local memory.

//                  B  |    TILE_N    |         A group makes TILE_M x TILE_N elements of C, and loads the tiles of A and B step by
//            TILE_K   |    ****      |         step along k. STAGES steps are in local memory at a time, so that copies have time
//          |--------| |--------------|         to arrive. A set of lanes multiplies ITEM_M rows of a step of A by ITEM_N columns
//   TILE_M |  A *** | |  C ****      |         of one of B, and keeps its elements of C in registers. The instructions' rows are
//          |    *** | |    ****      |         C's columns and the other way about, so that results next to each other in a
//                                              lane, or in neighbouring lanes, are next to each other in memory.

// How a tile lies in local memory, and how it comes.
enum {
  A_LOCAL_TURNED = IS_ON(LINES_AS_LOADED) ? A_TURNED : 1,
  B_LOCAL_TURNED = IS_ON(LINES_AS_LOADED) ? B_TURNED : 1
};
#define LINE_CHUNKS(tile, turned) (((turned) ? TILE_K : (tile)) / CHUNK_ELEMENTS)
enum {
  A_CHUNKS = TILE_M * TILE_K / CHUNK_ELEMENTS,
  B_CHUNKS = TILE_N * TILE_K / CHUNK_ELEMENTS,
  LOADS_A = A_CHUNKS / GROUP_SIZE,
  LOADS_B = B_CHUNKS / GROUP_SIZE,
  SETS_M = TILE_M / ITEM_M
};
// Operands come from local memory a step before they are multiplied; of doubles, where all chunks are whole.
#if FACTOR_BYTES == 8 && defined(WHOLE_CHUNKS) && defined(COPIES_RUN_ON) && defined(LINES_AS_LOADED) && VECTOR > 1 && \
    GROUP_SIZE % LINE_CHUNKS(TILE_M, A_TURNED) == 0 && GROUP_SIZE % LINE_CHUNKS(TILE_N, B_TURNED) == 0
#define OPERANDS_AHEAD 1
#endif
// A tile of results in local memory has a chunk between its lines, against stores to one bank.
enum {
  RESULT_LINE = TILE_M + 8,
  RESULTS_BY_TILE =
      !IS_ON(OUT_IS_ACC) & !IS_ON(IN_PARTS) & (TILE_N * RESULT_LINE * 2 <= STAGES * (A_CHUNKS + B_CHUNKS) * 16)
};

// The chunks that a work-item brings of a step of A, or of B: of chunk i, with `chunks` of them in a line, its line and its
// place there.
#define CHUNK_LINE(i, chunks) ((id + (i)*GROUP_SIZE) / (chunks))
#define CHUNK_AT(i, chunks) ((id + (i)*GROUP_SIZE) % (chunks))
enum { A_LINE_CHUNKS = LINE_CHUNKS(TILE_M, A_TURNED), B_LINE_CHUNKS = LINE_CHUNKS(TILE_N, B_TURNED) };

// Where a work-item's first chunks start, from `base` on, and how many elements of them there are across k: of `loads` chunks
// of a tile whose corner is `corner` of `end`, in lines of `line` elements, which follow k where they are turned.
INLINE void place_chunks(const __global GEMM_STORED **from, uint *width, uint id, uint loads, uint chunks, uint turned,
                         const __global GEMM_STORED *base, ulong line, ulong corner, ulong end, ulong k_begin) {
  UNROLL
  for (uint i = 0; i < loads; ++i) {
    const uint of = CHUNK_LINE(i, chunks), at = CHUNK_AT(i, chunks) * CHUNK_ELEMENTS;
    const ulong x = corner + (turned ? of : at);
    const ulong step = k_begin + (turned ? at : of);
    width[i] = x < end ? (uint)min(end - x, (ulong)CHUNK_ELEMENTS) : 0;
    from[i] = base + (width[i] == 0 ? 0 : turned ? x * line + step : step * line + x);
  }
}

// Starts to bring the chunks of a step of A, or of B, with `left` > 0 steps of k to come, to the tile at `to`; and sets `from`
// to those of the next. By copies that run on; or where there are none into `next`, and finish_chunks stores them after a step
// is multiplied. `is_whole`: no row or column of the tile is beyond C; `a` is an address to name where nothing is read.
//
// A macro, because compilers make other code of a function, which was up to 7 % slower in products of halves.
//
// How many elements of chunk i are to be read:
#define CHUNK_COUNT(i, chunks, turned, width)                                                                       \
  ((turned) ? (width[i] == 0 || CHUNK_AT(i, chunks) * CHUNK_ELEMENTS >= left                                        \
                   ? 0u                                                                                             \
                   : min(left - CHUNK_AT(i, chunks) * CHUNK_ELEMENTS, (uint)CHUNK_ELEMENTS))                        \
            : (CHUNK_LINE(i, chunks) < left ? width[i] : 0u))
#if defined(COPIES_RUN_ON) && defined(LINES_AS_LOADED) && VECTOR > 1
#define CHUNK_TO(i, chunks, turned, to) (to + chunk_place(CHUNK_LINE(i, chunks), CHUNK_AT(i, chunks), chunks, turned))
#define START_CHUNKS(loads, chunks, turned, from, width, step, to, next)                                          \
  if (is_whole && left == TILE_K) {                                                                               \
    UNROLL                                                                                                        \
    for (uint i = 0; i < loads; ++i) copy_all_16_to_local(CHUNK_TO(i, chunks, turned, to), from[i]);              \
  } else {                                                                                                        \
    UNROLL                                                                                                        \
    for (uint i = 0; i < loads; ++i) {                                                                            \
      const uint elements = CHUNK_COUNT(i, chunks, turned, width);                                                \
      copy_16_to_local(CHUNK_TO(i, chunks, turned, to), elements == 0 ? (const __global void *)a : from[i],       \
                       elements * FACTOR_BYTES);                                                                  \
    }                                                                                                             \
  }                                                                                                               \
  UNROLL                                                                                                          \
  for (uint i = 0; i < loads; ++i) from[i] += step;

INLINE void finish_chunks(const chunk *next, __local chunk *to, uint id, uint loads, uint size, uint turned,
                          uint local_turned) {}
#else
#define START_CHUNKS(loads, chunks, turned, from, width, step, to, next)     \
  UNROLL                                                                     \
  for (uint i = 0; i < loads; ++i) {                                         \
    next[i] = load_chunk(from[i], CHUNK_COUNT(i, chunks, turned, width));    \
    from[i] += step;                                                         \
  }

// `elements` elements, at most a chunk, and zeros.
static inline chunk load_chunk(const __global GEMM_STORED *from, uint elements) {
  if (VECTOR > 1 && elements == CHUNK_ELEMENTS) return *(const __global chunk *)from;
  chunk_elements x;
  // Halves by words: what is put together from the halves of one, compilers keep in memory (AMD's of gfx90a).
  const __global ushort *halves = (const __global ushort *)from;
  UNROLL
  for (uint w = 0; FACTOR_BYTES == 2 && w < 4; ++w) {
    const ushort low = 2 * w < elements ? halves[2 * w] : (ushort)0;
    const ushort high = 2 * w + 1 < elements ? halves[2 * w + 1] : (ushort)0;
    x.words[w] = as_uint((ushort2)(low, high));
  }
  UNROLL
  for (uint e = 0; FACTOR_BYTES != 2 && e < CHUNK_ELEMENTS; ++e)
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

INLINE void finish_chunks(const chunk *next, __local chunk *to, uint id, uint loads, uint size, uint turned,
                          uint local_turned) {
  UNROLL
  for (uint i = 0; i < loads; ++i)
    store_chunk(to, next[i], CHUNK_LINE(i, LINE_CHUNKS(size, turned)), CHUNK_AT(i, LINE_CHUNKS(size, turned)), size, turned,
                local_turned);
}
#endif

INLINE void finish_step(const chunk *a_next, const chunk *b_next, __local chunk *to, uint id) {
  finish_chunks(a_next, to, id, LOADS_A, TILE_M, A_TURNED, A_LOCAL_TURNED);
  finish_chunks(b_next, to + A_CHUNKS, id, LOADS_B, TILE_N, B_TURNED, B_LOCAL_TURNED);
}

// Operands from local memory: those that columns and rows of the instructions take.
INLINE matrix_operand load_of_a(const __local chunk *tile, uint x, uint kk, uint lane) {
  return load_matrix_columns(tile, x, kk, LINE_CHUNKS(TILE_M, A_LOCAL_TURNED), A_LOCAL_TURNED, lane);
}
INLINE matrix_operand load_of_b(const __local chunk *tile, uint x, uint kk, uint lane) {
  return load_matrix_rows(tile + A_CHUNKS, x, kk, LINE_CHUNKS(TILE_N, B_LOCAL_TURNED), B_LOCAL_TURNED, lane);
}

#ifdef OPERANDS_AHEAD
// Where a work-item's first chunk of a step begins; the others follow some lines apart, as many as a group brings at once.
typedef struct {
  const __global GEMM_STORED *from;
  uint of, at, lines;  // of that chunk: its line, its element there; how many lines from it on are in the matrix
} source;

INLINE source source_of(const __global GEMM_STORED *base, ulong line, ulong corner, ulong end, ulong k_begin, uint id,
                        uint chunks, uint turned) {
  source s;
  s.of = id / chunks, s.at = id % chunks * CHUNK_ELEMENTS;
  const ulong x = corner + (turned ? s.of : s.at), step = k_begin + (turned ? s.at : s.of);
  s.from = base + (turned ? x * line + step : step * line + x);
  s.lines = x >= end ? 0 : turned ? (uint)min(end - x, (ulong)TILE_M * TILE_N) : TILE_K;
  return s;
}
// Of `left` steps of k, how many lines of chunks there are from a work-item's first on.
INLINE uint lines_of(const source *s, uint left, uint turned) {
  return turned ? (s->at < left ? s->lines : 0) : (s->lines > 0 && s->of < left ? left - s->of : 0);
}
// Starts the share `number` of `shares` of a step's copies; the last one steps on.
INLINE void start_copies(source *s, __local chunk *to, ulong line, uint left, uint loads, uint chunks, uint turned, uint number,
                         uint shares) {
  const uint distance = GROUP_SIZE / chunks, lines = lines_of(s, left, turned);
  UNROLL
  for (uint i = loads * number / shares; i < loads * (number + 1) / shares; ++i)
    copy_16_to_local(to + chunk_place(s->of + i * distance, s->at / CHUNK_ELEMENTS, chunks, turned),
                     s->from + i * distance * line, i * distance < lines ? 16 : 0);
  if (number + 1 == shares) s->from += turned ? TILE_K : TILE_K * line;
}
#define START_COPIES(to, number, shares)                                                                   \
  {                                                                                                        \
    start_copies(&a_source, to, a_line, left, LOADS_A, A_LINE_CHUNKS, A_TURNED, number, shares);           \
    start_copies(&b_source, to + A_CHUNKS, b_line, left, LOADS_B, B_LINE_CHUNKS, B_TURNED, number, shares); \
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

#ifdef OPERANDS_AHEAD
  source a_source = source_of(a + a_offset + place.batch * a_stride, a_line, place.row, m, k_begin, id, A_LINE_CHUNKS, A_TURNED);
  source b_source = source_of(b + b_offset + place.batch * b_stride, b_line, place.column, n, k_begin, id, B_LINE_CHUNKS, B_TURNED);
  ulong to_fetch = depth;
  for (uint s = 0; s < STAGES - 1; ++s) {
    __local chunk *to = tiles + s * (A_CHUNKS + B_CHUNKS);
    const uint left = (uint)min(to_fetch, (ulong)TILE_K);
    START_COPIES(to, 0, 1)
    to_fetch -= left;
    end_of_copies();
  }
#else
  // Where the work-item's next chunks start, and how many elements of them there are across k.
  const __global GEMM_STORED *a_from[LOADS_A];
  const __global GEMM_STORED *b_from[LOADS_B];
  uint a_width[LOADS_A], b_width[LOADS_B];
  const ulong a_step = A_TURNED ? TILE_K : TILE_K * a_line;
  const ulong b_step = B_TURNED ? TILE_K : TILE_K * b_line;
  place_chunks(a_from, a_width, id, LOADS_A, A_LINE_CHUNKS, A_TURNED, a + a_offset + place.batch * a_stride, a_line, place.row,
               m, k_begin);
  place_chunks(b_from, b_width, id, LOADS_B, B_LINE_CHUNKS, B_TURNED, b + b_offset + place.batch * b_stride, b_line,
               place.column, n, k_begin);
  const bool is_whole = place.row + TILE_M <= m && place.column + TILE_N <= n;
  chunk a_next[LOADS_A], b_next[LOADS_B];
  ulong to_fetch = depth;
  for (uint s = 0; s < STAGES - 1; ++s) {
    const uint left = (uint)min(to_fetch, (ulong)TILE_K);
    __local chunk *to = tiles + s * (A_CHUNKS + B_CHUNKS);
    if (left > 0) {
      START_CHUNKS(LOADS_A, A_LINE_CHUNKS, A_TURNED, a_from, a_width, a_step, to, a_next)
      START_CHUNKS(LOADS_B, B_LINE_CHUNKS, B_TURNED, b_from, b_width, b_step, (to + A_CHUNKS), b_next)
      to_fetch -= left;
    }
    if (left > 0) finish_step(a_next, b_next, to, id);
    end_of_copies();
  }
#endif

  ACC results[ITEM_N / 16][ITEM_M / 16][MATRIX_RESULTS];
  UNROLL
  for (uint j = 0; j < ITEM_N / 16; ++j) {
    UNROLL
    for (uint i = 0; i < ITEM_M / 16; ++i) {
      UNROLL
      for (uint r = 0; r < MATRIX_RESULTS; ++r) results[j][i][r] = 0;
    }
  }

#ifdef OPERANDS_AHEAD
  // A step's first operands are in registers when it begins, and each makes room for the next one once it is multiplied: so
  // instructions wait neither for local memory nor for the barrier. Behind the barrier all operands of the stage are in
  // registers, and it is filled again.
  matrix_operand x[ITEM_M / 16], y[ITEM_N / 16];
  uint stage = 0;
  if (steps > 0) {
    wait_for_copies();
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (uint j = 0; j < ITEM_N / 16; ++j) y[j] = load_of_b(tiles, corner_n + 16 * j, 0, lane);
    UNROLL
    for (uint i = 0; i < ITEM_M / 16; ++i) x[i] = load_of_a(tiles, corner_m + 16 * i, 0, lane);
    const uint left = (uint)min(to_fetch, (ulong)TILE_K);
    START_COPIES(tiles + (STAGES - 1) * (A_CHUNKS + B_CHUNKS), 0, 1)
    to_fetch -= left;
    end_of_copies();
  }
  UNROLL_BY(1)
  for (ulong step = 0; step < steps; ++step) {
    UNROLL
    for (uint kk = 0; kk < TILE_K; kk += MATRIX_K) {
      const uint next = (kk + MATRIX_K) % TILE_K;
      __local chunk *const filled = tiles + stage * (A_CHUNKS + B_CHUNKS);
      const uint left = (uint)min(to_fetch, (ulong)TILE_K);
      if (next == 0) {
        wait_for_copies();
        barrier(CLK_LOCAL_MEM_FENCE);
        // Behind the last step the same is loaded again, for nothing.
        if (step + 1 < steps) stage = stage == STAGES - 1 ? 0 : stage + 1;
      }
      const __local chunk *from = tiles + stage * (A_CHUNKS + B_CHUNKS);
      matrix_operand y_next[ITEM_N / 16];
      UNROLL
      for (uint j = 0; j < ITEM_N / 16; ++j) y_next[j] = load_of_b(from, corner_n + 16 * j, next, lane);
      UNROLL
      for (uint i = 0; i < ITEM_M / 16; ++i) {
        UNROLL
        for (uint j = 0; j < ITEM_N / 16; ++j) multiply_matrices(results[j][i], &y[j], &x[i]);
        x[i] = load_of_a(from, corner_m + 16 * i, next, lane);
        if (next == 0) START_COPIES(filled, i, ITEM_M / 16)
      }
      if (next == 0) {
        to_fetch -= left;
        end_of_copies();
      }
      UNROLL
      for (uint j = 0; j < ITEM_N / 16; ++j) y[j] = y_next[j];
    }
  }
#else
  uint stage = 0;
  for (ulong step = 0; step < steps; ++step) {
    // This step's tiles have come, and the stage that is filled next is read by nobody any more.
    wait_for_copies();
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint filled = stage == 0 ? STAGES - 1 : stage - 1;
    const uint left = (uint)min(to_fetch, (ulong)TILE_K);
    __local chunk *to = tiles + filled * (A_CHUNKS + B_CHUNKS);
    if (left > 0) {
      START_CHUNKS(LOADS_A, A_LINE_CHUNKS, A_TURNED, a_from, a_width, a_step, to, a_next)
      START_CHUNKS(LOADS_B, B_LINE_CHUNKS, B_TURNED, b_from, b_width, b_step, (to + A_CHUNKS), b_next)
      to_fetch -= left;
    }
    end_of_copies();
    const __local chunk *tile = tiles + stage * (A_CHUNKS + B_CHUNKS);
    UNROLL
    for (uint kk = 0; kk < TILE_K; kk += MATRIX_K) {
      matrix_operand x[ITEM_M / 16], y[ITEM_N / 16];
      UNROLL
      for (uint i = 0; i < ITEM_M / 16; ++i)
        x[i] = load_of_a(tile, corner_m + 16 * i, kk, lane);
      UNROLL
      for (uint j = 0; j < ITEM_N / 16; ++j)
        y[j] = load_of_b(tile, corner_n + 16 * j, kk, lane);
      UNROLL
      for (uint j = 0; j < ITEM_N / 16; ++j) {
        UNROLL
        for (uint i = 0; i < ITEM_M / 16; ++i) multiply_matrices(results[j][i], &y[j], &x[i]);
      }
    }
    if (left > 0) finish_step(a_next, b_next, to, id);
    stage = stage == STAGES - 1 ? 0 : stage + 1;
  }
#endif

  __global SUM_STORED *out = c + c_offset + (place.batch * parts + place.part) * c_stride + place.column * c_line +
                             place.row;
  const uint rows = (uint)min((ulong)TILE_M, m - place.row), columns = (uint)min((ulong)TILE_N, n - place.column);
  // Two bytes a store are too few: a whole tile of halves is put together in local memory and leaves in chunks.
  if (RESULTS_BY_TILE && beta == 0 && rows == TILE_M && columns == TILE_N &&
      (((size_t)out | c_line * sizeof(OUT_STORED)) & 15) == 0) {
    __local OUT_STORED *whole = (__local OUT_STORED *)tiles;
    barrier(CLK_LOCAL_MEM_FENCE);  // no copy is in flight any more
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
