/* Sorts from C, and calls on sorted ranges, against qsort and plain loops. */
#include "c_test.h"

#include <stdlib.h>
#include <string.h>

enum { N = 12007, K = 20 };

static uint32_t keys[N], sorted[N], indices[N];

static int rising(const void* a, const void* b) {
  const uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
  return (x > y) - (x < y);
}

/* By the key, and of equal ones by the index: what a stable sort gives. */
static int stable(const void* a, const void* b) {
  const uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
  return keys[x] != keys[y] ? rising(&keys[x], &keys[y]) : rising(a, b);
}

static void test_numbers(void) {
  const clwave_view in = view_of(CLWAVE_U32, N, keys), out = view_of(CLWAVE_U32, N, NULL);
  EXPECT_OK(clwave_sort(queue, &in, &out, NULL, NULL, NULL));
  EXPECT(has(&out, sorted, N) && has(&in, keys, N));
  clwave_order order = {.size = sizeof order, .descending = true};
  EXPECT_OK(clwave_sort(queue, &out, &out, &order, NULL, NULL));
  const uint32_t* found = read_view(&out);
  bool well = true;
  for (size_t i = 0; i < N; ++i) well = well && found[i] == sorted[N - 1 - i];
  EXPECT(well);
  /* By their lowest 4 bits alone, which leaves the others in their order. */
  order = (clwave_order){.size = sizeof order, .last_bit = 4};
  EXPECT_OK(clwave_sort(queue, &in, &out, &order, NULL, NULL));
  found = read_view(&out);
  for (size_t i = 1; i < N; ++i) well = well && (found[i - 1] & 15) <= (found[i] & 15);
  EXPECT(well);

  const clwave_view places = view_of(CLWAVE_U32, N, NULL), values = view_of(CLWAVE_U32, N, indices);
  static uint32_t by_key[N];
  memcpy(by_key, indices, sizeof by_key);
  qsort(by_key, N, sizeof by_key[0], stable);
  EXPECT_OK(clwave_argsort(queue, &in, &places, NULL, NULL, NULL));
  EXPECT(has(&places, by_key, N));
  EXPECT_OK(clwave_sort_by_key(queue, &in, &values, &out, &places, NULL, NULL, NULL));
  EXPECT(has(&out, sorted, N) && has(&places, by_key, N));
}

static void test_orders(void) {
  struct pair {
    uint32_t key;
    float weight;
  };
  static struct pair pairs[N];
  for (size_t i = 0; i < N; ++i) pairs[i] = (struct pair){keys[i] % 100, (float)(next_random() % 1000)};
  clwave_type type = CLWAVE_NO_TYPE;
  EXPECT_OK(clwave_describe_structure("pair", "typedef struct { uint key; float weight; } pair;",
                                      sizeof(struct pair), &type));
  const clwave_view in = view_of(type, N, pairs), out = view_of(type, N, NULL),
                    less_out = view_of(type, N, NULL);
  clwave_map *key = NULL, *weight = NULL;
  key = named_map("key", "x.key");
  weight = named_map("weight", "x.weight");
  clwave_op* less =
      named_op("by key, the heaviest first", "a.key != b.key ? a.key < b.key : a.weight > b.weight");
  const clwave_sort_key by[2] = {{.of = key, .type = CLWAVE_U32},
                                 {.of = weight, .type = CLWAVE_F32, .descending = true}};
  const clwave_order of_keys = {.size = sizeof of_keys, .keys = by, .n_keys = 2};
  const clwave_order of_less = {.size = sizeof of_less, .less = less};
  EXPECT_OK(clwave_sort(queue, &in, &out, &of_keys, NULL, NULL));
  EXPECT_OK(clwave_sort(queue, &in, &less_out, &of_less, NULL, NULL));
  const struct pair* found = read_view(&out);
  bool well = true;
  for (size_t i = 1; i < N; ++i)
    well = well && (found[i - 1].key < found[i].key ||
                    (found[i - 1].key == found[i].key && found[i - 1].weight >= found[i].weight));
  EXPECT(well);
  EXPECT(has(&less_out, found, N));
  clwave_map_release(key);
  clwave_map_release(weight);
  clwave_op_release(less);
}

