// histogram against bins by exact numbers: all types of elements, values on the edges of bins, floats that
// are no numbers, few bins and many, channels, edges of all kinds, and rows of the table.
#include <clwave/histogram.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "histograms.hpp"

namespace testing::histogram_test {
namespace {

using clwave::even;

const doctest::test_suite lanes("lanes");

template <class T>
constexpr bool is_float =
    std::is_floating_point_v<T> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

// All numbers of a type of whole numbers, and what is behind the largest one.
template <class T>
std::array<long double, 2> ends_of() {
  if constexpr (std::is_same_v<T, u16>)
    return {0, 65536};
  else
    return {static_cast<long double>(std::numeric_limits<T>::lowest()),
            static_cast<long double>(std::numeric_limits<T>::max()) + 1};
}

// Whether the turn of one of a case's types has come, where a run is quick and takes one of so many.
template <int Case>
bool takes_type(std::size_t one_of) {
  static sample types(one_of);
  return types.takes_next();
}

}  // namespace

TEST_CASE_TEMPLATE("even bins of every type", T, std::int8_t, std::uint8_t, std::int16_t, u16, std::int32_t,
                   u32, std::int64_t, u64, half, bfloat16, float, double) {
  if (!takes_type<0>(12)) return;
  const fixture& on = default_fixture();
  random_engine random;
  const std::size_t n = 20000 + random.below(20000);
  const std::size_t offset = random.below(20);
  if constexpr (is_float<T>) {
    check_even(on, values_around<T>(random, n, 0, 1), 0, 1, 256, offset);
    check_even<u64>(on, values_around<T>(random, n, -3, 7.5), -3.0, 7.5f, 1 + random.below(500), offset);
    check_even(on, values_around<T>(random, n, -1, 1), -1, 1, 100000 + random.below(100000));
  } else {
    const auto [lo, hi] = ends_of<T>();
    // 2^64 is no whole number of 64 bits, but a double.
    check_even(on, values_around<T>(random, n, lo, hi), static_cast<double>(lo), static_cast<double>(hi), 256,
               offset);
    check_even<u64>(on, values_around<T>(random, n, -20, 100), -20, 100, 60, offset);
    check_even(on, values_around<T>(random, n, -20.5, 99.25), -20.5, 99.25, 1 + random.below(500));
    check_even(on, values_around<T>(random, n, lo, hi), static_cast<double>(lo), static_cast<double>(hi),
               100000 + random.below(100000));
  }
}

TEST_CASE_FIXTURE(on_device, "every byte that is not 0 is true") {
  std::vector<std::uint8_t> bytes(10007);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random() % 3);
  const std::vector<std::uint8_t> asked(bytes.begin() + 3, bytes.end());
  const std::vector<u32> right =
      counted<u32>(asked, 2, 1, [](std::uint8_t x) { return std::optional<std::size_t>(x != 0 ? 1 : 0); });
  check_counts(on, bytes, 3, right, [&](const auto& in, const auto& counts) {
    const view<bool> truths{in.buffer(), in.size(), in.offset()};
    clwave::histogram(on.queue, truths, counts, even{0, 2}).wait();
  });
}

// The bin is that of exact numbers, whatever a device's arithmetic rounds: values as near to the edges as
// there are, of bounds that are and are not multiples of a bin.
TEST_CASE_TEMPLATE("values on the edges of even bins", T, std::int8_t, u16, std::int32_t, u64, half, bfloat16,
                   float, double) {
  if (!takes_type<1>(8)) return;
  const fixture& on = default_fixture();
  random_engine random;
  const std::size_t n = quick() ? 5000 : 15000;
  const auto check = [&](auto lo, auto hi, std::size_t bins) {
    check_even(on, values_at_edges<T>(random, n, lo, hi, bins), lo, hi, bins);
  };
  // The same programs, many bounds.
  for (int turn = 0; turn < 6; ++turn) {
    const auto number = [&] {
      return static_cast<double>(static_cast<std::int64_t>(random()) >> 11) * 0x1p-52;
    };
    const double scale = std::ldexp(1.0, static_cast<int>(random.below(8)));
    const double lo = number() * scale, width = (std::fabs(number()) + 0.01) * scale;
    check(lo, lo + width, 1 + random.below(200));
    check(lo, lo + width, 60000 + random.below(9000));
    check(std::round(lo * 100), std::round(lo * 100) + 1 + static_cast<double>(random.below(99)),
          1 + random.below(200));
  }
  check(0.0, 0.1, 10);
  check(0.0, 1.0, 100);
  check(-0.1, 0.2, 3);  // an edge beside 0, not on it
  check(0.0, 1024.0, 256);
  check(-1.0 / 3, 2.0 / 3, 3);
  if constexpr (is_float<T>) {
    check(1e-30, 1.0, 1000);
    check(-1.0, 1e-30, 1000);
    check(1e-30, 1.0, 65536);
    check(-1.0, 1e-300, 65537);
    check(-3e38f, 3e38f, 777);
    check(0.0, 0x1p-140, 50);  // of denormals, where there are such
    check(-0x1p-130, 0x1p-120, 70000);
  }
  if constexpr (std::is_same_v<T, double>) {
    check(-1e308, 1.7e308, 777);
    check(0.0, 0x1p-1060, 50);
    check(1.0, std::nextafter(1.0, 2.0) + 0x1p-40, 12345);
  }
  if constexpr (std::is_same_v<T, u64>) {
    const u64 far = 0xffffffffffff0000u;
    check(far, far + 60000, 7);
    check(far + 1, far + 60000, 65000);
    check(0, 0x1p64, 1000003);
    check(u64{3}, 0x1p64, 77777);
  }
}

