/* Counts on the device from C: calls on as many elements as a number on the device says leave the bytes of
   the same calls on as many as the host says, poison behind the results among them. */
#include "c_test.h"

#include <stdio.h>
#include <string.h>

enum { N = 5003, N_BYTES = (N + 1) * 8, MOST_CALLS = 72 };

static clwave_map *odd, *halved, *summed, *seven, *below, *odd_index, *halved_index, *small_or_marked;
static clwave_op* more;
static clwave_moments_f32 moments;
static clwave_view y, flags, sorted_whole;
static clwave_view out, second, bad;
static uint64_t on_host;

/* Elements that are floats, numbers in runs, a permutation, and a sorted range, and offsets, of which there
   is one more. The host counts the elements and the segments, or the device. */
struct inputs {
  clwave_view x, keys, indices, sorted, offsets;
  uint64_t beside; /* elements of the operands beside them */
};

static clwave_view as(const clwave_view* memory, clwave_type type, uint64_t n) {
  return (clwave_view){.buffer = memory->buffer, .n = n, .type = type};
}

static clwave_status call_number(size_t which, const struct inputs* of) {
  const clwave_view *x = &of->x, *keys = &of->keys, *indices = &of->indices;
  const uint64_t n = of->beside;
  const clwave_view f32 = as(&out, CLWAVE_F32, n), f64 = as(&out, CLWAVE_F64, n),
                    u32 = as(&out, CLWAVE_U32, n), u32_too = as(&second, CLWAVE_U32, n),
                    f32_too = as(&second, CLWAVE_F32, n), u64_too = as(&second, CLWAVE_U64, n),
                    one = as(&out, CLWAVE_F32, 1), offsets = as(&out, CLWAVE_U64, n + 1),
                    beside = as(&y, CLWAVE_F32, n), marks = as(&flags, CLWAVE_U8, n),
                    half = as(&y, CLWAVE_F32, N / 2), whole = as(&y, CLWAVE_F32, N),
                    part = as(&out, CLWAVE_F32, N - 500), truth = as(&bad, CLWAVE_BOOL, 1),
                    whole_out = as(&out, CLWAVE_F32, N), whole_too = as(&second, CLWAVE_F32, N),
                    sorted_half = as(&sorted_whole, CLWAVE_U32, N / 2),
                    merged = as(&out, CLWAVE_U32, N + N / 2), merged_too = as(&second, CLWAVE_F32, N + N / 2),
                    counts = as(&second, CLWAVE_U64, 2);
  clwave_view behind = u32, behind_too = u32_too;
  behind.offset = N;
  behind_too.offset = N;
  clwave_type pair = CLWAVE_NO_TYPE;
  const clwave_view two[2] = {*x, beside};
  const uint64_t k = x->n < 100 ? x->n : 100;
  const clwave_view largest = as(&out, CLWAVE_F32, k), their_indices = as(&second, CLWAVE_U32, k);
  clwave_view bins = as(&out, CLWAVE_U32, 3), counted_out = u32;
  counted_out.n = keys->n;
  counted_out.count = keys->count;
  const float edges[4] = {-40, 0, 1, 60};
  const clwave_order falls = {.size = sizeof falls, .less = more};
  float outside = -3;
  const uint32_t seven_itself = 7;
  const uint64_t start = 1000000;
  on_host = 0;
  memset(&moments, 0, sizeof moments);
  switch (which) {
    case 0:
      return clwave_reduce(queue, x, &one, NULL, NULL, NULL, NULL);
    case 1:
      return clwave_reduce_to_host(queue, keys, NULL, CLWAVE_U64, NULL, &on_host, NULL);
    case 2:
      return clwave_transform_reduce(queue, x, NULL, &one, NULL, halved, NULL, NULL, NULL);
    case 3:
      return clwave_transform_reduce_to_host(queue, x, &beside, NULL, summed, CLWAVE_F32, NULL, &on_host,
                                             NULL);
    case 4:
      return clwave_dot(queue, x, &beside, &one, NULL, NULL, NULL);
    case 5:
      return clwave_dot_to_host(queue, x, &beside, CLWAVE_F64, NULL, &on_host, NULL);
    case 6:
      return clwave_transform(queue, x, 1, &f64, halved, NULL, NULL);
    case 7:
      return clwave_transform(queue, two, 2, &f32, summed, NULL, NULL);
    case 8:
      return clwave_inclusive_scan(queue, x, &f64, NULL, NULL, NULL, NULL, NULL);
    case 9:
      return clwave_exclusive_scan(queue, keys, &u32, clwave_op_builtin(CLWAVE_MAX), NULL, NULL, NULL, NULL);
    case 10:
      return clwave_gather(queue, &half, indices, &f32, &bad, NULL, &outside, NULL, NULL);
    case 11:
      return clwave_scatter(queue, &beside, indices, &part, &bad, NULL, true, NULL, NULL);
    case 12:
      return clwave_copy_if(queue, keys, &u32, &bad, odd, NULL, NULL);
    case 13:
      return clwave_copy_if_to_host(queue, keys, &u32, odd, &on_host, NULL);
    case 14:
      return clwave_copy_flagged(queue, x, &marks, &f32, &bad, NULL, NULL);
    case 15:
      return clwave_copy_flagged_to_host(queue, x, &marks, &f32, &on_host, NULL);
    case 16:
      return clwave_partition(queue, keys, &u32, &bad, odd, NULL, NULL);
    case 17:
      return clwave_partition_to_host(queue, keys, &u32, odd, &on_host, NULL);
    case 18:
      return clwave_partition_copy(queue, keys, &u32, &u32_too, &bad, odd, NULL, NULL);
    case 19:
      return clwave_partition_copy_to_host(queue, keys, &u32, &u32_too, odd, &on_host, NULL);
    case 20:
      return clwave_unique(queue, keys, &u32, &bad, NULL, NULL, NULL);
    case 21:
      return clwave_unique_to_host(queue, keys, &u32, NULL, &on_host, NULL);
    case 22:
      return clwave_unique_by_key(queue, keys, &beside, &u32, &f32_too, &bad, NULL, NULL, NULL);
    case 23:
      return clwave_unique_by_key_to_host(queue, keys, &beside, &u32, &f32_too, NULL, &on_host, NULL);
    case 24:
      return clwave_run_lengths(queue, keys, &u32, &u64_too, &bad, NULL, NULL, NULL);
    case 25:
      return clwave_run_lengths_to_host(queue, keys, &u32, &u64_too, NULL, &on_host, NULL);
    case 26:
      return clwave_run_offsets(queue, keys, &offsets, &bad, NULL, NULL, NULL);
    case 27:
      return clwave_run_offsets_to_host(queue, keys, &offsets, NULL, &on_host, NULL);
    case 28:
      return clwave_sort(queue, x, &f32, NULL, NULL, NULL);
    case 29:
      return clwave_sort_by_key(queue, keys, &beside, &u32, &f32_too, NULL, NULL, NULL);
    case 30:
      return clwave_argsort(queue, x, &u32, NULL, NULL, NULL);
    case 31:
      return clwave_count_if(queue, keys, NULL, &bad, odd, NULL, NULL);
    case 32:
      return clwave_count_if_to_host(queue, keys, NULL, odd, &on_host, NULL);
    case 33:
      return clwave_minmax_to_host(queue, x, NULL, &on_host, NULL);
    case 34:
      return clwave_mean_and_variance_to_host(queue, x, CLWAVE_F32, &moments, NULL);
    case 35:
      return clwave_find_if(queue, keys, &bad, seven, NULL, NULL);
    case 36:
      return clwave_find_if_to_host(queue, keys, seven, &on_host, NULL);
    case 37:
      return clwave_any_of_to_host(queue, keys, seven, (bool*)&on_host, NULL);
    case 38:
      return clwave_all_of_to_host(queue, keys, below, (bool*)&on_host, NULL);
    case 39:
      return clwave_none_of(queue, keys, &truth, seven, NULL, NULL);
    case 40:
      return clwave_is_sorted_to_host(queue, indices, NULL, (bool*)&on_host, NULL);
    case 41:
      return clwave_transform_if(queue, x, 1, &f32, halved, odd_index, NULL, NULL);
    case 42:
      /* Elements in the output's memory, which are poison: those that are replaced are none of the others. */
      return clwave_replace_if(queue, &counted_out, odd_index, &seven_itself, NULL, NULL);
    case 43:
      return clwave_reduce_to_host(queue, keys, NULL, CLWAVE_U64, &start, &on_host, NULL);
    case 44:
      return clwave_generate(queue, &counted_out, halved_index, NULL, NULL);
    case 45:
      return clwave_iota(queue, &counted_out, &seven_itself, NULL, NULL, NULL);
    case 46:
      return clwave_top_k(queue, x, &largest, &their_indices, k, false, NULL, NULL);
    case 47:
      return clwave_histogram(queue, x, &bins, -50, 80, 1, NULL, NULL);
    case 48:
      return clwave_histogram_between(queue, x, &bins, CLWAVE_F32, edges, 4, 1, NULL, NULL);
    case 49:
      return clwave_reduce_by_key(queue, keys, &beside, &u32, &f32_too, &bad, NULL, NULL, NULL, NULL, NULL);
    case 50:
      return clwave_reduce_by_key_to_host(queue, keys, &beside, &u32, &f32_too, NULL, NULL, NULL, &on_host,
                                          NULL);
    case 51:
      return clwave_inclusive_scan_by_key(queue, keys, &beside, &f32, NULL, NULL, NULL, NULL, NULL, NULL);
    case 52:
      return clwave_exclusive_scan_by_key(queue, keys, &beside, &f32, NULL, NULL, NULL, NULL, NULL, NULL);
    case 53:
      return clwave_sort(queue, x, &f32, &falls, NULL, NULL);
    case 54:
      return clwave_segmented_reduce(queue, &whole, &of->offsets, &f32, &bad, NULL, NULL, NULL, NULL);
    case 55:
      return clwave_checked_segmented_reduce(queue, &whole, &of->offsets, &f32, clwave_op_builtin(CLWAVE_MAX),
                                             NULL, NULL);
    case 56: {
      EXPECT_OK(clwave_minmax_type(CLWAVE_F32, &pair));
      const clwave_view pairs = as(&out, pair, n);
      return clwave_segmented_minmax(queue, &whole, &of->offsets, &pairs, NULL, NULL, NULL);
    }
    case 57:
      return clwave_segmented_inclusive_scan(queue, &whole, &of->offsets, &whole_out, &bad, NULL, NULL, NULL,
                                             NULL, NULL);
    case 58:
      return clwave_segmented_exclusive_scan(queue, &whole, &of->offsets, &whole_out, NULL, NULL, NULL, NULL,
                                             NULL, NULL);
    case 59:
      return clwave_segmented_sort(queue, &whole, &of->offsets, &whole_out, &bad, NULL, NULL, NULL);
    case 60:
      return clwave_checked_segmented_sort_by_key(queue, &whole, &whole, &of->offsets, &whole_out, &whole_too,
                                                  NULL, NULL);
    case 61: {
      const clwave_transform_output to[3] = {{&f32, halved}, {&behind, halved_index}, {&behind_too, seven}};
      return clwave_transform_to(queue, x, 1, to, 3, NULL, NULL);
    }
    case 62:
      return clwave_gather_if(queue, &half, indices, &marks, &f32, &bad, NULL, &outside, NULL, NULL);
    case 63:
      return clwave_scatter_if(queue, &beside, indices, &marks, &part, &bad, odd, true, NULL, NULL);
    case 64:
      return clwave_copy_flagged_if(queue, keys, &marks, &u32, &bad, small_or_marked, NULL, NULL);
    case 65:
      return clwave_copy_flagged_if_to_host(queue, keys, &marks, &u32, small_or_marked, &on_host, NULL);
    case 66:
      return clwave_partition_three(queue, keys, &u32, &behind, &behind_too, &counts, odd, below, NULL, NULL);
    case 67: {
      const clwave_view best = as(&out, CLWAVE_F32, 2 * n), their_places = as(&second, CLWAVE_U32, 2 * n);
      return clwave_segmented_top_k(queue, &whole, &of->offsets, &best, &their_places, 2, true, &bad, NULL,
                                    NULL);
    }
    case 68:
      return clwave_merge(queue, &of->sorted, &sorted_half, &merged, &bad, NULL, NULL, NULL);
    case 69:
      return clwave_merge_by_key(queue, &sorted_half, &half, &of->sorted, &beside, &merged, &merged_too, NULL,
                                 NULL, NULL, NULL);
    case 70:
      return clwave_set_union_to_host(queue, &sorted_half, &of->sorted, &merged, NULL, &on_host, NULL);
    default:
      return clwave_checked_gather(queue, &whole, indices, &f32, NULL, &outside, NULL);
  }
}

