// reverse and rotate against plain loops: elements of every size at odd places, on rows of the table; what is
// refused.
#include <clwave/gather.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>

#include "harness/devices.hpp"
#include "harness/elements.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/refusals.hpp"
#include "primitives/gather/moved_elements.hpp"

namespace testing::reorder_test {
namespace {

const doctest::test_suite lanes("lanes");

void check_reorder(const fixture& on, random_engine& random, std::size_t size, std::size_t n, bool rotate) {
  CAPTURE(rotate);
  const std::size_t first = rotate && n > 0 ? random.below(n) : 0;
  CAPTURE(first);
  check_reordered(on, random, size, n, {.in = {}, .out = {}, .rotate = rotate, .first = first},
                  [&](std::size_t i) { return rotate ? (i + first) % n : n - 1 - i; });
}

}  // namespace

TEST_CASE_FIXTURE(on_device, "reverse and rotate of elements of every size") {
  for (const std::size_t size : {1, 2, 3, 4, 6, 8, 12, 16, 20, 32, 64, 127, 128}) {
    for (const bool rotate : {false, true}) check_reorder(on, random, size, 1 + random.below(3000), rotate);
  }
  for (const std::size_t n : {0, 1, 2, 3, 255, 256, 257, 1023, 1025, 70001, 1200001}) {
    for (const bool rotate : {false, true}) check_reorder(on, random, 4, n, rotate);
  }
}

TEST_CASE_FIXTURE(on_device, "reverse and rotate on every row" * lanes) {
  for (const std::string name : forced_rows(rows_taken(on, random))) {
    const std::size_t sizes[] = {1, 2, 4, 8, 12, 16, 40};
    for (int k = 0; k < 4; ++k)
      check_reorder(on, random, sizes[random.below(std::size(sizes))], random.below(30000), k % 2 == 0);
  }
}

TEST_CASE_FIXTURE(on_device, "typed reverses and rotates") {
  const std::size_t n = 1000 + random.below(500);
  const std::vector<float> x = random_elements<float>(random, n);
  const cl::Buffer xs = on.buffer_of(x);
  const view<const float> in{xs, n};
  const guarded_buffer<float> reversed(on, n), rotated(on, n), same(on, n);
  clwave::reverse(on.queue, in, reversed.view());
  clwave::rotate(on.queue, in, rotated.view(), 700);
  clwave::rotate(on.queue, in, same.view(), 0).wait();
  std::vector<float> right(x.rbegin(), x.rend());
  CHECK(reversed.read_guarded() == right);
  right = x;
  std::rotate(right.begin(), right.begin() + 700, right.end());
  CHECK(rotated.read_guarded() == right);
  CHECK(same.read_guarded() == x);
}

TEST_CASE_FIXTURE(on_device, "what reverse and rotate refuse") {
  const cl::Buffer some = on.buffer_of(std::vector<float>(64)), other = on.buffer_of(std::vector<float>(64));
  const view<float> in{some, 20}, out{other, 20};
  refuses("the output 19", [&] { clwave::reverse(on.queue, in, view<float>{other, 19}); });
  refuses("overlap", [&] { clwave::reverse(on.queue, in, in); });
  refuses("overlap", [&] { clwave::rotate(on.queue, in, view<float>{some, 20, 5}, 1); });
  refuses("element 20 of 20 cannot become the first", [&] { clwave::rotate(on.queue, in, out, 20); });
  refuses("element 1 of 0",
          [&] { clwave::rotate(on.queue, view<float>(some, 0), view<float>(other, 0), 1); });
  refuses("different types",
          [&] { clwave::reorder(on.queue(), {.in = in, .out = any_view(view<int>(other, 20))}); });
}

}  // namespace testing::reorder_test
