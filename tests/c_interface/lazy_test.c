/* Inputs from C that are no arrays: calls on elements that lie nowhere against plain loops, and against the
   same calls on an array of these elements, poison behind the results among the bytes that are compared. */
#include "c_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 4099, AT = 3, KINDS = 9, N_BYTES = (N + 1) * 8, ROWS = 31, COLUMNS = 127, PITCH = 131 };

/* What a lazy input is made of, and its elements as a loop makes them. */
struct input {
  const char* name;
  clwave_lazy lazy;
  clwave_source sources[8];
  uint32_t elements[N];
};

static struct input inputs[KINDS];
static clwave_map *of_index, *weighted, *of_eight, *doubled, *odd, *above, *tripled, *marked;
static clwave_view flags, values, out, second, third, numbers;
static uint8_t marks[N];

/* A view at an odd place of its buffer, with bytes 0xa5 before it. */
static clwave_view inside(clwave_type type, uint64_t n, const void* elements) {
  const size_t of_one = clwave_type_size(type), n_bytes = (size_t)n * of_one;
  unsigned char* bytes = malloc((size_t)AT * of_one + n_bytes);
  if (bytes == NULL) abort();
  memset(bytes, 0xa5, AT * of_one);
  memcpy(bytes + AT * of_one, elements, n_bytes);
  clwave_view made = view_of(type, n + AT, bytes);
  free(bytes);
  made.n = n;
  made.offset = AT;
  return made;
}

static clwave_view as(const clwave_view* memory, clwave_type type, uint64_t n) {
  return (clwave_view){.buffer = memory->buffer, .n = n, .type = type};
}

/* ---------------------------------------------------------------- what the inputs are */

static uint32_t x[N], far_apart[3 * N], indices[N];
static uint64_t wide_indices[N];
static uint8_t y[N];
static float halves[N];
static const uint32_t outside = 77;
static clwave_view x_view, far_view, y_view, halves_view, indices_view, wide_view;

static struct input* add_input(size_t kind, const char* name, const clwave_map* map, size_t n_sources) {
  struct input* made = &inputs[kind];
  made->name = name;
  made->lazy = (clwave_lazy){.size = sizeof made->lazy,
                             .n = N,
                             .type = map != NULL ? CLWAVE_U32 : CLWAVE_NO_TYPE,
                             .map = map,
                             .sources = n_sources != 0 ? made->sources : NULL,
                             .n_sources = n_sources};
  return made;
}

static void make_sources(void) {
  for (size_t i = 0; i < N; ++i) {
    x[i] = i > 0 && next_random() % 4 != 0 ? x[i - 1] : next_random() % 9;
    y[i] = (uint8_t)(next_random() % 5);
    halves[i] = (float)(next_random() % 20) / 2;
    indices[i] = next_random() % 10 == 0 ? N + next_random() % 1000 : next_random() % N;
    wide_indices[i] = next_random() % 10 == 0 ? UINT64_MAX - next_random() % 1000 : next_random() % N;
    marks[i] = (uint8_t)(next_random() % 2);
  }
  for (size_t i = 0; i < (size_t)3 * N; ++i)
    far_apart[i] = i > 0 && next_random() % 8 != 0 ? far_apart[i - 1] : next_random() % 100;
  x_view = inside(CLWAVE_U32, N, x);
  far_view = inside(CLWAVE_U32, (uint64_t)3 * N, far_apart);
  y_view = inside(CLWAVE_U8, N, y);
  halves_view = inside(CLWAVE_F32, N, halves);
  indices_view = inside(CLWAVE_U32, N, indices);
  wide_view = inside(CLWAVE_U64, N, wide_indices);
}

