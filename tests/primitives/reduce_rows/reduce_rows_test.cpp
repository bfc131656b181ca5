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
#include "families/placed_matrices.hpp"
#include "families/reductions.hpp"
#include "harness/devices.hpp"
#include "harness/large.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"
#include "primitives/reduce_rows.hpp"

namespace testing::reduce_rows_test {
namespace {

using clwave::indexed;
using clwave::matrices;
using clwave::pitches;
using clwave::detail::fold_sizes;
using reference::canonical;

template <class Acc, class T>
std::vector<Acc> folded(const fixture& on, const placed_matrices<T>& in, const clwave::op& fold,
                        const fold_sizes& sizes, const clwave::map& apply = clwave::identity) {
  return folded_matrices<Acc>(on, clwave::detail::reduce_rows, in, in.rows(), fold, sizes, apply);
}

template <class Acc, class T, class Combine>
void check_rows(const fixture& on, const placed_matrices<T>& in, const clwave::op& fold, Combine combine,
                const fold_sizes& sizes = {}) {
  check_folds<Acc>(
      in, folded<Acc>(on, in, fold, sizes), in.rows(), in.size.columns,
      [&](std::size_t row, std::size_t i) { return in.values[in.first_of(row) + i]; }, fold, combine, sizes);
}

// Matrices of random pitches, offsets and batches whose rows have `columns` elements.
template <class T>
placed_matrices<T> random_place(random_engine& random, std::size_t columns, std::size_t most_rows,
                                spice with = spice::nans) {
  return random_matrices<T>(random, {.rows = 1 + random.below(most_rows), .columns = columns}, with);
}

// A tile that any row's lanes allow.
constexpr fold_sizes small = {.tile = 512, .accumulators = 64};

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE("rows of every length around the boundaries, on rows of the table") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const clwave::profile& row : clwave::profiles()) {
    if (row.lanes > small.accumulators) continue;
    // Compilers take seconds over each program of emulated lanes: each time a third of the other rows.
    if (row.name != "sm_90" && row.name != "gfx90a" && row.name != "cpu" && random.below(3) != 0) continue;
    CAPTURE(std::string(row.name));
    const forced_profile forced{std::string(row.name)};
    std::vector<std::size_t> lengths = {random.below(2) == 0 ? std::size_t{61} : std::size_t{513}};
    if (row.name == "gfx90a") lengths = {8, 33, 64, 100, 513, 5000};
    if (row.name == "sm_90") lengths = {1, 3, 8, 31, 32, 33, 65, 100, 512, 513, 1024, 5000};
    if (row.name == "cpu")
      lengths = {1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 100, 511, 512, 513, 1023, 1024, 5000};
    for (const std::size_t columns : lengths)
      check_rows<float>(on, random_place<float>(random, columns, 40), clwave::plus, wrapping_plus<float>,
                        small);
  }
}

TEST_CASE("rows of the contract's tiles have reduce's bits") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const std::string name : testing::some_of({"sm_90", "cpu"})) {
    CAPTURE(name);
    const forced_profile forced(name);
    for (const std::size_t columns : {1u, 60u, 64u, 300u, 600u, 1024u, 1025u, 8191u, 8192u, 8193u, 20000u}) {
      if (name == "sm_90" && columns > 1025 && columns != 8193) continue;  // emulated lanes take long
      const auto in = random_place<float>(random, columns, 5, spice::finite);
      CAPTURE(columns);
      const auto found = folded<float>(on, in, clwave::plus, {});
      for (std::size_t row = 0; row < in.rows(); ++row) {
        const std::size_t first = in.first_of(row);
        const std::vector<float> alone(in.values.begin() + static_cast<std::ptrdiff_t>(first),
                                       in.values.begin() + static_cast<std::ptrdiff_t>(first + columns));
        const cl::Buffer buffer = on.buffer_of(alone);
        const float expected = clwave::reduce(on.queue, view<float>{buffer, columns});
        CHECK(same_bits(found[row], expected));
      }
    }
  }
}

