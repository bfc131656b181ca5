/* Counts, both ends, moments and start values from C, against plain loops in 64-bit integers or doubles. */
#include "c_test.h"

#include <math.h>
#include <string.h>

enum { N = 20021, ROWS = 41, COLUMNS = 29, SEGMENTS = 5 };

struct ends {
  int32_t min, max;
};

static int32_t x[N];
static float floats[N];
static clwave_map* above;

static bool is_near(double found, double exact) { return fabs(found - exact) <= 1e-4 * fabs(exact) + 1e-6; }

/* Of x[first], x[first + step], ..., n of them. */
static struct ends ends_of(size_t first, size_t step, size_t n) {
  struct ends found = {INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < n; ++i) {
    const int32_t value = x[first + i * step];
    if (value < found.min) found.min = value;
    if (value > found.max) found.max = value;
  }
  return found;
}
static clwave_moments_f64 moments_of(size_t first, size_t step, size_t n) {
  clwave_moments_f64 found = {n, 0, 0};
  for (size_t i = 0; i < n; ++i) found.mean += x[first + i * step];
  if (n != 0) found.mean /= (double)n;
  for (size_t i = 0; i < n; ++i) {
    const double distance = x[first + i * step] - found.mean;
    found.squares += distance * distance;
  }
  return found;
}
static bool are_near(const clwave_moments_f64* found, clwave_moments_f64 exact) {
  return found->n == exact.n && is_near(found->mean, exact.mean) && is_near(found->squares, exact.squares);
}

