/* Reductions and scans from C, against plain loops. */
#include "c_test.h"

#include <math.h>
#include <string.h>

enum { N = 20011, ROWS = 37, COLUMNS = 53 };

static uint32_t small[N];

static void fill_small(void) {
  for (size_t i = 0; i < N; ++i) small[i] = next_random() % 1000;
}

static void test_reduce(void) {
  const clwave_view x = view_of(CLWAVE_U32, N, small), out = view_of(CLWAVE_U64, 3, NULL);
  uint64_t sum = 0, sum_of_squares = 0, found = 0;
  uint32_t largest = 0, found_largest = 0;
  for (size_t i = 0; i < N; ++i) {
    sum += small[i];
    sum_of_squares += (uint64_t)small[i] * small[i];
    if (small[i] > largest) largest = small[i];
  }
  EXPECT_OK(clwave_reduce_to_host(queue, &x, NULL, CLWAVE_U64, NULL, &found, NULL));
  EXPECT(found == sum);
  EXPECT_OK(clwave_reduce_to_host(queue, &x, clwave_op_builtin(CLWAVE_MAX), CLWAVE_U32, NULL, &found_largest,
                                  NULL));
  EXPECT(found_largest == largest);
  /* Into the second element of a view, so that offsets count; its neighbours stay. */
  const clwave_view second = {out.buffer, 1, 1, CLWAVE_U64, NULL};
  EXPECT_OK(clwave_transform_reduce(queue, &x, NULL, &second, NULL, clwave_map_builtin(CLWAVE_SQUARE), NULL,
                                    NULL, NULL));
  const uint64_t* all = read_view(&out);
  EXPECT(all[0] == 0xa5a5a5a5a5a5a5a5 && all[1] == sum_of_squares && all[2] == 0xa5a5a5a5a5a5a5a5);
  EXPECT_OK(clwave_dot_to_host(queue, &x, &x, CLWAVE_U64, NULL, &found, NULL));
  EXPECT(found == sum_of_squares);
  EXPECT_OK(clwave_dot(queue, &x, &x, &out, NULL, NULL, NULL));
  EXPECT(*(const uint64_t*)read_view(&out) == sum_of_squares);
  EXPECT_OK(clwave_reduce(queue, &x, &out, NULL, NULL, NULL, NULL));
  EXPECT(*(const uint64_t*)read_view(&out) == sum);
  /* No elements: the identity. */
  const clwave_view none = {x.buffer, 0, 0, CLWAVE_U32, NULL};
  found = 7;
  EXPECT_OK(clwave_reduce_to_host(queue, &none, NULL, CLWAVE_U64, NULL, &found, NULL));
  EXPECT(found == 0);
}

static void test_texts(void) {
  const clwave_view x = view_of(CLWAVE_U32, N, small);
  /* A map with a value that changes from call to call, and a function of its own. */
  uint32_t least = 500;
  const clwave_value value = {"least", CLWAVE_U32, &least};
  clwave_map* above = NULL;
  EXPECT_OK(
      clwave_map_create(&(clwave_map_text){.size = sizeof(clwave_map_text),
                                           .name = "above",
                                           .source = "is_above(x, least)",
                                           .declarations = "uint is_above(uint x, uint y) { return x > y; }",
                                           .values = &value,
                                           .n_values = 1},
                        &above));
  for (; least < 1000; least += 250) {
    EXPECT_OK(clwave_map_set_value(above, &value));
    uint64_t count = 0, found = 0;
    for (size_t i = 0; i < N; ++i) count += small[i] > least;
    EXPECT_OK(clwave_transform_reduce_to_host(queue, &x, NULL, NULL, above, CLWAVE_U64, NULL, &found, NULL));
    EXPECT(found == count);
  }
  clwave_map_release(above);
  /* An operator that does not commute: the first element that is not 0. */
  clwave_op* first = NULL;
  EXPECT_OK(clwave_op_create(&(clwave_op_text){.size = sizeof(clwave_op_text),
                                               .name = "first",
                                               .source = "a != 0 ? a : b",
                                               .identity = "0",
                                               .keeps_order = true},
                             &first));
  uint32_t found = 0;
  size_t at = 0;
  while (small[at] == 0) ++at;
  EXPECT_OK(clwave_reduce_to_host(queue, &x, first, CLWAVE_U32, NULL, &found, NULL));
  EXPECT(found == small[at]);
  clwave_op_release(first);
  clwave_op_release(NULL);
  clwave_map_release(NULL);
  /* A structure of the program's own. */
  struct extent {
    float low, high;
  };
  const char* text = "typedef struct { float low, high; } extent;";
  clwave_type type = CLWAVE_NO_TYPE, again = CLWAVE_NO_TYPE;
  EXPECT_OK(clwave_describe_structure("extent", text, sizeof(struct extent), &type));
  EXPECT_OK(clwave_describe_structure("extent", text, sizeof(struct extent), &again));
  EXPECT(type == again && type != CLWAVE_NO_TYPE && clwave_type_size(type) == sizeof(struct extent));
  struct extent extents[999], whole = {INFINITY, -INFINITY}, found_whole;
  for (size_t i = 0; i < 999; ++i) {
    extents[i].low = (float)(next_random() % 4096) - 2048;
    extents[i].high = extents[i].low + (float)(next_random() % 256);
    whole.low = fminf(whole.low, extents[i].low);
    whole.high = fmaxf(whole.high, extents[i].high);
  }
  const clwave_view all = view_of(type, 999, extents);
  clwave_op* hull = NULL;
  EXPECT_OK(clwave_op_create(
      &(clwave_op_text){
          .size = sizeof(clwave_op_text),
          .name = "hull",
          .source = "hull(a, b)",
          .declarations =
              "extent hull(extent a, extent b) { a.low = fmin(a.low, b.low); a.high = fmax(a.high, "
              "b.high); return a; }"},
      &hull));
  EXPECT_OK(clwave_reduce_to_host(queue, &all, hull, type, NULL, &found_whole, NULL));
  EXPECT(found_whole.low == whole.low && found_whole.high == whole.high);
  clwave_op_release(hull);
}

