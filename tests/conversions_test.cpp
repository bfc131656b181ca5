// Where OpenCL leaves the bits open: literals without a suffix, floats out of an integer's range, halves
// between two values. The same on every device and in every row.
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/copy.hpp>
#include <clwave/plan.hpp>
#include <clwave/reduce.hpp>
#include <clwave/transform.hpp>

#include "devices.hpp"

namespace {

using clwave::half;
using clwave::view;
using testing::default_fixture;
using testing::fixture;
using testing::forced_profile;

// Calls f in the rows that differ in their code.
template <class F>
void in_rows(F f) {
  for (const char* row : testing::some_of({"", "sm_90", "gfx1030"})) {
    CAPTURE(row);
    const forced_profile forced(row);
    f();
  }
}

// What an integer becomes of a float: towards zero, the nearest in range, NaN 0.
template <class To, class From>
To saturated(From x) {
  if (x != x) return 0;
  const From low = static_cast<From>(std::numeric_limits<To>::min());
  const From high = std::ldexp(From(1), std::numeric_limits<To>::digits);
  if (x >= high) return std::numeric_limits<To>::max();
  if (x < low) return std::numeric_limits<To>::min();
  return static_cast<To>(x);
}

template <class From>
std::vector<From> hostile() {
  using limits = std::numeric_limits<From>;
  std::vector<From> values;
  for (const int bits : {0, 1, 7, 8, 15, 16, 31, 32, 63, 64, 80}) {
    const From power = std::ldexp(From(1), bits);
    for (const From one : {power, std::nextafter(power, From(0)), std::nextafter(power, limits::infinity()),
                           power + From(0.5)})
      values.insert(values.end(), {one, -one});
  }
  values.insert(values.end(),
                {From(0), -From(0), limits::infinity(), -limits::infinity(), limits::quiet_NaN(),
                 -limits::quiet_NaN(), limits::denorm_min(), limits::min(), limits::max(), limits::lowest()});
  while (values.size() % 16 != 5) values.push_back(From(-1e30));
  return values;
}

template <class To, class From>
void check_integers() {
  const fixture& on = default_fixture();
  const std::vector<From> values = hostile<From>();
  const cl::Buffer buffer = on.buffer_of(values);
  const view<From> in{buffer, values.size()};
  const auto wrong_in = [&](const std::vector<To>& got, std::size_t first) {
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < got.size(); ++k)
      wrong += got[k] != saturated<To>(values[first + k]) ? 1u : 0u;
    return wrong;
  };
  in_rows([&] {
    testing::guarded_buffer<To> out(on, values.size());
    for (const bool saturate : {false, true}) {
      clwave::copy(on.queue, in, out.view(), {.saturate = saturate}).wait();
      CHECK(wrong_in(out.read(), 0) == 0);
    }
    clwave::transform(on.queue, in, out.view(), clwave::identity).wait();
    CHECK(wrong_in(out.read(), 0) == 0);
    clwave::transform(on.queue, in, out.view(), {.name = "own", .source = "x"}).wait();
    CHECK(wrong_in(out.read(), 0) == 0);
    // At odd places, by element.
    const std::size_t fewer = values.size() - 1;
    clwave::transform(on.queue, in.subview(1, fewer), out.view().subview(0, fewer),
                      {.name = "own", .source = "x"})
        .wait();
    CHECK(wrong_in(out.read(), 1) <= 1);  // the last is the call's before
    const cl::Buffer zero = on.buffer_of(std::vector<From>(1, From(0)));
    clwave::broadcast(on.queue, in, view<From>{zero, 1}, out.view(), {.rows = 1, .columns = values.size()},
                      clwave::per::row, {.name = "own", .source = "b != 0 ? b : x"})
        .wait();
    CHECK(wrong_in(out.read(), 0) == 0);
  });
}

TEST_CASE("conversions: floats out of an integer's range") {
  check_integers<std::int8_t, float>();
  check_integers<std::uint32_t, float>();
  check_integers<std::int64_t, float>();
  if (default_fixture().has_doubles()) check_integers<std::int64_t, double>();
}

TEST_CASE("conversions: a reduction of floats into integers") {
  const fixture& on = default_fixture();
  for (const float x : hostile<float>()) {
    CAPTURE(x);
    const cl::Buffer buffer = on.buffer_of(std::vector<float>(1, x));
    const view<float> in{buffer, 1};
    for (const char* row : testing::some_of({"", "sm_90"})) {
      const forced_profile forced(row);
      CHECK(clwave::reduce<std::int32_t>(on.queue, in, clwave::max) == saturated<std::int32_t>(x));
      CHECK(clwave::transform_reduce<std::uint32_t>(on.queue, in, clwave::max,
                                                    clwave::map{.name = "own", .source = "x"}) ==
            saturated<std::uint32_t>(x));
    }
  }
  // An operator whose text is a float.
  const std::vector<std::int32_t> numbers(2, 2000000000);
  const clwave::op large{.name = "large", .source = "a * 3e9f + b", .identity = "0"};
  in_rows([&] {
    CHECK(clwave::reduce(on.queue, view<std::int32_t>{on.buffer_of(numbers), 2}, large) == 2147483647);
  });
}

