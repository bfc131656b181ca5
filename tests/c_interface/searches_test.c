/* Searches from C, against plain loops. */
#include "c_test.h"

enum { N = 30011 };

static uint32_t x[N];

/* The one element that is 1 is at `at`; nowhere for N. */
static void test_predicates(size_t at) {
  for (size_t i = 0; i < N; ++i) x[i] = i == at ? 1 : 2 + next_random() % 100;
  const clwave_view in = view_of(CLWAVE_U32, N, x), index = view_of(CLWAVE_U64, 2, NULL),
                    truth = view_of(CLWAVE_BOOL, 2, NULL), none = {in.buffer, 0, 0, CLWAVE_U32, NULL};
  clwave_map *is_one = map_of("x == 1"), *is_more = map_of("x > 1");
  const uint64_t place = at < N ? at : CLWAVE_NOWHERE;
  const bool there = at < N;
  uint64_t found = 77;
  EXPECT_OK(clwave_find_if_to_host(queue, &in, is_one, &found, NULL));
  EXPECT(found == place);
  EXPECT_OK(clwave_find_if(queue, &in, &index, is_one, NULL, NULL));
  const uint64_t* indices = read_view(&index);
  EXPECT(indices[0] == place && indices[1] == 0xa5a5a5a5a5a5a5a5);
  bool is = !there;
  EXPECT_OK(clwave_any_of_to_host(queue, &in, is_one, &is, NULL));
  EXPECT(is == there);
  is = there;
  EXPECT_OK(clwave_none_of_to_host(queue, &in, is_one, &is, NULL));
  EXPECT(is == !there);
  is = there;
  EXPECT_OK(clwave_all_of_to_host(queue, &in, is_more, &is, NULL));
  EXPECT(is == !there);
  const unsigned char* bytes = NULL;
  EXPECT_OK(clwave_any_of(queue, &in, &truth, is_one, NULL, NULL));
  bytes = read_view(&truth);
  EXPECT(bytes[0] == there && bytes[1] == 0xa5);
  EXPECT_OK(clwave_none_of(queue, &in, &truth, is_one, NULL, NULL));
  bytes = read_view(&truth);
  EXPECT(bytes[0] == !there && bytes[1] == 0xa5);
  EXPECT_OK(clwave_all_of(queue, &in, &truth, is_more, NULL, NULL));
  bytes = read_view(&truth);
  EXPECT(bytes[0] == !there && bytes[1] == 0xa5);
  /* Of no elements. */
  found = 77;
  EXPECT_OK(clwave_find_if_to_host(queue, &none, is_one, &found, NULL));
  EXPECT(found == CLWAVE_NOWHERE);
  is = true;
  EXPECT_OK(clwave_any_of_to_host(queue, &none, is_one, &is, NULL));
  EXPECT(!is);
  EXPECT_OK(clwave_all_of_to_host(queue, &none, is_one, &is, NULL));
  EXPECT(is);
  clwave_map_release(is_one);
  clwave_map_release(is_more);
}

static void test_two(size_t at) {
  static uint32_t y[N];
  for (size_t i = 0; i < N; ++i) x[i] = y[i] = next_random() % 1000;
  if (at < N) y[at] += 1;
  const clwave_view a = view_of(CLWAVE_U32, N, x), b = view_of(CLWAVE_U32, N, y),
                    index = view_of(CLWAVE_U64, 1, NULL), truth = view_of(CLWAVE_BOOL, 1, NULL);
  const uint64_t place = at < N ? at : CLWAVE_NOWHERE;
  uint64_t found = 77;
  bool is = at < N;
  EXPECT_OK(clwave_mismatch_to_host(queue, &a, &b, NULL, &found, NULL));
  EXPECT(found == place);
  EXPECT_OK(clwave_mismatch(queue, &a, &b, &index, NULL, NULL, NULL));
  EXPECT(has(&index, &place, 1));
  EXPECT_OK(clwave_equal_to_host(queue, &a, &b, NULL, &is, NULL));
  EXPECT(is == (at >= N));
  EXPECT_OK(clwave_equal(queue, &a, &b, &truth, NULL, NULL, NULL));
  EXPECT(*(const unsigned char*)read_view(&truth) == (at >= N));
  clwave_op* close = named_op("close", "b - a < 2");
  EXPECT_OK(clwave_equal_to_host(queue, &a, &b, close, &is, NULL));
  EXPECT(is);
  found = 77;
  EXPECT_OK(clwave_mismatch_to_host(queue, &a, &b, close, &found, NULL));
  EXPECT(found == CLWAVE_NOWHERE);
  clwave_op_release(close);
}