static void test_count_if(void) {
  const clwave_view in = view_of(CLWAVE_I32, N, x), count = view_of(CLWAVE_U64, 3, NULL);
  uint64_t n_above = 0, n_larger = 0, found = 77;
  for (size_t i = 0; i < N; ++i) {
    n_above += x[i] > 100;
    n_larger += i + 1 < N && x[i] > x[i + 1];
  }
  EXPECT_OK(clwave_count_if_to_host(queue, &in, NULL, above, &found, NULL));
  EXPECT(found == n_above);
  const clwave_view second = {count.buffer, 1, 1, CLWAVE_U64, NULL};
  EXPECT_OK(clwave_count_if(queue, &in, NULL, &second, above, NULL, NULL));
  const uint64_t* all = read_view(&count);
  EXPECT(all[0] == 0xa5a5a5a5a5a5a5a5 && all[1] == n_above && all[2] == 0xa5a5a5a5a5a5a5a5);
  clwave_map* larger = named_map("larger", "x > y");
  const clwave_view left = {in.buffer, N - 1, 0, CLWAVE_I32, NULL},
                    right = {in.buffer, N - 1, 1, CLWAVE_I32, NULL};
  EXPECT_OK(clwave_count_if_to_host(queue, &left, &right, larger, &found, NULL));
  EXPECT(found == n_larger);
  clwave_map_release(larger);
  const clwave_view none = {in.buffer, 0, 0, CLWAVE_I32, NULL};
  EXPECT_OK(clwave_count_if_to_host(queue, &none, NULL, above, &found, NULL));
  EXPECT(found == 0);
  found = 77;
  EXPECT_ERROR(clwave_count_if_to_host(queue, &in, NULL, NULL, &found, NULL), CLWAVE_ERROR_BAD_CALL,
               "`predicate` is NULL");
  EXPECT_ERROR(clwave_count_if_to_host(queue, &in, NULL, above, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "`count` is NULL");
  EXPECT_ERROR(clwave_count_if_to_host(queue, &in, NULL, clwave_map_builtin(CLWAVE_ABS), &found, NULL),
               CLWAVE_ERROR_BAD_CALL, "");
  EXPECT_ERROR(clwave_count_if(queue, &in, NULL, &in, above, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "");
  EXPECT_ERROR(clwave_count_if_to_host(queue, &in, &right, above, &found, NULL), CLWAVE_ERROR_BAD_CALL, "");
  EXPECT(found == 77);
}

static void test_minmax(clwave_type ends_type) {
  const clwave_view in = view_of(CLWAVE_I32, N, x), out = view_of(ends_type, 2, NULL),
                    of_floats = view_of(CLWAVE_F32, N, floats);
  const struct ends exact = ends_of(0, 1, N);
  struct ends found = {7, 7};
  EXPECT_OK(clwave_minmax_to_host(queue, &in, &found.min, &found.max, NULL));
  EXPECT(found.min == exact.min && found.max == exact.max);
  found.max = 7;
  EXPECT_OK(clwave_minmax_to_host(queue, &in, NULL, &found.max, NULL));
  EXPECT(found.max == exact.max);
  EXPECT_OK(clwave_minmax(queue, &in, &out, NULL, NULL));
  const struct ends* on_device = read_view(&out);
  EXPECT(on_device[0].min == exact.min && on_device[0].max == exact.max);
  EXPECT(on_device[1].min == (int32_t)0xa5a5a5a5);
  const clwave_view none = {in.buffer, 0, 0, CLWAVE_I32, NULL};
  EXPECT_OK(clwave_minmax_to_host(queue, &none, &found.min, &found.max, NULL));
  EXPECT(found.min == INT32_MAX && found.max == INT32_MIN);
  /* A NaN anywhere. */
  floats[N / 2] = NAN;
  const clwave_view with_nan = view_of(CLWAVE_F32, N, floats);
  floats[N / 2] = (float)x[N / 2];
  float least = 0, most = 0;
  EXPECT_OK(clwave_minmax_to_host(queue, &with_nan, &least, &most, NULL));
  EXPECT(isnan(least) && isnan(most));
  EXPECT_OK(clwave_minmax_to_host(queue, &of_floats, &least, &most, NULL));
  EXPECT(!isnan(least) && least <= most);
  /* Halves are compared, and come back, as floats. */
  const uint16_t halves[4] = {0x3c00, 0xc000, 0x4400, 0x0000}; /* 1, -2, 4, 0 */
  const clwave_view h = view_of(CLWAVE_F16, 4, halves);
  EXPECT_OK(clwave_minmax_to_host(queue, &h, &least, &most, NULL));
  EXPECT(least == -2 && most == 4);
  clwave_type of_halves = CLWAVE_NO_TYPE, type = 1;
  EXPECT_OK(clwave_minmax_type(CLWAVE_F16, &of_halves));
  EXPECT(clwave_type_size(of_halves) == 2 * sizeof(float));
  const clwave_view pair = view_of(of_halves, 1, NULL);
  EXPECT_OK(clwave_minmax(queue, &h, &pair, NULL, NULL));
  EXPECT(((const float*)read_view(&pair))[0] == -2 && ((const float*)read_view(&pair))[1] == 4);
  EXPECT_ERROR(clwave_minmax_type(CLWAVE_CF32, &type), CLWAVE_ERROR_BAD_CALL, "cf32");
  EXPECT(type == CLWAVE_NO_TYPE);
  EXPECT_ERROR(clwave_minmax_type(CLWAVE_BOOL, &type), CLWAVE_ERROR_BAD_CALL, "bool");
  EXPECT_ERROR(clwave_minmax_type(CLWAVE_F32X4, &type), CLWAVE_ERROR_BAD_CALL, "f32x4");
  EXPECT_ERROR(clwave_minmax_type(CLWAVE_F32, NULL), CLWAVE_ERROR_BAD_CALL, "`type` is NULL");
  EXPECT_ERROR(clwave_minmax(queue, &of_floats, &out, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "clwave_minmax_type");
  EXPECT_ERROR(clwave_minmax(queue, &in, &in, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "clwave_minmax_type");
}

static void test_moments(void) {
  const clwave_view in = view_of(CLWAVE_I32, N, x), of_floats = view_of(CLWAVE_F32, N, floats);
  clwave_moments_f64 wide = {7, 7, 7};
  EXPECT_OK(clwave_mean_and_variance_to_host(queue, &in, CLWAVE_F64, &wide, NULL));
  EXPECT(are_near(&wide, moments_of(0, 1, N)));
  clwave_moments_f32 narrow = {7, 7, 7};
  EXPECT_OK(clwave_mean_and_variance_to_host(queue, &of_floats, CLWAVE_F32, &narrow, NULL));
  EXPECT(narrow.n == N && is_near(narrow.mean, wide.mean) && is_near(narrow.squares, wide.squares));
  clwave_type type = CLWAVE_NO_TYPE, narrow_type = CLWAVE_NO_TYPE;
  EXPECT_OK(clwave_moments_type(CLWAVE_F64, &type));
  EXPECT_OK(clwave_moments_type(CLWAVE_F32, &narrow_type));
  EXPECT(clwave_type_size(type) == sizeof wide && clwave_type_size(narrow_type) == sizeof narrow);
  const clwave_view out = view_of(type, 1, NULL), narrow_out = view_of(narrow_type, 1, NULL);
  EXPECT_OK(clwave_mean_and_variance(queue, &in, &out, NULL, NULL));
  EXPECT(has(&out, &wide, 1));
  EXPECT_OK(clwave_mean_and_variance(queue, &of_floats, &narrow_out, NULL, NULL));
  EXPECT(has(&narrow_out, &narrow, 1));
  const clwave_view none = {in.buffer, 0, 0, CLWAVE_I32, NULL};
  EXPECT_OK(clwave_mean_and_variance_to_host(queue, &none, CLWAVE_F64, &wide, NULL));
  EXPECT(wide.n == 0 && wide.mean == 0 && wide.squares == 0);
  EXPECT_ERROR(clwave_moments_type(CLWAVE_I32, &type), CLWAVE_ERROR_BAD_CALL, "i32");
  EXPECT_ERROR(clwave_mean_and_variance_to_host(queue, &in, CLWAVE_I64, &wide, NULL), CLWAVE_ERROR_BAD_CALL,
               "CLWAVE_F32 or of CLWAVE_F64");
  EXPECT_ERROR(clwave_mean_and_variance_to_host(queue, &in, CLWAVE_F64, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "`result` is NULL");
  EXPECT_ERROR(clwave_mean_and_variance(queue, &in, &in, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "clwave_moments_type");
}

static void test_parts(clwave_type ends_type) {
  clwave_type moments_type = CLWAVE_NO_TYPE;
  EXPECT_OK(clwave_moments_type(CLWAVE_F64, &moments_type));
  const clwave_view in = view_of(CLWAVE_I32, ROWS * COLUMNS, x);
  const clwave_matrices size = {.rows = ROWS, .columns = COLUMNS};
  const clwave_view row_ends = view_of(ends_type, ROWS, NULL),
                    row_moments = view_of(moments_type, ROWS, NULL),
                    column_ends = view_of(ends_type, COLUMNS, NULL),
                    column_moments = view_of(moments_type, COLUMNS, NULL);
  EXPECT_OK(clwave_minmax_rows(queue, &in, &row_ends, &size, NULL, NULL, NULL));
  EXPECT_OK(clwave_mean_and_variance_rows(queue, &in, &row_moments, &size, NULL, NULL, NULL));
  EXPECT_OK(clwave_minmax_columns(queue, &in, &column_ends, &size, NULL, NULL, NULL));
  EXPECT_OK(clwave_mean_and_variance_columns(queue, &in, &column_moments, &size, NULL, NULL, NULL));
  const struct ends *of_rows = read_view(&row_ends), *of_columns = read_view(&column_ends);
  const clwave_moments_f64 *in_rows = read_view(&row_moments), *in_columns = read_view(&column_moments);
  bool well = true;
  for (size_t r = 0; r < ROWS; ++r) {
    const struct ends exact = ends_of(r * COLUMNS, 1, COLUMNS);
    well = well && of_rows[r].min == exact.min && of_rows[r].max == exact.max &&
           are_near(&in_rows[r], moments_of(r * COLUMNS, 1, COLUMNS));
  }
  for (size_t c = 0; c < COLUMNS; ++c) {
    const struct ends exact = ends_of(c, COLUMNS, ROWS);
    well = well && of_columns[c].min == exact.min && of_columns[c].max == exact.max &&
           are_near(&in_columns[c], moments_of(c, COLUMNS, ROWS));
  }
  EXPECT(well);
  /* Of every second row, by a pitch. */
  const clwave_matrices half = {.rows = ROWS / 2, .columns = COLUMNS};
  const clwave_pitches twice = {.row = 2 * COLUMNS};
  EXPECT_OK(clwave_minmax_rows(queue, &in, &row_ends, &half, &twice, NULL, NULL));
  of_rows = read_view(&row_ends);
  for (size_t r = 0; r < ROWS / 2; ++r)
    well = well && of_rows[r].max == ends_of(2 * r * COLUMNS, 1, COLUMNS).max;
  EXPECT(well);
  EXPECT_ERROR(clwave_minmax_rows(queue, &in, &row_moments, &size, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "clwave_minmax_type");
  EXPECT_ERROR(clwave_mean_and_variance_columns(queue, &in, &column_ends, &size, NULL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "clwave_moments_type");

  const uint32_t offsets[SEGMENTS + 1] = {3, 3, 100, 101, 900, ROWS * COLUMNS},
                                    falls[SEGMENTS + 1] = {0, 10, 5, 20, 30, 40};
  const clwave_view of = view_of(CLWAVE_U32, SEGMENTS + 1, offsets),
                    bad_ones = view_of(CLWAVE_U32, SEGMENTS + 1, falls), bad = view_of(CLWAVE_U64, 1, NULL),
                    ends = view_of(ends_type, SEGMENTS, NULL),
                    moments = view_of(moments_type, SEGMENTS, NULL);
  EXPECT_OK(clwave_segmented_minmax(queue, &in, &of, &ends, &bad, NULL, NULL));
  EXPECT(*(const uint64_t*)read_view(&bad) == 0);
  EXPECT_OK(clwave_segmented_mean_and_variance(queue, &in, &of, &moments, NULL, NULL, NULL));
  const struct ends* of_segments = read_view(&ends);
  const clwave_moments_f64* in_segments = read_view(&moments);
  for (size_t s = 0; s < SEGMENTS; ++s) {
    const size_t n = offsets[s + 1] - offsets[s];
    const struct ends exact = ends_of(offsets[s], 1, n);
    well = well && of_segments[s].min == exact.min && of_segments[s].max == exact.max &&
           are_near(&in_segments[s], moments_of(offsets[s], 1, n));
  }
  EXPECT(well);
  EXPECT_OK(clwave_segmented_mean_and_variance(queue, &in, &bad_ones, &moments, &bad, NULL, NULL));
  EXPECT(*(const uint64_t*)read_view(&bad) == 1);
}

/* The start value comes first, and is what no elements give. */
static void test_starts(void) {
  const clwave_view in = view_of(CLWAVE_I32, N, x), out = view_of(CLWAVE_I64, 1, NULL),
                    none = {in.buffer, 0, 0, CLWAVE_I32, NULL};
  const int64_t start = (int64_t)1 << 40;
  int64_t sum = start, squares = start, found = 0;
  for (size_t i = 0; i < N; ++i) {
    sum += x[i];
    squares += (int64_t)x[i] * x[i];
  }
  const clwave_map* square = clwave_map_builtin(CLWAVE_SQUARE);
  EXPECT_OK(clwave_reduce_to_host(queue, &in, NULL, CLWAVE_I64, &start, &found, NULL));
  EXPECT(found == sum);
  EXPECT_OK(clwave_reduce(queue, &in, &out, NULL, &start, NULL, NULL));
  EXPECT(has(&out, &sum, 1));
  EXPECT_OK(
      clwave_transform_reduce_to_host(queue, &in, NULL, NULL, square, CLWAVE_I64, &start, &found, NULL));
  EXPECT(found == squares);
  EXPECT_OK(clwave_transform_reduce(queue, &in, NULL, &out, NULL, square, &start, NULL, NULL));
  EXPECT(has(&out, &squares, 1));
  EXPECT_OK(clwave_dot_to_host(queue, &in, &in, CLWAVE_I64, &start, &found, NULL));
  EXPECT(found == squares);
  EXPECT_OK(clwave_dot(queue, &in, &in, &out, &start, NULL, NULL));
  EXPECT(has(&out, &squares, 1));
  /* Of an operator without an identity; the first of all is the start. */
  clwave_op* first = NULL;
  EXPECT_OK(clwave_op_create(
      &(clwave_op_text){.size = sizeof(clwave_op_text), .name = "first", .source = "a", .keeps_order = true},
      &first));
  EXPECT_OK(clwave_reduce_to_host(queue, &in, first, CLWAVE_I64, &start, &found, NULL));
  EXPECT(found == start);
  found = 0;
  EXPECT_OK(clwave_reduce_to_host(queue, &none, first, CLWAVE_I64, &start, &found, NULL));
  EXPECT(found == start);
  EXPECT_ERROR(clwave_reduce_to_host(queue, &none, first, CLWAVE_I64, NULL, &found, NULL),
               CLWAVE_ERROR_BAD_CALL, "");
  clwave_op_release(first);
  EXPECT_ERROR(clwave_reduce_to_host(queue, &in, clwave_op_builtin(CLWAVE_LOGICAL_OR), CLWAVE_I64, &start,
                                     &found, NULL),
               CLWAVE_ERROR_BAD_CALL, "start");
}

void test_statistics(void) {
  for (size_t i = 0; i < N; ++i) {
    x[i] = (int32_t)(next_random() % 2001) - 900;
    floats[i] = (float)x[i];
  }
  above = named_map("above", "x > 100");
  clwave_type ends_type = CLWAVE_NO_TYPE;
  EXPECT_OK(clwave_minmax_type(CLWAVE_I32, &ends_type));
  EXPECT(clwave_type_size(ends_type) == sizeof(struct ends));
  test_count_if();
  test_minmax(ends_type);
  test_moments();
  test_parts(ends_type);
  test_starts();
  clwave_map_release(above);
}
