// Matrix instructions: small products that the lanes of a set compute together, and copies into local memory
// that go on meanwhile. Chosen by MATRIX; one unit each knows its instructions, and where their operands and
// results lie in the lanes' registers.

// All units multiply 16 x MATRIX_K by MATRIX_K x 16. What they share:
//   matrix_operand               a lane's part of one of the two
//   load_matrix_rows(...)        the first operand: 16 lines of a tile
//   load_matrix_columns(...)     the second
//   multiply_matrices(...)       result += first times second
//   result_row, result_column    which element of the result a lane's i-th is
// Lanes are those of a whole set: all must call.
enum { MATRIX_RESULTS = 256 / LANES, MATRIX_K = FACTOR_BYTES >= 4 ? 8 : 16 };

#if FACTOR_BYTES == 8
typedef double matrix_element;
#elif FACTOR_BYTES == 4
typedef uint matrix_element;
#else
typedef ushort matrix_element;
#endif

// A tile lies in local memory as lines of chunks of 16 bytes. Along k (`turned`) a line is a row of A or a
// column of B, otherwise a step of k. Chunks change places within their line by its number, so that lanes that
// read one chunk of different lines meet no bank twice.
typedef uint4 chunk;
#define CHUNK_ELEMENTS (16 / FACTOR_BYTES)
typedef union {
  chunk bits;
  uint words[4];
  matrix_element elements[CHUNK_ELEMENTS];
} chunk_elements;

// `line_chunks` and `turned` are constants wherever this is called.
static inline uint chunk_place(uint line, uint at, uint line_chunks, uint turned) {
  if (FACTOR_BYTES == 8) return line * line_chunks + (at ^ (line_chunks >= 8 ? (line & 3) << 1 : (line >> 1 & 1) << 1));
  if (FACTOR_BYTES == 4 && !turned) return line * line_chunks + (at ^ (line & 3) << 1);
  return line * line_chunks + (at ^ (line_chunks >= 8 ? line & 7 : line >> 1 & 3));
}

// The element at row or column x and step k.
static inline const __local matrix_element *element_of_tile(const __local chunk *tile, uint x, uint k,
                                                            uint line_chunks, uint turned) {
  const uint line = turned ? x : k, at = turned ? k : x;
  return (const __local matrix_element *)(tile + chunk_place(line, at / CHUNK_ELEMENTS, line_chunks, turned)) +
         at % CHUNK_ELEMENTS;
}

#ifdef MATRIX_MMA_SYNC
// --------------------------------------------------------------------- NVIDIA, SM 80 and later
// PTX ISA, "Matrix multiply-accumulate operation using mma instruction" and "cp.async".

#define LINES_AS_LOADED 1  // any tile lies as it does in memory: loads from it can turn it
// In the state space of local memory, whose addresses are small.
static inline uint local_address_of(const __local void *p) { return (uint)(size_t)p; }

#if FACTOR_BYTES < 8
typedef struct {
  uint words[4];
} matrix_operand;

// Four 8 x 8 matrices of 16-bit elements (8 x 4 of 32-bit ones); each lane names a chunk.
static inline matrix_operand load_matrices(const __local chunk *from) {
  matrix_operand x;
  __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(x.words[0]), "=r"(x.words[1]), "=r"(x.words[2]), "=r"(x.words[3])
                   : "r"(local_address_of(from))
                   : "memory");
  return x;
}
static inline matrix_operand load_matrices_turned(const __local chunk *from) {
  matrix_operand x;
  __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(x.words[0]), "=r"(x.words[1]), "=r"(x.words[2]), "=r"(x.words[3])
                   : "r"(local_address_of(from))
                   : "memory");
  return x;
}
#endif