namespace {

// One of the numbers next to 0, the smallest denormal and normal ones of both signs and -0, or a signaling
// NaN.
template <class T>
T tiny_of(random_engine& random) {
  const unsigned digits = std::is_same_v<T, float> ? 23 : std::is_same_v<T, half> ? 10 : 7;
  const u32 sign = u32{1} << (sizeof(T) * 8 - 1);
  const u32 nan = sign - (1u << digits) + 1;
  const u32 bits[] = {1, sign | 1, 1u << digits, sign | 1u << digits, sign, nan};
  const u32 chosen = bits[random.below(6)];
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(chosen);
  } else {
    T value;
    value.bits = static_cast<std::uint16_t>(chosen);
    return value;
  }
}

}  // namespace

// Those are found by rounding down, which must not lose what is a little below an edge.
TEST_CASE_TEMPLATE("bins of floats that are a power of two wide", T, half, bfloat16, float) {
  if (!takes_type<3>(3)) return;
  const fixture& on = default_fixture();
  random_engine random;
  for (const std::string name : forced_rows({"sm_90", "cpu"})) {
    if (name == "cpu" && !takes_row(on, random, name)) continue;
    const auto check = [&](double lo, double hi, std::size_t bins, unsigned channels = 1) {
      const std::size_t n = (3000 + random.below(3000)) * channels;
      std::vector<T> values = values_at_edges<T>(random, n, lo, hi, bins);
      check_even(on, values, lo, hi, bins, 0, channels);
      values = values_around<T>(random, n, lo, hi);
      for (std::size_t i = 0; i < n; i += 7) values[i] = tiny_of<T>(random);
      check_even(on, values, lo, hi, bins, 0, channels);
    };
    check(-1, 1, 256);
    check(0, 1, 64, 3);
    check(0.5, 8.5, 8);
    check(-3, 13, 4);
    check(-1, 1, 4096);
    check(0, 1024, 256);
    check(-96, 0, 3);
    check(1.25, 1.5, 65536);
    check(0, 0x1p28, 1024);
    check(0x1p20 - 0.5, 0x1p20 + 0.5, 16);
    check(-0x1p-100, 0x1p-100, 2);
    check(0, 0x1p-120, 64);
    check(0, 0x1p-120, 128);
    check(-0x1p28, 0x1p28, 1u << 20);
    check(0x1p27, 0x1p27 + 64, 16);
  }
}

TEST_CASE_FIXTURE(on_device, "bounds that no element lies between, and bins beside all elements") {
  const std::vector<std::uint8_t> bytes = values_around<std::uint8_t>(random, 5000, 0, 256);
  for (const bool whole : some_of({false, true})) {
    check_even(on, bytes, 300, 400, 10);
    check_even(on, bytes, -10, 0, 10);
    if (!whole) check_even(on, bytes, 2.25, 2.75, 10);
    if (!whole) check_even(on, bytes, -1000, 1000, 7);
    if (whole) check_even(on, bytes, -1000, 1000, 10);
    if (whole) check_even(on, bytes, 255, 256, 1);
    check_even(on, bytes, -0x1p40, 0x1p40, whole ? 1u << 10 : 3);
  }
  const std::vector<float> floats = values_around<float>(random, 5000, 0, 1);
  check_even(on, floats, 1e39, 1e40, 10);
  check_even(on, floats, 0x1p-200, 0x1p-190, 10);
  check_even(on, floats, -1e300, 1e300, 11);
}