static void make_inputs(void) {
  struct input* made = add_input(0, "a function of the index", of_index, 0);
  for (uint32_t i = 0; i < N; ++i) made->elements[i] = i % 97 + 3;
  made = add_input(1, "by indices of 32 bits", NULL, 1);
  made->sources[0] = (clwave_source){.of = &x_view, .indices = &indices_view, .outside = &outside};
  for (size_t i = 0; i < N; ++i) made->elements[i] = indices[i] < N ? x[indices[i]] : outside;
  made = add_input(2, "by indices of 64 bits", NULL, 1);
  made->sources[0] = (clwave_source){.of = &x_view, .indices = &wide_view};
  for (size_t i = 0; i < N; ++i) made->elements[i] = wide_indices[i] < N ? x[wide_indices[i]] : 0;
  made = add_input(3, "every third one", NULL, 1);
  made->sources[0] = (clwave_source){.of = &far_view, .step = 3};
  for (size_t i = 0; i < N; ++i) made->elements[i] = far_apart[3 * i];
  made = add_input(4, "backwards", NULL, 1);
  made->sources[0] = (clwave_source){.of = &x_view, .first = N - 1, .step = -1};
  for (size_t i = 0; i < N; ++i) made->elements[i] = x[N - 1 - i];
  made = add_input(5, "backwards by two", NULL, 1);
  made->lazy.type = CLWAVE_U32;
  made->sources[0] = (clwave_source){.of = &far_view, .first = 2 * N, .step = -2};
  for (size_t i = 0; i < N; ++i) made->elements[i] = far_apart[2 * N - 2 * i];
  made = add_input(6, "a map of two with a value", weighted, 2);
  made->sources[0] = (clwave_source){.of = &y_view};
  made->sources[1] = (clwave_source){.of = &x_view, .first = N - 1, .step = -1};
  for (size_t i = 0; i < N; ++i) made->elements[i] = y[i] + 5 * x[N - 1 - i];
  made = add_input(7, "a map of eight", of_eight, 8);
  made->sources[0] = (clwave_source){.of = &x_view};
  made->sources[1] = (clwave_source){.of = &y_view};
  made->sources[2] = (clwave_source){.of = &x_view, .indices = &indices_view, .outside = &outside};
  made->sources[3] = (clwave_source){.of = &far_view, .first = 7, .step = 2};
  made->sources[4] = (clwave_source){.of = &halves_view};
  made->sources[5] = (clwave_source){.of = &x_view, .indices = &wide_view};
  made->sources[6] = (clwave_source){.of = &y_view, .first = N - 1, .step = -1};
  made->sources[7] = (clwave_source){.of = &indices_view};
  for (size_t i = 0; i < N; ++i)
    made->elements[i] = x[i] + 2 * y[i] + (indices[i] < N ? x[indices[i]] : outside) + far_apart[7 + 2 * i] +
                        (uint32_t)(2 * halves[i]) + (wide_indices[i] < N ? x[wide_indices[i]] : 0) +
                        y[N - 1 - i] + indices[i] % 10 + (uint32_t)(i % 3);
  made = add_input(8, "a map to another type", doubled, 1);
  made->sources[0] = (clwave_source){.of = &halves_view};
  for (size_t i = 0; i < N; ++i) made->elements[i] = (uint32_t)(2 * halves[i]);
}

/* ---------------------------------------------------------------- against loops */

static void poison_all(void) {
  static unsigned char poison[N_BYTES];
  memset(poison, 0xa5, sizeof poison);
  const clwave_view* const all[4] = {&out, &second, &third, &numbers};
  for (size_t i = 0; i < 4; ++i)
    clEnqueueWriteBuffer(queue, all[i]->buffer, CL_TRUE, 0, (size_t)all[i]->n, poison, 0, NULL, NULL);
}

/* Whether the memory has these elements at its beginning and is untouched behind them. */
static bool has_alone(const clwave_view* memory, const void* elements, size_t n_bytes) {
  const unsigned char* const found = read_view(memory);
  if (memcmp(found, elements, n_bytes) != 0) return false;
  for (size_t i = n_bytes; i < memory->n; ++i)
    if (found[i] != 0xa5) return false;
  return true;
}

