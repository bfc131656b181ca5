/* Transforms, copies, gathers and scatters, layouts, products and histograms from C, against plain loops. */
#include "c_test.h"

#include <string.h>

enum { N = 7001, ROWS = 45, COLUMNS = 31, M = 19, P = 23, Q = 17 };

static float x[N], y[N], z[N];

static void test_transforms(void) {
  const clwave_view in[3] = {view_of(CLWAVE_F32, N, x), view_of(CLWAVE_F32, N, y), view_of(CLWAVE_F32, N, z)};
  const clwave_view out = view_of(CLWAVE_F32, N, NULL);
  clwave_map *twice = map_of("2 * x"), *sum = map_of("x + y"), *all = map_of("x + y - z"),
             *bias = map_of("x + b");
  bool well = true;
  EXPECT_OK(clwave_transform(queue, in, 1, &out, twice, NULL, NULL));
  const float* found = read_view(&out);
  for (size_t i = 0; i < N; ++i) well = well && found[i] == 2 * x[i];
  EXPECT_OK(clwave_transform(queue, in, 2, &out, sum, NULL, NULL));
  found = read_view(&out);
  for (size_t i = 0; i < N; ++i) well = well && found[i] == x[i] + y[i];
  EXPECT_OK(clwave_transform(queue, in, 3, &out, all, NULL, NULL));
  found = read_view(&out);
  for (size_t i = 0; i < N; ++i) well = well && found[i] == x[i] + y[i] - z[i];
  EXPECT(well);
  /* Two outputs, one of them in the place of an input. */
  const clwave_view again = view_of(CLWAVE_F32, N, x), wide = view_of(CLWAVE_F64, N, NULL);
  const clwave_view both[2] = {again, in[1]};
  const clwave_transform_output outputs[2] = {{&again, sum}, {&wide, twice}};
  EXPECT_OK(clwave_transform_to(queue, both, 2, outputs, 2, NULL, NULL));
  found = read_view(&again);
  for (size_t i = 0; i < N; ++i) well = well && found[i] == x[i] + y[i];
  const double* doubled = read_view(&wide);
  for (size_t i = 0; i < N; ++i) well = well && doubled[i] == 2 * (double)x[i];
  EXPECT(well);
  EXPECT_ERROR(clwave_transform_to(queue, both, 2, outputs, 5, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "1 to 4 outputs");
  EXPECT_ERROR(clwave_transform_to(queue, both, 2, NULL, 2, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "out");
  const clwave_view column = {in[1].buffer, COLUMNS, 0, CLWAVE_F32, NULL},
                    row = {in[2].buffer, ROWS, 0, CLWAVE_F32, NULL};
  EXPECT_OK(clwave_broadcast(queue, &in[0], &column, &out, ROWS, COLUMNS, 0, 0, CLWAVE_PER_COLUMN, bias, NULL,
                             NULL));
  found = read_view(&out);
  EXPECT_OK(
      clwave_broadcast(queue, &in[0], &row, &out, ROWS, COLUMNS, 0, 0, CLWAVE_PER_ROW, bias, NULL, NULL));
  const float* of_rows = read_view(&out);
  for (size_t i = 0; i < ROWS * COLUMNS; ++i)
    well = well && found[i] == x[i] + y[i % COLUMNS] && of_rows[i] == x[i] + z[i / COLUMNS];
  EXPECT(well);
  clwave_map_release(twice);
  clwave_map_release(sum);
  clwave_map_release(all);
  clwave_map_release(bias);
}

static void test_copies(void) {
  const clwave_view in = view_of(CLWAVE_F32, N, x), same = view_of(CLWAVE_F32, N, NULL);
  const clwave_view doubles = view_of(CLWAVE_F64, N, NULL), bytes = view_of(CLWAVE_I8, N, NULL);
  const clwave_view wide = view_of(CLWAVE_I32, N, NULL);
  bool well = true;
  EXPECT_OK(clwave_copy(queue, &in, &same, false, CLWAVE_ROUND_NATURAL, NULL, NULL));
  EXPECT(memcmp(read_view(&same), x, sizeof x) == 0);
  EXPECT_OK(clwave_copy(queue, &in, &doubles, false, CLWAVE_ROUND_NATURAL, NULL, NULL));
  const double* found = read_view(&doubles);
  for (size_t i = 0; i < N; ++i) well = well && found[i] == (double)x[i];
  EXPECT_OK(clwave_copy(queue, &in, &wide, false, CLWAVE_ROUND_TOWARD_ZERO, NULL, NULL));
  EXPECT_OK(clwave_copy(queue, &wide, &bytes, true, CLWAVE_ROUND_NATURAL, NULL, NULL));
  const int8_t* narrow = read_view(&bytes);
  for (size_t i = 0; i < N; ++i)
    well = well && narrow[i] == (x[i] > 127 ? 127 : x[i] < -128 ? -128 : (int)x[i]);
  EXPECT(well);

  const double value = 2.5;
  EXPECT_OK(clwave_fill(queue, &doubles, &value, NULL, NULL));
  found = read_view(&doubles);
  for (size_t i = 0; i < N; ++i) well = well && found[i] == value;
  /* A box of 5 x 4 in a matrix of 31 columns, to the same place of another one. */
  const clwave_view from = {in.buffer, N - 100, 100, CLWAVE_F32, NULL},
                    to = {same.buffer, N - 7, 7, CLWAVE_F32, NULL};
  const clwave_box box = {.width = 5, .height = 4};
  const clwave_pitches pitches = {.row = COLUMNS};
  EXPECT_OK(clwave_copy_box(queue, &from, &to, &box, &pitches, &pitches, NULL, NULL));
  const float* boxed = read_view(&to);
  for (size_t i = 0; i < 5 * 4; ++i)
    well = well && boxed[i / 5 * COLUMNS + i % 5] == x[100 + i / 5 * COLUMNS + i % 5];
  EXPECT(well && boxed[5] == x[7 + 5]);
}

/* Rows of x from the last to the first; one range leaves x. */
static void test_ranges(void) {
  uint64_t starts[401], lengths[401], out_starts[401];
  for (size_t k = 0; k < 401; ++k) {
    lengths[k] = k % 17;
    starts[k] = 17 * k;
    out_starts[k] = 17 * (400 - k);
  }
  starts[400] = N - 3;
  lengths[400] = 4;
  const clwave_view in = view_of(CLWAVE_F32, N, x), out = view_of(CLWAVE_F32, N, y),
                    from = view_of(CLWAVE_U64, 401, starts), sizes = view_of(CLWAVE_U64, 401, lengths),
                    to = view_of(CLWAVE_U64, 401, out_starts), bad = view_of(CLWAVE_U64, 1, NULL);
  const uint64_t one = 1;
  bool well = true;
  EXPECT_OK(clwave_copy_ranges(queue, &in, &from, &sizes, &out, &to, &bad, NULL, NULL));
  const float* found = read_view(&out);
  for (size_t i = 0; i < N; ++i) {
    const size_t k = 400 - i / 17, j = i % 17;
    well = well && found[i] == (i < 401 * 17 && k < 400 && j < k % 17 ? x[17 * k + j] : y[i]);
  }
  EXPECT(well && has(&bad, &one, 1));
  EXPECT_ERROR(clwave_checked_copy_ranges(queue, &in, &from, &sizes, &out, &to, NULL), CLWAVE_ERROR_BAD_CALL,
               "1 of 401 ranges are bad");
  EXPECT(strcmp(clwave_last_error()->function, "clwave_checked_copy_ranges") == 0);
  EXPECT_ERROR(clwave_copy_ranges(queue, &in, &from, NULL, &out, &to, NULL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "`lengths` is NULL");
  clwave_view first = from, of = sizes, where = to;
  first.n = of.n = where.n = 400;
  EXPECT_OK(clwave_checked_copy_ranges(queue, &in, &first, &of, &out, &where, NULL));
}

enum { REACH = 5000 };

/* Indices into REACH elements, some of them outside. */
static void test_gathers(void) {
  static uint32_t indices[N];
  static uint64_t wide[N];
  uint64_t n_outside = 0;
  for (size_t i = 0; i < N; ++i) {
    wide[i] = indices[i] = next_random() % (REACH + 50);
    if (indices[i] >= REACH) ++n_outside;
    if (indices[i] >= REACH && i % 2 == 0) wide[i] += (uint64_t)1 << 40;
  }
  const clwave_view in = view_of(CLWAVE_F32, REACH, x), at = view_of(CLWAVE_U32, N, indices),
                    wide_at = view_of(CLWAVE_U64, N, wide), out = view_of(CLWAVE_F32, N, NULL),
                    doubles = view_of(CLWAVE_F64, N, NULL), bad = view_of(CLWAVE_U64, 1, NULL);
  clwave_map* half = map_of("x / 2 + i");
  bool well = true;
  EXPECT(n_outside != 0);
  EXPECT_OK(clwave_gather(queue, &in, &at, &out, NULL, NULL, NULL, NULL, NULL));
  const float* found = read_view(&out);
  for (size_t i = 0; i < N; ++i) well = well && found[i] == (indices[i] < REACH ? x[indices[i]] : 0);
  EXPECT(well);
  const float outside = -7.5F;
  EXPECT_OK(clwave_gather(queue, &in, &wide_at, &out, &bad, NULL, &outside, NULL, NULL));
  found = read_view(&out);
  for (size_t i = 0; i < N; ++i) well = well && found[i] == (indices[i] < REACH ? x[indices[i]] : outside);
  EXPECT(well && has(&bad, &n_outside, 1));
  /* What an index outside gives is of the output's type, and no map sees it. */
  const double outside_of_doubles = 1e300;
  EXPECT_OK(clwave_gather(queue, &in, &at, &doubles, &bad, half, &outside_of_doubles, NULL, NULL));
  const double* halves = read_view(&doubles);
  for (size_t i = 0; i < N; ++i)
    well = well &&
           halves[i] == (indices[i] < REACH ? (double)x[indices[i]] / 2 + (double)i : outside_of_doubles);
  EXPECT(well && has(&bad, &n_outside, 1));
  EXPECT_ERROR(clwave_checked_gather(queue, &in, &at, &out, NULL, &outside, NULL), CLWAVE_ERROR_BAD_CALL,
               "indices are outside");
  EXPECT(strcmp(clwave_last_error()->function, "clwave_checked_gather") == 0);
  const clwave_view all = view_of(CLWAVE_F32, REACH + 50, x);
  EXPECT_OK(clwave_checked_gather(queue, &all, &at, &out, half, NULL, NULL));
  found = read_view(&out);
  for (size_t i = 0; i < N; ++i) well = well && found[i] == x[indices[i]] / 2 + (float)i;
  EXPECT(well);
  clwave_map_release(half);
}

static void test_scatters(void) {
  /* A permutation of the first N numbers: the last of them are outside of an output of REACH elements. */
  static uint32_t order[N];
  for (uint32_t i = 0; i < N; ++i) order[i] = i;
  for (uint32_t i = N - 1; i > 0; --i) {
    const uint32_t k = next_random() % (i + 1), kept = order[i];
    order[i] = order[k];
    order[k] = kept;
  }
  const uint64_t n_outside = N - REACH;
  const clwave_view in = view_of(CLWAVE_F32, N, x), at = view_of(CLWAVE_U32, N, order),
                    out = view_of(CLWAVE_F32, N, y), bad = view_of(CLWAVE_U64, 1, NULL);
  clwave_view part = out;
  part.n = REACH;
  clwave_map* twice = map_of("2 * x + i");
  bool well = true;
  EXPECT_OK(clwave_scatter(queue, &in, &at, &part, &bad, NULL, false, NULL, NULL));
  const float* found = read_view(&out);
  for (size_t i = 0; i < N; ++i) well = well && (order[i] >= REACH || found[order[i]] == x[i]);
  for (size_t i = REACH; i < N; ++i) well = well && found[i] == y[i];
  EXPECT(well && has(&bad, &n_outside, 1));
  EXPECT_OK(clwave_scatter(queue, &in, &at, &part, NULL, twice, false, NULL, NULL));
  found = read_view(&out);
  for (size_t i = 0; i < N; ++i) well = well && (order[i] >= REACH || found[order[i]] == 2 * x[i] + (float)i);
  EXPECT(well);
  EXPECT_ERROR(clwave_checked_scatter(queue, &in, &at, &part, NULL, true, NULL), CLWAVE_ERROR_BAD_CALL,
               "2001 of 7001 indices are outside");
  EXPECT_OK(clwave_checked_scatter(queue, &in, &at, &out, twice, true, NULL));
  found = read_view(&out);
  for (size_t i = 0; i < N; ++i) well = well && found[order[i]] == 2 * x[i] + (float)i;
  EXPECT(well);
  clwave_map_release(twice);

  /* Elements of 12 bytes and equal indices: one of the elements stands, whole. */
  struct three {
    uint32_t a, b, c;
  };
  static struct three threes[N];
  static uint32_t equal[N];
  for (uint32_t i = 0; i < N; ++i) {
    threes[i] = (struct three){i, ~i, i * 3};
    equal[i] = i % 1000;
  }
  clwave_type type = CLWAVE_NO_TYPE;
  EXPECT_OK(clwave_describe_structure("three", "typedef struct { uint a, b, c; } three;",
                                      sizeof(struct three), &type));
  const clwave_view from = view_of(type, N, threes), to = view_of(type, 1000, NULL),
                    equal_at = view_of(CLWAVE_U32, N, equal);
  EXPECT_OK(clwave_scatter(queue, &from, &equal_at, &to, &bad, NULL, false, NULL, NULL));
  const struct three* whole = read_view(&to);
  for (uint32_t i = 0; i < 1000; ++i)
    well = well && whole[i].a % 1000 == i && whole[i].b == ~whole[i].a && whole[i].c == whole[i].a * 3;
  EXPECT(well && *(const uint64_t*)read_view(&bad) == 0);
  const clwave_view all = view_of(type, N, NULL);
  EXPECT_OK(clwave_scatter(queue, &from, &at, &all, NULL, NULL, true, NULL, NULL));
  whole = read_view(&all);
  for (size_t i = 0; i < N; ++i) well = well && memcmp(&whole[order[i]], &threes[i], sizeof threes[i]) == 0;
  EXPECT(well);
}

/* Where flags are set, by themselves and by a predicate; all else keeps what it has. */
static void test_flags(void) {
  static uint32_t at[N], flags[N];
  uint64_t n_outside = 0;
  for (size_t i = 0; i < N; ++i) {
    at[i] = (uint32_t)i * 3 % (REACH + 7);
    flags[i] = next_random() % 3;
    n_outside += flags[i] == 2 && at[i] >= REACH;
  }
  const clwave_view in = view_of(CLWAVE_F32, REACH, x), indices = view_of(CLWAVE_U32, N, at),
                    set = view_of(CLWAVE_U32, N, flags), out = view_of(CLWAVE_F32, N, y),
                    bad = view_of(CLWAVE_U64, 1, NULL);
  clwave_map* two = map_of("x == 2");
  const float outside = -1.5F;
  bool well = true;
  EXPECT_OK(clwave_gather_if(queue, &in, &indices, &set, &out, NULL, NULL, NULL, NULL, NULL));
  const float* found = read_view(&out);
  for (size_t i = 0; i < N; ++i)
    well = well && found[i] == (flags[i] == 0 ? y[i] : at[i] < REACH ? x[at[i]] : 0);
  EXPECT(well);
  const clwave_view other = view_of(CLWAVE_F32, N, y);
  EXPECT_OK(clwave_gather_if(queue, &in, &indices, &set, &other, &bad, two, &outside, NULL, NULL));
  found = read_view(&other);
  for (size_t i = 0; i < N; ++i)
    well = well && found[i] == (flags[i] != 2 ? y[i] : at[i] < REACH ? x[at[i]] : outside);
  EXPECT(well && has(&bad, &n_outside, 1));

  static uint32_t places[N];
  for (uint32_t i = 0; i < N; ++i) places[i] = N - 1 - i;
  const clwave_view from = view_of(CLWAVE_F32, N, x), to = view_of(CLWAVE_F32, N, y),
                    distinct = view_of(CLWAVE_U32, N, places);
  EXPECT_OK(clwave_scatter_if(queue, &from, &distinct, &set, &to, &bad, two, true, NULL, NULL));
  found = read_view(&to);
  for (size_t i = 0; i < N; ++i) well = well && found[places[i]] == (flags[i] == 2 ? x[i] : y[places[i]]);
  const uint64_t none = 0;
  EXPECT(well && has(&bad, &none, 1));
  EXPECT_OK(clwave_scatter_if(queue, &from, &distinct, &set, &to, NULL, NULL, false, NULL, NULL));
  found = read_view(&to);
  for (size_t i = 0; i < N; ++i) well = well && found[places[i]] == (flags[i] != 0 ? x[i] : y[places[i]]);
  EXPECT(well);
  EXPECT_ERROR(clwave_scatter_if(queue, &from, &distinct, NULL, &to, NULL, NULL, false, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "flags");
  clwave_map_release(two);
}

static void test_transposes(void) {
  const clwave_view in = view_of(CLWAVE_F32, ROWS * COLUMNS, x),
                    out = view_of(CLWAVE_F32, ROWS * COLUMNS, NULL);
  const clwave_matrices size = {.rows = ROWS, .columns = COLUMNS},
                        square = {.rows = COLUMNS, .columns = COLUMNS};
  bool well = true;
  EXPECT_OK(clwave_transpose(queue, &in, &out, &size, NULL, NULL, NULL, NULL));
  const float* found = read_view(&out);
  for (size_t i = 0; i < ROWS * COLUMNS; ++i) well = well && found[i] == x[i % ROWS * COLUMNS + i / ROWS];
  EXPECT_OK(clwave_transpose_in_place(queue, &in, &square, NULL, NULL, NULL));
  found = read_view(&in);
  for (size_t i = 0; i < COLUMNS * COLUMNS; ++i)
    well = well && found[i] == x[i % COLUMNS * COLUMNS + i / COLUMNS];
  EXPECT(well);
}

static void test_layouts(void) {
  struct point {
    float a;
    uint8_t b;
    float c;
  };
  static struct point points[N];
  memset(points, 0, sizeof points);
  for (size_t i = 0; i < N; ++i) points[i].a = x[i], points[i].b = (uint8_t)i, points[i].c = y[i];
  const clwave_field fields[3] = {{sizeof(float), offsetof(struct point, a)},
                                  {sizeof(uint8_t), offsetof(struct point, b)},
                                  {sizeof(float), offsetof(struct point, c)}};
  const clwave_layout layout = {.n_bytes = sizeof(struct point), .fields = fields, .n_fields = 3};
  const clwave_view structures = view_of(CLWAVE_BYTE, sizeof points, points);
  const clwave_view arrays[3] = {view_of(CLWAVE_F32, N, NULL), view_of(CLWAVE_U8, N, NULL),
                                 view_of(CLWAVE_F32, N, NULL)};
  EXPECT_OK(clwave_aos_to_soa(queue, &structures, &layout, arrays, NULL, NULL));
  EXPECT(memcmp(read_view(&arrays[0]), x, sizeof x) == 0 && memcmp(read_view(&arrays[2]), y, sizeof y) == 0);
  const clwave_view back = view_of(CLWAVE_BYTE, sizeof points, NULL);
  EXPECT_OK(clwave_soa_to_aos(queue, arrays, &layout, &back, NULL, NULL));
  EXPECT(memcmp(read_view(&back), points, sizeof points) == 0);
  uint64_t n_bytes = 0;
  EXPECT_OK(clwave_aosoa_bytes(&layout, N, 8, &n_bytes));
  EXPECT(n_bytes == (uint64_t)((N + 7) / 8 * 8) * 9);
  const clwave_view blocks = view_of(CLWAVE_BYTE, n_bytes, NULL);
  EXPECT_OK(clwave_aos_to_aosoa(queue, &structures, &layout, &blocks, 8, NULL, NULL));
  EXPECT(memcmp(read_view(&blocks), x, 8 * sizeof x[0]) == 0);
  EXPECT_OK(clwave_fill(queue, &back, &(uint8_t){1}, NULL, NULL));
  EXPECT_OK(clwave_aosoa_to_aos(queue, &blocks, 8, &layout, &back, NULL, NULL));
  EXPECT(memcmp(read_view(&back), points, sizeof points) == 0);
}

static void test_products(void) {
  const clwave_view a = view_of(CLWAVE_F32, M * Q, x), b = view_of(CLWAVE_F32, Q * P, y);
  const clwave_view c = view_of(CLWAVE_F32, M * P, z);
  bool well = true;
  /* Small whole numbers: every sum is exact. */
  EXPECT_OK(clwave_gemm(queue, M, P, Q, 2, &a, &b, 1, &c, NULL, NULL, NULL));
  const float* found = read_view(&c);
  for (size_t i = 0; i < M; ++i)
    for (size_t j = 0; j < P; ++j) {
      float sum = 0;
      for (size_t k = 0; k < Q; ++k) sum += x[i * Q + k] * y[k * P + j];
      well = well && found[i * P + j] == 2 * sum + z[i * P + j];
    }
  const clwave_gemm_options transposed = {.size = sizeof transposed, .transpose_b = true};
  EXPECT_OK(clwave_gemm(queue, M, P, Q, 1, &a, &b, 0, &c, &transposed, NULL, NULL));
  found = read_view(&c);
  for (size_t i = 0; i < M; ++i)
    for (size_t j = 0; j < P; ++j) {
      float sum = 0;
      for (size_t k = 0; k < Q; ++k) sum += x[i * Q + k] * y[j * Q + k];
      well = well && found[i * P + j] == sum;
    }
  /* A column of B, whose elements are P apart; the result goes to every third element. */
  clwave_view every_third = c;
  every_third.n = 3 * M - 2;
  const clwave_gemv_options steps = {.size = sizeof steps, .step_x = P, .step_y = 3};
  EXPECT_OK(clwave_fill(queue, &c, &(float){-5}, NULL, NULL));
  EXPECT_OK(clwave_gemv(queue, M, Q, 2, &a, &b, 1, &every_third, &steps, NULL, NULL));
  found = read_view(&c);
  for (size_t i = 0; i < 3 * M; ++i) {
    float sum = 0;
    for (size_t k = 0; k < Q && i % 3 == 0; ++k) sum += x[i / 3 * Q + k] * y[k * P];
    well = well && found[i] == 2 * sum - 5;
  }
  /* The transpose, without options of steps. */
  const clwave_gemv_options of_transpose = {.size = sizeof of_transpose, .transpose = true};
  EXPECT_OK(clwave_gemv(queue, Q, M, 1, &a, &b, 0, &c, &of_transpose, NULL, NULL));
  found = read_view(&c);
  for (size_t i = 0; i < Q; ++i) {
    float sum = 0;
    for (size_t k = 0; k < M; ++k) sum += x[k * Q + i] * y[k];
    well = well && found[i] == sum;
  }
  EXPECT(well);
  EXPECT_ERROR(clwave_gemv(queue, M, Q + 1, 1, &a, &b, 0, &c, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "");
}

static void test_histograms(void) {
  const clwave_view in = view_of(CLWAVE_F32, N, x), counts = view_of(CLWAVE_U32, 10, NULL);
  uint32_t even[10] = {0}, between[3] = {0};
  const int32_t edges[4] = {-1000, -10, 0, 50};
  const float device_edges[4] = {-1000, -10, 0, 50};
  for (size_t i = 0; i < N; ++i) {
    if (x[i] >= -100 && x[i] < 100) ++even[(int)((x[i] + 100) / 20)];
    for (size_t k = 0; k < 3; ++k)
      if (x[i] >= device_edges[k] && x[i] < device_edges[k + 1]) ++between[k];
  }
  EXPECT_OK(clwave_histogram(queue, &in, &counts, -100, 100, 1, NULL, NULL));
  EXPECT(memcmp(read_view(&counts), even, sizeof even) == 0);
  EXPECT_OK(clwave_histogram_between(queue, &in, &counts, CLWAVE_I32, edges, 4, 1, NULL, NULL));
  EXPECT(memcmp(read_view(&counts), between, sizeof between) == 0);
  const clwave_view on_device = view_of(CLWAVE_F32, 4, device_edges);
  EXPECT_OK(clwave_histogram_between_device(queue, &in, &counts, &on_device, 1, NULL, NULL));
  EXPECT(memcmp(read_view(&counts), between, sizeof between) == 0);
}

void test_moves(void) {
  for (size_t i = 0; i < N; ++i) {
    x[i] = (float)(next_random() % 601) - 300;
    y[i] = (float)(next_random() % 601) - 300;
    z[i] = (float)(next_random() % 601) - 300;
  }
  test_transforms();
  test_copies();
  test_ranges();
  test_gathers();
  test_scatters();
  test_flags();
  test_transposes();
  test_layouts();
  test_products();
  test_histograms();
}