/* All that a call left: both outputs, the count on the device and that on the host. */
struct left {
  unsigned char out[N_BYTES], second[N_BYTES];
  uint64_t bad, on_host;
  clwave_moments_f32 moments;
};

static void leave(struct left* to, size_t which, const struct inputs* of) {
  static unsigned char poison[N_BYTES];
  memset(poison, 0xa5, sizeof poison);
  clEnqueueWriteBuffer(queue, out.buffer, CL_TRUE, 0, N_BYTES, poison, 0, NULL, NULL);
  clEnqueueWriteBuffer(queue, second.buffer, CL_TRUE, 0, N_BYTES, poison, 0, NULL, NULL);
  clEnqueueWriteBuffer(queue, bad.buffer, CL_TRUE, 0, sizeof to->bad, poison, 0, NULL, NULL);
  EXPECT_OK(call_number(which, of));
  memcpy(to->out, read_view(&out), N_BYTES);
  memcpy(to->second, read_view(&second), N_BYTES);
  memcpy(&to->bad, read_view(&bad), sizeof to->bad);
  to->on_host = on_host;
  memcpy(&to->moments, &moments, sizeof moments);
}

static void test_same_bytes(void) {
  static float floats[N];
  static uint32_t runs[N], order[N], rising[N + 1];
  static uint8_t marks[N];
  for (uint32_t i = 0; i < N; ++i) {
    floats[i] = (float)(next_random() % 1000) / 8 - 50;
    runs[i] = i > 0 && next_random() % 4 != 0 ? runs[i - 1] : next_random() % 9;
    marks[i] = (uint8_t)(next_random() % 2);
    order[i] = i;
    rising[i + 1] = rising[i] + next_random() % 3;
    if (rising[i + 1] > N) rising[i + 1] = N;
  }
  for (uint32_t i = N - 1; i > 0; --i) {
    const uint32_t k = next_random() % (i + 1), kept = order[i];
    order[i] = order[k];
    order[k] = kept;
  }
  const clwave_view x = view_of(CLWAVE_F32, N, floats), keys = view_of(CLWAVE_U32, N, runs),
                    indices = view_of(CLWAVE_U32, N, order), offsets = view_of(CLWAVE_U32, N + 1, rising),
                    sorted = view_of(CLWAVE_U32, N, rising);
  sorted_whole = sorted;
  y = view_of(CLWAVE_F32, N, floats);
  flags = view_of(CLWAVE_U8, N, marks);
  out = view_of(CLWAVE_U8, N_BYTES, NULL);
  second = view_of(CLWAVE_U8, N_BYTES, NULL);
  bad = view_of(CLWAVE_U64, 1, NULL);
  const uint64_t counts[6] = {0, 1, 700, N - 1, N, N + 100};
  const clwave_view wide = view_of(CLWAVE_U64, 6, counts);
  uint32_t narrow_counts[6];
  for (size_t i = 0; i < 6; ++i) narrow_counts[i] = (uint32_t)counts[i];
  const clwave_view narrow = view_of(CLWAVE_U32, 6, narrow_counts);
  static struct left expected, found;
  size_t step = 1;
  const size_t first = first_of(6, &step);
  printf("  every call in %zu, from %zu on\n", step, first);
  for (size_t which = first; which < MOST_CALLS; which += step)
    for (size_t i = 0; i < 6; ++i) {
      struct inputs of = {x, keys, indices, sorted, offsets, counts[i] < N ? counts[i] : N};
      of.x.n = of.keys.n = of.indices.n = of.sorted.n = of.beside;
      of.offsets.n = of.beside + 1;
      leave(&expected, which, &of);
      clwave_view count = which % 2 == i % 2 ? wide : narrow;
      count.n = 1;
      count.offset = i;
      of = (struct inputs){x, keys, indices, sorted, offsets, N};
      of.x.count = of.keys.count = of.indices.count = of.sorted.count = of.offsets.count = &count;
      leave(&found, which, &of);
      EXPECT(memcmp(&found, &expected, sizeof found) == 0);
      if (memcmp(&found, &expected, sizeof found) != 0)
        printf("  call %zu of %llu elements\n", which, (unsigned long long)counts[i]);
    }
}