static void test_folds_of(const clwave_view* in, const uint32_t* e) {
  uint64_t sum = 0, squares = 0, n_odd = 0, least = 0, most = 0, index = 0;
  for (size_t i = 0; i < N; ++i) {
    sum += e[i];
    squares += (uint64_t)e[i] * e[i];
    n_odd += e[i] % 2;
    if (e[i] < e[least]) least = i;
    if (e[i] > e[most]) most = i;
  }
  poison_all();
  const clwave_view u64 = as(&out, CLWAVE_U64, 1), u64_too = as(&second, CLWAVE_U64, 1);
  EXPECT_OK(clwave_transform_reduce(queue, in, NULL, &u64, NULL, clwave_map_builtin(CLWAVE_SQUARE), NULL,
                                    NULL, NULL));
  EXPECT(has_alone(&out, &squares, sizeof squares));
  EXPECT_OK(clwave_count_if(queue, in, NULL, &u64_too, odd, NULL, NULL));
  EXPECT(has_alone(&second, &n_odd, sizeof n_odd));
  uint32_t value = 0, min = 0, max = 0;
  EXPECT_OK(clwave_argmin_to_host(queue, in, &value, &index, NULL));
  EXPECT(value == e[least] && index == least);
  EXPECT_OK(clwave_argmax_to_host(queue, in, &value, &index, NULL));
  EXPECT(value == e[most] && index == most);
  EXPECT_OK(clwave_minmax_to_host(queue, in, &min, &max, NULL));
  EXPECT(min == e[least] && max == e[most]);
  clwave_moments_f32 moments = {0, 0, 0};
  EXPECT_OK(clwave_mean_and_variance_to_host(queue, in, CLWAVE_F32, &moments, NULL));
  const double mean = (double)sum / N, apart = (double)squares - mean * (double)sum;
  EXPECT(moments.n == N && moments.mean > mean * 0.9999 && moments.mean < mean * 1.0001);
  EXPECT(moments.squares > apart * 0.999 && moments.squares < apart * 1.001);
}

static void test_matrices_of(const clwave_view* in, const uint32_t* e) {
  static uint64_t of_rows[ROWS], of_columns[COLUMNS];
  memset(of_rows, 0, sizeof of_rows);
  memset(of_columns, 0, sizeof of_columns);
  for (size_t r = 0; r < ROWS; ++r)
    for (size_t c = 0; c < COLUMNS; ++c) {
      of_rows[r] += e[r * PITCH + c];
      of_columns[c] += e[r * PITCH + c];
    }
  const clwave_matrices size = {.rows = ROWS, .columns = COLUMNS};
  const clwave_pitches apart = {.row = PITCH};
  const clwave_view rows = as(&out, CLWAVE_U64, ROWS), columns = as(&second, CLWAVE_U64, COLUMNS);
  poison_all();
  EXPECT_OK(clwave_reduce_rows(queue, in, &rows, &size, &apart, NULL, NULL, NULL, NULL));
  EXPECT(has_alone(&out, of_rows, sizeof of_rows));
  EXPECT_OK(clwave_reduce_columns(queue, in, &columns, &size, &apart, NULL, NULL, NULL, NULL));
  EXPECT(has_alone(&second, of_columns, sizeof of_columns));
}

