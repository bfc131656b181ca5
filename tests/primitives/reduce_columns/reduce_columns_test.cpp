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

#include "families/placed_matrices.hpp"
#include "families/reductions.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"

namespace testing::reduce_columns_test {
namespace {

using clwave::indexed;
using clwave::matrices;
using clwave::detail::fold_sizes;
using reference::canonical;

template <class Acc, class T>
std::vector<Acc> folded(const fixture& on, const placed_matrices<T>& in, const clwave::op& fold,
                        const fold_sizes& sizes, const clwave::map& apply = clwave::identity) {
  return folded_matrices<Acc>(on, clwave::detail::reduce_columns, in, in.columns(), fold, sizes, apply);
}

template <class Acc, class T, class Combine>
void check_columns(const fixture& on, const placed_matrices<T>& in, const clwave::op& fold, Combine combine,
                   const fold_sizes& sizes = {}) {
  check_folds<Acc>(
      in, folded<Acc>(on, in, fold, sizes), in.columns(), in.size.rows,
      [&](std::size_t column, std::size_t i) { return in.in_column(column, i); }, fold, combine, sizes);
}

template <class T>
std::vector<T> column_alone(const placed_matrices<T>& in, std::size_t column) {
  std::vector<T> alone(in.size.rows);
  for (std::size_t i = 0; i < alone.size(); ++i) alone[i] = in.in_column(column, i);
  return alone;
}

constexpr fold_sizes small = {.tile = 512, .accumulators = 64};

}  // namespace

TEST_CASE("columns of every length around the boundaries, on rows of the table") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const clwave::profile& row : clwave::profiles()) {
    if (row.lanes > small.accumulators) continue;
    CAPTURE(std::string(row.name));
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
      check_columns<float>(on, in, clwave::plus, wrapping_plus<float>, small);
    }
  }
}

TEST_CASE("columns of the contract's tiles have reduce's bits") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const std::string name : testing::some_of({"sm_90", "gfx90a", "cpu"})) {
    CAPTURE(name);
    for (const std::size_t rows : {60u, 600u, 1024u, 1025u, 8192u, 8193u, 20000u}) {
      if (name == "gfx90a" && rows != 8193) continue;
      const auto in =
          random_matrices<float>(random, {.rows = rows, .columns = 1 + random.below(7)}, spice::finite);
      CAPTURE(rows);
      std::vector<float> found;
      {
        const forced_profile forced(name);
        found = folded<float>(on, in, clwave::plus, {});
      }
      const forced_profile forced("cpu");
      for (std::size_t column = 0; column < in.columns(); ++column) {
        const cl::Buffer buffer = on.buffer_of(column_alone(in, column));
        CHECK(same_bits(found[column], clwave::reduce(on.queue, view<float>{buffer, rows})));
      }
    }
  }
}

TEST_CASE("columns that a work-item, a group, and many groups take") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const char* name : testing::some_of({"sm_90", "gfx1030", "cpu"})) {
    CAPTURE(std::string(name));
    const forced_profile forced(name);
    const auto plan_of = [&](const matrices& size) {
      return clwave::plan(
          clwave::reduce_columns_problem{
              .in = clwave::element_of<float>(), .out = clwave::element_of<float>(), .size = size},
          {.facts = &on.facts, .choice = clwave::choose_profile(on.facts)});
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
      check_columns<float>(on, place<float>(random, size, {.row = size.columns + 4}, 4, spice::ordinary),
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

TEST_CASE("values of columns that a second launch or the last group folds") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
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
  for (const char* name : testing::some_of({"sm_90", "gfx90a", "subgroup-8", "cpu"})) {
    CAPTURE(std::string(name));
    const forced_profile forced(name);
    for (const parted& each : of_floats) {
      CAPTURE(each.size.rows);
      CAPTURE(each.size.columns);
      check_columns<float>(on, place<float>(random, each.size, {}, 0, spice::ordinary), clwave::plus,
                           wrapping_plus<float>, each.sizes);
    }
    for (const parted& each : of_affines) {
      CAPTURE(each.size.rows);
      placed_matrices<affine> in{each.size, {}, 0, {}};
      in.values = random_affines(random, in.elements());
      check_columns<affine>(on, in, then, compose, each.sizes);
    }
  }
}

TEST_CASE("types, operators and maps of columns") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const char* name : testing::some_of({"sm_90", "cpu"})) {
    CAPTURE(std::string(name));
    const forced_profile forced(name);
    for (const std::size_t rows : {50u, 1300u}) {
      const matrices size{.rows = rows, .columns = 32 * (1 + random.below(2))};
      const auto bytes = random_matrices<std::uint8_t>(random, size);
      check_columns<std::uint32_t>(on, bytes, clwave::plus, wrapping_plus<std::uint32_t>, small);
      if (on.has_doubles()) {
        const auto doubles = random_matrices<double>(random, size, spice::finite);
        check_columns<double>(on, doubles, clwave::multiplies, reference::wrapping_times<double>, small);
      }
      const auto halves = random_matrices<clwave::half>(random, size, spice::ordinary);
      check_columns<float>(on, halves, clwave::plus, wrapping_plus<float>, small);
      const auto shorts = random_matrices<std::int16_t>(random, size);
      check_columns<std::int16_t>(on, shorts, clwave::max, reference::maximum<std::int16_t>, small);
      const auto floats = random_matrices<float>(random, size);
      check_columns<float>(on, floats, clwave::min, reference::minimum<float>, small);
      if (rows == 50) continue;
      const auto words = random_matrices<std::uint64_t>(random, size);
      check_columns<std::uint64_t>(
          on, words, clwave::bit_xor, [](std::uint64_t a, std::uint64_t b) { return a ^ b; }, small);
    }
  }
}