TEST_CASE_FIXTURE(on_device, "few bins, many bins, and inputs of few values") {
  for (const std::size_t bins : {1u, 2u, 100u, 300u, 2500u, 8192u, 8193u, 70000u, 1u << 20}) {
    const std::size_t n = 30000 + random.below(30000);
    const auto top = static_cast<u32>(bins);
    std::vector<u32> values(n);
    for (unsigned shape = 0; shape < 5; ++shape) {
      CAPTURE(shape);
      for (std::size_t i = 0; i < n; ++i) {
        const auto k = static_cast<u32>(i);
        const u32 shapes[] = {static_cast<u32>(random.below(bins + 10)), top / 2, k % 2 == 0 ? 0 : top - 1,
                              k / 40, static_cast<u32>(random.below(3))};
        values[i] = shapes[shape];
      }
      check_even(on, values, 0, top, bins);
    }
  }
  // Sizes around those of packets and groups.
  for (const std::size_t n : {1u, 2u, 15u, 16u, 17u, 63u, 255u, 257u, 4095u, 4097u, 16385u})
    check_even(on, values_around<std::uint8_t>(random, n + 5, 0, 256), 0, 256, 256, random.below(6));
}

TEST_CASE_FIXTURE(on_device, "channels have counts of their own") {
  for (const unsigned channels : some_of({2u, 3u, 4u})) {
    const std::size_t pixels = 12000 + random.below(5000), offset = random.below(9);
    sample types(3);
    if (types.takes_next())
      check_even(on, values_around<std::uint8_t>(random, pixels * channels + offset, 0, 256), 0, 256, 256,
                 offset, channels);
    if (types.takes_next())
      check_even(on, values_around<float>(random, pixels * channels + offset, 0, 1), 0, 1, 20, offset,
                 channels);
    if (types.takes_next())
      check_even<u64>(on, values_around<u16>(random, pixels * channels, 0, 65536), 0, 65536, 20000, 0,
                      channels);
  }
}

// ------------------------------------------------------------------------------------------------ edges

namespace {

// As by exact numbers: long doubles hold all of these.
template <class T, class E>
std::optional<std::size_t> bin_between(T value, const std::vector<E>& edges) {
  const long double x = as_long_double(value);
  if (std::isnan(x)) return std::nullopt;
  std::size_t below = 0;
  for (const E& edge : edges) below += as_long_double(edge) <= x ? 1 : 0;
  if (below == 0 || below == edges.size()) return std::nullopt;
  return below - 1;
}

template <class Count = u32, class T, class E>
void check_edges(const fixture& on, const std::vector<T>& values, const std::vector<E>& edges,
                 std::size_t offset = 0, unsigned channels = 1) {
  CAPTURES(element_of<T>().name, element_of<E>().name, edges.size(), channels);
  const std::size_t bins = edges.size() - 1;
  const std::vector<T> asked(values.begin() + static_cast<std::ptrdiff_t>(offset), values.end());
  const std::vector<Count> right =
      counted<Count>(asked, bins, channels, [&](T x) { return bin_between(x, edges); });
  check_counts(on, values, offset, right, [&](const auto& in, const auto& counts) {
    clwave::histogram(on.queue, in, counts, edges, {.channels = channels}).wait();
  });
  if constexpr (std::is_same_v<T, E>) {
    std::vector<E> placed(3);
    placed.insert(placed.end(), edges.begin(), edges.end());
    placed.insert(placed.end(), edges.size(), edges.front());  // what a search must not see
    const cl::Buffer there = on.buffer_of(placed);
    check_counts(on, values, offset, right, [&](const auto& in, const auto& counts) {
      clwave::histogram(on.queue, in, counts, view<const E>{there, edges.size(), 3}, {.channels = channels})
          .wait();
    });
  }
}

template <class E>
std::vector<E> random_edges(random_engine& random, std::size_t count, double lo, double hi) {
  std::vector<E> edges = values_around<E>(random, count, lo, hi);
  std::erase_if(edges, [](E x) { return std::isnan(as_long_double(x)); });
  std::sort(edges.begin(), edges.end(), [](E a, E b) { return as_long_double(a) < as_long_double(b); });
  return edges;
}

}  // namespace