static void test_arrays_of(const clwave_view* in, const uint32_t* e) {
  static uint64_t sums[N];
  static uint32_t kept[N], thrice[N];
  uint32_t bins[4] = {0, 0, 0, 0};
  uint64_t n = 0;
  for (size_t i = 0; i < N; ++i) {
    sums[i] = (i > 0 ? sums[i - 1] : 1000) + e[i];
    if (e[i] % 2 == 1) kept[n++] = e[i];
    thrice[i] = 3 * e[i] + (uint32_t)i;
    if (e[i] < 40) ++bins[e[i] / 10];
  }
  const uint64_t start = 1000;
  uint64_t sum = 0;
  const clwave_view u64 = as(&out, CLWAVE_U64, N), u32 = as(&second, CLWAVE_U32, N),
                    count = as(&numbers, CLWAVE_U64, 1), bins_view = as(&out, CLWAVE_U32, 4),
                    u32_too = as(&third, CLWAVE_U32, N);
  EXPECT_OK(clwave_reduce_to_host(queue, in, NULL, CLWAVE_U64, &start, &sum, NULL));
  EXPECT(sum == sums[N - 1]);
  poison_all();
  EXPECT_OK(clwave_inclusive_scan(queue, in, &u64, NULL, NULL, &start, NULL, NULL));
  EXPECT(has_alone(&out, sums, sizeof sums));
  EXPECT_OK(clwave_copy_if(queue, in, &u32, &count, odd, NULL, NULL));
  EXPECT(has_alone(&second, kept, (size_t)n * 4) && has_alone(&numbers, &n, sizeof n));
  EXPECT_OK(clwave_transform(queue, in, 1, &u32_too, tripled, NULL, NULL));
  EXPECT(has_alone(&third, thrice, sizeof thrice));
  poison_all();
  EXPECT_OK(clwave_histogram(queue, in, &bins_view, 0, 40, 1, NULL, NULL));
  EXPECT(has_alone(&out, bins, sizeof bins));
}

/* ---------------------------------------------------------------- against the calls on an array */

static uint64_t on_host;
static clwave_moments_f64 moments_on_host;
enum { CALLS = 29 };

static clwave_status call_number(size_t which, const clwave_view* in) {
  const clwave_view u32 = as(&out, CLWAVE_U32, N), u32_too = as(&second, CLWAVE_U32, N),
                    u64 = as(&out, CLWAVE_U64, N), u64_too = as(&second, CLWAVE_U64, N),
                    u32_last = as(&third, CLWAVE_U32, N), offsets = as(&out, CLWAVE_U64, N + 1),
                    count = as(&numbers, CLWAVE_U64, 1), counts = as(&numbers, CLWAVE_U64, 2);
  const clwave_matrices size = {.rows = ROWS, .columns = COLUMNS};
  const clwave_pitches apart = {.row = PITCH};
  const uint32_t edges[4] = {0, 3, 20, 90};
  clwave_type pair = CLWAVE_NO_TYPE, moments = CLWAVE_NO_TYPE, indexed = CLWAVE_NO_TYPE;
  EXPECT_OK(clwave_minmax_type(CLWAVE_U32, &pair));
  EXPECT_OK(clwave_moments_type(CLWAVE_F32, &moments));
  EXPECT_OK(clwave_indexed_type(CLWAVE_U32, &indexed));
  clwave_view result = as(&out, pair, COLUMNS), bins = as(&out, CLWAVE_U32, 3);
  on_host = 0;
  memset(&moments_on_host, 0, sizeof moments_on_host);
  switch (which) {
    case 0:
      return clwave_reduce(queue, in, &u64, NULL, NULL, NULL, NULL);
    case 1:
      result.type = indexed;
      return clwave_reduce(queue, in, &result, clwave_op_builtin(CLWAVE_ARGMAX), NULL, NULL, NULL);
    case 2:
      return clwave_transform_reduce_to_host(queue, in, NULL, NULL, tripled, CLWAVE_U64, NULL, &on_host,
                                             NULL);
    case 3:
      return clwave_count_if_to_host(queue, in, NULL, above, &on_host, NULL);
    case 4:
      return clwave_minmax(queue, in, &result, NULL, NULL);
    case 5:
      result.type = moments;
      return clwave_mean_and_variance(queue, in, &result, NULL, NULL);
    case 6:
      return clwave_mean_and_variance_to_host(queue, in, CLWAVE_F64, &moments_on_host, NULL);
    case 7:
      return clwave_minmax_rows(queue, in, &result, &size, &apart, NULL, NULL);
    case 8:
      return clwave_minmax_columns(queue, in, &result, &size, &apart, NULL, NULL);
    case 9:
      result.type = moments;
      return clwave_mean_and_variance_rows(queue, in, &result, &size, &apart, NULL, NULL);
    case 10:
      result.type = moments;
      return clwave_mean_and_variance_columns(queue, in, &result, &size, &apart, NULL, NULL);
    case 11:
      return clwave_exclusive_scan(queue, in, &u32, clwave_op_builtin(CLWAVE_MAX), tripled, NULL, NULL, NULL);
    case 12:
      return clwave_copy_if_to_host(queue, in, &u32, above, &on_host, NULL);
    case 13:
      return clwave_copy_flagged(queue, in, &flags, &u32, &count, NULL, NULL);
    case 14:
      return clwave_copy_flagged_to_host(queue, in, &flags, &u32, &on_host, NULL);
    case 15:
      return clwave_copy_flagged_if(queue, in, &flags, &u32, &count, marked, NULL, NULL);
    case 16:
      return clwave_partition(queue, in, &u32, &count, odd, NULL, NULL);
    case 17:
      return clwave_partition_to_host(queue, in, &u32, odd, &on_host, NULL);
    case 18:
      return clwave_partition_copy(queue, in, &u32, &u32_too, &count, odd, NULL, NULL);
    case 19:
      return clwave_partition_three(queue, in, &u32, &u32_too, &u32_last, &counts, odd, above, NULL, NULL);
    case 20:
      return clwave_unique(queue, in, &u32, &count, NULL, NULL, NULL);
    case 21:
      return clwave_unique_by_key(queue, in, &values, &u32, &u32_too, &count, NULL, NULL, NULL);
    case 22:
      return clwave_unique_by_key_to_host(queue, in, &values, &u32, &u32_too, NULL, &on_host, NULL);
    case 23:
      return clwave_run_lengths(queue, in, &u32, &u64_too, &count, NULL, NULL, NULL);
    case 24:
      return clwave_run_offsets(queue, in, &offsets, &count, NULL, NULL, NULL);
    case 25:
      return clwave_run_offsets_to_host(queue, in, &offsets, NULL, &on_host, NULL);
    case 26:
      return clwave_histogram_between(queue, in, &bins, CLWAVE_U32, edges, 4, 1, NULL, NULL);
    case 27: {
      const clwave_view on_device = view_of(CLWAVE_U32, 4, edges);
      return clwave_histogram_between_device(queue, in, &bins, &on_device, 1, NULL, NULL);
    }
    default:
      return clwave_transform(queue, in, 1, &u64, clwave_map_builtin(CLWAVE_SQUARE), NULL, NULL);
  }
}