TEST_CASE("columns of structures, and an operator that does not commute") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  // Commutes, and ends for no zero, which is in no input.
  const clwave::op joined{.name = "joined",
                          .source = "joined_of(a, b)",
                          .identity = {},
                          .declarations =
                              "affine joined_of(affine a, affine b) {\n"
                              "  uint s = a.scale * b.scale;\n"
                              "  while (s % 2 == 0) s /= 2;\n"
                              "  return (affine){s, a.shift + b.shift};\n}"};
  const auto join = [](affine a, affine b) {
    std::uint32_t s = a.scale * b.scale;
    while (s % 2 == 0) s /= 2;
    return affine{s, a.shift + b.shift};
  };
  for (const char* name : testing::some_of({"gfx90a", "sm_90", "cpu"})) {
    CAPTURE(std::string(name));
    const forced_profile forced(name);
    for (const std::size_t rows : {3u, 64u, 300u, 5000u}) {
      placed_matrices<affine> in{{.rows = rows, .columns = 11}, {.row = 13}, 3, {}};
      in.values = random_affines(random, in.elements());
      check_columns<affine>(on, in, then, compose, small);
      if (rows != 3) check_columns<affine>(on, in, joined, join, small);
    }
  }
}

TEST_CASE("argmin and argmax of columns, with ties and NaN") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  const auto check = [&]<class T>(const char* name, T, std::size_t rows) {
    using result = indexed<clwave::detail::widened<T>>;
    const bool with_nan = random.below(2) == 0;
    auto in = random_matrices<T>(random, {.rows = rows, .columns = 1 + random.below(12)}, spice::ordinary);
    for (T& value : in.values) {  // ties
      const auto few = static_cast<int>(random.below(5)) - 2;
      if constexpr (std::is_floating_point_v<T>)
        value = few == 0 ? (random.below(2) == 0 ? T(-0.0) : T(0.0)) : static_cast<T>(few);
      else
        value = static_cast<T>(few);
      if constexpr (std::is_floating_point_v<T>) {
        if (with_nan && random.below(rows) == 0) value = quiet_nan<T>(random.below(99));
      }
    }
    CAPTURE(std::string(name));
    CAPTURE(rows);
    std::vector<result> low, high;
    {
      const forced_profile forced(name);
      low = folded<result>(on, in, clwave::detail::argmin_op, small);
      high = folded<result>(on, in, clwave::detail::argmax_op, small);
    }
    const forced_profile forced("cpu");
    for (std::size_t column = 0; column < in.columns(); ++column) {
      CAPTURE(column);
      const cl::Buffer buffer = on.buffer_of(column_alone(in, column));
      const view<T> it{buffer, rows};
      CHECK(same_bits(low[column], clwave::argmin(on.queue, it)));
      CHECK(same_bits(high[column], clwave::argmax(on.queue, it)));
    }
  };
  check("cpu", std::int32_t(1), 40);
  check("cpu", 1.0f, 1300);
  check("sm_90", 1.0f, 61);
  check("sm_90", 1.0f, 1300);
  if (on.has_doubles()) check("sm_90", 1.0, 5000);
}

TEST_CASE("a map sees each element and its row") {
  fixture& on = default_fixture();
  random_engine random;
  for (const char* name : testing::some_of({"sm_90", "cpu"})) {
    CAPTURE(std::string(name));
    const forced_profile forced(name);
    for (const std::size_t rows : {40u, 1300u}) {
      const auto in = random_matrices<std::int32_t>(random, {.rows = rows, .columns = 9});
      const clwave::map place{
          .name = "place", .source = "x > 0 ? i + extra : (ulong)0", .values = {{"extra", 3u}}};
      const auto found = folded<std::uint64_t>(on, in, clwave::plus, small, place);
      for (std::size_t column = 0; column < in.columns(); ++column) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < rows; ++i) sum += in.in_column(column, i) > 0 ? i + 3 : 0;
        CHECK(found[column] == sum);
      }
    }
  }
}

