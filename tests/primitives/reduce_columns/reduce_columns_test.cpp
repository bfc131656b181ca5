// reduce_columns against reduce of each column alone, and against the order's reference on the host, bit for
// bit.
#include <clwave/reduce_columns.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "families/matrix_lines.hpp"
#include "families/placed_matrices.hpp"
#include "families/reductions.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/refusals.hpp"

namespace testing::reduce_columns_test {
namespace {

using lines = matrix_lines<per::column>;

}  // namespace

TEST_CASE_FIXTURE(on_device, "columns of every length around the boundaries, on rows of the table") {
  for (const clwave::profile& row : clwave::profiles()) {
    if (row.lanes > small_tile.accumulators) continue;
    const forced_profile forced{std::string(row.name)};
    std::vector<std::size_t> lengths = {random.below(2) == 0 ? std::size_t{61} : std::size_t{513}};
    if (row.name == "gfx90a") lengths = {8, 100, 513, 5000};
    if (row.name == "sm_90") lengths = {1, 3, 33, 63, 64, 65, 511, 512, 513, 5000, 40000};
    if (row.name == "cpu")
      lengths = {1, 2, 3, 7, 16, 31, 33, 63, 64, 65, 100, 511, 512, 513, 1023, 1024, 5000, 40000};
    for (const std::size_t rows : lengths) {
      const matrices size{.rows = rows, .columns = 1 + random.below(rows > 5000 ? 9 : 90)};
      // Of many nothing may be left but a NaN.
      const auto in = random_matrices<float>(random, size, rows > 100 ? spice::ordinary : spice::nans);
      check_lines<lines, float>(on, in, clwave::plus, wrapping_plus<float>, small_tile);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "columns of the contract's tiles have reduce's bits") {
  for (const std::string name : some_of({"sm_90", "gfx90a", "cpu"})) {
    CAPTURE(name);
    for (const std::size_t rows : {60u, 600u, 1024u, 1025u, 8192u, 8193u, 20000u}) {
      if (name == "gfx90a" && rows != 8193) continue;
      const auto in =
          random_matrices<float>(random, {.rows = rows, .columns = 1 + random.below(7)}, spice::finite);
      CAPTURE(rows);
      std::vector<float> found;
      {
        const forced_profile forced(name);
        found = folded<lines, float>(on, in, clwave::plus, {});
      }
      const forced_profile forced("cpu");
      for (std::size_t column = 0; column < in.columns(); ++column) {
        const cl::Buffer buffer = on.buffer_of(line_alone<lines>(in, column));
        CHECK(same_bits(found[column], clwave::reduce(on.queue, view<float>{buffer, rows})));
      }
    }
  }
}

TEST_CASE_FIXTURE(on_device, "columns that a work-item, a group, and many groups take") {
  for (const std::string name : forced_rows(some_of({"sm_90", "gfx1030", "cpu"}))) {
    const auto plan_of = [&](const matrices& size) {
      return clwave::plan(
          clwave::reduce_columns_problem{.in = element_of<float>(), .out = element_of<float>(), .size = size},
          on.target(/*with_source=*/true));
    };
    // Wide enough for a work-item to each packet: of more columns where the device has more units.
    matrices wide{.rows = 53, .columns = 16384};
    while (plan_of(wide).kernels.size() > 1 && wide.columns < (1u << 22)) wide.columns *= 2;
    CHECK(plan_of(wide).kernels.size() == 1);
    CHECK(plan_of({.rows = 1u << 20, .columns = 64}).kernels.size() == 2);
    // In one launch, where the last groups have little to fold.
    CHECK(plan_of({.rows = 16384, .columns = 64}).kernels.size() == (name == std::string("cpu") ? 2 : 1));
    for (const matrices& size :
         {wide, matrices{.rows = 64, .columns = 300, .batch = 2}, matrices{.rows = 500, .columns = 260},
          matrices{.rows = 9000, .columns = 64}})
      check_lines<lines, float>(on, place<float>(random, size, {.row = size.columns + 4}, 4, spice::ordinary),
                                clwave::plus, wrapping_plus<float>);
  }
}

// Matrices whose columns are cut into parts, whose values a second launch folds, or the group of a strip that
// comes last.
struct parted {
  matrices size;
  fold_sizes sizes;
};
// Four values of each tile, or one.
constexpr fold_sizes four = {.tile = 512, .accumulators = 256}, one = {.tile = 64, .accumulators = 64};

TEST_CASE_FIXTURE(on_device, "values of columns that a second launch or the last group folds") {
  const parted of_floats[] = {
      {{.rows = 1200, .columns = 64}, four},
      {{.rows = 20 * 512 + 77, .columns = 3}, four},
      {{.rows = 31 * 512, .columns = 62, .batch = 2}, four},
      {{.rows = 20 * 512 + 1, .columns = 260}, four},
      {{.rows = 1200, .columns = 5, .batch = 33}, four},
      {{.rows = 1200, .columns = 5, .batch = 32}, four},
      {{.rows = 40 * 64 + 5, .columns = 70}, one},
      // So many tiles that accumulators of the level above have several, and that there are two levels above.
      {{.rows = 300 * 512 + 9, .columns = 2}, four},
      {{.rows = 64 * 64 * 2 + 70, .columns = 2}, one},
  };
  // Tiles' values are folded by two passes, and those of the level above by runs.
  const parted of_affines[] = {
      {{.rows = 5 * 1024 + 700, .columns = 64}, {.tile = 1024, .accumulators = 512}},
      {{.rows = 40 * 512, .columns = 4, .batch = 3}, four},
  };
  for (const std::string name : forced_rows(some_of({"sm_90", "gfx90a", "subgroup-8", "cpu"}))) {
    for (const parted& each : of_floats) {
      CAPTURES(each.size.rows, each.size.columns);
      check_lines<lines, float>(on, place<float>(random, each.size, {}, 0, spice::ordinary), clwave::plus,
                                wrapping_plus<float>, each.sizes);
    }
    for (const parted& each : of_affines) {
      CAPTURE(each.size.rows);
      placed_matrices<affine> in{each.size, {}, 0, {}};
      in.values = random_affines(random, in.elements());
      check_lines<lines, affine>(on, in, then, compose, each.sizes);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "types, operators and maps of columns") {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    for (const std::size_t rows : {50u, 1300u}) {
      const matrices size{.rows = rows, .columns = 32 * (1 + random.below(2))};
      check_types<lines>(
          on, [&]<class T>(T, spice with) { return random_matrices<T>(random, size, with); }, false,
          rows != 50);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "columns of structures, and an operator that does not commute") {
  for (const std::string name : forced_rows(some_of({"gfx90a", "sm_90", "cpu"})))
    for (const std::size_t rows : {3u, 64u, 300u, 5000u})
      check_structures<lines>(on, random, {.rows = rows, .columns = 11}, 13, rows != 3);
}

TEST_CASE_FIXTURE(on_device, "argmin and argmax of columns, with ties and NaN") {
  check_places<lines, std::int32_t>(on, random, "cpu", 40);
  check_places<lines, float>(on, random, "cpu", 1300);
  check_places<lines, float>(on, random, "sm_90", 61);
  check_places<lines, float>(on, random, "sm_90", 1300);
  if (on.has_doubles()) check_places<lines, double>(on, random, "sm_90", 5000);
}

TEST_CASE_FIXTURE(on_device, "a map sees each element and its row") {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"})))
    for (const std::size_t rows : {40u, 1300u})
      check_map_of_places<lines>(on, random_matrices<std::int32_t>(random, {.rows = rows, .columns = 9}));
}

TEST_CASE_FIXTURE(on_device, "no columns, and columns without elements") { check_empty<lines>(on); }

TEST_CASE_FIXTURE(on_device, "columns: what is refused, before anything is enqueued") {
  check_refused<lines>(on, [&](const auto& refused_with, const auto&, const auto&) {
    // More parts than kernels count.
    const element& type = element_of<float>();
    for (const matrices& size : {matrices{.rows = 1, .columns = std::size_t{1} << 40},
                                 matrices{.rows = std::size_t{1} << 45, .columns = 1},
                                 matrices{.rows = std::size_t{1} << 34, .columns = std::size_t{1} << 21}})
      refused_with("in parts", [&] {
        clwave::plan(clwave::reduce_columns_problem{.in = type, .out = type, .size = size},
                     on.target(/*with_source=*/true));
      });
  });
}

TEST_CASE_FIXTURE(on_device, "columns wait for what they are to wait for, and give an event") {
  check_waiting<lines>(on);
}

}  // namespace testing::reduce_columns_test