TEST_CASE("many rows: groups fold whole rows of several tiles" * lanes) {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const char* name : testing::some_of({"sm_90", "gfx90a", "subgroup-8"})) {
    CAPTURE(std::string(name));
    const forced_profile forced(name);
    matrices size{.rows = 700, .columns = 1500};
    const auto launches = [&] {
      return clwave::plan(clwave::reduce_rows_problem{.in = clwave::element_of<float>(),
                                                      .out = clwave::element_of<float>(),
                                                      .size = size,
                                                      .sizes = small},
                          {.facts = &on.facts, .choice = clwave::choose_profile(on.facts)})
          .kernels.size();
    };
    while (launches() > 1 && size.rows < 50000) size.rows *= 2;  // a device of many units takes more rows
    CHECK(launches() == 1);
    const auto in = place<float>(random, size, {}, 0);
    check_rows<float>(on, in, clwave::plus, wrapping_plus<float>, small);
  }
}

TEST_CASE("many short rows: groups and cores go over several at once" * lanes) {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const char* name : testing::some_of({"sm_90", "gfx1030", "cpu"})) {
    CAPTURE(std::string(name));
    const forced_profile forced(name);
    for (const std::size_t columns : {16u, 64u, 100u, 256u}) {
      if (columns == 100 && std::string(name) != "sm_90") continue;
      const auto in =
          place<float>(random, {.rows = 211, .columns = columns, .batch = 3}, {.row = columns + 4}, 4);
      check_rows<float>(on, in, clwave::plus, wrapping_plus<float>);
    }
  }
}

TEST_CASE("long rows by one launch and by two" * lanes) {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const char* name : testing::some_of({"sm_90", "gfx90a"})) {
    CAPTURE(std::string(name));
    const forced_profile forced(name);
    // Rows that share a counter, one row, and more rows than counters count.
    for (const std::size_t rows : {1u, 70u, 130u}) {
      if (rows == 1 && std::string(name) != "sm_90") continue;
      const auto in = place<float>(random, {.rows = rows, .columns = 20 * 512 + 5}, {}, 0);
      for (int again = 0; again < 2; ++again)
        check_rows<float>(on, in, clwave::plus, wrapping_plus<float>, small);
    }
  }
}

TEST_CASE("types, operators and maps of rows") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const char* name : testing::some_of({"sm_90", "cpu"})) {
    CAPTURE(std::string(name));
    const forced_profile forced(name);
    for (const std::size_t columns : {50u, 1300u}) {
      const auto bytes = random_place<std::uint8_t>(random, columns, 30);
      check_rows<std::uint32_t>(on, bytes, clwave::plus, wrapping_plus<std::uint32_t>, small);
      if (on.has_doubles()) {
        const auto doubles = random_place<double>(random, columns, 30, spice::finite);
        check_rows<double>(on, doubles, clwave::multiplies, reference::wrapping_times<double>, small);
      }
      // Compilers take seconds over each program of emulated lanes.
      if (std::string(name) == "sm_90") continue;
      const auto halves = random_place<clwave::half>(random, columns, 30, spice::ordinary);
      check_rows<float>(on, halves, clwave::plus, wrapping_plus<float>, small);
      const auto shorts = random_place<std::int16_t>(random, columns, 30);
      check_rows<std::int16_t>(on, shorts, clwave::max, reference::maximum<std::int16_t>, small);
      const auto floats = random_place<float>(random, columns, 30);
      check_rows<float>(on, floats, clwave::min, reference::minimum<float>, small);
      const auto words = random_place<std::uint64_t>(random, columns, 30);
      check_rows<std::uint64_t>(
          on, words, clwave::bit_xor, [](std::uint64_t a, std::uint64_t b) { return a ^ b; }, small);
    }
  }
}