static void test_indexed(void) {
  static float values[N];
  size_t least = 0, most = 0;
  for (size_t i = 0; i < N; ++i) {
    values[i] = (float)(next_random() % 4001) - 2000;
    if (values[i] < values[least]) least = i;
    if (values[i] > values[most]) most = i;
  }
  const clwave_view x = view_of(CLWAVE_F32, N, values);
  float value = 0;
  uint64_t index = 0;
  EXPECT_OK(clwave_argmin_to_host(queue, &x, &value, &index, NULL));
  EXPECT(value == values[least] && index == least);
  EXPECT_OK(clwave_argmax_to_host(queue, &x, &value, &index, NULL));
  EXPECT(value == values[most] && index == most);
  index = 0;
  EXPECT_OK(clwave_argmax_to_host(queue, &x, NULL, &index, NULL));
  EXPECT(index == most);
  /* The same on the device. */
  struct indexed {
    float value;
    uint64_t index;
  };
  clwave_type type = CLWAVE_NO_TYPE;
  EXPECT_OK(clwave_indexed_type(CLWAVE_F32, &type));
  EXPECT(clwave_type_size(type) == sizeof(struct indexed));
  const clwave_view out = view_of(type, 1, NULL);
  EXPECT_OK(clwave_reduce(queue, &x, &out, clwave_op_builtin(CLWAVE_ARGMIN), NULL, NULL, NULL));
  const struct indexed* found = read_view(&out);
  EXPECT(found->value == values[least] && found->index == least);
  /* Halves are compared, and come back, as floats. */
  const uint16_t halves[4] = {0x3c00, 0xc000, 0x4400, 0x0000}; /* 1, -2, 4, 0 */
  const clwave_view h = view_of(CLWAVE_F16, 4, halves);
  EXPECT_OK(clwave_argmin_to_host(queue, &h, &value, &index, NULL));
  EXPECT(value == -2 && index == 1);
}

static void test_matrices(void) {
  static uint32_t sums[ROWS + COLUMNS];
  memset(sums, 0, sizeof sums);
  for (size_t r = 0; r < ROWS; ++r)
    for (size_t c = 0; c < COLUMNS; ++c) {
      sums[r] += small[r * COLUMNS + c];
      sums[ROWS + c] += small[r * COLUMNS + c];
    }
  const clwave_view in = view_of(CLWAVE_U32, ROWS * COLUMNS, small);
  const clwave_view rows = view_of(CLWAVE_U32, ROWS, NULL), columns = view_of(CLWAVE_U32, COLUMNS, NULL);
  const clwave_matrices size = {.rows = ROWS, .columns = COLUMNS};
  EXPECT_OK(clwave_reduce_rows(queue, &in, &rows, &size, NULL, NULL, NULL, NULL, NULL));
  EXPECT(memcmp(read_view(&rows), sums, ROWS * sizeof sums[0]) == 0);
  EXPECT_OK(clwave_reduce_columns(queue, &in, &columns, &size, NULL, NULL, NULL, NULL, NULL));
  EXPECT(memcmp(read_view(&columns), sums + ROWS, COLUMNS * sizeof sums[0]) == 0);
  /* Of every second row, by a pitch. */
  const clwave_matrices half = {.rows = ROWS / 2, .columns = COLUMNS, .batch = 1};
  const clwave_pitches twice = {.row = 2 * COLUMNS};
  EXPECT_OK(clwave_reduce_rows(queue, &in, &rows, &half, &twice, NULL, NULL, NULL, NULL));
  const uint32_t* found = read_view(&rows);
  for (size_t r = 0; r < ROWS / 2; ++r) EXPECT(found[r] == sums[2 * r]);
}