static void test_orders(size_t at) {
  for (size_t i = 0; i < N; ++i) x[i] = (uint32_t)i / 3;
  if (at < N) x[at] = 0;
  const clwave_view in = view_of(CLWAVE_U32, N, x), truth = view_of(CLWAVE_BOOL, 1, NULL);
  bool is = at < N;
  EXPECT_OK(clwave_is_sorted_to_host(queue, &in, NULL, &is, NULL));
  EXPECT(is == (at >= N));
  EXPECT_OK(clwave_is_sorted(queue, &in, &truth, NULL, NULL, NULL));
  EXPECT(*(const unsigned char*)read_view(&truth) == (at >= N));
  const clwave_order falls = {.size = sizeof falls, .descending = true};
  EXPECT_OK(clwave_is_sorted_to_host(queue, &in, &falls, &is, NULL));
  EXPECT(!is);
  clwave_op* more = named_op("coarse", "a / 100000 < b / 100000");
  const clwave_order by = {.size = sizeof by, .less = more};
  EXPECT_OK(clwave_is_sorted_to_host(queue, &in, &by, &is, NULL));
  EXPECT(is); /* all are equal in it */
  clwave_op_release(more);
}

static void test_refusals(void) {
  const clwave_view in = view_of(CLWAVE_U32, 100, x), other = view_of(CLWAVE_F32, 100, NULL),
                    shorter = {in.buffer, 99, 0, CLWAVE_U32, NULL}, count = view_of(CLWAVE_U64, 1, NULL);
  clwave_map* some = map_of("x > 3");
  uint64_t index = 77;
  bool is = true;
  EXPECT_ERROR(clwave_find_if_to_host(queue, &in, NULL, &index, NULL), CLWAVE_ERROR_BAD_CALL,
               "`predicate` is NULL");
  EXPECT_ERROR(clwave_find_if_to_host(queue, NULL, some, &index, NULL), CLWAVE_ERROR_BAD_CALL,
               "`in` is NULL");
  EXPECT_ERROR(clwave_find_if_to_host(queue, &in, some, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "`index` is NULL");
  EXPECT_ERROR(clwave_any_of_to_host(queue, &in, some, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "`truth` is NULL");
  EXPECT_ERROR(clwave_all_of_to_host(queue, &in, clwave_map_builtin(CLWAVE_ABS), &is, NULL),
               CLWAVE_ERROR_BAD_CALL, "your own");
  EXPECT_ERROR(clwave_find_if(queue, &in, &other, some, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "f32");
  EXPECT_ERROR(clwave_none_of(queue, &in, NULL, some, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "`out` is NULL");
  EXPECT_ERROR(clwave_mismatch_to_host(queue, &in, &other, NULL, &index, NULL), CLWAVE_ERROR_BAD_CALL, "f32");
  EXPECT_ERROR(clwave_equal_to_host(queue, &in, &shorter, NULL, &is, NULL), CLWAVE_ERROR_BAD_CALL, "99");
  clwave_view counted = in;
  counted.count = &count;
  EXPECT_ERROR(clwave_equal_to_host(queue, &counted, &in, NULL, &is, NULL), CLWAVE_ERROR_BAD_CALL,
               "this call takes no count on the device for `x`");
  const clwave_sort_key key = {.of = some, .type = CLWAVE_U32};
  const clwave_order keys = {.size = sizeof keys, .keys = &key, .n_keys = 1};
  EXPECT_ERROR(clwave_is_sorted_to_host(queue, &in, &keys, &is, NULL), CLWAVE_ERROR_BAD_CALL,
               "`order->keys`");
  EXPECT(index == 77 && is);
  clwave_map_release(some);
}

void test_searches(void) {
  const size_t places[4] = {1 + next_random() % 100, 15000 + next_random() % 1000, N - 1, N};
  for (size_t i = 0; i < 4; ++i) {
    test_predicates(places[i]);
    test_two(places[i]);
    test_orders(places[i] < 3 ? 3 : places[i]); /* x[0] to x[2] are 0 anyway */
  }
  test_refusals();
}
