// Scans of sharded: an array cut anywhere, on devices of every kind, has the results of one call on one
// device.
#include <clwave/sharded_scan.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
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
#include "primitives/scan/array_scan_cases.hpp"

namespace testing::sharded_scan_test {
namespace {

const doctest::test_suite lanes("lanes");

// Ends of shards around those of runs, tiles and stretches; and random ones.
std::vector<lengths> scan_cuts(random_engine& random, u64 n, const scan_sizes& sizes, int random_ones) {
  const u64 tile = sizes.tile(), stretch = tile * sizes.tiles;
  std::vector<lengths> all = {{n}};
  for (const u64 end : {u64{1}, tile - 1, tile, tile + 1, 2 * tile + sizes.run, stretch - 1, stretch,
                        stretch + 1, stretch + tile, 2 * stretch + tile + 3})
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

struct shards {
  template <class Acc, class T>
  void scan(random_engine& random, const std::vector<T>& values, const scanned<Acc, T>& of, bool exclusive,
            const Acc* start, const scan_sizes& sizes, int random_cuts,
            const std::vector<Acc>& expected) const {
    const std::size_t n = values.size();
    sample cuts(3);
    for (const lengths& cut : scan_cuts(random, n, sizes, random_cuts)) {
      if (!cuts.takes_next()) continue;
      CAPTURE(text_of(cut));
      const cut_array<T> in(random, values, cut, of.poison);
      const cut_array<Acc> out(random, std::vector<Acc>(n, of.out_poison), cut, of.out_poison, in);
      scan_with<Acc>(in.array().erased(), out.output().erased(), of.fold, of.apply, exclusive, start, sizes);
      check_same(out.read(), expected);
      CHECK(in.intact());
      CHECK(out.surroundings_intact());
      if constexpr (std::is_same_v<Acc, T>) {
        if (random.below(3) != 0) continue;
        scan_with<Acc>(in.array().erased(), in.output().erased(), of.fold, of.apply, exclusive, start, sizes);
        check_same(in.read(), expected);
        CHECK(in.surroundings_intact());
      }
    }
  }
};

}  // namespace

TEST_CASE("an array that is cut anywhere is scanned as on one device") { check_array_scan_cases<shards>(); }

TEST_CASE_FIXTURE(on_places, "running sums of floats in the order of public calls") {
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

TEST_CASE_FIXTURE(on_places,
                  "each scanned shard may have another profile, and the bits are the same" * lanes) {
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

TEST_CASE_FIXTURE(on_places, "every row scans a shard" * lanes) {
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

TEST_CASE_FIXTURE(on_places, "all public scans of shards") {
  const std::size_t n = 40'000;
  const auto values = random_values<u32>(random, n);
  const fixture& on = *places()[0];
  const cl::Buffer whole = on.buffer_of(values);
  const view<u32> x{whole, n};
  const cut_array<u32> in(random, values, {10'000, 30'000}, 1);
  const auto check = [&](const auto& one_call, const auto& of_shards) {
    const guarded_buffer<u32> one(on, n);
    one_call(one.view()).wait();
    const cut_array<u32> out(random, values, {10'000, 30'000}, 1, in);
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
