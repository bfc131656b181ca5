/* From C: transforms of some elements, functions of indices, differences of neighbours, and other orders,
   against plain loops. */
#include "c_test.h"

#include <string.h>

enum { N = 7013 };

static float x[N], y[N];

static void test_conditions(void) {
  const clwave_view in[2] = {view_of(CLWAVE_F32, N, x), view_of(CLWAVE_F32, N, y)},
                    out = view_of(CLWAVE_F32, N, y), vectors = view_of(CLWAVE_F32X2, N / 2, x);
  clwave_map *twice = map_of("2 * x"), *positive = map_of("x > 0"), *sum = map_of("x + y"),
             *larger = map_of("x > y"), *first = map_of("x.x > 0");
  bool well = true;
  EXPECT_OK(clwave_transform_if(queue, in, 1, &out, twice, positive, NULL, NULL));
  const float* found = read_view(&out);
  for (size_t i = 0; i < N; ++i) well = well && found[i] == (x[i] > 0 ? 2 * x[i] : y[i]);
  EXPECT(well);
  /* In the second one's place. */
  EXPECT_OK(clwave_transform_if(queue, in, 2, &in[1], sum, larger, NULL, NULL));
  found = read_view(&in[1]);
  for (size_t i = 0; i < N; ++i) well = well && found[i] == (x[i] > y[i] ? x[i] + y[i] : y[i]);
  EXPECT(well);
  for (float value = -3; value < 2; value += 2.5F) {
    EXPECT_OK(clwave_replace_if(queue, &out, positive, &value, NULL, NULL));
    const float* replaced = read_view(&out);
    for (size_t i = 0; i < N; ++i) {
      const float before = x[i] > 0 ? 2 * x[i] : y[i];
      well = well && replaced[i] == (before > 0 ? -3 : before);
    }
  }
  EXPECT(well);
  const float pair[2] = {-1, 5};
  EXPECT_OK(clwave_replace_if(queue, &vectors, first, pair, NULL, NULL));
  found = read_view(&vectors);
  for (size_t i = 0; i + 1 < N; i += 2)
    well = well && found[i] == (x[i] > 0 ? -1 : x[i]) && found[i + 1] == (x[i] > 0 ? 5 : x[i + 1]);
  EXPECT(well);
  EXPECT_ERROR(clwave_transform_if(queue, in, 3, &out, twice, positive, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "1 or 2 inputs");
  EXPECT_ERROR(clwave_transform_if(queue, in, 1, &out, twice, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "`predicate` is NULL");
  EXPECT_ERROR(clwave_transform_if(queue, in, 1, &out, NULL, positive, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "`map` is NULL");
  EXPECT_ERROR(clwave_replace_if(queue, &out, positive, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "`value` is NULL");
  const clwave_view wide = view_of(CLWAVE_F64X8, 3, NULL);
  const double all[8] = {0};
  EXPECT_ERROR(clwave_replace_if(queue, &wide, first, all, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "f64x8");
  clwave_map_release(twice);
  clwave_map_release(positive);
  clwave_map_release(sum);
  clwave_map_release(larger);
  clwave_map_release(first);
}

static void test_indices(void) {
  const clwave_view floats = view_of(CLWAVE_F32, N, NULL), small = view_of(CLWAVE_U8, N, NULL),
                    whole = view_of(CLWAVE_I32, N, NULL), complex = view_of(CLWAVE_CF32, 3, NULL);
  clwave_map* angle = map_of("i * 0.5f");
  bool well = true;
  EXPECT_OK(clwave_generate(queue, &floats, angle, NULL, NULL));
  const float* found = read_view(&floats);
  for (size_t i = 0; i < N; ++i) well = well && found[i] == (float)i * 0.5F;
  EXPECT(well);
  EXPECT_OK(clwave_iota(queue, &small, NULL, NULL, NULL, NULL));
  const unsigned char* bytes = read_view(&small);
  for (size_t i = 0; i < N; ++i) well = well && bytes[i] == i % 256;
  EXPECT(well);
  const int32_t first = -5, step = 3;
  for (int which = 1; which < 4; ++which) {
    const int32_t *from = which & 1 ? &first : NULL, *by = which & 2 ? &step : NULL;
    EXPECT_OK(clwave_iota(queue, &whole, from, by, NULL, NULL));
    const int32_t* numbers = read_view(&whole);
    for (int32_t i = 0; i < N; ++i)
      well = well && numbers[i] == (from != NULL ? -5 : 0) + i * (by != NULL ? 3 : 1);
  }
  EXPECT(well);
  const float start = 1.5F, quarter = 0.25F;
  EXPECT_OK(clwave_iota(queue, &floats, &start, &quarter, NULL, NULL));
  found = read_view(&floats);
  for (size_t i = 0; i < N; ++i) well = well && found[i] == 1.5F + (float)i * 0.25F;
  EXPECT(well);
  EXPECT_ERROR(clwave_iota(queue, &complex, &start, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "cf32");
  EXPECT_ERROR(clwave_iota(queue, NULL, NULL, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "`out` is NULL");
  EXPECT_ERROR(clwave_generate(queue, &floats, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "`map` is NULL");
  clwave_map_release(angle);
}

static void test_differences(void) {
  const clwave_view in = view_of(CLWAVE_F32, N, x), out = view_of(CLWAVE_F64, N, NULL),
                    same = view_of(CLWAVE_F32, N, x);
  clwave_map* product = map_of("x * y + i");
  bool well = true;
  EXPECT_OK(clwave_adjacent_difference(queue, &in, &out, NULL, NULL, NULL));
  const double* found = read_view(&out);
  for (size_t i = 0; i < N; ++i) well = well && found[i] == (i == 0 ? x[0] : (double)x[i] - x[i - 1]);
  EXPECT(well);
  EXPECT_OK(clwave_adjacent_difference(queue, &same, &same, product, NULL, NULL));
  const float* mapped = read_view(&same);
  for (size_t i = 0; i < N; ++i) well = well && mapped[i] == (i == 0 ? x[0] : x[i] * x[i - 1] + (float)i);
  EXPECT(well);
  const clwave_view shifted = {in.buffer, N - 1, 1, CLWAVE_F32, NULL},
                    before = {in.buffer, N - 1, 0, CLWAVE_F32, NULL};
  EXPECT_ERROR(clwave_adjacent_difference(queue, &shifted, &before, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "overlap");
  clwave_map_release(product);
}

static void test_orders(void) {
  static struct three threes[N];
  const clwave_type type = fill_threes(threes, N);
  const clwave_view in = view_of(type, N, threes), out = view_of(type, N, NULL);
  bool well = true;
  EXPECT_OK(clwave_reverse(queue, &in, &out, NULL, NULL));
  const struct three* found = read_view(&out);
  for (size_t i = 0; i < N; ++i) well = well && memcmp(&found[i], &threes[N - 1 - i], sizeof *found) == 0;
  EXPECT(well);
  const uint64_t firsts[3] = {0, 1 + next_random() % (N - 2), N - 1};
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_OK(clwave_rotate(queue, &in, &out, firsts[k], NULL, NULL));
    found = read_view(&out);
    for (size_t i = 0; i < N; ++i)
      well = well && memcmp(&found[i], &threes[(i + firsts[k]) % N], sizeof *found) == 0;
  }
  EXPECT(well);
  EXPECT_ERROR(clwave_rotate(queue, &in, &out, N, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "7013");
  EXPECT_ERROR(clwave_reverse(queue, &in, &in, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "overlap");
}

void test_neighbours(void) {
  for (size_t i = 0; i < N; ++i) {
    x[i] = (float)(next_random() % 601) - 300;
    y[i] = (float)(next_random() % 601) - 300;
  }
  test_conditions();
  test_indices();
  test_differences();
  test_orders();
}