#if FACTOR_BYTES == 2
// Words: rows 0-7 and 8-15 of steps 0-7, then of steps 8-15.
static inline matrix_operand load_matrix_rows(const __local chunk *tile, uint x, uint k, uint line_chunks,
                                              uint turned, uint lane) {
  const uint quarter = lane / 8, r = lane % 8;
  if (turned) return load_matrices(tile + chunk_place(x + (quarter & 1) * 8 + r, k / 8 + quarter / 2, line_chunks, 1));
  return load_matrices_turned(tile + chunk_place(k + quarter / 2 * 8 + r, x / 8 + (quarter & 1), line_chunks, 0));
}
// Words: steps 0-7 and 8-15 of columns 0-7, then of columns 8-15.
static inline matrix_operand load_matrix_columns(const __local chunk *tile, uint x, uint k, uint line_chunks,
                                                 uint turned, uint lane) {
  const uint quarter = lane / 8, r = lane % 8;
  if (turned) return load_matrices(tile + chunk_place(x + quarter / 2 * 8 + r, k / 8 + (quarter & 1), line_chunks, 1));
  return load_matrices_turned(tile + chunk_place(k + (quarter & 1) * 8 + r, x / 8 + quarter / 2, line_chunks, 0));
}
static inline void multiply_matrices(ACC *result, const matrix_operand *a, const matrix_operand *b) {
  UNROLL
  for (uint j = 0; j < 2; ++j)
    __asm__("mma.sync.aligned.m16n8k16.row.col." TEXT_OF_ALL(MATRIX_TYPES)
            ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(result[4 * j]), "+f"(result[4 * j + 1]), "+f"(result[4 * j + 2]), "+f"(result[4 * j + 3])
            : "r"(a->words[0]), "r"(a->words[1]), "r"(a->words[2]), "r"(a->words[3]), "r"(b->words[2 * j]),
              "r"(b->words[2 * j + 1]));
}
#elif FACTOR_BYTES == 4
// Words: rows 0-7 and 8-15 of steps 0-3, then of steps 4-7.
static inline matrix_operand load_matrix_rows(const __local chunk *tile, uint x, uint k, uint line_chunks,
                                              uint turned, uint lane) {
  const uint quarter = lane / 8, r = lane % 8;
  if (turned) return load_matrices(tile + chunk_place(x + (quarter & 1) * 8 + r, k / 4 + quarter / 2, line_chunks, 1));
  matrix_operand y;
  UNROLL
  for (uint i = 0; i < 4; ++i)
    y.words[i] = *element_of_tile(tile, x + lane / 4 + 8 * (i & 1), k + lane % 4 + i / 2 * 4, line_chunks, 0);
  return y;
}
// Words: steps 0-3 and 4-7 of columns 0-7, then of columns 8-15.
static inline matrix_operand load_matrix_columns(const __local chunk *tile, uint x, uint k, uint line_chunks,
                                                 uint turned, uint lane) {
  const uint quarter = lane / 8, r = lane % 8;
  if (turned) return load_matrices(tile + chunk_place(x + quarter / 2 * 8 + r, k / 4 + (quarter & 1), line_chunks, 1));
  matrix_operand y;
  UNROLL
  for (uint i = 0; i < 4; ++i)
    y.words[i] = *element_of_tile(tile, x + lane / 4 + i / 2 * 8, k + lane % 4 + 4 * (i & 1), line_chunks, 0);
  return y;
}
static inline void multiply_matrices(ACC *result, const matrix_operand *a, const matrix_operand *b) {
  UNROLL
  for (uint j = 0; j < 2; ++j)
    __asm__("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(result[4 * j]), "+f"(result[4 * j + 1]), "+f"(result[4 * j + 2]), "+f"(result[4 * j + 3])
            : "r"(a->words[0]), "r"(a->words[1]), "r"(a->words[2]), "r"(a->words[3]), "r"(b->words[2 * j]),
              "r"(b->words[2 * j + 1]));
}
#else
typedef struct {
  double elements[MATRIX_K / 2];
} matrix_operand;

// Rows 0-7 and 8-15 of steps 0-3, then of steps 4-7, ...
static inline matrix_operand load_matrix_rows(const __local chunk *tile, uint x, uint k, uint line_chunks,
                                              uint turned, uint lane) {
  matrix_operand y;
  UNROLL
  for (uint i = 0; i < MATRIX_K / 2; ++i)
    y.elements[i] =
        *element_of_tile(tile, x + lane / 4 + 8 * (i & 1), k + lane % 4 + i / 2 * 4, line_chunks, turned);
  return y;
}
// Steps 0-3, 4-7, ... of columns 0-7, then of columns 8-15.
static inline matrix_operand load_matrix_columns(const __local chunk *tile, uint x, uint k, uint line_chunks,
                                                 uint turned, uint lane) {
  matrix_operand y;
  UNROLL
  for (uint i = 0; i < MATRIX_K / 2; ++i)
    y.elements[i] = *element_of_tile(tile, x + lane / 4 + i / (MATRIX_K / 4) * 8,
                                     k + lane % 4 + 4 * (i % (MATRIX_K / 4)), line_chunks, turned);
  return y;
}
static inline void multiply_matrices(ACC *result, const matrix_operand *a, const matrix_operand *b) {
  UNROLL
  for (uint j = 0; j < 2; ++j) {
    if (CUDA_SM >= 90)
      __asm__("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
              "{%0, %1, %2, %3};"
              : "+d"(result[4 * j]), "+d"(result[4 * j + 1]), "+d"(result[4 * j + 2]), "+d"(result[4 * j + 3])
              : "d"(a->elements[0]), "d"(a->elements[1]), "d"(a->elements[2]), "d"(a->elements[3]),
                "d"(b->elements[2 * j]), "d"(b->elements[2 * j + 1]));
    UNROLL
    for (uint i = 0; CUDA_SM < 90 && i < 4; ++i)
      __asm__("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
              : "+d"(result[4 * j + 2 * (i & 1)]), "+d"(result[4 * j + 2 * (i & 1) + 1])
              : "d"(a->elements[i]), "d"(b->elements[2 * j + i / 2]));
  }
}
#endif

