// The same bits under every profile: one call of each primitive, of a random size, forced to one row
// after the other, against what the row of a CPU gives. What that has to be, each primitive's own tests say.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/profile.hpp>

#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/parts.hpp"

namespace testing::rows_test {
namespace {

const doctest::test_suite lanes("lanes");

// Its results under a row that is forced.
std::vector<float> under(std::string_view row, const result_call& of, const view<float>& in) {
  const forced_profile forced{std::string(row)};
  return of.call(default_fixture(), in);
}

}  // namespace

TEST_CASE_FIXTURE(on_device, "a call of each primitive has the same bits under each row" * lanes) {
  for (std::size_t k = 0; k < all_parts().size(); ++k) {
    const std::string& primitive = primitive_names()[k];
    if (primitive == "gemm") continue;  // its own tests go through the rows, with their own bounds of errors
    CAPTURE(primitive);
    CHECK_FALSE(all_parts()[k].results.empty());
  }
  // Of a quick run a few of the calls, each under six rows beside a CPU's, until all rows have had one.
  sample calls(3);
  std::size_t compared = 0, next_row = random.below(100);
  for (const primitive_parts& part : all_parts()) {
    for (const result_call& each : part.results) {
      if (!calls.takes_next()) continue;
      const std::string name = each.name;
      CAPTURE(name);
      const std::size_t n = 1000 + random.below(100000);
      CAPTURE(n);
      const std::vector<float> values =
          reference::random_values<float>(random, n, reference::spice::ordinary);
      const cl::Buffer buffer = on.buffer_of(values);
      const view<float> in{buffer, n};
      const std::vector<float> right = under("cpu", each, in);
      REQUIRE_FALSE(right.empty());
      // One is taken of those that this device takes, so that a quick run never comes out with none.
      std::vector<std::string> all;
      for (const clwave::profile& row : clwave::profiles())
        if (std::string name_of_row(row.name); on.is_pocl() || takes_row(on, random, name_of_row))
          all.push_back(std::move(name_of_row));
      const std::size_t n_rows = quick() ? std::min<std::size_t>(all.size(), 6) : all.size();
      for (std::size_t k = 0; k < n_rows; ++k) {
        const std::string& row_name = all[next_row++ % all.size()];
        CAPTURE(row_name);
        const std::vector<float> got = under(row_name, each, in);
        CHECK((got.size() == right.size() &&
               std::memcmp(got.data(), right.data(), right.size() * sizeof(float)) == 0));
        ++compared;
      }
    }
  }
  CHECK(compared >= (on.is_pocl() ? clwave::profiles().size() : 1));
}

}  // namespace testing::rows_test