static void test_segments(void) {
  const uint32_t offsets[5] = {0, 100, 100, 7000, N}, past[2] = {0, N + 1};
  const clwave_view in = view_of(CLWAVE_U32, N, keys), of = view_of(CLWAVE_U32, 5, offsets);
  const clwave_view out = view_of(CLWAVE_U32, N, NULL), bad = view_of(CLWAVE_U64, 1, NULL);
  const clwave_view values = view_of(CLWAVE_U32, N, keys), values_out = view_of(CLWAVE_U32, N, NULL);
  static uint32_t wanted[N];
  memcpy(wanted, keys, sizeof wanted);
  for (size_t s = 0; s < 4; ++s)
    qsort(wanted + offsets[s], offsets[s + 1] - offsets[s], sizeof wanted[0], rising);
  EXPECT_OK(clwave_segmented_sort(queue, &in, &of, &out, &bad, NULL, NULL, NULL));
  EXPECT(*(const uint64_t*)read_view(&bad) == 0 && has(&out, wanted, N));
  EXPECT_OK(clwave_checked_segmented_sort(queue, &in, &of, &out, NULL, NULL));
  EXPECT_OK(
      clwave_segmented_sort_by_key(queue, &in, &values, &of, &out, &values_out, NULL, NULL, NULL, NULL));
  EXPECT(has(&out, wanted, N) && has(&values_out, wanted, N));
  EXPECT_OK(clwave_checked_segmented_sort_by_key(queue, &in, &values, &of, &out, &values_out, NULL, NULL));
  const clwave_view too_far = view_of(CLWAVE_U32, 2, past);
  EXPECT_ERROR(clwave_checked_segmented_sort(queue, &in, &too_far, &out, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "1 ");
}

static void test_ranges(void) {
  /* Even and odd places of a sorted range are two sorted ranges. */
  static uint32_t even[N], odd[N];
  size_t n_even = 0, n_odd = 0;
  for (size_t i = 0; i < N; ++i) *(i % 2 == 0 ? &even[n_even++] : &odd[n_odd++]) = sorted[i];
  const clwave_view a = view_of(CLWAVE_U32, n_even, even), b = view_of(CLWAVE_U32, n_odd, odd);
  const clwave_view out = view_of(CLWAVE_U32, N, NULL), count = view_of(CLWAVE_U64, 1, NULL);
  const clwave_view values_out = view_of(CLWAVE_U32, N, NULL), unsorted = view_of(CLWAVE_U32, N, keys);
  EXPECT_OK(clwave_merge(queue, &a, &b, &out, &count, NULL, NULL, NULL));
  EXPECT(has(&out, sorted, N) && *(const uint64_t*)read_view(&count) == 0);
  EXPECT_OK(clwave_checked_merge(queue, &a, &b, &out, NULL, NULL));
  EXPECT_OK(clwave_merge_by_key(queue, &a, &a, &b, &b, &out, &values_out, NULL, NULL, NULL, NULL));
  EXPECT(has(&out, sorted, N) && has(&values_out, sorted, N));
  EXPECT_OK(clwave_checked_merge_by_key(queue, &a, &a, &b, &b, &out, &values_out, NULL, NULL));
  const clwave_view long_out = view_of(CLWAVE_U32, 2 * N, NULL);
  EXPECT_ERROR(clwave_checked_merge(queue, &unsorted, &b, &long_out, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "");

  const clwave_view in = view_of(CLWAVE_U32, N, sorted), lower = view_of(CLWAVE_U32, n_odd, NULL);
  const clwave_view upper = view_of(CLWAVE_U32, n_odd, NULL);
  EXPECT_OK(clwave_lower_bound(queue, &in, &b, &lower, NULL, NULL, NULL));
  EXPECT_OK(clwave_upper_bound(queue, &in, &b, &upper, NULL, NULL, NULL));
  const uint32_t *low = read_view(&lower), *high = read_view(&upper);
  bool well = true;
  for (size_t i = 0; i < n_odd; ++i)
    well = well && low[i] < high[i] && (low[i] == 0 || sorted[low[i] - 1] < odd[i]) &&
           sorted[low[i]] == odd[i] && (high[i] == N || sorted[high[i]] > odd[i]);
  EXPECT(well);

  /* As multisets: sizes of the union and of the others follow from that of the intersection. */
  uint64_t n_union = 0, n_common = 0, n_rest = 0, n_changed = 0, common = 0;
  for (size_t i = 0, j = 0; i < n_even && j < n_odd;)
    if (even[i] == odd[j])
      ++common, ++i, ++j;
    else if (even[i] < odd[j])
      ++i;
    else
      ++j;
  EXPECT_OK(clwave_set_union_to_host(queue, &a, &b, &out, NULL, &n_union, NULL));
  EXPECT_OK(clwave_set_intersection_to_host(queue, &a, &b, &out, NULL, &n_common, NULL));
  EXPECT_OK(clwave_set_difference_to_host(queue, &a, &b, &out, NULL, &n_rest, NULL));
  EXPECT_OK(clwave_set_symmetric_difference_to_host(queue, &a, &b, &out, NULL, &n_changed, NULL));
  EXPECT(n_common == common && n_union == N - common && n_rest == n_even - common &&
         n_changed == N - 2 * common);
  EXPECT_OK(clwave_set_union(queue, &a, &b, &out, &count, NULL, NULL, NULL));
  EXPECT(has(&count, &n_union, 1));
  EXPECT_OK(clwave_set_intersection(queue, &a, &b, &out, &count, NULL, NULL, NULL));
  EXPECT(has(&count, &n_common, 1));
  EXPECT_OK(clwave_set_difference(queue, &a, &b, &out, &count, NULL, NULL, NULL));
  EXPECT(has(&count, &n_rest, 1));
  EXPECT_OK(clwave_set_symmetric_difference(queue, &a, &b, &out, &count, NULL, NULL, NULL));
  EXPECT(has(&count, &n_changed, 1));
}

static void test_top_k(void) {
  const clwave_view in = view_of(CLWAVE_U32, N, keys), best = view_of(CLWAVE_U32, K, NULL);
  const clwave_view places = view_of(CLWAVE_U64, K, NULL);
  EXPECT_OK(clwave_top_k(queue, &in, &best, &places, K, false, NULL, NULL));
  const uint32_t* found = read_view(&best);
  const uint64_t* at = read_view(&places);
  for (size_t i = 0; i < K; ++i) EXPECT(found[i] == sorted[N - 1 - i] && keys[at[i]] == found[i]);
  EXPECT_OK(clwave_top_k(queue, &in, &best, &places, K, true, NULL, NULL));
  EXPECT(has(&best, sorted, K));
}

/* Segments of 0 to 40 elements, of which one ends past the input and counts as bad. */
static void test_segmented_top_k(void) {
  enum { SEGMENTS = 300, OF_EACH = 6 };
  static uint32_t offsets[SEGMENTS + 1], wanted[SEGMENTS * OF_EACH];
  static uint64_t wanted_at[SEGMENTS * OF_EACH];
  for (uint32_t s = 0; s < SEGMENTS; ++s) offsets[s + 1] = offsets[s] + next_random() % 41;
  EXPECT(offsets[SEGMENTS] < N);
  for (int smallest = 0; smallest < 2; ++smallest) {
    for (uint32_t s = 0; s < SEGMENTS; ++s)
      for (uint32_t k = 0; k < OF_EACH; ++k) {
        /* The element before which k others of the segment stand. */
        wanted[s * OF_EACH + k] = 77;
        wanted_at[s * OF_EACH + k] = 77;
        for (uint32_t i = offsets[s]; i < offsets[s + 1]; ++i) {
          uint32_t before = 0;
          for (uint32_t j = offsets[s]; j < offsets[s + 1]; ++j)
            before += (smallest ? keys[j] < keys[i] : keys[j] > keys[i]) || (keys[j] == keys[i] && j < i);
          if (before == k) {
            wanted[s * OF_EACH + k] = keys[i];
            wanted_at[s * OF_EACH + k] = i;
          }
        }
      }
    const clwave_view in = view_of(CLWAVE_U32, N, keys), begins = view_of(CLWAVE_U32, SEGMENTS + 1, offsets),
                      best = view_of(CLWAVE_U32, SEGMENTS * OF_EACH, NULL),
                      places = view_of(CLWAVE_U64, SEGMENTS * OF_EACH, NULL),
                      bad = view_of(CLWAVE_U64, 1, NULL);
    const uint32_t filler = 77;
    const uint64_t wide_filler = 77, none = 0;
    EXPECT_OK(clwave_fill(queue, &best, &filler, NULL, NULL));
    EXPECT_OK(clwave_fill(queue, &places, &wide_filler, NULL, NULL));
    EXPECT_OK(
        clwave_segmented_top_k(queue, &in, &begins, &best, &places, OF_EACH, smallest, &bad, NULL, NULL));
    EXPECT(has(&best, wanted, SEGMENTS * OF_EACH) && has(&places, wanted_at, SEGMENTS * OF_EACH));
    EXPECT(has(&bad, &none, 1));
    EXPECT_OK(clwave_fill(queue, &best, &filler, NULL, NULL));
    EXPECT_OK(clwave_checked_segmented_top_k(queue, &in, &begins, &best, &places, OF_EACH, smallest, NULL));
    EXPECT(has(&best, wanted, SEGMENTS * OF_EACH));
    clwave_view shorter = in;
    shorter.n = offsets[SEGMENTS] - 1;
    if (offsets[SEGMENTS] != offsets[SEGMENTS - 1])
      EXPECT_ERROR(
          clwave_checked_segmented_top_k(queue, &shorter, &begins, &best, &places, OF_EACH, smallest, NULL),
          CLWAVE_ERROR_BAD_CALL, "1 of 300 segments are bad");
  }
}

void test_sorts(void) {
  for (uint32_t i = 0; i < N; ++i) {
    indices[i] = i;
    keys[i] = sorted[i] = next_random() % 5000;
  }
  qsort(sorted, N, sizeof sorted[0], rising);
  test_numbers();
  test_orders();
  test_segments();
  test_ranges();
  test_top_k();
  test_segmented_top_k();
}