TEST_CASE("no columns, and columns without elements") {
  fixture& on = default_fixture();
  const cl::Buffer in = on.buffer_of(std::vector<float>(8, 1.0f));
  const guarded_buffer<float> out(on, 5);
  const view<float> x{in, 8};
  clwave::reduce_columns(on.queue, x, out.view(), {.rows = 4, .columns = 0}).wait();
  clwave::reduce_columns(on.queue, x, out.view(), {.rows = 3, .columns = 4, .batch = 0}).wait();
  CHECK(out.intact());
  clwave::reduce_columns(on.queue, x, out.view(), {.rows = 0, .columns = 5}, clwave::min).wait();
  CHECK(out.read() == std::vector<float>(5, std::numeric_limits<float>::infinity()));
  // Only the compiler knows what this is worth.
  const clwave::op mine{
      .name = "mine", .source = "a + b", .identity = "base + 1.5f", .values = {{"base", 2.0f}}};
  for (const char* name : testing::some_of({"sm_90", "cpu"})) {
    const forced_profile forced(name);
    clwave::fill(on.queue, out.view(), 0.0f).wait();
    clwave::reduce_columns(on.queue, x, out.view(), {.rows = 0, .columns = 5}, mine).wait();
    CHECK(out.read() == std::vector<float>(5, 3.5f));
  }
  CHECK(out.guards_intact());
}

TEST_CASE("columns: what is refused, before anything is enqueued") {
  fixture& on = default_fixture();
  const cl::Buffer in = on.buffer_of(std::vector<float>(100, 1.0f));
  const guarded_buffer<float> out(on, 10);
  const view<float> x{in, 100};
  const auto refused_with = [&](const std::string& words, const auto& call) {
    const std::string said = refusal(call);
    CAPTURE(said);
    CHECK(contains(said, "reduce_columns"));
    CHECK(contains(said, words));
    CHECK(out.intact());
  };
  refused_with("the input",
               [&] { clwave::reduce_columns(on.queue, x, out.view(), {.rows = 11, .columns = 10}); });
  refused_with("the output",
               [&] { clwave::reduce_columns(on.queue, x, out.view(), {.rows = 2, .columns = 11}); });
  refused_with("overlap", [&] {
    clwave::reduce_columns(on.queue, x, out.view(), {.rows = 10, .columns = 9}, clwave::plus, {.row = 8});
  });
  refused_with("overlap", [&] {
    clwave::reduce_columns(on.queue, x, view<float>{in, 10, 90}, {.rows = 10, .columns = 10});
  });
  refused_with("bit operators", [&] {
    clwave::reduce_columns(on.queue, x, out.view(), {.rows = 10, .columns = 10}, clwave::bit_and);
  });
  refused_with("identity", [&] {
    clwave::reduce_columns(on.queue, x, out.view(), {.rows = 0, .columns = 10},
                           clwave::op{.name = "none", .source = "a + b", .identity = {}});
  });
  const guarded_buffer<indexed<float>> found(on, 4);
  CHECK(refused([&] { clwave::argmin_columns(on.queue, x, found.view(), {.rows = 0, .columns = 4}); }));
  CHECK(found.intact());
  // More parts than kernels count.
  const clwave::element& type = clwave::element_of<float>();
  for (const matrices& size : {matrices{.rows = 1, .columns = std::size_t{1} << 40},
                               matrices{.rows = std::size_t{1} << 45, .columns = 1},
                               matrices{.rows = std::size_t{1} << 34, .columns = std::size_t{1} << 21}})
    refused_with("in parts", [&] {
      clwave::plan(clwave::reduce_columns_problem{.in = type, .out = type, .size = size},
                   {.facts = &on.facts, .choice = clwave::choose_profile(on.facts)});
    });
}

TEST_CASE("columns wait for what they are to wait for, and give an event") {
  fixture& on = default_fixture();
  const cl::Buffer in = on.buffer_of(std::vector<float>(6, 2.0f));
  const guarded_buffer<float> out(on, 2);
  const std::vector<float> later(6, 5.0f);
  const cl::Event written = on.write_after(on.queue, in, later.data(), later.size() * sizeof(float), {});
  clwave::transform_reduce_columns(on.queue, view<float>{in, 6}, out.view(), {.rows = 3, .columns = 2},
                                   clwave::plus, clwave::square, {.after = {written}})
      .wait();
  CHECK(out.read() == std::vector<float>{75.0f, 75.0f});
}

}  // namespace testing::reduce_columns_test
