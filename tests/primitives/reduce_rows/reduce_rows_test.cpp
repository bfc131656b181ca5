// reduce_rows against reduce of each row alone, and against the order's reference on the host, bit for bit.
#include <clwave/reduce_rows.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "call/planning.hpp"
#include "families/matrix_lines.hpp"
#include "families/placed_matrices.hpp"
#include "families/reductions.hpp"
#include "harness/devices.hpp"
#include "harness/large.hpp"
#include "harness/refusals.hpp"
#include "primitives/reduce_rows.hpp"

namespace testing::reduce_rows_test {
namespace {

using lines = matrix_lines<per::row>;

// Matrices of random pitches, offsets and batches whose rows have `columns` elements.
template <class T>
placed_matrices<T> random_place(random_engine& random, std::size_t columns, std::size_t most_rows,
                                spice with = spice::nans) {
  return random_matrices<T>(random, {.rows = 1 + random.below(most_rows), .columns = columns}, with);
}

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE_FIXTURE(on_device, "rows of every length around the boundaries, on rows of the table") {
  for (const clwave::profile& row : clwave::profiles()) {
    if (row.lanes > small_tile.accumulators) continue;
    // Compilers take seconds over each program of emulated lanes: each time a third of the other rows.
    if (row.name != "sm_90" && row.name != "gfx90a" && row.name != "cpu" && random.below(3) != 0) continue;
    const forced_profile forced{std::string(row.name)};
    std::vector<std::size_t> lengths = {random.below(2) == 0 ? std::size_t{61} : std::size_t{513}};
    if (row.name == "gfx90a") lengths = {8, 33, 64, 100, 513, 5000};
    if (row.name == "sm_90") lengths = {1, 3, 8, 31, 32, 33, 65, 100, 512, 513, 1024, 5000};
    if (row.name == "cpu")
      lengths = {1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 100, 511, 512, 513, 1023, 1024, 5000};
    for (const std::size_t columns : lengths)
      check_lines<lines, float>(on, random_place<float>(random, columns, 40), clwave::plus,
                                wrapping_plus<float>, small_tile);
  }
}

TEST_CASE_FIXTURE(on_device, "rows of the contract's tiles have reduce's bits") {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    for (const std::size_t columns : {1u, 60u, 64u, 300u, 600u, 1024u, 1025u, 8191u, 8192u, 8193u, 20000u}) {
      if (name == "sm_90" && columns > 1025 && columns != 8193) continue;  // emulated lanes take long
      const auto in = random_place<float>(random, columns, 5, spice::finite);
      CAPTURE(columns);
      const auto found = folded<lines, float>(on, in, clwave::plus, {});
      for (std::size_t row = 0; row < in.rows(); ++row) {
        const cl::Buffer buffer = on.buffer_of(line_alone<lines>(in, row));
        const float expected = clwave::reduce(on.queue, view<float>{buffer, columns});
        CHECK(same_bits(found[row], expected));
      }
    }
  }
}

TEST_CASE_FIXTURE(on_device, "many rows: groups fold whole rows of several tiles" * lanes) {
  for (const std::string name : forced_rows(some_of({"sm_90", "gfx90a", "subgroup-8"}))) {
    matrices size{.rows = 700, .columns = 1500};
    const auto launches = [&] {
      return clwave::plan(clwave::reduce_rows_problem{.in = element_of<float>(),
                                                      .out = element_of<float>(),
                                                      .size = size,
                                                      .sizes = small_tile},
                          on.target(/*with_source=*/true))
          .kernels.size();
    };
    while (launches() > 1 && size.rows < 50000) size.rows *= 2;  // a device of many units takes more rows
    CHECK(launches() == 1);
    const auto in = place<float>(random, size, {}, 0);
    check_lines<lines, float>(on, in, clwave::plus, wrapping_plus<float>, small_tile);
  }
}

TEST_CASE_FIXTURE(on_device, "many short rows: groups and cores go over several at once" * lanes) {
  for (const std::string name : forced_rows(some_of({"sm_90", "gfx1030", "cpu"}))) {
    for (const std::size_t columns : {16u, 64u, 100u, 256u}) {
      if (columns == 100 && std::string(name) != "sm_90") continue;
      const auto in =
          place<float>(random, {.rows = 211, .columns = columns, .batch = 3}, {.row = columns + 4}, 4);
      check_lines<lines, float>(on, in, clwave::plus, wrapping_plus<float>);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "long rows by one launch and by two" * lanes) {
  for (const std::string name : forced_rows(some_of({"sm_90", "gfx90a"}))) {
    // Rows that share a counter, one row, and more rows than counters count.
    for (const std::size_t rows : {1u, 70u, 130u}) {
      if (rows == 1 && std::string(name) != "sm_90") continue;
      const auto in = place<float>(random, {.rows = rows, .columns = 20 * 512 + 5}, {}, 0);
      for (int again = 0; again < 2; ++again)
        check_lines<lines, float>(on, in, clwave::plus, wrapping_plus<float>, small_tile);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "types, operators and maps of rows") {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"})))
    for (const std::size_t columns : {50u, 1300u})
      // Compilers take seconds over each program of emulated lanes.
      check_types<lines>(
          on, [&]<class T>(T, spice with) { return random_place<T>(random, columns, 30, with); },
          name == "sm_90", true);
}

TEST_CASE_FIXTURE(on_device, "structures, and an operator that does not commute") {
  for (const std::string name : forced_rows(some_of({"gfx90a", "cpu"})))
    for (const std::size_t columns : {64u, 1300u})
      // Compilers take seconds over each program of emulated lanes.
      if (columns != 64 || name != "cpu")
        check_structures<lines>(on, random, {.rows = 11, .columns = columns}, columns + 2);
}

TEST_CASE_FIXTURE(on_device, "argmin and argmax of rows, with ties and NaN") {
  check_places<lines, float>(on, random, "cpu", 61);
  check_places<lines, float>(on, random, "cpu", 1300);
  check_places<lines, std::int32_t>(on, random, "cpu", 40);
  // Compilers take seconds over each program of emulated lanes.
  if (random.below(2) == 0 || !on.has_doubles())
    check_places<lines, float>(on, random, "sm_90", 61);
  else
    check_places<lines, double>(on, random, "sm_90", 1300);
}

TEST_CASE_FIXTURE(on_device, "a map sees each element and its place in the row") {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"})))
    for (const std::size_t columns : {40u, 1300u})
      check_map_of_places<lines>(on, random_place<std::int32_t>(random, columns, 9));
}

TEST_CASE_FIXTURE(on_device, "no rows, and rows without elements") { check_empty<lines>(on); }

TEST_CASE_FIXTURE(on_device, "rows: what is refused, before anything is enqueued") {
  check_refused<lines>(on, [&](const auto& refused_with, const auto& x, const auto& y) {
    refused_with("product takes two inputs", [&] {
      clwave::transform_reduce_rows(on.queue, x, y, {.rows = 10, .columns = 10}, clwave::plus,
                                    clwave::product);
    });
    CHECK(
        refused([&] { clwave::reduce_rows(on.queue, x, y, {.rows = std::size_t{1} << 40, .columns = 1}); }));
  });
}

TEST_CASE_FIXTURE(on_device, "rows wait for what they are to wait for, and give an event") {
  check_waiting<lines>(on);
}

TEST_CASE("reduce_rows: past 2^32 elements") {
  const fixture on;
  const large_buffers large(on);
  const cl::Buffer sums(on.context, CL_MEM_READ_WRITE, 2 * sizeof(u64));
  // Of two rows the second begins past 2^31.
  const u64 half = large.n / 2;
  clwave::fill(on.queue, large.x(), u8{1});
  clwave::reduce_rows(on.queue, clwave::view<u8>{large.in, 2 * half}, clwave::view<u64>{sums, 2},
                      {.rows = 2, .columns = half})
      .wait();
  CHECK(on.read<u64>(sums, 2) == std::vector<u64>(2, half));
}

}  // namespace testing::reduce_rows_test
