// What the tests of conversions share: numbers at which they are hard, and what becomes of those.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/element.hpp>
#include <clwave/op.hpp>
#include <clwave/plan.hpp>

#include "harness/devices.hpp"

namespace testing {

// Calls f in the rows that differ in their code.
template <class F>
void in_converting_rows(F f) {
  for (const char* row : some_of({"", "sm_90", "gfx1030"})) {
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

// Calls convert(on, in, out, wrong) in each of those rows, which is to convert the numbers of `in`;
// wrong(first) is then how many of `out` are not what the numbers from `first` on become.
template <class To, class From, class Convert>
void check_integers_by(Convert convert) {
  const fixture& on = default_fixture();
  const std::vector<From> values = hostile<From>();
  const cl::Buffer buffer = on.buffer_of(values);
  const clwave::view<From> in{buffer, values.size()};
  in_converting_rows([&] {
    const guarded_buffer<To> out(on, values.size());
    convert(on, in, out.view(), [&](std::size_t first) {
      const std::vector<To> got = out.read();
      std::size_t wrong = 0;
      for (std::size_t k = 0; first + k < got.size(); ++k)
        wrong += got[k] != saturated<To>(values[first + k]) ? 1u : 0u;
      return wrong;
    });
  });
}
// Of all pairs of types that are tried, check(To, From).
template <class Check>
void for_each_conversion(Check check) {
  check(std::int8_t{}, float{});
  check(u32{}, float{});
  check(std::int64_t{}, float{});
  if (default_fixture().has_doubles()) check(std::int64_t{}, double{});
}

// Floats next to halves and between two of them, and the bits of the halves that they become.
inline std::vector<float> floats_near_halves() {
  std::vector<float> values;
  for (const float x : {1.0f, 1024.0f, 65504.0f, 6.1035156e-05f, 5.9604645e-08f, 0.0f}) {
    const float step = std::ldexp(1.0f, std::max(std::ilogb(x == 0 ? 1e-30f : x), -14) - 10);
    for (const float part : {0.25f, 0.5f, 0.75f, 1.0f, 1.5f, 2.5f})
      values.insert(values.end(), {x + part * step, -x - part * step});
  }
  values.insert(values.end(), {65519.996f, 65520.0f, 1e30f, std::numeric_limits<float>::infinity()});
  return values;
}
inline std::vector<std::uint16_t> bits_of(const std::vector<half>& values) {
  std::vector<std::uint16_t> bits;
  for (const half each : values) bits.push_back(each.bits);
  return bits;
}
inline std::vector<std::uint16_t> bits_of_halves(const std::vector<float>& values) {
  return bits_of(std::vector<half>(values.begin(), values.end()));
}

// The half nearest to a number, which is rounded once.
inline half nearest_half(double x) {
  const double step = std::ldexp(1.0, std::max(x == 0 ? -14 : std::ilogb(x), -14) - 10);
  return half(static_cast<float>(std::copysign(std::nearbyint(x / step) * step, x)));
}

// Doubles next to those floats, which a float cannot tell from them.
inline std::vector<double> doubles_near_halves() {
  std::vector<double> values{1e-300, -1e300};
  for (const double x : floats_near_halves()) {
    if (std::isinf(x)) continue;
    values.insert(values.end(), {std::nextafter(x, -1e300), x, std::nextafter(x, 1e300)});
  }
  return values;
}
inline std::vector<std::uint16_t> bits_of_halves(const std::vector<double>& values) {
  std::vector<half> halves;
  for (const double x : values) halves.push_back(nearest_half(x));
  return bits_of(halves);
}

// Maps that name doubles: what 0.1 means in them is a double.
inline const clwave::map naming_doubles[] = {
    {.name = "named", .source = "(double)x * 0.1"},
    {.name = "helped", .source = "tenth(x)", .declarations = "float tenth(double v) { return v * 0.1; }"}};

// The rule of literals without a suffix, for every row: plan_of(element, map, target) plans a call of a map.
template <class Plan>
void check_literals_in_every_row(Plan plan_of) {
  const element &f32 = element_of<float>(), &f64 = element_of<double>();
  for_each_profile([&](const clwave::profile& row) {
    const clwave::plan_target on{.choice = clwave::choose_profile_for(row.name), .compute_units = 8};
    const auto has = [&](const element& e, const std::string& text, const std::string& source,
                         const std::string& helper = "") {
      const clwave::map m{.name = "m", .source = source, .declarations = helper};
      return plan_of(e, m, on).source.find(text) != std::string::npos;
    };
    CHECK(has(f32, "\nx * 0.1f)", "x * 0.1"));
    CHECK(has(f32, "v * 0.3f;", "x", "float scaled(float v) { return v * 0.3; } // no double"));
    CHECK(has(f64, "\nx * 0.1)", "x * 0.1"));
    CHECK(has(f32, "\nconvert_double_rte(x) * 0.1)", "convert_double_rte(x) * 0.1"));
    CHECK(has(f32, "\nhelped(x) * 0.1f)", "helped(x) * 0.1", "float helped(double v) { return v * 0.3; }"));
    CHECK(has(f32, "v * 0.3;", "helped(x) * 0.1", "float helped(double v) { return v * 0.3; }"));
  });
}

}  // namespace testing