/* What a call leaves. */
struct left {
  unsigned char out[N_BYTES], second[N_BYTES], third[N_BYTES];
  uint64_t numbers[2], on_host;
  clwave_moments_f64 moments;
};

static void leave(struct left* to, size_t which, const clwave_view* in) {
  poison_all();
  EXPECT_OK(call_number(which, in));
  memcpy(to->out, read_view(&out), N_BYTES);
  memcpy(to->second, read_view(&second), N_BYTES);
  memcpy(to->third, read_view(&third), N_BYTES);
  memcpy(to->numbers, read_view(&numbers), sizeof to->numbers);
  to->on_host = on_host;
  memcpy(&to->moments, &moments_on_host, sizeof to->moments);
}

static void test_same_bytes(const struct input* of, size_t which) {
  static struct left expected, found;
  const clwave_view array = view_of(CLWAVE_U32, N, of->elements), in = clwave_lazy_view(&of->lazy);
  leave(&expected, which, &array);
  leave(&found, which, &in);
  EXPECT(memcmp(&found, &expected, sizeof found) == 0);
  if (memcmp(&found, &expected, sizeof found) != 0) printf("  call %zu of %s\n", which, of->name);
}

/* ---------------------------------------------------------------- zips, sizes, types */

static void test_zips(void) {
  static uint32_t sums[N];
  static float products[N];
  static uint8_t truths[N];
  const clwave_source sources[3] = {
      {.of = &x_view}, {.of = &halves_view, .first = N - 1, .step = -1}, {.of = &y_view}};
  const clwave_lazy zip = {.size = sizeof zip, .n = N, .sources = sources, .n_sources = 3};
  const clwave_view in = clwave_lazy_view(&zip), u32 = as(&out, CLWAVE_U32, N),
                    f32 = as(&second, CLWAVE_F32, N), truth = as(&third, CLWAVE_BOOL, N);
  clwave_map *sum = named_map("sum of a zip", "x + z + i"), *product = named_map("product of a zip", "x * y"),
             *is_less = named_map("less in a zip", "x < z");
  for (uint32_t i = 0; i < N; ++i) {
    sums[i] = x[i] + y[i] + i;
    products[i] = (float)x[i] * halves[N - 1 - i];
    truths[i] = x[i] < y[i];
  }
  poison_all();
  EXPECT_OK(clwave_transform(queue, &in, 1, &u32, sum, NULL, NULL));
  EXPECT(has_alone(&out, sums, sizeof sums));
  poison_all();
  const clwave_transform_output all[3] = {{&u32, sum}, {&f32, product}, {&truth, is_less}};
  EXPECT_OK(clwave_transform_to(queue, &in, 1, all, 3, NULL, NULL));
  EXPECT(has_alone(&out, sums, sizeof sums) && has_alone(&second, products, sizeof products) &&
         has_alone(&third, truths, sizeof truths));
  /* One source alone is seen as x. */
  const clwave_view backwards = clwave_lazy_view(&inputs[4].lazy);
  clwave_map* below = named_map("below three", "x < 3");
  const clwave_transform_output two[2] = {{&u32, tripled}, {&truth, below}};
  for (uint32_t i = 0; i < N; ++i) {
    sums[i] = 3 * x[N - 1 - i] + i;
    truths[i] = x[N - 1 - i] < 3;
  }
  poison_all();
  EXPECT_OK(clwave_transform_to(queue, &backwards, 1, two, 2, NULL, NULL));
  EXPECT(has_alone(&out, sums, sizeof sums) && has_alone(&third, truths, sizeof truths));
  clwave_map_release(sum);
  clwave_map_release(product);
  clwave_map_release(is_less);
  clwave_map_release(below);
}