TEST_CASE("structures, and an operator that does not commute") {
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
  for (const char* name : testing::some_of({"gfx90a", "cpu"})) {
    CAPTURE(std::string(name));
    const forced_profile forced(name);
    for (const std::size_t columns : {64u, 1300u}) {
      // Compilers take seconds over each program of emulated lanes.
      if (columns == 64 && std::string(name) == "cpu") continue;
      placed_matrices<affine> in{{.rows = 11, .columns = columns}, {.row = columns + 2}, 3, {}};
      in.values = random_affines(random, in.elements());
      check_rows<affine>(on, in, then, compose, small);
      check_rows<affine>(on, in, joined, join, small);
    }
  }
}

TEST_CASE("argmin and argmax of rows, with ties and NaN") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  const auto check = [&]<class T>(T, std::size_t columns) {
    using result = indexed<clwave::detail::widened<T>>;
    const bool with_nan = random.below(2) == 0;
    auto in = random_place<T>(random, columns, 12, spice::ordinary);
    for (T& value : in.values) {  // ties
      const auto few = static_cast<int>(random.below(5)) - 2;
      if constexpr (std::is_floating_point_v<T>)
        value = few == 0 ? (random.below(2) == 0 ? T(-0.0) : T(0.0)) : static_cast<T>(few);
      else
        value = static_cast<T>(few);
      if constexpr (std::is_floating_point_v<T>) {
        if (with_nan && random.below(columns) == 0) value = quiet_nan<T>(random.below(99));
      }
    }
    CAPTURE(columns);
    const auto low = folded<result>(on, in, clwave::detail::argmin_op, small);
    const auto high = folded<result>(on, in, clwave::detail::argmax_op, small);
    for (std::size_t row = 0; row < in.rows(); ++row) {
      CAPTURE(row);
      const std::size_t first = in.first_of(row);
      const std::vector<T> alone(in.values.begin() + static_cast<std::ptrdiff_t>(first),
                                 in.values.begin() + static_cast<std::ptrdiff_t>(first + columns));
      std::size_t least = 0, most = 0;
      const auto better = [](T a, T b) { return (a != a && b == b) || a < b; };
      const auto greater = [](T a, T b) { return (a != a && b == b) || a > b; };
      for (std::size_t i = 1; i < columns; ++i) {
        if (better(alone[i], alone[least])) least = i;
        if (greater(alone[i], alone[most])) most = i;
      }
      CHECK(same_bits(low[row], canonical(result{alone[least], least})));
      CHECK(same_bits(high[row], canonical(result{alone[most], most})));
      if (row == 0) {
        const cl::Buffer buffer = on.buffer_of(alone);
        const view<T> it{buffer, columns};
        CHECK(same_bits(low[row], clwave::argmin(on.queue, it)));
        CHECK(same_bits(high[row], clwave::argmax(on.queue, it)));
      }
    }
  };
  {
    const forced_profile forced("cpu");
    check(1.0f, 61);
    check(1.0f, 1300);
    check(std::int32_t(1), 40);
  }
  // Compilers take seconds over each program of emulated lanes.
  {
    const forced_profile forced("sm_90");
    if (random.below(2) == 0 || !on.has_doubles())
      check(1.0f, 61);
    else
      check(1.0, 1300);
  }
}

TEST_CASE("a map sees each element and its place in the row") {
  fixture& on = default_fixture();
  random_engine random;
  for (const char* name : testing::some_of({"sm_90", "cpu"})) {
    CAPTURE(std::string(name));
    const forced_profile forced(name);
    for (const std::size_t columns : {40u, 1300u}) {
      const auto in = random_place<std::int32_t>(random, columns, 9);
      const clwave::map place{
          .name = "place", .source = "x > 0 ? i + extra : (ulong)0", .values = {{"extra", 3u}}};
      const auto found = folded<std::uint64_t>(on, in, clwave::plus, small, place);
      for (std::size_t row = 0; row < in.rows(); ++row) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < columns; ++i) sum += in.values[in.first_of(row) + i] > 0 ? i + 3 : 0;
        CHECK(found[row] == sum);
      }
    }
  }
}

