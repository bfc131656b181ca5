/* Selections from C, against plain loops. */
#include "c_test.h"

enum { N = 9001 };

static int32_t values[N], wanted[N];

void test_selections(void) {
  static uint8_t flags[N];
  for (size_t i = 0; i < N; ++i) {
    values[i] = (int32_t)(next_random() % 5) - 2;
    flags[i] = (uint8_t)(next_random() % 3 == 0);
  }
  const clwave_view in = view_of(CLWAVE_I32, N, values), flagged = view_of(CLWAVE_U8, N, flags);
  const clwave_view out = view_of(CLWAVE_I32, N, NULL), others = view_of(CLWAVE_I32, N, NULL);
  const clwave_view count = view_of(CLWAVE_U64, 1, NULL);
  uint64_t n = 0, found = 0;
  clwave_map* positive = named_map("positive", "x > 0");

  for (size_t i = 0; i < N; ++i)
    if (values[i] > 0) wanted[n++] = values[i];
  EXPECT_OK(clwave_copy_if_to_host(queue, &in, &out, positive, &found, NULL));
  EXPECT(found == n && has(&out, wanted, n));
  EXPECT_OK(clwave_fill(queue, &out, &(int32_t){0}, NULL, NULL));
  cl_event done = NULL;
  EXPECT_OK(clwave_copy_if(queue, &in, &out, &count, positive, NULL, &done));
  EXPECT(done != NULL);
  EXPECT_OK(clwave_wait(&done, 1));
  clReleaseEvent(done);
  EXPECT(has(&count, &n, 1) && has(&out, wanted, n));

  EXPECT_OK(clwave_partition_copy_to_host(queue, &in, &out, &others, positive, &found, NULL));
  EXPECT(found == n && has(&out, wanted, n));
  uint64_t all = n;
  for (size_t i = 0; i < N; ++i)
    if (values[i] <= 0) wanted[all++] = values[i];
  EXPECT(has(&others, wanted + n, N - n));
  EXPECT_OK(clwave_partition_copy(queue, &in, &out, &others, &count, positive, NULL, NULL));
  EXPECT(has(&count, &n, 1));
  EXPECT_OK(clwave_partition_to_host(queue, &in, &out, positive, &found, NULL));
  EXPECT(found == n && has(&out, wanted, N));
  EXPECT_OK(clwave_partition(queue, &in, &out, &count, positive, NULL, NULL));
  EXPECT(has(&count, &n, 1));
  clwave_map_release(positive);

  for (size_t i = n = 0; i < N; ++i)
    if (values[i] != 0) wanted[n++] = values[i];
  EXPECT_OK(clwave_copy_if_to_host(queue, &in, &out, NULL, &found, NULL));
  EXPECT(found == n && has(&out, wanted, n));

  for (size_t i = n = 0; i < N; ++i)
    if (flags[i]) wanted[n++] = values[i];
  EXPECT_OK(clwave_copy_flagged_to_host(queue, &in, &flagged, &out, &found, NULL));
  EXPECT(found == n && has(&out, wanted, n));
  EXPECT_OK(clwave_copy_flagged(queue, &in, &flagged, &out, &count, NULL, NULL));
  EXPECT(has(&count, &n, 1));

  /* The flags as a stencil, and three parts by two predicates. */
  clwave_map *flagged_twos = NULL, *negative = NULL, *twos = NULL;
  flagged_twos = named_map("flagged twos", "y && x == 2");
  negative = named_map("negative", "x < 0");
  twos = named_map("twos", "x == 2");
  for (size_t i = n = 0; i < N; ++i)
    if (flags[i] && values[i] == 2) wanted[n++] = values[i];
  EXPECT_OK(clwave_copy_flagged_if_to_host(queue, &in, &flagged, &out, flagged_twos, &found, NULL));
  EXPECT(found == n && has(&out, wanted, n));
  EXPECT_OK(clwave_copy_flagged_if(queue, &in, &flagged, &out, &count, flagged_twos, NULL, NULL));
  EXPECT(has(&count, &n, 1));
  const clwave_view rest = view_of(CLWAVE_I32, N, NULL), counts = view_of(CLWAVE_U64, 2, NULL);
  uint64_t parts[2] = {0, 0};
  for (size_t i = 0; i < N; ++i)
    if (values[i] < 0) wanted[parts[0]++] = values[i];
  EXPECT_OK(clwave_partition_three(queue, &in, &out, &others, &rest, &counts, negative, twos, NULL, NULL));
  EXPECT(has(&out, wanted, parts[0]));
  for (size_t i = 0; i < N; ++i)
    if (values[i] == 2) wanted[parts[1]++] = values[i];
  EXPECT(has(&counts, parts, 2) && has(&others, wanted, parts[1]));
  for (size_t i = n = 0; i < N; ++i)
    if (values[i] == 0 || values[i] == 1) wanted[n++] = values[i];
  EXPECT(has(&rest, wanted, n));
  EXPECT_ERROR(clwave_partition_three(queue, &in, &out, &others, &rest, &counts, negative, NULL, NULL, NULL),
               CLWAVE_ERROR_BAD_CALL, "is_second");
  clwave_map_release(flagged_twos);
  clwave_map_release(negative);
  clwave_map_release(twos);

  static uint32_t lengths[N];
  static uint64_t offsets[N + 1];
  for (size_t i = n = 0; i < N; ++i) {
    if (i == 0 || values[i] != values[i - 1]) {
      wanted[n] = values[i];
      lengths[n] = 0;
      offsets[n++] = i;
    }
    ++lengths[n - 1];
  }
  offsets[n] = N;
  const clwave_view of_runs = view_of(CLWAVE_U32, N, NULL), begins = view_of(CLWAVE_U64, N + 1, NULL);
  EXPECT_OK(clwave_unique_to_host(queue, &in, &out, NULL, &found, NULL));
  EXPECT(found == n && has(&out, wanted, n));
  EXPECT_OK(clwave_unique(queue, &in, &out, &count, NULL, NULL, NULL));
  EXPECT(has(&count, &n, 1));
  EXPECT_OK(clwave_run_lengths_to_host(queue, &in, &out, &of_runs, NULL, &found, NULL));
  EXPECT(found == n && has(&out, wanted, n) && has(&of_runs, lengths, n));
  EXPECT_OK(clwave_run_lengths(queue, &in, &out, &of_runs, &count, NULL, NULL, NULL));
  EXPECT(has(&count, &n, 1));
  EXPECT_OK(clwave_run_offsets_to_host(queue, &in, &begins, NULL, &found, NULL));
  EXPECT(found == n && has(&begins, offsets, n + 1));
  EXPECT_OK(clwave_run_offsets(queue, &in, &begins, &count, NULL, NULL, NULL));
  EXPECT(has(&count, &n, 1));

  /* By key, where the keys of one sign are equal; the values are the indices. */
  static uint32_t indices[N], first[N];
  for (uint32_t i = 0; i < N; ++i) indices[i] = i;
  for (uint32_t i = 0, k = 0; i < N; ++i)
    if (i == 0 || (values[i] < 0) != (values[i - 1] < 0)) {
      wanted[k] = values[i];
      first[k++] = i;
      n = k;
    }
  const clwave_view v = view_of(CLWAVE_U32, N, indices), v_out = view_of(CLWAVE_U32, N, NULL);
  clwave_op* same_sign = named_op("same sign", "(a < 0) == (b < 0)");
  EXPECT_OK(clwave_unique_by_key_to_host(queue, &in, &v, &out, &v_out, same_sign, &found, NULL));
  EXPECT(found == n && has(&out, wanted, n) && has(&v_out, first, n));
  EXPECT_OK(clwave_unique_by_key(queue, &in, &v, &out, &v_out, &count, same_sign, NULL, NULL));
  EXPECT(has(&count, &n, 1));
  clwave_op_release(same_sign);
}