TEST_CASE("conversions: integers wrap, in texts of the user too") {
  const fixture& on = default_fixture();
  const std::vector<std::int32_t> values{-1, 256, 257, -129, 2147483647};
  testing::guarded_buffer<std::uint8_t> out(on, values.size());
  in_rows([&] {
    clwave::transform(on.queue, view<std::int32_t>{on.buffer_of(values), values.size()}, out.view(),
                      {.name = "own", .source = "x"})
        .wait();
    CHECK(out.read() == std::vector<std::uint8_t>{255, 0, 1, 127, 255});
  });
}

TEST_CASE("conversions: halves round to nearest even wherever they are stored") {
  const fixture& on = default_fixture();
  std::vector<float> values;
  for (const float x : {1.0f, 1024.0f, 65504.0f, 6.1035156e-05f, 5.9604645e-08f, 0.0f}) {
    const float step = std::ldexp(1.0f, std::max(std::ilogb(x == 0 ? 1e-30f : x), -14) - 10);
    for (const float part : {0.25f, 0.5f, 0.75f, 1.0f, 1.5f, 2.5f})
      values.insert(values.end(), {x + part * step, -x - part * step});
  }
  values.insert(values.end(), {65519.996f, 65520.0f, 1e30f, std::numeric_limits<float>::infinity()});
  std::vector<std::uint16_t> expected;
  for (const float x : values) expected.push_back(half(x).bits);
  const auto bits_of = [](const std::vector<half>& got) {
    std::vector<std::uint16_t> bits;
    for (const half h : got) bits.push_back(h.bits);
    return bits;
  };
  const cl::Buffer buffer = on.buffer_of(values);
  in_rows([&] {
    testing::guarded_buffer<half> out(on, values.size());
    clwave::copy(on.queue, view<float>{buffer, values.size()}, out.view()).wait();
    CHECK(bits_of(out.read()) == expected);
    clwave::transform(on.queue, view<float>{buffer, values.size()}, out.view(),
                      {.name = "own", .source = "x"})
        .wait();
    CHECK(bits_of(out.read()) == expected);
  });
  // And no store of the kernels leaves its rounding open.
  for (const char* part : {"transform", "copy", "gemm"}) {
    const clwave::plan_target on_sm{.choice = clwave::choose_profile_for("sm_90"), .compute_units = 8};
    const auto plan = clwave::plan(
        clwave::copy_question{clwave::element_of<float>(), clwave::element_of<half>(), 100}, on_sm);
    CAPTURE(part);
    CHECK(plan.source.find("vstore_half(") == std::string::npos);
    CHECK(plan.options.find("vstore_half ") == std::string::npos);
  }
}

TEST_CASE("literals: floats without a suffix, unless doubles are named") {
  const fixture& on = default_fixture();
  const float x = 3.0000002f;
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(1, x));
  testing::guarded_buffer<float> out(on, 1);
  const volatile float tenth = 0.1f, third = 1.0f / 3.0f;
  in_rows([&] {
    clwave::transform(on.queue, view<float>{buffer, 1}, out.view(),
                      {.name = "own", .source = "(x * 0.1 + 0.1) * 0.3333333333333"})
        .wait();
    const volatile float product = x * tenth;
    const volatile float sum = product + tenth;
    CHECK(out.first() == sum * third);
  });
  if (!on.has_doubles()) return;
  for (const clwave::map& names : {clwave::map{.name = "named", .source = "(double)x * 0.1"},
                                   clwave::map{.name = "helped",
                                   .source = "tenth(x)",
                                   .declarations = "float tenth(double v) { return v * 0.1; }"}}) {
    clwave::transform(on.queue, view<float>{buffer, 1}, out.view(), names).wait();
    CHECK(out.first() == static_cast<float>(static_cast<double>(x) * 0.1));
  }
  CHECK(clwave::reduce<double>(on.queue, view<float>{buffer, 1},
                               clwave::op{.name = "o", .source = "a + 0.1 * b", .identity = "0.1"}) ==
        static_cast<double>(x));
}

TEST_CASE("literals: the rule is the same for every row") {
  const clwave::element &f32 = clwave::element_of<float>(), &f64 = clwave::element_of<double>();
  testing::for_each_profile([&](const clwave::profile& row) {
    CAPTURE(row.name);
    const clwave::plan_target on{.choice = clwave::choose_profile_for(row.name), .compute_units = 8};
    const auto options = [&](const clwave::element& e, const std::string& source,
                             const std::string& helper = "") {
      const clwave::map m{.name = "m", .source = source, .declarations = helper};
      return plan(clwave::transform_question{{e}, e, 100, &m}, on).options;
    };
    constexpr const char* single = "-cl-single-precision-constant";
    CHECK(options(f32, "x * 0.1").find(single) != std::string::npos);
    CHECK(options(f32, "x", "float doubled(float v) { return v; } // a double of it").find(single) !=
          std::string::npos);
    CHECK(options(f64, "x * 0.1").find(single) == std::string::npos);
    CHECK(options(f64, "x * 0.1").find("-DUSE_FP64=1") != std::string::npos);
    CHECK(options(f32, "convert_double_rte(x)").find(single) == std::string::npos);
    CHECK(options(f32, "f(x)", "float f(double v) { return v; }").find(single) == std::string::npos);
  });
}

}  // namespace
