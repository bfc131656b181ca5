// sharded: an array cut anywhere, on devices of every kind, has the bits of one call on one device.
#include <clwave/sharded.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/reduce.hpp>

#include "distributed/cut_arrays.hpp"
#include "families/reductions.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"

namespace testing::sharded_test {

// Three words.
struct three_words {
  std::uint32_t w[3];
};

}  // namespace testing::sharded_test

CLWAVE_STRUCTURE(testing::sharded_test::three_words, "three_words",
                 "typedef struct { uint w[3]; } three_words;")

namespace testing::sharded_test {

using clwave::indexed;

namespace {

// A reduction of shards against the call on one device and against the host.
template <class Acc, class T, class Lift, class Combine>
void check_bits(const std::vector<T>& values, const clwave::op& fold, const clwave::map& apply, T poison,
                Lift lift, Combine combine, int random_cuts, random_engine& random,
                const std::vector<std::size_t>& sizes = some_sizes) {
  const fixture& on = *places()[0];
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    const std::vector<T> some(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
    const cl::Buffer buffer = on.buffer_of(some);
    const Acc one = clwave::transform_reduce<Acc>(on.queue, view<T>{buffer, n}, fold, apply);
    const Acc host = reference::canonical(reference::fold_reference<Acc>(
        n, [&](std::size_t i) { return lift(some[i], i); }, combine, !fold.commutative));
    CHECK(same_bits(one, host));
    for (const lengths& cut : cuts_of(random, n, random_cuts)) {
      CAPTURE(text_of(cut));
      const cut_array<T> array(random, some, cut, poison);
      const Acc got = clwave::transform_reduce<Acc>(array.array(), fold, apply);
      CAPTURE(show_bits(got));
      CAPTURE(show_bits(one));
      CHECK(same_bits(got, one));
      CHECK(array.intact());
    }
  }
}

}  // namespace

TEST_CASE("sums of floats, cut anywhere") {
  random_engine random;
  CAPTURE(random.note());
  check_bits<float>(
      random_values<float>(random, 100'003), clwave::plus, clwave::identity, quiet_nan<float>(1),
      [](float x, std::size_t) { return x; }, wrapping_plus<float>, quick() ? 6 : 20, random);
}

TEST_CASE("sums with infinities and NaNs give the one NaN") {
  random_engine random;
  CAPTURE(random.note());
  check_bits<float>(random_values<float>(random, 30'000, spice::nans), clwave::plus, clwave::identity, 0.0f,
                    [](float x, std::size_t) { return x; }, wrapping_plus<float>, 4, random,
                    {1, 8193, 30'000});
}

TEST_CASE("sums of doubles, and of floats in doubles") {
  random_engine random;
  CAPTURE(random.note());
  if (!places()[0]->has_doubles()) return;
  check_bits<double>(
      random_values<double>(random, 100'003), clwave::plus, clwave::identity, quiet_nan<double>(1),
      [](double x, std::size_t) { return x; }, wrapping_plus<double>, 4, random);
  check_bits<double>(
      random_values<float>(random, 100'003), clwave::plus, clwave::square, quiet_nan<float>(1),
      [](float x, std::size_t) { return double{x} * double{x}; }, wrapping_plus<double>, 4, random);
}

TEST_CASE("whole numbers: sums that wrap, products, and bytes in 64 bits") {
  random_engine random;
  CAPTURE(random.note());
  check_bits<std::int32_t>(
      random_values<std::int32_t>(random, 100'003), clwave::plus, clwave::identity, 77,
      [](std::int32_t x, std::size_t) { return x; }, wrapping_plus<std::int32_t>, 4, random);
  check_bits<std::uint64_t>(
      random_values<std::uint8_t>(random, 100'003), clwave::plus, clwave::identity, std::uint8_t{255},
      [](std::uint8_t x, std::size_t) { return std::uint64_t{x}; }, wrapping_plus<std::uint64_t>, 6, random);
}

TEST_CASE("halves are summed in float, and the least bool is found") {
  random_engine random;
  CAPTURE(random.note());
  check_bits<float>(random_values<clwave::half>(random, 24'581), clwave::plus, clwave::abs,
                    clwave::half(1000.0f),
                    [](clwave::half x, std::size_t) { return std::fabs(static_cast<float>(x)); },
                    wrapping_plus<float>, 4, random, {1, 8192, 24'581});
  const fixture& on = *places()[0];
  std::vector<std::uint8_t> truths(20'001, 1);
  truths[8192] = 0;
  const cl::Buffer buffer = on.buffer_of(truths);
  const sharded<bool> array{{on.queue, view<bool>{buffer, 8100}},
                            {places()[1]->queue, view<bool>{buffer, 0}},
                            {on.queue, view<bool>{buffer, 11'901, 8100}}};
  CHECK_FALSE(clwave::reduce(array, clwave::logical_and));
  CHECK(clwave::reduce(array, clwave::logical_or));
  CHECK(clwave::reduce<std::uint64_t>(array) == 20'000);
}

TEST_CASE("an operator that does not commute sees the array in order") {
  random_engine random;
  CAPTURE(random.note());
  check_bits<affine>(
      random_affines(random, 100'003), then, clwave::identity, affine{2, 9},
      [](affine x, std::size_t) { return x; }, compose, quick() ? 4 : 12, random);
}

TEST_CASE("structures of 12 bytes, whose places are no multiples of 256") {
  random_engine random;
  CAPTURE(random.note());
  const clwave::op joined{.name = "joined",
                          .source = "joined_of(a, b)",
                          .identity = "(three_words){{0, 0, 0}}",
                          .declarations =
                              "three_words joined_of(three_words a, three_words b) {\n"
                              "  three_words r = {{a.w[0] + b.w[0], max(a.w[1], b.w[1]), a.w[2] ^ b.w[2]}};\n"
                              "  return r;\n}"};
  std::vector<three_words> values(100'003);
  for (three_words& each : values)
    for (std::uint32_t& word : each.w) word = static_cast<std::uint32_t>(random());
  check_bits<three_words>(
      values, joined, clwave::identity, three_words{{1, 2, 3}}, [](three_words x, std::size_t) { return x; },
      [](three_words a, three_words b) {
        return three_words{{a.w[0] + b.w[0], std::max(a.w[1], b.w[1]), a.w[2] ^ b.w[2]}};
      },
      4, random);
}

TEST_CASE("a map sees the index in the whole array, and its value at run time") {
  random_engine random;
  CAPTURE(random.note());
  const clwave::map weighted{
      .name = "weighted", .source = "x * scale + (float)(i % 1001)", .values = {{"scale", 0.5f}}};
  check_bits<float>(
      random_values<float>(random, 100'003), clwave::plus, weighted, quiet_nan<float>(1),
      [](float x, std::size_t i) { return x * 0.5f + static_cast<float>(i % 1001); }, wrapping_plus<float>,
      quick() ? 4 : 12, random);
}

namespace {

struct moments {
  double sum;
  std::uint32_t count, unused;
};

}  // namespace
}  // namespace testing::sharded_test

CLWAVE_STRUCTURE(testing::sharded_test::moments, "moments",
                 "typedef struct { double sum; uint count, unused; } moments;")

namespace testing::sharded_test {

TEST_CASE("texts see each other's declarations on every level") {
  if (!places()[0]->has_doubles()) return;
  random_engine random;
  CAPTURE(random.note());
  // The operator uses a function that only the map declares.
  const clwave::map lifted{.name = "lifted",
                           .source = "moments_of((double)x.scale, 1u)",
                           .declarations =
                               "moments moments_of(double s, uint c) {\n"
                               "  moments m = {s, c, 0};\n  return m;\n}"};
  const clwave::op joined{.name = "joined",
                          .source = "moments_of(a.sum + b.sum, a.count + b.count)",
                          .identity = "moments_of(0.0, 0u)"};
  const std::vector<affine> values = random_affines(random, 20'001);
  const fixture& on = *places()[0];
  const cl::Buffer buffer = on.buffer_of(values);
  const auto one =
      clwave::transform_reduce<moments>(on.queue, view<affine>{buffer, values.size()}, joined, lifted);
  for (const lengths& cut : {lengths{9000, 11'001}, lengths{8192, 11'809}}) {
    const cut_array<affine> array(random, values, cut, affine{1, 1});
    const auto got = clwave::transform_reduce<moments>(array.array(), joined, lifted);
    CHECK(same_bits(got.sum, one.sum));
    CHECK(got.count == 20'001);
  }
  // Of nothing, the identity.
  const sharded<affine> none{{on.queue, view<affine>{buffer, 0}}};
  CHECK(clwave::transform_reduce<moments>(none, joined, lifted).count == 0);
}

TEST_CASE("two inputs that are cut alike") {
  random_engine random;
  CAPTURE(random.note());
  const fixture& on = *places()[0];
  const std::size_t n = 50'021;
  const auto xs = random_values<float>(random, n), ys = random_values<float>(random, n);
  const cl::Buffer x = on.buffer_of(xs), y = on.buffer_of(ys);
  const float product = clwave::dot(on.queue, view<float>{x, n}, view<float>{y, n});
  const clwave::map gap{.name = "gap", .source = "fabs(x - y) + (float)i"};
  const float worst =
      clwave::transform_reduce(on.queue, clwave::zip(view<float>{x, n}, view<float>{y, n}), clwave::max, gap);
  for (const lengths& cut : cuts_of(random, n, quick() ? 4 : 12)) {
    CAPTURE(text_of(cut));
    const cut_array<float> a(random, xs, cut, quiet_nan<float>(3));
    const cut_array<float> b(random, ys, cut, quiet_nan<float>(5), a);
    CHECK(same_bits(clwave::dot(a.array(), b.array()), product));
    CHECK(same_bits(clwave::transform_reduce(clwave::zip(a.array(), b.array()), clwave::max, gap), worst));
    CHECK(a.intact());
    CHECK(b.intact());
  }
}

TEST_CASE("argmin and argmax give the first place in the whole array") {
  random_engine random;
  CAPTURE(random.note());
  const fixture& on = *places()[0];
  for (int turn = 0; turn < (quick() ? 8 : 30); ++turn) {
    const std::vector<float> values =
        values_with_ties(random, some_sizes[random.below(some_sizes.size())], turn);
    const std::size_t n = values.size();
    const cl::Buffer buffer = on.buffer_of(values);
    const indexed<float> least = clwave::argmin(on.queue, view<float>{buffer, n});
    const indexed<float> most = clwave::argmax(on.queue, view<float>{buffer, n});
    const lengths cut = random_cut(random, n);
    CAPTURE(text_of(cut));
    const cut_array<float> array(random, values, cut, -1000.0f);
    const indexed<float> got_least = clwave::argmin(array.array()), got_most = clwave::argmax(array.array());
    CAPTURE(least.index);
    CAPTURE(got_least.index);
    CHECK(same_bits(got_least, least));
    CHECK(same_bits(got_most, most));
    // By a plain loop.
    std::size_t first = 0;
    for (std::size_t i = 1; i < n; ++i) {
      const bool first_is_nan = values[first] != values[first];
      if (!first_is_nan && (values[i] != values[i] || values[i] < values[first])) first = i;
    }
    CHECK(got_least.index == first);
  }
}

TEST_CASE("argmax of halves, bytes and doubles") {
  random_engine random;
  CAPTURE(random.note());
  const fixture& on = *places()[0];
  const auto check = [&]<class T>(std::vector<T> values, T poison) {
    const cl::Buffer buffer = on.buffer_of(values);
    const auto one = clwave::argmax(on.queue, view<T>{buffer, values.size()});
    for (int turn = 0; turn < 3; ++turn) {
      const cut_array<T> array(random, values, random_cut(random, values.size()), poison);
      const auto got = clwave::argmax(array.array());
      CHECK(got.value == one.value);
      CHECK(got.index == one.index);
    }
  };
  check(random_values<clwave::half>(random, 20'000), clwave::half(5000.0f));
  check(random_values<std::uint8_t>(random, 20'000), std::uint8_t{255});
  check(random_values<std::int64_t>(random, 20'000), std::int64_t{1} << 62);
  if (on.has_doubles()) check(random_values<double>(random, 20'000), 1e300);
}

TEST_CASE("more than 2^32 elements, and an index beyond them") {
  const fixture& on = *places()[0];
  const fixture& other = *places()[1];
  // One buffer is many shards, of which none begins where a tile does. The last one has the greatest byte.
  const std::size_t n = (std::size_t{64} << 20) + 3, times = 65;
  std::vector<std::uint8_t> bytes(n);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += bytes[i] = static_cast<std::uint8_t>(i * 7 % 251);
  const cl::Buffer buffer = on.buffer_of(bytes);
  std::vector<std::uint8_t> last(20'000, 3);
  last[12'345] = 254;
  sharded<std::uint8_t> array;
  for (std::size_t k = 0; k < times; ++k) array.add({on.queue, view<std::uint8_t>{buffer, n}});
  const cl::Buffer end = other.buffer_of(last);
  array.add({other.queue, view<std::uint8_t>{end, last.size()}});
  CHECK(array.size() > std::uint64_t{1} << 32);
  const std::uint64_t of_last = 3 * (last.size() - 1) + 254;
  CHECK(clwave::reduce<std::uint64_t>(array) == times * sum + of_last);
  const auto most = clwave::argmax(array);
  CHECK(most.value == 254);
  CHECK(most.index == std::uint64_t{times} * n + 12'345);
}

}  // namespace testing::sharded_test