/* No elements, and one. */
static void test_sizes(void) {
  for (uint64_t n = 0; n < 2; ++n) {
    const clwave_view some = {x_view.buffer, n, AT, CLWAVE_U32, NULL},
                      some_at = {indices_view.buffer, n, AT, CLWAVE_U32, NULL};
    const clwave_source sources[3] = {{.of = &some, .first = n - 1, .step = -1},
                                      {.of = &x_view, .indices = &some_at},
                                      {.of = &some, .step = INT64_MIN}};
    const uint32_t expected[3] = {x[0], indices[0] < N ? x[indices[0]] : 0, x[0]};
    for (size_t k = 0; k < 3; ++k) {
      const clwave_lazy lazy = {.size = sizeof lazy, .n = n, .sources = &sources[k], .n_sources = 1};
      const clwave_view in = clwave_lazy_view(&lazy), u32 = as(&out, CLWAVE_U32, n),
                        bins = as(&second, CLWAVE_U32, 1), count = as(&numbers, CLWAVE_U64, 1),
                        kept = as(&third, CLWAVE_U32, n);
      uint32_t found = 7;
      const uint32_t counted = (uint32_t)n;
      poison_all();
      EXPECT_OK(clwave_reduce_to_host(queue, &in, NULL, CLWAVE_U32, NULL, &found, NULL));
      EXPECT(found == (n == 0 ? 0 : expected[k]));
      EXPECT_OK(clwave_inclusive_scan(queue, &in, &u32, NULL, NULL, NULL, NULL, NULL));
      EXPECT(has_alone(&out, &expected[k], (size_t)n * 4));
      EXPECT_OK(clwave_histogram(queue, &in, &bins, 0, 1000, 1, NULL, NULL));
      EXPECT(has_alone(&second, &counted, sizeof counted));
      EXPECT_OK(clwave_partition(queue, &in, &kept, &count, above, NULL, NULL));
      EXPECT(has_alone(&third, &expected[k], (size_t)n * 4));
    }
  }
}