static inline uint result_row(uint lane, uint i) { return lane / 4 + 8 * (i / 2 % 2); }
static inline uint result_column(uint lane, uint i) { return 8 * (i / 4) + lane % 4 * 2 + i % 2; }

#elif defined(MATRIX_EMULATED)
// --------------------------------------------------------------------- none
// An operand is a place in local memory, and each lane reads all it needs. So the kernel round the instructions runs,
// and can be checked, where there are none. Sets of 32 lanes load tiles as NVIDIA's do, those of 64 as AMD's.

#if LANES == 32
#define LINES_AS_LOADED 1
#endif
#if FACTOR_BYTES == 8
// Of doubles the elements themselves, all of them: what is loaded ahead must outlast its tile.
typedef struct {
  double elements[16 * MATRIX_K];
  uint lane;
} matrix_operand;

static inline matrix_operand load_matrix_rows(const __local chunk *tile, uint x, uint k, uint line_chunks,
                                              uint turned, uint lane) {
  matrix_operand y;
  y.lane = lane;
  for (uint i = 0; i < 16 * MATRIX_K; ++i)
    y.elements[i] = *element_of_tile(tile, x + i / MATRIX_K, k + i % MATRIX_K, line_chunks, turned);
  return y;
}
static inline ACC matrix_factor(const matrix_operand *from, uint x, uint k) { return from->elements[x * MATRIX_K + k]; }
#else
typedef struct {
  const __local chunk *tile;
  uint x, k, line_chunks, turned, lane;
} matrix_operand;

static inline matrix_operand load_matrix_rows(const __local chunk *tile, uint x, uint k, uint line_chunks,
                                              uint turned, uint lane) {
  const matrix_operand place = {tile, x, k, line_chunks, turned, lane};
  return place;
}
static inline ACC matrix_factor(const matrix_operand *from, uint x, uint k) {
  const __local matrix_element *element =
      element_of_tile(from->tile, from->x + x, from->k + k, from->line_chunks, from->turned);
  if (IS_ON(MATRIX_BF16)) return as_float((uint)*element << 16);
  return FACTOR_BYTES == 2 ? vload_half(0, (const __local half *)element) : as_float((uint)*element);
}
#endif
static inline matrix_operand load_matrix_columns(const __local chunk *tile, uint x, uint k, uint line_chunks,
                                                 uint turned, uint lane) {
  return load_matrix_rows(tile, x, k, line_chunks, turned, lane);
}

static inline uint result_row(uint lane, uint i) { return (lane * MATRIX_RESULTS + i) / 16; }
static inline uint result_column(uint lane, uint i) { return (lane * MATRIX_RESULTS + i) % 16; }


static inline void multiply_matrices(ACC *result, const matrix_operand *a, const matrix_operand *b) {
  for (uint i = 0; i < MATRIX_RESULTS; ++i) {
    const uint row = result_row(a->lane, i), column = result_column(a->lane, i);
    for (uint k = 0; k < MATRIX_K; ++k)
      result[i] = fma(matrix_factor(a, row, k), matrix_factor(b, column, k), result[i]);
  }
}

#else
// --------------------------------------------------------------------- AMD
// An operand is a run along k of one row or column, which is the lane's number modulo 16: so tiles are turned on
// their way into local memory. Layouts: AMD's matrix instruction calculator, and the ISA documents of CDNA2,
// RDNA3 and RDNA4.

// What the compiler's built-ins take elements of 16 bits for, and their names. bfloat16 by MFMA is there from gfx90a on.
#ifdef MATRIX_BF16
typedef short matrix_half;
#define MULTIPLY_BY_MFMA __builtin_amdgcn_mfma_f32_16x16x16bf16_1k
#define MULTIPLY_BY_WMMA(behind) __builtin_amdgcn_wmma_f32_16x16x16_bf16##behind
#elif FACTOR_BYTES == 2
typedef half matrix_half;
#define MULTIPLY_BY_MFMA __builtin_amdgcn_mfma_f32_16x16x16f16
#define MULTIPLY_BY_WMMA(behind) __builtin_amdgcn_wmma_f32_16x16x16_f16##behind
#endif

