// Elements that are not what they are computed with: bfloat16, bool and complex numbers, on the host and
// through copies that convert, in every bit.
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>
#include <clwave/reduce.hpp>

#include "harness/elements.hpp"

namespace testing::element_conversions_test {
namespace {

using clwave::rounding;

constexpr rounding all_roundings[] = {rounding::natural, rounding::nearest_even, rounding::toward_zero,
                                      rounding::upward, rounding::downward};

// The bfloat16 that a number becomes, from the definition: the multiple of the last place that `round` says.
template <class T>
std::uint16_t bfloat16_of(T value, rounding round) {
  const bool negative = std::signbit(static_cast<long double>(value));
  const std::uint16_t sign = negative ? 0x8000 : 0;
  if (value != value) return static_cast<std::uint16_t>(sign | 0x7fc0);
  const long double x = std::fabs(static_cast<long double>(value));
  if (std::isinf(x)) return static_cast<std::uint16_t>(sign | 0x7f80);
  if (x == 0) return sign;
  const int exponent = std::max(std::ilogb(x), -126);
  const long double places = std::ldexp(x, 7 - exponent);
  long double whole = std::nearbyint(places);
  if (round == rounding::toward_zero) whole = std::floor(places);
  if (round == rounding::upward) whole = negative ? std::floor(places) : std::ceil(places);
  if (round == rounding::downward) whole = negative ? std::ceil(places) : std::floor(places);
  const long double y = std::ldexp(whole, exponent - 7);
  // What is rounded towards zero stays finite, however large.
  const bool cut =
      round == rounding::toward_zero || round == (negative ? rounding::upward : rounding::downward);
  if (y >= std::ldexp(1.0L, 128)) return static_cast<std::uint16_t>(sign | (cut ? 0x7f7f : 0x7f80));
  return static_cast<std::uint16_t>(sign | std::bit_cast<u32>(static_cast<float>(y)) >> 16);
}

// All halves of floats, and below them what decides: nothing, ties, and their neighbours.
std::vector<float> floats_around_bfloat16() {
  std::vector<float> all;
  for (u32 high = 0; high < 0x10000; ++high) {
    for (const u32 low : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      all.push_back(std::bit_cast<float>(high << 16 | low));
  }
  return all;
}

// The numbers at which types differ, and random ones.
template <class T>
std::vector<T> hostile(std::size_t n) {
  using limits = std::numeric_limits<T>;
  random_engine random;
  std::vector<T> values = {T(0), T(1), limits::max(), limits::lowest(), limits::min()};
  if constexpr (std::is_floating_point_v<T>) {
    for (const T x : {limits::infinity(), limits::quiet_NaN(), limits::denorm_min(), T(1e-41), T(3.39e38),
                      T(3.395e38), T(3.4e38), std::ldexp(T(1), 127), T(1) + std::ldexp(T(1), -8)})
      values.insert(values.end(), {x, -x});
  }
  if constexpr (sizeof(T) == 8 && std::is_floating_point_v<T>) {
    // A tie of bfloat16, and numbers that are the tie to a float.
    for (const int bit : {-8, -24, -30, -45}) {
      for (const T tie : {T(1) + std::ldexp(T(1), -8), T(1) + 3 * std::ldexp(T(1), -8)})
        values.insert(values.end(), {tie + std::ldexp(T(1), bit), tie - std::ldexp(T(1), bit)});
    }
    values.insert(values.end(), {T(1e300), T(-1e300), T(1e-300), T(-1e-300)});
  }
  if constexpr (std::is_integral_v<T> && sizeof(T) >= 4) {
    // The same of whole numbers: 257 is a tie between 256 and 258.
    for (unsigned shift = 9; shift < 8 * sizeof(T) - 10; ++shift) {
      const T tie = static_cast<T>(T(257) << shift);
      values.insert(values.end(), {tie, static_cast<T>(tie + 1), static_cast<T>(tie - 1)});
    }
  }
  while (values.size() < n) values.push_back(reference::random_value<T>(random, reference::spice::nans));
  return values;
}

// Copies `values` into a view of To and returns what lies there; checks that nothing else was written.
template <class To, class From>
std::vector<To> converted(const std::vector<From>& values, const clwave::copy_options& options = {},
                          std::size_t offset = 0) {
  const fixture& on = default_fixture();
  const cl::Buffer in = on.buffer_of(values);
  const std::size_t n = values.size() - offset;
  const guarded_buffer<To> out(on, n);
  clwave::copy(on.queue, view<From>(in, n, offset), out.view(), options).wait();
  CHECK(out.guards_intact());
  return out.read();
}

template <class From>
void check_to_bfloat16(const std::vector<From>& values, rounding round, std::size_t offset = 0) {
  const auto got = converted<bfloat16>(values, {.round = round}, offset);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const From value = values[offset + i];
    const std::uint16_t right = bfloat16_of(value, round);
    if (got[i].bits == right) continue;
    if (++wrong < 4)
      MESSAGE("rounding " << static_cast<int>(round) << ": " << reference::show_bits(value) << " gave "
                          << reference::show_bits(got[i].bits) << ", not " << reference::show_bits(right));
  }
  CHECK(wrong == 0);
}

TEST_CASE("bfloat16 of the host: every value, and every tie") {
  std::size_t wrong = 0;
  for (u32 bits = 0; bits < 0x10000; ++bits) {
    bfloat16 stored;
    stored.bits = static_cast<std::uint16_t>(bits);
    const auto value = static_cast<float>(stored);
    const bfloat16 back(value);
    if (std::isnan(value))
      wrong += (bits & 0x7f80) != 0x7f80 || back.bits != ((bits & 0x8000) | 0x7fc0) ? 1 : 0;
    else
      wrong += std::bit_cast<u32>(value) != bits << 16 || back.bits != bits ? 1 : 0;
  }
  for (const float x : floats_around_bfloat16())
    wrong += bfloat16(x).bits != bfloat16_of(x, rounding::nearest_even) ? 1 : 0;
  CHECK(wrong == 0);
  CHECK(bfloat16(1.00390625f).bits == 0x3f80);  // a tie goes to the even one
  CHECK(bfloat16(1.01171875f).bits == 0x3f82);
  CHECK(bfloat16(3.4e38f).bits == 0x7f80);
}

TEST_CASE("every bfloat16 becomes a float, a half and an integer") {
  std::vector<bfloat16> all(0x10000 + 5);  // an odd number of them
  for (std::size_t i = 0; i < all.size(); ++i) all[i].bits = static_cast<std::uint16_t>(i);
  in_rows([&](bool) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{3}}) {
      const auto floats = converted<float>(all, {}, offset);
      const auto halves = converted<half>(all, {}, offset);
      const auto integers = converted<std::int32_t>(all, {}, offset);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < floats.size(); ++i) {
        const auto x = static_cast<float>(all[offset + i]);
        const auto h = static_cast<float>(halves[i]), right = static_cast<float>(half(x));
        if (std::isnan(x)) {
          wrong += !std::isnan(floats[i]) || !std::isnan(h) || integers[i] != 0 ? 1 : 0;
          continue;
        }
        const std::int32_t whole = x >= 0x1p31f   ? std::numeric_limits<std::int32_t>::max()
                                   : x < -0x1p31f ? std::numeric_limits<std::int32_t>::min()
                                                  : static_cast<std::int32_t>(x);
        wrong +=
            !reference::same_bits(floats[i], x) || !reference::same_bits(h, right) || integers[i] != whole;
      }
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("floats become bfloat16, rounded as asked") {
  const std::vector<float> floats = floats_around_bfloat16();
  in_rows([&](bool own) {
    for (const rounding round : all_roundings) {
      if (own || round == rounding::natural || round == rounding::upward) check_to_bfloat16(floats, round);
    }
    check_to_bfloat16(floats, rounding::natural, 1);
  });
}

TEST_CASE("numbers that are no floats become bfloat16 by one rounding") {
  in_rows([&](bool own) {
    for (const rounding round : {rounding::natural, rounding::toward_zero, rounding::upward}) {
      if (!own && round != rounding::natural) continue;
      check_to_bfloat16(hostile<std::int64_t>(1001), round);
      check_to_bfloat16(hostile<u64>(1001), round);
      check_to_bfloat16(hostile<u32>(1001), round);
    }
    check_to_bfloat16(hostile<std::int32_t>(1001), rounding::downward);
    if (!own) return;
    check_to_bfloat16(hostile<std::int8_t>(1001), rounding::natural);
    check_to_bfloat16(hostile<std::int16_t>(1001), rounding::natural);
    if (default_fixture().has_doubles()) {
      for (const rounding round : all_roundings) check_to_bfloat16(hostile<double>(1001), round);
    }
  });
}

TEST_CASE("a number is true where it is not 0") {
  const auto check = [](auto values) {
    const fixture& on = default_fixture();
    const cl::Buffer in = on.buffer_of(values);
    const guarded_buffer<std::uint8_t> out(on, values.size());
    const view<bool> bools(out.view().buffer(), values.size(), out.guard);
    clwave::copy(on.queue, view<typename decltype(values)::value_type>(in, values.size()), bools).wait();
    const std::vector<std::uint8_t> got = out.read_guarded();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i) wrong += got[i] != (values[i] != 0 ? 1 : 0) ? 1 : 0;
    CHECK(wrong == 0);
  };
  in_rows([&](bool) {
    check(std::vector<float>{0.0f, -0.0f, 1.0f, -2.5f, NAN, INFINITY, 1e-30f, 0.25f, 0, 7, 0, 0, 1, 0, 3, 0,
                             0.5f});
    check(std::vector<std::int64_t>{0, 1, -1, std::int64_t{1} << 40, 256, 0, 0, 5});
    check(std::vector<std::uint8_t>(37, 2));
  });
}

// bool in C++ is 0 or 1; what other programs wrote into a buffer may be more.
TEST_CASE_FIXTURE(on_device, "a bool that is neither 0 nor 1 counts as true") {
  std::vector<std::uint8_t> bytes(5003);
  u32 right = 0;
  for (std::uint8_t& byte : bytes) {
    byte = random.below(2) == 0 ? 0 : static_cast<std::uint8_t>(random());
    right += byte != 0 ? 1 : 0;
  }
  const cl::Buffer in = on.buffer_of(bytes);
  const view<const bool> bools(in, bytes.size());
  in_rows([&](bool own) {
    const guarded_buffer<float> out(on, bytes.size());
    clwave::copy(on.queue, bools, out.view()).wait();
    const std::vector<float> floats = out.read();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      wrong += floats[i] != (bytes[i] != 0 ? 1.0f : 0.0f) ? 1 : 0;
    CHECK(wrong == 0);
    CHECK(clwave::reduce<u32>(on.queue, bools) == right);
    if (!own) return;
    CHECK(clwave::reduce<u32>(on.queue, view<const bool>(in, bytes.size() - 1, 1)) ==
          right - (bytes[0] != 0 ? 1 : 0));
  });
}

TEST_CASE("complex numbers change their width, part by part") {
  if (!default_fixture().has_doubles()) return;
  random_engine random;
  std::vector<std::complex<double>> wide(1003);
  for (auto& z : wide)
    z = {reference::random_value<double>(random, reference::spice::infinities),
         reference::random_value<double>(random, reference::spice::infinities)};
  in_rows([&](bool) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{1}}) {
      const auto narrow = converted<std::complex<float>>(wide, {}, offset);
      const auto again = converted<std::complex<double>>(narrow, {}, offset);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < narrow.size(); ++i) {
        const std::complex<double> z = wide[offset + i];
        const std::complex<float> right(static_cast<float>(z.real()), static_cast<float>(z.imag()));
        wrong += !reference::same_bits(narrow[i], right) ? 1 : 0;
      }
      for (std::size_t i = 0; i < again.size(); ++i) {
        const std::complex<float> z = narrow[offset + i];
        wrong += !reference::same_bits(again[i], std::complex<double>(z.real(), z.imag())) ? 1 : 0;
      }
      CHECK(wrong == 0);
    }
  });
}

}  // namespace
}  // namespace testing::element_conversions_test
