// reduce: where an input begins between two packets, and runs that come by packets (PACKETS_SHIFTED,
// RUN_PACKET).
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/profile.hpp>
#include <clwave/reduce.hpp>

#include "harness/devices.hpp"
#include "harness/reference.hpp"

namespace testing::reduce_places_test {
namespace {

using reference::host_fold;

// Lanes of the first have shuffles; the other loads by elements.
const char* const rows[] = {"sm_90", "gfx90a"};

// Round one row, one tile, and the levels.
constexpr std::size_t sizes[] = {1, 3, 31, 1023, 1024, 1025, 2049, 8191, 8192, 8193, 16385, 40'000};

template <class T, class Acc, class Combine>
void folds_from_everywhere(const clwave::op& fold, Combine combine, std::size_t places) {
  fixture& on = default_fixture();
  reference::random_engine random;
  // What lies before a view is no element: the largest there are.
  std::vector<T> values = reference::random_values<T>(random, 40'000 + places);
  for (const std::string row : forced_rows(rows)) {
    for (std::size_t first = 0; first < places; ++first) {
      CAPTURE(first);
      std::vector<T> spoilt = values;
      for (std::size_t i = 0; i < first; ++i) spoilt[i] = std::numeric_limits<T>::max();
      const cl::Buffer buffer = on.buffer_of(spoilt);
      for (const std::size_t n : sizes) {
        CAPTURE(n);
        const Acc got = clwave::reduce<Acc>(on.queue, view<T>{buffer, n, first}, fold);
        const Acc expected = host_fold<Acc>(values, first, n, combine, !fold.commutative);
        CHECK_MESSAGE(same_bits(got, expected), show_bits(got), " is not ", show_bits(expected));
      }
    }
  }
}

// Neither commutes, nor does it matter little in which order it is applied.
template <class T>
clwave::op halves(bool commutative) {
  const bool is_float = std::is_floating_point_v<T>;
  return {.name = "halves",
          .source = is_float ? "a * 0.5f + b" : "(a >> 1) + b",
          .identity = "0",
          .commutative = commutative};
}
template <class T>
T add_half(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a * T(0.5) + b;  // an exact product: contraction is harmless
  else
    return (a >> 1) + b;
}

TEST_CASE("an input may begin between two packets") {
  folds_from_everywhere<float, float>(
      clwave::plus, [](float a, float b) { return a + b; }, 5);
  folds_from_everywhere<std::int64_t, std::int64_t>(halves<std::int64_t>(true), add_half<std::int64_t>, 3);
  folds_from_everywhere<std::int16_t, std::int32_t>(halves<std::int32_t>(true), add_half<std::int32_t>, 9);
}

TEST_CASE("runs of elements come by packets where they lie so") {
  folds_from_everywhere<float, float>(halves<float>(false), add_half<float>, 2);
  folds_from_everywhere<std::uint8_t, u32>(halves<u32>(false), add_half<u32>, 2);
  folds_from_everywhere<std::int16_t, std::int32_t>(halves<std::int32_t>(false), add_half<std::int32_t>, 2);
  folds_from_everywhere<std::int64_t, std::int64_t>(halves<std::int64_t>(false), add_half<std::int64_t>, 2);
}

TEST_CASE_FIXTURE(on_device, "a map sees each element's index where packets begin before the input") {
  const clwave::map placed{.name = "placed", .source = "x * (uint)(i + 3)"};
  const clwave::op ordered{.name = "ordered", .source = "a + b", .identity = "0", .commutative = false};
  std::vector<u32> values(30'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<u32>(i * 2654435761u);
  const cl::Buffer buffer = on.buffer_of(values);
  for (const std::string row : forced_rows(rows)) {
    for (const std::size_t first : {0u, 1u, 3u}) {
      CAPTURE(first);
      u32 sum = 0;
      std::size_t i = 0;
      for (const std::size_t n : {1u, 1025u, 8192u, 20'000u}) {
        for (; i < n; ++i) sum += values[first + i] * static_cast<u32>(i + 3);
        const view<u32> in{buffer, n, first};
        CHECK(clwave::transform_reduce<u32>(on.queue, in, clwave::plus, placed) == sum);
        CHECK(clwave::transform_reduce<u32>(on.queue, in, ordered, placed) == sum);
      }
    }
  }
}

}  // namespace
}  // namespace testing::reduce_places_test