/* copy_if, transform, unique and a scan, each of what the one before has left. */
static void test_chain(void) {
  static uint32_t numbers[N], sums[N];
  uint32_t last = 0, sum = 0;
  uint64_t n_kept = 0, n_runs = 0;
  for (size_t i = 0; i < N; ++i) {
    numbers[i] = next_random() % 10;
    if (numbers[i] % 2 == 0) continue;
    if (n_kept++ == 0 || numbers[i] != last) sums[n_runs++] = sum += last = numbers[i];
  }
  const clwave_view x = view_of(CLWAVE_U32, N, numbers), results = view_of(CLWAVE_U32, N, NULL),
                    n = view_of(CLWAVE_U64, 2, NULL);
  clwave_view kept = view_of(CLWAVE_U32, N, NULL), once = view_of(CLWAVE_U32, N, NULL);
  const clwave_view first = {n.buffer, 1, 0, CLWAVE_U64, NULL}, last_one = {n.buffer, 1, 1, CLWAVE_U64, NULL};
  EXPECT_OK(clwave_copy_if(queue, &x, &kept, &first, odd, NULL, NULL));
  kept.count = &first;
  EXPECT_OK(clwave_unique(queue, &kept, &once, &last_one, NULL, NULL, NULL));
  once.count = &last_one;
  EXPECT_OK(clwave_inclusive_scan(queue, &once, &results, NULL, NULL, NULL, NULL, NULL));
  const uint64_t both[2] = {n_kept, n_runs};
  EXPECT(has(&n, both, 2) && has(&results, sums, n_runs));
  EXPECT(((const uint32_t*)read_view(&results))[n_runs] == 0xa5a5a5a5);
}