TEST_CASE("no rows, and rows without elements") {
  fixture& on = default_fixture();
  const cl::Buffer in = on.buffer_of(std::vector<float>(8, 1.0f));
  const guarded_buffer<float> out(on, 5);
  const view<float> x{in, 8};
  clwave::reduce_rows(on.queue, x, out.view(), {.rows = 0, .columns = 4}).wait();
  clwave::reduce_rows(on.queue, x, out.view(), {.rows = 3, .columns = 4, .batch = 0}).wait();
  CHECK(out.intact());
  clwave::reduce_rows(on.queue, x, out.view(), {.rows = 5, .columns = 0}, clwave::min).wait();
  CHECK(out.read() == std::vector<float>(5, std::numeric_limits<float>::infinity()));
  // Only the compiler knows what this is worth.
  const clwave::op mine{
      .name = "mine", .source = "a + b", .identity = "base + 1.5f", .values = {{"base", 2.0f}}};
  clwave::reduce_rows(on.queue, x, out.view(), {.rows = 5, .columns = 0}, mine).wait();
  CHECK(out.read() == std::vector<float>(5, 3.5f));
  CHECK(out.guards_intact());
}

TEST_CASE("rows: what is refused, before anything is enqueued") {
  fixture& on = default_fixture();
  const cl::Buffer in = on.buffer_of(std::vector<float>(100, 1.0f));
  const guarded_buffer<float> out(on, 10);
  const view<float> x{in, 100};
  const auto refused_with = [&](const std::string& words, const auto& call) {
    const std::string said = refusal(call);
    CAPTURE(said);
    CHECK(contains(said, words));
    CHECK(out.intact());
  };
  refused_with("the input",
               [&] { clwave::reduce_rows(on.queue, x, out.view(), {.rows = 10, .columns = 11}); });
  refused_with("the output",
               [&] { clwave::reduce_rows(on.queue, x, out.view(), {.rows = 11, .columns = 2}); });
  refused_with("overlap", [&] {
    clwave::reduce_rows(on.queue, x, out.view(), {.rows = 10, .columns = 9}, clwave::plus, {.row = 8});
  });
  refused_with("overlap", [&] {
    clwave::reduce_rows(on.queue, x, view<float>{in, 10, 90}, {.rows = 10, .columns = 10});
  });
  refused_with("bit operators", [&] {
    clwave::reduce_rows(on.queue, x, out.view(), {.rows = 10, .columns = 10}, clwave::bit_and);
  });
  refused_with("product takes two inputs", [&] {
    clwave::transform_reduce_rows(on.queue, x, out.view(), {.rows = 10, .columns = 10}, clwave::plus,
                                  clwave::product);
  });
  refused_with("identity", [&] {
    clwave::reduce_rows(on.queue, x, out.view(), {.rows = 10, .columns = 0},
                        clwave::op{.name = "none", .source = "a + b", .identity = {}});
  });
  const guarded_buffer<indexed<float>> found(on, 4);
  CHECK(refused([&] { clwave::argmin_rows(on.queue, x, found.view(), {.rows = 4, .columns = 0}); }));
  CHECK(found.intact());
  CHECK(refused(
      [&] { clwave::reduce_rows(on.queue, x, out.view(), {.rows = std::size_t{1} << 40, .columns = 1}); }));
}

TEST_CASE("rows wait for what they are to wait for, and give an event") {
  fixture& on = default_fixture();
  const cl::Buffer in = on.buffer_of(std::vector<float>(6, 2.0f));
  const guarded_buffer<float> out(on, 2);
  const std::vector<float> later(6, 5.0f);
  const cl::Event written = on.write_after(on.queue, in, later.data(), later.size() * sizeof(float), {});
  clwave::transform_reduce_rows(on.queue, view<float>{in, 6}, out.view(), {.rows = 2, .columns = 3},
                                clwave::plus, clwave::square, {.after = {written}})
      .wait();
  CHECK(out.read() == std::vector<float>{75.0f, 75.0f});
}

TEST_CASE("reduce_rows: past 2^32 elements") {
  using testing::u64;
  using testing::u8;
  const testing::fixture on;
  const testing::large_buffers large(on);
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
