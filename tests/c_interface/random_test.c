/* Random numbers and orders from C, against Philox 4x32-10 written down here, and against one another. */
#include "c_test.h"

#include <string.h>

enum { N = 7019 };

/* Word `w` of a stream: output w mod 4 of Philox for the counter {w / 4, stream, 0} and the key `seed`. */
static uint32_t word_of(uint64_t seed, uint32_t stream, uint64_t w) {
  uint32_t c[4] = {(uint32_t)(w / 4), (uint32_t)(w / 4 >> 32), stream, 0};
  uint32_t k[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = UINT64_C(0xD2511F53) * c[0], b = UINT64_C(0xCD9E8D57) * c[2];
    const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b,
                              (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};
    memcpy(c, next, sizeof c);
    k[0] += 0x9E3779B9, k[1] += 0xBB67AE85;
  }
  return c[w % 4];
}

static void test_numbers(void) {
  const uint64_t seed = (uint64_t)next_random() << 32 | next_random(), first = 1001 + next_random() % 1000;
  const uint32_t stream = next_random();
  const clwave_view words = view_of(CLWAVE_U32, N, NULL), longs = view_of(CLWAVE_U64, N, NULL),
                    bytes = view_of(CLWAVE_U8, N, NULL), floats = view_of(CLWAVE_F32, N, NULL),
                    doubles = view_of(CLWAVE_F64, N, NULL);
  const clwave_random_options part = {.size = sizeof part, .first = first, .stream = stream},
                              dice = {.size = sizeof dice, .below = 6},
                              normal = {.size = sizeof normal, .kind = CLWAVE_RANDOM_NORMAL};
  bool well = true;
  EXPECT_OK(clwave_random(queue, &words, seed, NULL, NULL, NULL));
  const uint32_t* found = read_view(&words);
  for (uint64_t i = 0; i < N; ++i) well = well && found[i] == word_of(seed, 0, i);
  EXPECT(well);
  EXPECT_OK(clwave_random(queue, &words, seed, &part, NULL, NULL));
  found = read_view(&words);
  for (uint64_t i = 0; i < N; ++i) well = well && found[i] == word_of(seed, stream, first + i);
  EXPECT(well);
  EXPECT_OK(clwave_random(queue, &longs, seed, &part, NULL, NULL));
  const uint64_t* wide = read_view(&longs);
  for (uint64_t i = 0; i < N; ++i) {
    const uint64_t e = 2 * (first + i);
    well = well && wide[i] == (word_of(seed, stream, e) | (uint64_t)word_of(seed, stream, e + 1) << 32);
  }
  EXPECT(well);
  EXPECT_OK(clwave_random(queue, &floats, seed, &part, NULL, NULL));
  const float* uniform = read_view(&floats);
  for (uint64_t i = 0; i < N; ++i)
    well = well && uniform[i] == (float)(word_of(seed, stream, first + i) >> 8) / 16777216;
  EXPECT(well);
  EXPECT_OK(clwave_random(queue, &bytes, seed, &dice, NULL, NULL));
  const uint8_t* eyes = read_view(&bytes);
  for (uint64_t i = 0; i < N; ++i) {
    const uint64_t product = (uint64_t)word_of(seed, 0, i) * 6;
    /* 4 of the 2^32 words are replaced. */
    well = well && ((uint32_t)product < 4 ? eyes[i] < 6 : eyes[i] == product >> 32);
  }
  EXPECT(well);
  /* Within 6 standard deviations of the mean of N standard normal numbers, and of that of their squares. */
  EXPECT_OK(clwave_random(queue, &doubles, seed, &normal, NULL, NULL));
  const double* numbers = read_view(&doubles);
  double sum = 0, squares = 0;
  for (size_t i = 0; i < N; ++i) sum += numbers[i], squares += numbers[i] * numbers[i];
  EXPECT(sum / N > -0.072 && sum / N < 0.072);
  EXPECT(squares / N > 0.898 && squares / N < 1.102);
}

