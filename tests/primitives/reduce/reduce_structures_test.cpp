// reduce: a user's structures, and the order that operators which do not commute see their elements in.
#include <clwave/reduce.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>

#include "families/reductions.hpp"
#include "harness/devices.hpp"
#include "harness/operators.hpp"
#include "harness/refusals.hpp"

namespace testing::reduce_structures_test {

struct span_of_text {  // the first and the last character of a run, its length, and whether it was in order
  u32 first, last, length, whole;
  bool operator==(const span_of_text&) const = default;
};

struct matrix {
  u32 a, b, c, d;
  bool operator==(const matrix&) const = default;
};

struct triple {  // 12 bytes: no load has this width
  float x, y, z;
};

struct words_of_128_bytes {  // the largest there may be
  u32 words[32];
};

struct misdeclared {
  float x, y;
};

}  // namespace testing::reduce_structures_test

CLWAVE_STRUCTURE(testing::reduce_structures_test::span_of_text, "span_of_text",
                 "typedef struct { uint first, last, length, whole; } span_of_text;")
CLWAVE_STRUCTURE(testing::reduce_structures_test::matrix, "matrix",
                 "typedef struct { uint a, b, c, d; } matrix;")
CLWAVE_STRUCTURE(testing::reduce_structures_test::triple, "triple",
                 "typedef struct {\n  float x, y, z;\n} triple;")
CLWAVE_STRUCTURE(testing::reduce_structures_test::words_of_128_bytes, "words_of_128_bytes",
                 "typedef struct { uint words[32]; } words_of_128_bytes;")
CLWAVE_STRUCTURE(testing::reduce_structures_test::misdeclared, "misdeclared",
                 "typedef struct { float x, y, z; } misdeclared;")

namespace testing::reduce_structures_test {
namespace {

// Those that lanes and groups decide, and that run once more where sub-groups are real.
const doctest::test_suite lanes("lanes");

TEST_CASE_FIXTURE(on_device,
                  "a non-commutative operator sees its elements in order, on every profile" * lanes) {
  const std::vector<affine> values = random_affines(random, 20011);
  const cl::Buffer buffer = on.buffer_of(values);
  for_each_profile([&](const clwave::profile& /*row*/) {
    for (const std::size_t n : {1, 2, 8, 9, 1000, 8192, 8193, 20000}) {
      CAPTURE(n);
      affine expected = values[3];
      for (std::size_t i = 1; i < n; ++i) expected = compose(expected, values[3 + i]);
      CHECK(clwave::reduce(on.queue, view<affine>{buffer, n, 3}, then) == expected);
    }
  });
}

TEST_CASE_FIXTURE(on_device, "a run of text is put together in order") {
  const clwave::op join{.name = "join",
                        .source =
                            "(span_of_text){a.first, b.last, a.length + b.length,"
                            " a.whole & b.whole & (uint)(b.first == a.last + 1)}",
                        .identity = "",
                        .commutative = false};
  std::vector<span_of_text> values(300000);
  for (u32 i = 0; i < values.size(); ++i) values[i] = {i, i, 1, 1};
  const cl::Buffer buffer = on.buffer_of(values);
  for (const u32 n : {1u, 2u, 1024u, 8193u, 100000u, 299999u}) {
    CAPTURE(n);
    CHECK(clwave::reduce(on.queue, view<span_of_text>{buffer, n, 1}, join) == span_of_text{1, n, n, 1});
    guarded_buffer<span_of_text> out(on, 1);
    clwave::reduce(on.queue, view<span_of_text>{buffer, n, 1}, out.view(), join).wait();
    CHECK(out.first() == span_of_text{1, n, n, 1});
  }
}

TEST_CASE_FIXTURE(on_device, "matrices multiply in order, from values of another type") {
  const clwave::op times{.name = "times",
                         .source =
                             "(matrix){a.a * b.a + a.b * b.c, a.a * b.b + a.b * b.d,"
                             " a.c * b.a + a.d * b.c, a.c * b.b + a.d * b.d}",
                         .identity = "(matrix){1, 0, 0, 1}",
                         .commutative = false};
  const clwave::map shear{.name = "shear", .source = "(i & 1) ? (matrix){1, x, 0, 1} : (matrix){1, 0, x, 1}"};
  const std::vector<std::uint16_t> values = random_values<std::uint16_t>(random, 20003);
  matrix expected{1, 0, 0, 1};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const u32 x = values[i];
    const matrix m = i % 2 != 0 ? matrix{1, x, 0, 1} : matrix{1, 0, x, 1};
    expected = {expected.a * m.a + expected.b * m.c, expected.a * m.b + expected.b * m.d,
                expected.c * m.a + expected.d * m.c, expected.c * m.b + expected.d * m.d};
  }
  const cl::Buffer buffer = on.buffer_of(values);
  const view<u16> in{buffer, values.size()};
  CHECK(clwave::transform_reduce<matrix>(on.queue, in, times, shear) == expected);
  CHECK(clwave::transform_reduce<matrix>(on.queue, in.subview(0, 0), times, shear) == matrix{1, 0, 0, 1});
}

TEST_CASE_FIXTURE(on_device, "structures of any size" * lanes) {
  const clwave::op add{
      .name = "add", .source = "(triple){a.x + b.x, a.y + b.y, a.z + b.z}", .identity = "(triple){0}"};
  std::vector<triple> values(10007);
  for (triple& t : values)
    t = {random_value<float>(random), random_value<float>(random), random_value<float>(random)};
  const cl::Buffer buffer = on.buffer_of(values);
  const triple sum = clwave::reduce(on.queue, view<triple>{buffer, 10000, 7}, add);
  const auto expected = host_fold<triple>(values, 7, 10000, [](triple a, triple b) {
    return triple{a.x + b.x, a.y + b.y, a.z + b.z};
  });
  CHECK(same_bits(sum, expected));

  const clwave::op add_large =
      function_op("add_words", "",
                  "words_of_128_bytes add_words(words_of_128_bytes a, words_of_128_bytes b) {\n"
                  "  for (int k = 0; k < 32; ++k) a.words[k] += b.words[k];\n"
                  "  return a;\n}");
  std::vector<words_of_128_bytes> larges(9001);
  words_of_128_bytes total{};
  for (words_of_128_bytes& l : larges) {
    for (std::size_t k = 0; k < 32; ++k) total.words[k] += l.words[k] = static_cast<u32>(random());
  }
  CHECK(same_bits(
      clwave::reduce(on.queue, view<words_of_128_bytes>{on.buffer_of(larges), larges.size()}, add_large),
      total));
}

TEST_CASE_FIXTURE(on_device, "a structure whose size differs on the device is an error that names it") {
  const clwave::op add{.name = "add", .source = "(misdeclared){a.x + b.x, a.y + b.y}", .identity = ""};
  const cl::Buffer buffer = on.buffer_of(std::vector<misdeclared>(4));
  const clwave::error thrown = error_of([&] { clwave::reduce(on.queue, view<misdeclared>{buffer, 4}, add); });
  CAPTURE(std::string(thrown.what()));
  CHECK(thrown.kind() == failure::build);
  CHECK(contains(thrown.details().types, "misdeclared"));
  CHECK(contains(thrown.what(), "misdeclared has 12 bytes on the device and 8 on the host"));
}

}  // namespace
}  // namespace testing::reduce_structures_test
