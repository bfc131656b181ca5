// Selections from more than 2^32 elements, where the device's memory holds them.
#include <vector>

#include <doctest/doctest.h>

#include <clwave/copy.hpp>
#include <clwave/select.hpp>

#include "harness/large.hpp"

namespace testing::select_large_test {

TEST_CASE("select: past 2^32 elements") {
  const fixture on;
  const large_buffers large(on);
  const u64 kept = large.n / 64;
  const clwave::map is_64th{.name = "is one of 64", .source = "i % 64 == 63"};
  const auto kept_byte = [](u64 k) { return byte_at(64 * k + 63); };
  CHECK(clwave::copy_if(on.queue, large.x(), large.y(), is_64th) == kept);
  check_bytes(on, large.out, kept, kept_byte);
  const auto check_both_sides = [&] {
    check_bytes(on, large.out, kept, kept_byte);
    for (const u64 at : {kept, large.n - 4096}) {
      CAPTURE(at);
      const std::vector<u8> got = on.read<u8>(large.out, 4096, at);
      for (u64 k = 0; k < got.size(); k += 97) {
        const u64 other = at + k - kept;
        CHECK(got[k] == byte_at(other / 63 * 64 + other % 63));
      }
    }
  };
  clwave::partition(on.queue, large.x(), large.y(), is_64th);
  check_both_sides();
  clwave::fill(on.queue, large.y(), u8{0});
  // The outputs lie one behind the other in one buffer.
  clwave::partition_copy(on.queue, large.x(), large.y().subview(0, kept),
                         large.y().subview(kept, large.n - kept), is_64th);
  check_both_sides();
}

}  // namespace testing::select_large_test