/* Of structures, bit for bit, and of a text that has a type of its own. */
static void test_types(void) {
  static float points[3 * N], backwards[3 * N];
  for (size_t i = 0; i < (size_t)3 * N; ++i) points[i] = (float)(next_random() % 1000);
  for (size_t i = 0; i < N; ++i) memcpy(backwards + 3 * i, points + 3 * (N - 1 - i), 12);
  clwave_type point = CLWAVE_NO_TYPE;
  EXPECT_OK(
      clwave_describe_structure("lazy_point", "typedef struct { float x, y, z; } lazy_point;", 12, &point));
  const clwave_view all = inside(point, N, points), to = view_of(point, N + 1, NULL);
  clwave_view kept = to;
  kept.n = N;
  const clwave_source source = {.of = &all, .first = N - 1, .step = -1};
  const clwave_lazy lazy = {.size = sizeof lazy, .n = N, .type = point, .sources = &source, .n_sources = 1};
  const clwave_view in = clwave_lazy_view(&lazy);
  clwave_map* every = named_map("every point", "x.x >= 0");
  uint64_t n = 0;
  EXPECT_OK(clwave_copy_if_to_host(queue, &in, &kept, every, &n, NULL));
  EXPECT(n == N && has(&to, backwards, N));
  EXPECT(((const unsigned char*)read_view(&to))[12 * N] == 0xa5);
  clwave_map_release(every);
}

void test_lazy(void) {
  const uint32_t five = 5;
  EXPECT_OK(clwave_map_create(
      &(clwave_map_text){.size = sizeof(clwave_map_text),
                         .name = "weighted",
                         .source = "x + five * y",
                         .values = &(clwave_value){.name = "five", .type = CLWAVE_U32, .number = &five},
                         .n_values = 1},
      &weighted));
  of_index = named_map("of the index", "i % 97 + 3");
  of_eight = named_map("of eight", "x0 + 2 * x1 + x2 + x3 + (uint)(2 * x4) + x5 + x6 + x7 % 10 + i % 3");
  doubled = named_map("doubled", "2 * x");
  odd = named_map("odd", "x % 2 == 1");
  above = named_map("above", "x + i % 2 > 4");
  tripled = named_map("tripled", "3 * x + i");
  marked = named_map("marked", "y && x > 2");
  make_sources();
  make_inputs();
  flags = view_of(CLWAVE_U8, N, marks);
  values = view_of(CLWAVE_U32, N, x);
  out = view_of(CLWAVE_U8, N_BYTES, NULL);
  second = view_of(CLWAVE_U8, N_BYTES, NULL);
  third = view_of(CLWAVE_U8, N_BYTES, NULL);
  numbers = view_of(CLWAVE_U8, 16, NULL);
  /* Most of the time goes into building programs: a quick run has three kinds of inputs, others each time. */
  const char* const quick = getenv("CLWAVE_TEST_QUICK");
  const size_t step = quick != NULL && atoi(quick) > 0 ? 3 : 1;
  for (size_t kind = (size_t)time(NULL) % step; kind < KINDS; kind += step) {
    const struct input* const of = &inputs[kind];
    const clwave_view in = clwave_lazy_view(&of->lazy);
    test_arrays_of(&in, of->elements);
    test_matrices_of(&in, of->elements);
    if (kind / step % 4 == 1) test_folds_of(&in, of->elements);
    for (size_t which = kind / step; which < CALLS; which += KINDS / step) test_same_bytes(of, which);
  }
  test_zips();
  test_sizes();
  test_types();
  clwave_map* const all[8] = {of_index, weighted, of_eight, doubled, odd, above, tripled, marked};
  for (size_t i = 0; i < 8; ++i) clwave_map_release(all[i]);
}
