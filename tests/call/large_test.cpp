// Inputs of more than 2^32 elements and results past 4 GiB, where the device's memory holds them: fill, copy
// and reduce. Other primitives have such a test among their own.
#include <doctest/doctest.h>

#include <clwave/copy.hpp>
#include <clwave/reduce.hpp>

#include "harness/large.hpp"

namespace testing::large_test {

TEST_CASE("inputs and results past 2^32 elements") {
  const fixture on;
  const large_buffers large(on);
  check_bytes(on, large.in, large.n, byte_at);

  clwave::copy(on.queue, large.x(), large.y()).wait();
  check_bytes(on, large.out, large.n, byte_at);

  // The sum of all, by the host's own loop.
  u64 sum = 0;
  for (u64 i = 0; i < large.n; ++i) sum += byte_at(i);
  CHECK(clwave::reduce<u64>(on.queue, large.x()) == sum);

  clwave::fill(on.queue, large.x(), u8{1});
  check_bytes(on, large.in, large.n, [](u64) { return u8{1}; });
  CHECK(clwave::reduce<u64>(on.queue, large.x()) == large.n);
}

}  // namespace testing::large_test
