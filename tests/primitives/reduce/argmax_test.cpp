// argmin and argmax: the first of equals, NaNs, zeros, and indices through all levels of results.
#include <clwave/reduce.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "families/reductions.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"

namespace testing::argmax_test {
namespace {

// Those that lanes and groups decide, and that run once more where sub-groups are real.
const doctest::test_suite lanes("lanes");

template <class T>
void check_argument(random_engine& random, std::size_t n, bool few_values) {
  fixture& on = default_fixture();
  std::vector<T> values(n);
  for (T& value : values) value = few_values ? static_cast<T>(random.below(3)) : random_value<T>(random);
  std::size_t least = 0;
  std::size_t greatest = 0;
  for (std::size_t i = 1; i < n; ++i) {
    if (values[i] < values[least]) least = i;
    if (values[i] > values[greatest]) greatest = i;
  }
  CAPTURES(n, element_of<T>().name);
  const cl::Buffer buffer = on.buffer_of(values);
  const indexed<T> low = clwave::argmin(on.queue, view<T>{buffer, n});
  CHECK(low.index == least);
  CHECK(low.value == values[least]);
  const indexed<T> high = clwave::argmax(on.queue, view<T>{buffer, n});
  CHECK(high.index == greatest);
  CHECK(high.value == values[greatest]);
}

TEST_CASE_TEMPLATE("argmin and argmax give the first of equals", T, std::int8_t, u64, float) {
  random_engine random;
  for (const std::size_t n : {1, 2, 5, 1024, 1025, 8193, 70001}) {
    check_argument<T>(random, n, true);
    check_argument<T>(random, n, false);
  }
}

TEST_CASE_FIXTURE(on_device, "argmin and argmax of NaNs, zeros and infinities") {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = reference::canonical(quiet_nan<float>(1));
  const auto low = [&](const std::vector<float>& v) {
    return clwave::argmin(on.queue, view<float>{on.buffer_of(v), v.size()});
  };
  const auto high = [&](const std::vector<float>& v) {
    return clwave::argmax(on.queue, view<float>{on.buffer_of(v), v.size()});
  };

  std::vector<float> values(20000, 1.0f);
  values[5000] = -inf;
  values[6000] = inf;
  CHECK(same_bits(low(values), indexed<float>{-inf, 5000}));
  CHECK(same_bits(high(values), indexed<float>{inf, 6000}));
  values[19999] = quiet_nan<float>(3);
  values[8192] = quiet_nan<float>(7, true);
  CHECK(same_bits(low(values), indexed<float>{nan, 8192}));  // the first, and canonical
  CHECK(same_bits(high(values), indexed<float>{nan, 8192}));
  // Equal zeros: the first, with its own sign.
  CHECK(same_bits(low({0.0f, -0.0f}), indexed<float>{0.0f, 0}));
  CHECK(same_bits(high({-0.0f, 0.0f}), indexed<float>{-0.0f, 0}));

  // Two indices that differ by the number of accumulators, by a tile, and by one.
  for (const std::size_t distance : {1, 1024, 8192}) {
    std::vector<float> pair(10000, 0.0f);
    pair[700] = pair[700 + distance] = 9.0f;
    CHECK(high(pair).index == 700);
    for (float& value : pair) value = -value;
    CHECK(low(pair).index == 700);
  }
}

TEST_CASE_FIXTURE(on_device, "argmax of halves compares floats") {
  std::vector<half> values(5000, half(-2.0f));
  values[4321] = half(1.5f);
  const indexed<float> high = clwave::argmax(on.queue, view<half>{on.buffer_of(values), values.size()});
  CHECK(high.value == 1.5f);
  CHECK(high.index == 4321);
}

TEST_CASE_FIXTURE(on_device, "argmax looks an index up through all levels of results" * lanes) {
  const std::size_t n = (std::size_t{1} << 26) + 3 * 8192 + 77;  // more tiles than a tile of results has
  std::vector<std::uint8_t> values(n, 3);
  const std::size_t first = (std::size_t{1} << 26) + 100;
  values[first] = values[n - 1] = 200;
  const cl::Buffer buffer = on.buffer_of(values);
  for (const std::string name : forced_rows(some_of({"sm_90", "gpu"}))) {
    const auto high = clwave::argmax(on.queue, view<std::uint8_t>{buffer, n});
    CHECK(high.value == 200);
    CHECK(high.index == first);
    const auto low = clwave::argmin(on.queue, view<std::uint8_t>{buffer, n - 5, 5});
    CHECK(low.value == 3);
    CHECK(low.index == 0);
  }
}

}  // namespace
}  // namespace testing::argmax_test
