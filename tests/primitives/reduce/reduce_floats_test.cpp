// reduce: NaNs, zeros, infinities and denormals, bit for bit as reduce.hpp promises.
#include <clwave/reduce.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "families/reductions.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"

namespace testing::reduce_floats_test {
namespace {

template <class T>
void check_float_rules() {
  fixture& on = default_fixture();
  const T inf = std::numeric_limits<T>::infinity();
  const auto of = [&](std::vector<T> values, const clwave::op& fold) {
    return clwave::reduce(on.queue, view<T>{on.buffer_of(values), values.size()}, fold);
  };
  const T nan = reference::canonical(quiet_nan<T>(1));
  for (const clwave::op* fold : {&clwave::min, &clwave::max, &clwave::plus, &clwave::multiplies}) {
    CAPTURE(fold->name);
    for (const T bad : {quiet_nan<T>(0x1234), quiet_nan<T>(0x1234, true)}) {
      // At either side, alone, and far inside of many.
      CHECK(same_bits(of({bad, T(1)}, *fold), nan));
      CHECK(same_bits(of({T(1), bad}, *fold), nan));
      CHECK(same_bits(of({bad}, *fold), nan));
      std::vector<T> many(20000, T(1));
      many[8191] = bad;
      CHECK(same_bits(of(many, *fold), nan));
    }
  }
  CHECK(same_bits(of({inf, -inf}, clwave::plus), nan));
  CHECK(same_bits(of({inf, T(0)}, clwave::multiplies), nan));
  // Zeros: -0 is below +0, at whichever side it stands, in each place of a tree.
  for (std::size_t n : {2, 3, 17, 1025, 8193}) {
    for (std::size_t place : {std::size_t{0}, n / 2, n - 1}) {
      CAPTURES(n, place);
      std::vector<T> zeros(n, T(0));
      zeros[place] = -T(0);
      CHECK(same_bits(of(zeros, clwave::min), -T(0)));
      CHECK(same_bits(of(zeros, clwave::max), T(0)));
      std::vector<T> negative(n, -T(0));
      negative[place] = T(0);
      CHECK(same_bits(of(negative, clwave::min), -T(0)));
      CHECK(same_bits(of(negative, clwave::max), T(0)));
    }
  }
  CHECK(same_bits(of(std::vector<T>(9000, -T(0)), clwave::plus), -T(0)));  // no identity is folded in
  CHECK(same_bits(of({-T(0)}, clwave::plus), -T(0)));
  CHECK(same_bits(of({-inf, inf, T(1)}, clwave::min), -inf));
  CHECK(same_bits(of({-inf, inf, T(1)}, clwave::max), inf));
}

TEST_CASE("NaNs, zeros and infinities of floats") { check_float_rules<float>(); }

TEST_CASE("NaNs, zeros and infinities of doubles") {
  if (default_fixture().has_doubles()) check_float_rules<double>();
  CHECK(true);
}

TEST_CASE_FIXTURE(on_device, "a NaN in a vector becomes canonical in its own component only") {
  std::vector<cl_float4> values(3000, cl_float4{{1, 2, 3, 4}});
  values[1700].s[2] = quiet_nan<float>(0x77, true);
  const cl_float4 sum = clwave::reduce(on.queue, view<cl_float4>{on.buffer_of(values), values.size()});
  CHECK(sum.s[0] == 3000);
  CHECK(sum.s[1] == 6000);
  CHECK(same_bits(sum.s[2], reference::canonical(quiet_nan<float>(1))));
  CHECK(sum.s[3] == 12000);
}

TEST_CASE_FIXTURE(on_device, "denormals are kept where the device keeps them") {
  if (!on.facts.f32_denormals.value_or(false)) {
    MESSAGE("skipped: the device flushes denormals of floats");
    CHECK(true);
    return;
  }
  std::vector<float> values(9001);
  for (float& value : values) value = std::bit_cast<float>(static_cast<u32>(random() & 0x800007ffu));
  const cl::Buffer buffer = on.buffer_of(values);
  const view<float> in{buffer, values.size()};
  const float sum = clwave::reduce(on.queue, in);
  const auto expected = host_fold<float>(values, 0, values.size(), wrapping_plus<float>);
  CHECK_MESSAGE(same_bits(sum, expected), show_bits(sum), " is not ", show_bits(expected));
  const float least = clwave::reduce(on.queue, in, clwave::min);
  CHECK(same_bits(least, host_fold<float>(values, 0, values.size(), reference::minimum<float>)));
  const auto place = clwave::argmax(on.queue, in);
  CHECK(same_bits(place.value, host_fold<float>(values, 0, values.size(), reference::maximum<float>)));
}

}  // namespace
}  // namespace testing::reduce_floats_test
