// partition into one output: of few tiles, whose groups run together, in one pass, and of many by shares that
// are counted first.
#include <clwave/select.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "families/selections.hpp"
#include "harness/changed_kernels.hpp"
#include "harness/devices.hpp"
#include "harness/own_site.hpp"
#include "primitives/select.hpp"

namespace testing::partition_test {
namespace {

using clwave::select_kind;

constexpr auto odd = [](std::uint32_t x) { return x % 2 != 0; };
const clwave::map odd_text{.name = "odd", .source = "x % 2 != 0"};

// A partition on a device that is said to have so many compute units, by so small groups.
void check_partition(const fixture& on, const std::vector<std::uint32_t>& values, unsigned compute_units,
                     const clwave::select_tuning& tuned, std::size_t launches) {
  own_site site(on.queue(), "select");
  site.row.select = tuned;
  site.on.compute_units = compute_units;
  const auto keeps = [&](std::size_t i) { return odd(values[i]); };
  const element& u32 = element_of<std::uint32_t>();
  check_results(on, values, 3, selected(values, 3, keeps, true), values.size() - 3,
                [&](auto in, auto out, auto count) {
                  const clwave::select_problem problem{.kind = select_kind::partition,
                                                       .in = in,
                                                       .out = {u32, in.size(), out.offset()},
                                                       .predicate = &odd_text,
                                                       .count = count};
                  CHECK(clwave::detail::describe(problem, site.on).work.launches.size() == launches);
                  site.run(problem, {in.buffer(), out.buffer(), count.buffer()});
                });
}

}  // namespace

TEST_CASE("a partition of few tiles takes one pass, and ends with the right results whoever keeps silent") {
  random_engine random;
  const auto check = [&] {
    const fixture fresh;
    const forced_profile forced("sm_90");
    for (const std::size_t n : {std::size_t{5}, std::size_t{2048}, 40 * std::size_t{2048} + 17})
      check_partition(fresh, runs_of<std::uint32_t>(random, n, 4), 21, {.group_size = 64, .items = 32}, 1);
  };
  check();
  for (const std::string silent : {"tile % 2 == 0", "tile + 1 < tiles"}) {
    CAPTURE(silent);
    with_silent_tiles(silent, true, check);
    with_silent_tiles(silent, false, check);
  }
  with_changed_kernels("primitives/select_one_pass.cl", "return get_group_id(0);",
                       "return tiles - 1 - get_group_id(0);", check);
}

// Shares of one tile each, of some, and some of which have one more; sums of one word and of several pieces.
TEST_CASE("a partition of many tiles counts them by shares") {
  random_engine random;
  const auto check = [&] {
    const fixture fresh;
    const forced_profile forced("sm_90");
    for (const std::size_t tiles : {100u, 512u, 1535u, 2000u})
      check_partition(fresh, runs_of<std::uint32_t>(random, tiles * 128 - random.below(100), 4), 4,
                      {.group_size = 32, .items = 4}, 2);
  };
  check();
  with_changed_kernels("primitives/select_split.cl", "enum { SUM_PIECE = 16 };",
                       "#undef COUNT_WORDS\n#define COUNT_WORDS 2\nenum { SUM_PIECE = 7 };", check);
}

}  // namespace testing::partition_test