static void test_segments(void) {
  const uint32_t offsets[6] = {3, 3, 1000, 1001, 15000, N}, falls[6] = {0, 10, 5, 20, 30, N};
  const clwave_view in = view_of(CLWAVE_U32, N, small), sums = view_of(CLWAVE_U32, 5, NULL);
  const clwave_view of = view_of(CLWAVE_U32, 6, offsets), bad_ones = view_of(CLWAVE_U32, 6, falls);
  const clwave_view bad = view_of(CLWAVE_U64, 1, NULL), running = view_of(CLWAVE_U32, N, NULL);
  EXPECT_OK(clwave_segmented_reduce(queue, &in, &of, &sums, &bad, NULL, NULL, NULL, NULL));
  EXPECT(*(const uint64_t*)read_view(&bad) == 0);
  const uint32_t* found = read_view(&sums);
  EXPECT_OK(clwave_checked_segmented_reduce(queue, &in, &of, &sums, NULL, NULL, NULL));
  EXPECT_ERROR(clwave_checked_segmented_reduce(queue, &in, &bad_ones, &sums, NULL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "1 ");
  const uint32_t start = 100;
  EXPECT_OK(clwave_segmented_exclusive_scan(queue, &in, &of, &running, NULL, NULL, NULL, &start, NULL, NULL));
  const uint32_t* before = read_view(&running);
  EXPECT_OK(clwave_segmented_inclusive_scan(queue, &in, &of, &running, &bad, NULL, NULL, NULL, NULL, NULL));
  const uint32_t* up_to = read_view(&running);
  for (size_t s = 0; s < 5; ++s) {
    uint32_t sum = 0;
    bool well = true;
    for (size_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      well = well && before[i] == start + sum;
      sum += small[i];
      well = well && up_to[i] == sum;
    }
    EXPECT(well && found[s] == sum);
  }
}

static void test_scans(void) {
  const clwave_view in = view_of(CLWAVE_U32, N, small), out = view_of(CLWAVE_U64, N, NULL);
  EXPECT_OK(clwave_inclusive_scan(queue, &in, &out, NULL, NULL, NULL, NULL, NULL));
  const uint64_t* up_to = read_view(&out);
  const uint64_t start = 1ull << 40;
  EXPECT_OK(clwave_exclusive_scan(queue, &in, &out, NULL, NULL, &start, NULL, NULL));
  const uint64_t* before = read_view(&out);
  uint64_t sum = 0;
  bool well = true;
  for (size_t i = 0; i < N; ++i) {
    well = well && before[i] == start + sum;
    sum += small[i];
    well = well && up_to[i] == sum;
  }
  EXPECT(well);
}

static void test_keys(void) {
  static uint32_t keys[N];
  for (size_t i = 1; i < N; ++i) keys[i] = keys[i - 1] + (next_random() % 7 == 0);
  const clwave_view k = view_of(CLWAVE_U32, N, keys), v = view_of(CLWAVE_U32, N, small);
  const clwave_view keys_out = view_of(CLWAVE_U32, N, NULL), values_out = view_of(CLWAVE_U32, N, NULL);
  const clwave_view count = view_of(CLWAVE_U64, 1, NULL), running = view_of(CLWAVE_U32, N, NULL);
  uint64_t runs = 0;
  EXPECT_OK(
      clwave_reduce_by_key_to_host(queue, &k, &v, &keys_out, &values_out, NULL, NULL, NULL, &runs, NULL));
  EXPECT(runs == (uint64_t)keys[N - 1] + 1);
  EXPECT_OK(
      clwave_reduce_by_key(queue, &k, &v, &keys_out, &values_out, &count, NULL, NULL, NULL, NULL, NULL));
  EXPECT(*(const uint64_t*)read_view(&count) == runs);
  EXPECT_OK(clwave_inclusive_scan_by_key(queue, &k, &v, &running, NULL, NULL, NULL, NULL, NULL, NULL));
  const uint32_t* up_to = read_view(&running);
  EXPECT_OK(clwave_exclusive_scan_by_key(queue, &k, &v, &running, NULL, NULL, NULL, NULL, NULL, NULL));
  const uint32_t *before = read_view(&running), *sums = read_view(&values_out);
  uint32_t sum = 0;
  bool well = true;
  for (size_t i = 0; i < N; ++i) {
    if (i != 0 && keys[i] != keys[i - 1]) sum = 0;
    well = well && before[i] == sum;
    sum += small[i];
    well = well && up_to[i] == sum;
    if (i + 1 == N || keys[i + 1] != keys[i]) well = well && sums[keys[i]] == sum;
  }
  EXPECT(well);
}

void test_folds(void) {
  fill_small();
  test_reduce();
  test_texts();
  test_indexed();
  test_matrices();
  test_segments();
  test_scans();
  test_keys();
}
