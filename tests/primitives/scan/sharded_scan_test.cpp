// Scans of sharded: an array cut anywhere, on devices of every kind, has the results of one call on one
// device.
#include <clwave/sharded_scan.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "distributed/cut_arrays.hpp"
#include "families/reductions.hpp"
#include "families/scans.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"

namespace testing::sharded_scan_test {
namespace {

const doctest::test_suite lanes("lanes");

// Ends of shards around those of runs, tiles and stretches; and random ones.
std::vector<lengths> scan_cuts(random_engine& random, std::uint64_t n, const scan_sizes& sizes,
                               int random_ones) {
  const std::uint64_t tile = sizes.tile(), stretch = tile * sizes.tiles;
  std::vector<lengths> all = {{n}};
  for (const std::uint64_t end : {std::uint64_t{1}, tile - 1, tile, tile + 1, 2 * tile + sizes.run,
                                  stretch - 1, stretch, stretch + 1, stretch + tile, 2 * stretch + tile + 3})
    if (end < n) all.push_back({end, n - end});
  if (n > 3 * tile) {
    all.push_back({0, tile + 1, 0, 0, n - tile - 1, 0});
    all.push_back({2 * tile - 1, 2, n - 2 * tile - 1});
    lengths many(tile / 2 + 3, 3);
    if (3 * many.size() < n) {
      many.push_back(n - 3 * many.size());
      all.push_back(many);
    }
  }
  for (int k = 0; k < random_ones; ++k) all.push_back(random_cut(random, n, tile));
  return all;
}

template <class Acc>
void scan_with(const std::span<const clwave::detail::erased_shard> in,
               std::span<const clwave::detail::erased_shard> out, const clwave::op& fold,
               const clwave::map& apply, bool exclusive, const Acc* start, std::optional<scan_sizes> sizes,
               std::span<const clwave::profile_choice> rows = {}) {
  clwave::detail::scan_sharded({.in = in,
                                .out = out,
                                .fold = &fold,
                                .apply = &apply,
                                .exclusive = exclusive,
                                .start = start,
                                .sizes = sizes,
                                .rows = rows});
}

// Scans of shards against the call on one device and against the host.
template <class Acc, class T, class Lift, class Combine>
void check_scans_of_sharded(random_engine& random, const scanned<Acc, T>& of, Lift lift, Combine combine,
                            const std::vector<std::size_t>& counts, std::optional<scan_sizes> sizes,
                            int random_cuts) {
  const fixture& on = *places()[0];
  const scan_sizes order = sizes.value_or(scan_sizes::of_results_of(sizeof(Acc)));
  // Each kind takes a program of its own: a quick run has one of them, another one each time.
  const bool only_exclusive = random.below(2) == 0;
  for (const std::size_t n : counts) {
    CAPTURE(n);
    const std::vector<T> some(of.values.begin(), of.values.begin() + static_cast<std::ptrdiff_t>(n));
    const cl::Buffer buffer = on.buffer_of(some);
    for (const bool exclusive : {false, true}) {
      if (quick() && exclusive != only_exclusive) continue;
      const bool started = quick() ? exclusive : random.below(2) == 0;
      CAPTURE(exclusive);
      CAPTURE(started);
      const std::optional<Acc> start = started ? std::optional<Acc>(of.start) : std::nullopt;
      const auto expected = made_canonical(reference::scan_reference<Acc>(
          n, [&](std::size_t i) { return lift(some[i], i); }, combine, exclusive, start, of.nothing, sizes));
      const guarded_buffer<Acc> one(on, n);
      scan_by<Acc>(on, view<T>{buffer, n}, one.view(), of.fold, exclusive, start ? &*start : nullptr, sizes,
                   of.apply);
      check_same(one.read(), expected);
      sample cuts(3);
      for (const lengths& cut : scan_cuts(random, n, order, random_cuts)) {
        if (!cuts.takes_next()) continue;
        CAPTURE(text_of(cut));
        const cut_array<T> in(random, some, cut, of.poison);
        const cut_array<Acc> out(random, std::vector<Acc>(n, of.out_poison), cut, of.out_poison, in);
        scan_with<Acc>(in.array().erased(), out.output().erased(), of.fold, of.apply, exclusive,
                       start ? &*start : nullptr, sizes);
        check_same(out.read(), expected);
        CHECK(in.intact());
        CHECK(out.surroundings_intact());
        if constexpr (std::is_same_v<Acc, T>) {
          if (random.below(3) != 0) continue;
          scan_with<Acc>(in.array().erased(), in.output().erased(), of.fold, of.apply, exclusive,
                         start ? &*start : nullptr, sizes);
          check_same(in.read(), expected);
          CHECK(in.surroundings_intact());
        }
      }
    }
  }
}

const auto as_it_is = [](auto x, std::size_t) { return x; };

// Around tiles and stretches of `small` and of `of_held_runs`.
const std::vector<std::size_t> few = {1, 31, 32, 33, 127, 128, 129, 517, 1301};
const std::vector<std::size_t> of_runs = {255, 257, 511, 513, 2311};

}  // namespace

TEST_CASE("running sums of floats, cut anywhere") {
  random_engine random;
  CAPTURE(random.note());
  const auto values = random_values<float>(random, 2400);
  const scanned<float, float> of{.values = values,
                                 .fold = clwave::plus,
                                 .nothing = 0.0f,
                                 .start = 0.3f,
                                 .poison = quiet_nan<float>(1),
                                 .out_poison = quiet_nan<float>(7)};
  check_scans_of_sharded(random, of, as_it_is, wrapping_plus<float>, few, small, quick() ? 3 : 12);
  check_scans_of_sharded(random, of, as_it_is, wrapping_plus<float>, of_runs, of_held_runs, quick() ? 3 : 12);
}

TEST_CASE("running sums of floats in the order of public calls") {
  random_engine random;
  CAPTURE(random.note());
  const std::size_t stretch = std::size_t{1} << 20;
  const auto values = random_values<float>(random, 2 * stretch + 20'011);
  const fixture& on = *places()[0];
  std::vector<std::size_t> counts = {16'385, 100'003, stretch + 20'001};
  if (!quick()) counts.push_back(values.size());
  for (const std::size_t n : counts) {
    const std::vector<float> some(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
    const cl::Buffer whole = on.buffer_of(some);
    for (int turn = 0; turn < (quick() ? 3 : 8); ++turn) {
      lengths cut = random_cut(random, n, 16'384);
      if (turn == 0 && n > stretch) cut = {stretch, n - stretch};
      CAPTURE(text_of(cut));
      const cut_array<float> in(random, some, cut, quiet_nan<float>(1));
      const cut_array<float> out(random, std::vector<float>(n), cut, quiet_nan<float>(3), in);
      const guarded_buffer<float> one(on, n);
      if (turn % 2 == 0) {
        clwave::inclusive_scan(on.queue, view<float>{whole, n}, one.view()).wait();
        clwave::inclusive_scan(in.array(), out.output());
      } else {
        clwave::exclusive_scan(on.queue, view<float>{whole, n}, one.view(), clwave::plus, {.start = 0.7f})
            .wait();
        clwave::exclusive_scan(in.array(), out.output(), clwave::plus, {.start = 0.7f});
      }
      check_same(out.read(), one.read());
      CHECK(in.intact());
      CHECK(out.surroundings_intact());
    }
  }
}

TEST_CASE("running sums with infinities and NaNs give the one NaN") {
  random_engine random;
  CAPTURE(random.note());
  const auto values = random_values<float>(random, 1400, spice::nans);
  check_scans_of_sharded<float, float>(random,
                                       {.values = values,
                                        .fold = clwave::plus,
                                        .nothing = 0.0f,
                                        .start = -2.0f,
                                        .poison = 0.0f,
                                        .out_poison = 1.0f},
                                       as_it_is, wrapping_plus<float>, {1301}, small, 4);
}

TEST_CASE("running sums of doubles, whose runs are shorter, and of floats in doubles") {
  random_engine random;
  CAPTURE(random.note());
  if (!places()[0]->has_doubles()) return;
  const scan_sizes of_doubles{.run = 2, .runs = 4, .strips = 4, .blocks = 2, .tiles = 4};
  const auto doubles = random_values<double>(random, 700);
  check_scans_of_sharded<double, double>(random,
                                         {.values = doubles,
                                          .fold = clwave::plus,
                                          .nothing = 0.0,
                                          .start = 0.1,
                                          .poison = quiet_nan<double>(1),
                                          .out_poison = 3.0},
                                         as_it_is, wrapping_plus<double>, {63, 65, 600}, of_doubles, 3);
  const auto floats = random_values<float>(random, 700);
  check_scans_of_sharded<double, float>(
      random,
      {.values = floats,
       .fold = clwave::plus,
       .apply = clwave::square,
       .nothing = 0.0,
       .start = 0.1,
       .poison = quiet_nan<float>(1),
       .out_poison = 3.0},
      [](float x, std::size_t) { return double{x} * double{x}; }, wrapping_plus<double>, {600}, of_doubles,
      3);
}

TEST_CASE("running sums of bytes in 64 bits, the greatest so far, and halves in floats") {
  random_engine random;
  CAPTURE(random.note());
  const auto bytes = random_values<std::uint8_t>(random, 700);
  check_scans_of_sharded<std::uint64_t, std::uint8_t>(
      random,
      {.values = bytes,
       .fold = clwave::plus,
       .nothing = 0,
       .start = 1ull << 40,
       .poison = 255,
       .out_poison = 9},
      [](std::uint8_t x, std::size_t) { return std::uint64_t{x}; }, wrapping_plus<std::uint64_t>, {1, 600},
      small, 3);
  const auto words = random_values<std::int32_t>(random, 700);
  check_scans_of_sharded<std::int32_t, std::int32_t>(
      random,
      {.values = words,
       .fold = clwave::max,
       .nothing = std::numeric_limits<std::int32_t>::min(),
       .start = -5,
       .poison = std::numeric_limits<std::int32_t>::max(),
       .out_poison = 9},
      as_it_is, [](std::int32_t a, std::int32_t b) { return std::max(a, b); }, {129, 600}, small, 3);
  const auto halves = random_values<clwave::half>(random, 700);
  check_scans_of_sharded<float, clwave::half>(
      random,
      {.values = halves,
       .fold = clwave::plus,
       .nothing = 0.0f,
       .start = 0.5f,
       .poison = clwave::half(1000.0f),
       .out_poison = 9.0f},
      [](clwave::half x, std::size_t) { return static_cast<float>(x); }, wrapping_plus<float>, {600}, small,
      3);
}

TEST_CASE("a scan by an operator that does not commute sees the array in order") {
  random_engine random;
  CAPTURE(random.note());
  const auto values = random_affines(random, 2400);
  const scanned<affine, affine> of{.values = values,
                                   .fold = then,
                                   .nothing = {1, 0},
                                   .start = {3, 5},
                                   .poison = {2, 9},
                                   .out_poison = {4, 4}};
  check_scans_of_sharded(random, of, as_it_is, compose, few, small, quick() ? 2 : 8);
  check_scans_of_sharded(random, of, as_it_is, compose, {2311}, of_held_runs, quick() ? 2 : 8);
}

TEST_CASE("a map of scanned shards sees the index in the whole array, and its value at run time") {
  random_engine random;
  CAPTURE(random.note());
  const auto values = random_values<float>(random, 1400);
  const clwave::map weighted{
      .name = "weighted", .source = "x * scale + (float)(i % 1001)", .values = {{"scale", 0.5f}}};
  for (const scan_sizes& sizes : {small, of_held_runs})
    check_scans_of_sharded<float, float>(
        random,
        {.values = values,
         .fold = clwave::plus,
         .apply = weighted,
         .nothing = 0.0f,
         .start = 0.5f,
         .poison = quiet_nan<float>(1),
         .out_poison = 1.0f},
        [](float x, std::size_t i) { return x * 0.5f + static_cast<float>(i % 1001); }, wrapping_plus<float>,
        {517, 1301}, sizes, 3);
}

TEST_CASE("each scanned shard may have another row of the table, and the bits are the same" * lanes) {
  random_engine random;
  CAPTURE(random.note());
  const std::size_t n = 2311;
  const auto values = random_values<float>(random, n);
  const auto row_named = [](const std::string& name) {
    const forced_profile forced(name);
    return clwave::choose_profile(default_fixture().facts);
  };
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"cpu", "gpu"}, {"cpu", "sm_90", "gfx90a"}}) {
    std::vector<clwave::profile_choice> rows;
    rows.reserve(names.size());
    for (const std::string& name : names) rows.push_back(row_named(name));
    for (int turn = 0; turn < 4; ++turn) {
      const scan_sizes sizes = turn % 2 == 0 ? of_held_runs : small;
      const bool exclusive = turn >= 2;
      const float start = 0.25f;
      const auto expected = reference::scan_reference<float>(
          n, [&](std::size_t i) { return values[i]; }, wrapping_plus<float>, exclusive,
          exclusive ? std::optional(start) : std::nullopt, 0.0f, sizes);
      const lengths cut = random_cut_into(random, n, names.size());
      CAPTURE(text_of(cut));
      // All on the device whose rows they are.
      std::deque<cl::Buffer> buffers;
      sharded<float> x, y;
      std::size_t begin = 0;
      for (std::size_t k = 0; k < cut.size(); ++k) {
        const fixture& place = *places()[k % 3];
        const std::vector<float> own(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                     values.begin() + static_cast<std::ptrdiff_t>(begin + cut[k]));
        x.add({place.queue, view<float>{buffers.emplace_back(place.buffer_of(own)), cut[k]}});
        y.add({place.queue, view<float>{buffers.emplace_back(place.buffer_of(own)), cut[k]}});
        begin += cut[k];
      }
      scan_with<float>(x.erased(), y.erased(), clwave::plus, clwave::identity, exclusive,
                       exclusive ? &start : nullptr, sizes, rows);
      std::vector<float> got;
      for (std::size_t k = 0; k < cut.size(); ++k) {
        const auto own = places()[k % 3]->read<float>(buffers[2 * k + 1], cut[k]);
        got.insert(got.end(), own.begin(), own.end());
      }
      check_same(got, expected);
      std::rotate(rows.begin(), rows.begin() + 1, rows.end());
    }
  }
}

TEST_CASE("every row scans a shard" * lanes) {
  random_engine random;
  CAPTURE(random.note());
  const std::vector<float> values = random_values<float>(random, 50'000);
  const auto expected = reference::scan_reference<float>(
      values.size(), [&](std::size_t i) { return values[i]; }, wrapping_plus<float>, false);
  for_each_profile([&](const clwave::profile& row) {
    CAPTURE(std::string(row.name));
    if (!takes_row(default_fixture(), random, std::string(row.name))) return;
    const lengths cut{17'000, 20'003, 12'997};
    const cut_array<float> in(random, values, cut, quiet_nan<float>(1));
    const cut_array<float> out(random, values, cut, 5.0f, in);
    clwave::inclusive_scan(in.array(), out.output());
    check_same(out.read(), expected);
  });
}

TEST_CASE("all public scans of shards") {
  random_engine random;
  CAPTURE(random.note());
  const std::size_t n = 40'000;
  const auto values = random_values<std::uint32_t>(random, n);
  const fixture& on = *places()[0];
  const cl::Buffer whole = on.buffer_of(values);
  const view<std::uint32_t> x{whole, n};
  const cut_array<std::uint32_t> in(random, values, {10'000, 30'000}, 1);
  const auto check = [&](const auto& one_call, const auto& of_shards) {
    const guarded_buffer<std::uint32_t> one(on, n);
    one_call(one.view()).wait();
    const cut_array<std::uint32_t> out(random, values, {10'000, 30'000}, 1, in);
    of_shards(out.output());
    check_same(out.read(), one.read());
  };
  using words = sharded<std::uint32_t>;
  check([&](const auto& y) { return clwave::exclusive_scan(on.queue, x, y); },
        [&](const words& y) { clwave::exclusive_scan(in.array(), y); });
  check([&](const auto& y) { return clwave::inclusive_scan(on.queue, x, y, clwave::max, {.start = 7u}); },
        [&](const words& y) { clwave::inclusive_scan(in.array(), y, clwave::max, {.start = 7u}); });
  check(
      [&](const auto& y) {
        return clwave::transform_inclusive_scan(on.queue, x, y, clwave::plus, clwave::square);
      },
      [&](const words& y) { clwave::transform_inclusive_scan(in.array(), y, clwave::plus, clwave::square); });
  check(
      [&](const auto& y) {
        return clwave::transform_exclusive_scan(on.queue, x, y, clwave::bit_xor, clwave::square,
                                                {.start = 9u});
      },
      [&](const words& y) {
        clwave::transform_exclusive_scan(in.array(), y, clwave::bit_xor, clwave::square, {.start = 9u});
      });
}

}  // namespace testing::sharded_scan_test
