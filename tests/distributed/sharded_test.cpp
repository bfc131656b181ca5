// sharded: an array cut anywhere, on devices of every kind, has the bits of one call on one device.
#include <clwave/sharded.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/reduce.hpp>

#include "distributed/array_cases.hpp"
#include "distributed/cut_arrays.hpp"
#include "families/reductions.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"

namespace testing::sharded_test {

using clwave::indexed;

namespace {

struct shards {
  template <class Acc, class T, class Take>
  void reduce(random_engine& random, const std::vector<T>& values, const clwave::op& fold,
              const clwave::map& apply, const T& poison, int cuts, const Take& take) const {
    const auto all = cuts == 0 ? std::vector<lengths>(1, random_cut(random, values.size()))
                               : cuts_of(random, values.size(), cuts);
    for (const lengths& cut : all) {
      CAPTURE(text_of(cut));
      const cut_array<T> array(random, values, cut, poison);
      if constexpr (std::is_same_v<Acc, indexed<float>>)
        take(&fold == &clwave::detail::argmin_op ? clwave::argmin(array.array())
                                                 : clwave::argmax(array.array()));
      else
        take(clwave::transform_reduce<Acc>(array.array(), fold, apply));
      CHECK(array.intact());
    }
  }
};

}  // namespace

TEST_CASE("an array that is cut anywhere is reduced as on one device") { check_array_cases<shards>(); }

TEST_CASE_FIXTURE(on_places, "the least bool of an array that is cut is found") {
  std::vector<std::uint8_t> truths(20'001, 1);
  truths[8192] = 0;
  const cl::Buffer buffer = on.buffer_of(truths);
  const sharded<bool> array{{on.queue, view<bool>{buffer, 8100}},
                            {places()[1]->queue, view<bool>{buffer, 0}},
                            {on.queue, view<bool>{buffer, 11'901, 8100}}};
  CHECK_FALSE(clwave::reduce(array, clwave::logical_and));
  CHECK(clwave::reduce(array, clwave::logical_or));
  CHECK(clwave::reduce<u64>(array) == 20'000);
}

namespace {

struct moments {
  double sum;
  u32 count, unused;
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

TEST_CASE_FIXTURE(on_places, "two inputs that are cut alike") {
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

TEST_CASE_FIXTURE(on_places, "argmax of halves, bytes and doubles") {
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
  check(random_values<half>(random, 20'000), half(5000.0f));
  check(random_values<std::uint8_t>(random, 20'000), std::uint8_t{255});
  check(random_values<std::int64_t>(random, 20'000), std::int64_t{1} << 62);
  if (on.has_doubles()) check(random_values<double>(random, 20'000), 1e300);
}

TEST_CASE_FIXTURE(on_places, "more than 2^32 elements, and an index beyond them") {
  const fixture& other = *places()[1];
  // One buffer is many shards, of which none begins where a tile does. The last one has the greatest byte.
  const std::size_t n = (std::size_t{64} << 20) + 3, times = 65;
  std::vector<std::uint8_t> bytes(n);
  u64 sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += bytes[i] = static_cast<std::uint8_t>(i * 7 % 251);
  const cl::Buffer buffer = on.buffer_of(bytes);
  std::vector<std::uint8_t> last(20'000, 3);
  last[12'345] = 254;
  sharded<std::uint8_t> array;
  for (std::size_t k = 0; k < times; ++k) array.add({on.queue, view<std::uint8_t>{buffer, n}});
  const cl::Buffer end = other.buffer_of(last);
  array.add({other.queue, view<std::uint8_t>{end, last.size()}});
  CHECK(array.size() > u64{1} << 32);
  const u64 of_last = 3 * (last.size() - 1) + 254;
  CHECK(clwave::reduce<u64>(array) == times * sum + of_last);
  const auto most = clwave::argmax(array);
  CHECK(most.value == 254);
  CHECK(most.index == u64{times} * n + 12'345);
}

}  // namespace testing::sharded_test