static void test_permutations(void) {
  static struct three threes[N];
  const clwave_type type = fill_threes(threes, N);
  const clwave_view in = view_of(type, N, threes), out = view_of(type, N, NULL),
                    order = view_of(CLWAVE_U32, N, NULL), wide = view_of(CLWAVE_U64, N, NULL);
  for (int turn = 0; turn < 2; ++turn) {
    const uint64_t seed = (uint64_t)next_random() << 32 | next_random();
    static bool seen[N];
    memset(seen, 0, sizeof seen);
    bool well = true;
    size_t at_home = 0;
    EXPECT_OK(clwave_random_permutation(queue, &order, seed, NULL, NULL));
    EXPECT_OK(clwave_random_permutation(queue, &wide, seed, NULL, NULL));
    EXPECT_OK(clwave_shuffle(queue, &in, &out, seed, NULL, NULL));
    const uint32_t* p = read_view(&order);
    const uint64_t* same = read_view(&wide);
    const struct three* found = read_view(&out);
    for (size_t i = 0; i < N; ++i) {
      well = well && p[i] < N && !seen[p[i]] && same[i] == p[i];
      if (!well) break;
      seen[p[i]] = true;
      at_home += p[i] == i;
      well = memcmp(&found[i], &threes[p[i]], sizeof *found) == 0;
    }
    EXPECT(well && at_home < 30);
  }
  const clwave_view less = {out.buffer, N - 1, 0, type, NULL};
  EXPECT_ERROR(clwave_shuffle(queue, &in, &less, 1, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "7018");
  EXPECT_ERROR(clwave_shuffle(queue, &in, &in, 1, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "overlap");
  EXPECT_ERROR(clwave_shuffle(queue, NULL, &in, 1, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "`in` is NULL");
}

static void test_refusals(void) {
  const clwave_view words = view_of(CLWAVE_U32, 16, NULL), bytes = view_of(CLWAVE_U8, 16, NULL),
                    floats = view_of(CLWAVE_F32, 16, NULL), complex = view_of(CLWAVE_CF32, 16, NULL),
                    count = view_of(CLWAVE_U32, 1, NULL);
  clwave_view counted = words;
  counted.count = &count;
  clwave_random_options how = {.size = sizeof how, .below = 257};
  EXPECT_ERROR(clwave_random(queue, &bytes, 1, &how, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "257");
  EXPECT_ERROR(clwave_random(queue, &floats, 1, &how, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "bound");
  EXPECT_ERROR(clwave_random(queue, &complex, 1, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "cf32");
  EXPECT_ERROR(clwave_random(queue, NULL, 1, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "`out` is NULL");
  EXPECT_ERROR(clwave_random(queue, &counted, 1, NULL, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "out");
  how = (clwave_random_options){.size = sizeof how, .kind = CLWAVE_RANDOM_NORMAL};
  EXPECT_ERROR(clwave_random(queue, &words, 1, &how, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "normal");
  how.kind = (clwave_random_kind)7;
  EXPECT_ERROR(clwave_random(queue, &floats, 1, &how, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "`random->kind` is 7");
  how = (clwave_random_options){.size = 3};
  EXPECT_ERROR(clwave_random(queue, &floats, 1, &how, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "size");
  EXPECT_ERROR(clwave_random_permutation(queue, &floats, 1, NULL, NULL), CLWAVE_ERROR_BAD_CALL,
               "permutation");
  EXPECT_ERROR(clwave_random_permutation(queue, &counted, 1, NULL, NULL), CLWAVE_ERROR_BAD_CALL, "out");
  EXPECT(clwave_last_error()->function != NULL &&
         strcmp(clwave_last_error()->function, "clwave_random_permutation") == 0);
}

void test_random(void) {
  test_numbers();
  test_permutations();
  test_refusals();
}