static void test_refusals(void) {
  const clwave_view x = view_of(CLWAVE_F32, 100, NULL), to = view_of(CLWAVE_F32, 100, NULL);
  const clwave_view count = view_of(CLWAVE_U64, 1, NULL), two = view_of(CLWAVE_U64, 2, NULL),
                    with_sign = view_of(CLWAVE_I64, 1, NULL),
                    no_type = {count.buffer, 1, 0, CLWAVE_NO_TYPE, NULL},
                    no_buffer = {NULL, 1, 0, CLWAVE_U64, NULL}, past = {count.buffer, 1, 1, CLWAVE_U64, NULL},
                    inside = {to.buffer, 1, 3, CLWAVE_U64, NULL};
  clwave_view counted = x, of_count = count;
  const struct {
    const clwave_view* count;
    const char* words;
  } wrong[] = {{&two, "the count of the elements is a view of 2 numbers"},
               {&with_sign, "a count of elements of i64"},
               {&no_type, "the count of the elements has no type"},
               {&no_buffer, "null buffer"},
               {&past, "past its buffer"},
               {&inside, "overlap"},
               {&of_count, "this call takes no count on the device for `in->count`"}};
  of_count.count = &count;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
    counted.count = wrong[i].count;
    EXPECT_ERROR(clwave_inclusive_scan(queue, &counted, &to, NULL, NULL, NULL, NULL, NULL),
                 CLWAVE_ERROR_BAD_CALL, wrong[i].words);
  }
  counted.count = &count;
  clwave_view counted_out = to;
  counted_out.count = &count;
  EXPECT_ERROR(clwave_inclusive_scan(queue, &x, &counted_out, NULL, NULL, NULL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "this call takes no count on the device for `out`");
  EXPECT_ERROR(clwave_copy(queue, &counted, &to, false, CLWAVE_ROUND_NATURAL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "this call takes no count on the device for `in`");
  EXPECT_ERROR(clwave_argmin_to_host(queue, &counted, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "this call takes no count on the device for `in`");
  EXPECT_ERROR(clwave_dot(queue, &x, &counted, &to, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "this call takes no count on the device for `y`");
  const clwave_view offsets = view_of(CLWAVE_U32, 2, NULL);
  clwave_view counted_offsets = offsets;
  counted_offsets.count = &two;
  EXPECT_ERROR(clwave_segmented_sort(queue, &x, &counted_offsets, &to, NULL, NULL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "the count of the segments is a view of 2 numbers");
  counted_offsets.count = &inside;
  EXPECT_ERROR(
      clwave_segmented_inclusive_scan(queue, &x, &counted_offsets, &to, NULL, NULL, NULL, NULL, NULL, NULL),
      CLWAVE_ERROR_BAD_CALL, "the output and the count of the segments overlap");
  EXPECT_ERROR(clwave_segmented_sort(queue, &counted, &offsets, &to, NULL, NULL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "this call takes no count on the device for `in`");
  EXPECT_ERROR(clwave_segmented_sort(queue, &x, &offsets, &to, &counted, NULL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "this call takes no count on the device for `bad`");
}

void test_counts(void) {
  const clwave_map_text texts[8] = {{.size = sizeof texts[0], .name = "odd", .source = "x % 2 == 1"},
                                    {.size = sizeof texts[0], .name = "halved", .source = "x / 2 + i"},
                                    {.size = sizeof texts[0], .name = "summed", .source = "x + y"},
                                    {.size = sizeof texts[0], .name = "seven", .source = "x == 7"},
                                    {.size = sizeof texts[0], .name = "below", .source = "x < 8"},
                                    {.size = sizeof texts[0], .name = "odd index", .source = "i % 2"},
                                    {.size = sizeof texts[0], .name = "half an index", .source = "i / 2"},
                                    {.size = sizeof texts[0], .name = "marked", .source = "x < 3 || y != 0"}};
  clwave_map** const maps[8] = {&odd,   &halved,    &summed,       &seven,
                                &below, &odd_index, &halved_index, &small_or_marked};
  for (size_t i = 0; i < 8; ++i) EXPECT_OK(clwave_map_create(&texts[i], maps[i]));
  more = named_op("more", "b < a");
  test_same_bytes();
  test_chain();
  test_refusals();
  clwave_op_release(more);
  for (size_t i = 0; i < 8; ++i) clwave_map_release(*maps[i]);
}
