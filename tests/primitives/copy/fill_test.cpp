// fill: values of every size at every place, with guard bytes behind every output.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include <clwave.hpp>

#include "copies.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/past_caches.hpp"
#include "primitives/copy.hpp"

namespace testing::fill_test {
namespace {

template <class T>
void call_public(const view<T>& out, const T& value) {
  clwave::fill(here().queue, out, value).wait();
}

template <class T>
void call_streaming(const view<T>& out, const T& value) {
  const clwave::fill_problem problem{{element_of<T>(), out.size(), out.offset()}, &value};
  const std::array<cl_mem, 1> buffers{out.buffer()};
  const auto call = call_past_caches(here(), "fill", problem, buffers);
  CHECK(call.work.launches.front().kernel == std::string("fill_streaming"));
}

template <class T>
bool is_right_fill(std::size_t n, std::size_t offset,
                   void (*fill)(const view<T>& out, const T& value) = call_public<T>) {
  const bytes value = random_bytes(sizeof(T));
  bytes expected((offset + n) * sizeof(T) + guard, 0xa5);
  const cl::Buffer out = here().buffer_of(expected);
  fill(view<T>(out, n, offset), load<T>(value.data()));
  for (std::size_t i = 0; i < n; ++i)
    std::copy(value.begin(), value.end(),
              expected.begin() + static_cast<std::ptrdiff_t>((offset + i) * sizeof(T)));
  return whole(out) == expected;
}

template <std::size_t... N>
int wrong_fills(std::index_sequence<N...>) {
  int wrong = 0;
  const auto one = [&]<std::size_t Size>(std::integral_constant<std::size_t, Size>) {
    // The last is more than a block of every profile.
    for (const std::size_t n : {std::size_t{1}, std::size_t{3}, std::size_t{65}, 70'001 / Size}) {
      for (const std::size_t offset : {0, 1, 5}) {
        if (is_right_fill<blob<Size>>(n, offset)) continue;
        ++wrong;
        MESSAGE("values of " << Size << " bytes, n " << n << ", offset " << offset);
      }
    }
  };
  (one(std::integral_constant<std::size_t, N + 1>{}), ...);
  return wrong;
}

TEST_CASE("fill writes values of 1 to 128 bytes") {
  for (const std::string name : forced_rows(tried_profiles())) {
    CHECK(wrong_fills(std::make_index_sequence<128>()) == 0);
  }
}

TEST_CASE("fills past the caches") {
  for (const std::size_t n : {1, 64, 1000, 300'001}) {
    for (const std::size_t offset : {0, 1, 5, 64}) {
      CAPTURES(n, offset);
      CHECK(is_right_fill<std::uint8_t>(n, offset, call_streaming));
      CHECK(is_right_fill<blob<3>>(n, offset, call_streaming));
    }
  }
}

TEST_CASE("fill of built-in types") {
  CHECK(is_right_fill<float>(1000, 3));
  CHECK(is_right_fill<half>(1000, 3));
}

}  // namespace
}  // namespace testing::fill_test