TEST_CASE_TEMPLATE("edges of the elements' type, on the host and on the device", T, std::int8_t, u16, u32,
                   std::int64_t, half, bfloat16, float, double) {
  if (!takes_type<2>(8)) return;
  const fixture& on = default_fixture();
  random_engine random;
  const std::size_t n = 5000 + random.below(5000);
  check_edges(on, values_around<T>(random, n, -50, 120),
              random_edges<T>(random, 2 + random.below(60), -50, 120), 5);
  check_edges<u64>(on, values_around<T>(random, n, -50, 120), random_edges<T>(random, 3000, -50, 120));
}

TEST_CASE_FIXTURE(on_device, "edges of other types, edges that no element reaches, and equal ones") {
  const std::vector<std::uint8_t> bytes = values_around<std::uint8_t>(random, 9001, 0, 256);
  check_edges(on, bytes, std::vector<double>{-5, 0.5, 1, 1.5, 99.75, 99.8, 300, 1000, 1e300});
  check_edges(on, bytes, std::vector<int>{-100, -50, 0, 18, 18, 18, 65, 255, 256, 257});
  check_edges(on, bytes, std::vector<int>{-100, -50});
  check_edges(on, bytes, std::vector<int>{400, 500, 600});
  constexpr double infinity = std::numeric_limits<double>::infinity();
  sample types(3);
  const std::vector<float> floats = values_around<float>(random, 9001, -1, 1);
  if (types.takes_next()) {
    check_edges(on, floats, std::vector<double>{-infinity, -1e-300, 0, 1e-300, 0.1, 1e39, infinity});
    check_edges(on, floats, std::vector<float>{-0.0f, 0.0f, 0.0f, 0.25f});
    check_edges(on, floats, std::vector<half>{half(-0.3f), half(-0.0f), half(0.7f)});
  }
  if (types.takes_next()) {
    const std::vector<half> halves = values_around<half>(random, 9001, -60000, 60000);
    check_edges(on, halves,
                std::vector<std::int64_t>{-1'000'000, -70'000, -65'504, 0, 65'504, 65'505, 1'000'000});
  }
  if (types.takes_next()) {
    const std::vector<u64> large = values_around<u64>(random, 9001, 0x1p64L - 3e9L, 0x1p64L);
    check_edges(on, large, std::vector<std::int64_t>{-1, 0, std::numeric_limits<std::int64_t>::max()});
    check_edges(on, large, std::vector<double>{0, 0x1p64 - 4e9, 0x1p64 - 2e9, 0x1p64 - 0x1p11, 0x1p64});
  }
  check_edges(on, values_around<std::uint8_t>(random, 3 * 3001 + 2, 0, 256),
              std::vector<int>{0, 10, 100, 250}, 2, 3);
}

// ------------------------------------------------------------------------------------------------- rows

TEST_CASE_FIXTURE(on_device, "histograms in every way to run on a GPU, and on a CPU" * lanes) {
  for (const std::string name :
       forced_rows(some_of({"sm_90", "gfx90a", "gfx1030", "gpu", "cpu", "subgroup-8"}))) {
    if (!takes_row(on, random, name) && name != "sm_90") continue;
    const std::size_t n = 70000 + random.below(9000), offset = random.below(20);
    check_even(on, values_around<std::uint8_t>(random, n, 0, 256), 0, 256, 256, offset);
    check_even(on, std::vector<std::uint8_t>(n, 77), 0, 256, 256);
    check_even(on, values_around<float>(random, n, -1, 1), -1, 1, 2000, offset);
    check_even(on, values_at_edges<float>(random, n, 0, 20, 200), 0, 20, 200, offset);
    check_even(on, values_around<half>(random, n, -0.7, 1), -0.7, 1, 99, offset);
    check_even(on, values_around<std::int32_t>(random, n, 0, 128), 0, 128, 256, offset);
    check_even(on, values_at_edges<std::int32_t>(random, n, -3, 1000, 240), -3, 1000, 240);
    check_even<u64>(on, values_around<double>(random, n, -1, 1), -1, 1, 40000, 1);
    check_even<u64>(on, values_at_edges<double>(random, n, -1, 2, 40000), -1, 2, 40000, 1);
    check_even(on, values_around<float>(random, 3 * n, 0, 1), 0, 1, 6000, 0, 3);
    check_edges(on, values_around<float>(random, 9000, -50, 120), random_edges<float>(random, 3000, -50, 120),
                offset);
    std::vector<u32> two(n);
    for (std::size_t i = 0; i < n; ++i) two[i] = i % 3 == 0 ? 99999 : static_cast<u32>(i / 5000);
    check_even(on, two, 0, 100000, 100000);
  }
}

}  // namespace testing::histogram_test
