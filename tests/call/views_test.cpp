// Views: what subviews refuse, and calls with views whose sizes in bytes would wrap.
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/devices.hpp"
#include "harness/refusals.hpp"

namespace testing::views_test {

TEST_CASE_FIXTURE(on_device, "a subview lies in its view") {
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(100));
  const clwave::view<float> part(buffer, 10, 5);
  CHECK(part.subview(10, 0).offset() == 15);
  CHECK(part.subview(3, 7).size() == 7);
  constexpr std::size_t huge = ~std::size_t{0};
  CHECK(refused([&] { part.subview(3, 8); }));
  CHECK(refused([&] { part.subview(11, 0); }));
  CHECK(refused([&] { part.subview(huge - 4, 5); }));  // offset + first would be 0
  CHECK(refused([&] { part.subview(1, huge); }));
  // Views that no buffer can have, whose subviews would wrap to some that one has.
  const clwave::view<float> past(buffer, huge, huge - 1), last(buffer, 10, huge - 10);
  CHECK(refused([&] { past.subview(2, 5); }));
  CHECK(refused([&] { past.subview(1, 1); }));
  CHECK(refused([&] { past.subview(2, 0); }));
  CHECK(past.subview(0, 1).offset() == huge - 1);
  CHECK(last.subview(3, 7).offset() == huge - 7);
  CHECK(refused([&] { clwave::reduce(on.queue, last.subview(3, 7)); }));
  CHECK(refused([&] { clwave::reduce(on.queue, past.subview(0, 1)); }));
  // Sizes in bytes that wrap to a few.
  const clwave::view<double> many(buffer, (huge >> 3) + 2), far(buffer, 1, (huge >> 3) + 1);
  CHECK(refused([&] { clwave::reduce(on.queue, many); }));
  CHECK(refused([&] { clwave::reduce(on.queue, far); }));
  CHECK(refused([&] { clwave::copy(on.queue, far, clwave::view<double>(buffer, 1)); }));
}

}  // namespace testing::views_test