#if defined(MATRIX_MFMA) && FACTOR_BYTES == 2
typedef matrix_half matrix_half4 __attribute__((ext_vector_type(4)));
typedef union {
  uint2 bits;
  matrix_half4 run;
} matrix_operand;
typedef uint2 operand_bits;
enum { OPERAND_RUN = 4 };  // elements of a lane
static inline void multiply_matrices(ACC *result, const matrix_operand *a, const matrix_operand *b) {
  float4 sum = (float4)(result[0], result[1], result[2], result[3]);
  sum = MULTIPLY_BY_MFMA(a->run, b->run, sum, 0, 0, 0);
  result[0] = sum.x, result[1] = sum.y, result[2] = sum.z, result[3] = sum.w;
}
static inline uint result_row(uint lane, uint i) { return lane / 16 * 4 + i; }

#elif defined(MATRIX_MFMA) && FACTOR_BYTES == 8
typedef struct {
  double steps[2];  // of steps 0-3 and 4-7
} matrix_operand;
static inline void multiply_matrices(ACC *result, const matrix_operand *a, const matrix_operand *b) {
  double4 sum = (double4)(result[0], result[1], result[2], result[3]);
  sum = __builtin_amdgcn_mfma_f64_16x16x4f64(a->steps[0], b->steps[0], sum, 0, 0, 0);
  sum = __builtin_amdgcn_mfma_f64_16x16x4f64(a->steps[1], b->steps[1], sum, 0, 0, 0);
  result[0] = sum.x, result[1] = sum.y, result[2] = sum.z, result[3] = sum.w;
}
static inline matrix_operand load_matrix_rows(const __local chunk *tile, uint x, uint k, uint line_chunks,
                                              uint turned, uint lane) {
  matrix_operand y;
  y.steps[0] = *element_of_tile(tile, x + lane % 16, k + lane / 16, line_chunks, 1);
  y.steps[1] = *element_of_tile(tile, x + lane % 16, k + 4 + lane / 16, line_chunks, 1);
  return y;
}
static inline uint result_row(uint lane, uint i) { return 4 * i + lane / 16; }

#elif FACTOR_BYTES == 2
typedef matrix_half matrix_half8 __attribute__((ext_vector_type(8)));
typedef matrix_half matrix_half16 __attribute__((ext_vector_type(16)));
static inline float8 result_vector(const ACC *result) {
  return (float8)(result[0], result[1], result[2], result[3], result[4], result[5], result[6], result[7]);
}
#ifdef MATRIX_WMMA
// Both halves of the lanes hold the same.
typedef union {
  chunk bits[2];
  matrix_half16 run;
} matrix_operand;
static inline matrix_operand load_matrix_rows(const __local chunk *tile, uint x, uint k, uint line_chunks,
                                              uint turned, uint lane) {
  matrix_operand y;
  y.bits[0] = tile[chunk_place(x + lane % 16, k / 8, line_chunks, 1)];
  y.bits[1] = tile[chunk_place(x + lane % 16, k / 8 + 1, line_chunks, 1)];
  return y;
}
static inline float8 wmma(matrix_half16 a, matrix_half16 b, float8 sum) { return MULTIPLY_BY_WMMA(_w32)(a, b, sum); }
static inline uint result_row(uint lane, uint i) { return 2 * i + lane / 16; }
#else
typedef union {
  chunk bits;
  matrix_half8 run;
} matrix_operand;
typedef chunk operand_bits;
enum { OPERAND_RUN = 8 };
static inline float8 wmma(matrix_half8 a, matrix_half8 b, float8 sum) { return MULTIPLY_BY_WMMA(_w32_gfx12)(a, b, sum); }
static inline uint result_row(uint lane, uint i) { return lane / 16 * 8 + i; }
#endif
static inline void multiply_matrices(ACC *result, const matrix_operand *a, const matrix_operand *b) {
  const float8 sum = wmma(a->run, b->run, result_vector(result));
  result[0] = sum.s0, result[1] = sum.s1, result[2] = sum.s2, result[3] = sum.s3;
  result[4] = sum.s4, result[5] = sum.s5, result[6] = sum.s6, result[7] = sum.s7;
}
#else
#error "no such matrix instruction"
#endif

#if FACTOR_BYTES == 2 && !defined(MATRIX_WMMA)
static inline matrix_operand load_matrix_rows(const __local chunk *tile, uint x, uint k, uint line_chunks,
                                              uint turned, uint lane) {
  matrix_operand y;
  y.bits = *(const __local operand_bits *)element_of_tile(tile, x + lane % 16, k + lane / 16 * OPERAND_RUN, line_chunks, 1);
  return y;
}
#endif
// Rows of the first operand and columns of the second lie alike.
static inline matrix_operand load_matrix_columns(const __local chunk *tile, uint x, uint k, uint line_chunks,
                                                 uint turned, uint lane) {
  return load_matrix_rows(tile, x, k, line_chunks, turned, lane);
}
static inline uint result_column(uint lane, uint i) { return lane % 16; }

#endif
