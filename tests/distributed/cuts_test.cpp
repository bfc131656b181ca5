// Cuts: what of an array lies in which shard, and the lengths that split proposes.
#include <clwave/sharded.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include "distributed/cut_arrays.hpp"
#include "distributed/cuts.hpp"
#include "harness/captures.hpp"
#include "harness/refusals.hpp"

namespace testing::cuts_test {

using clwave::detail::cut_at;
using clwave::detail::cuts;

TEST_CASE_FIXTURE(on_places, "whole tiles and fragments are all of the array, each once") {
  for (int turn = 0; turn < 3000; ++turn) {
    const std::size_t of_tile = 1 + random.below(12);
    const u64 n = random.below(80);
    const lengths cut = random_cut(random, n, of_tile);
    CAPTURES(of_tile, text_of(cut));
    const cuts all = cut_at(cut, of_tile);
    CHECK(all.n == n);
    CHECK(all.tiles == (n + of_tile - 1) / of_tile);
    std::vector<int> seen(n);
    std::vector<int> tiles(all.tiles);
    u64 begin = 0;
    for (std::size_t k = 0; k < cut.size(); ++k) {
      const auto& whole = all.whole[k];
      CHECK(whole.from + whole.n <= cut[k]);
      if (whole.count > 0) CHECK(begin + whole.from == whole.first * of_tile);
      for (u64 i = 0; i < whole.n; ++i) ++seen[begin + whole.from + i];
      for (u64 t = 0; t < whole.count; ++t) ++tiles[whole.first + t];
      // Only the last tile is short.
      CHECK((whole.n % of_tile == 0 || whole.first * of_tile + whole.n == n));
      for (const auto& each : all.fragments) {
        if (each.shard != k) continue;
        CHECK(each.n > 0);
        CHECK(each.n < of_tile);
        CHECK(begin + each.from == all.cut[each.cut].number * of_tile + each.place);
        for (u64 i = 0; i < each.n; ++i) ++seen[begin + each.from + i];
      }
      begin += cut[k];
    }
    // A tile in one shard is not cut.
    for (std::size_t c = 0; c < all.cut.size(); ++c)
      CHECK(std::ranges::count(all.fragments, c, &clwave::detail::fragment::cut) >= 2);
    for (const auto& each : all.cut) {
      ++tiles[each.number];
      CHECK(each.n == std::min<u64>(of_tile, n - each.number * of_tile));
    }
    CHECK(std::ranges::all_of(seen, [](int times) { return times == 1; }));
    CHECK(std::ranges::all_of(tiles, [](int times) { return times == 1; }));
  }
}

TEST_CASE("cuts beyond 2^32 elements") {
  constexpr u64 large = u64{1} << 40;
  const cuts all = cut_at(lengths{large + 5, 0, tile, 3 * large - 5}, tile);
  CHECK(all.n == 4 * large + tile);
  CHECK(all.tiles == 4 * large / tile + 1);
  CHECK(all.whole[0].n == large);
  CHECK(all.whole[1].count == 0);
  CHECK(all.whole[2].count == 0);
  CHECK(all.whole[3].first == large / tile + 2);
  CHECK(all.whole[3].from == tile - 5);
  CHECK(all.whole[3].n == 3 * large - tile);
  REQUIRE(all.cut.size() == 2);
  CHECK(all.cut[0].number == large / tile);
  CHECK(all.cut[1].number == large / tile + 1);
  REQUIRE(all.fragments.size() == 4);
  CHECK(all.fragments[0].from == large);
  CHECK(all.fragments[3].n == tile - 5);
}

TEST_CASE_FIXTURE(on_places, "split gives whole tiles by speed") {
  for (int turn = 0; turn < 2000; ++turn) {
    std::vector<double> speeds(1 + random.below(6));
    for (double& each : speeds)
      each = random.below(4) == 0 ? 0.0 : 1.0 + static_cast<double>(random.below(5000));
    speeds[random.below(speeds.size())] = 1e300 * (turn % 2) + 100.0;
    const u64 n = random.below(5) == 0 ? random.below(100'000) : random() >> (12 + random.below(40));
    const lengths cut = clwave::split(n, speeds);
    CAPTURES(n, text_of(cut));
    REQUIRE(cut.size() == speeds.size());
    CHECK(std::accumulate(cut.begin(), cut.end(), u64{0}) == n);
    const double all = std::accumulate(speeds.begin(), speeds.end(), 0.0);
    u64 begin = 0;
    for (std::size_t k = 0; k < cut.size(); ++k) {
      if (cut[k] > 0 && begin + cut[k] != n) CHECK((begin + cut[k]) % tile == 0);
      if (speeds[k] == 0) CHECK(cut[k] == 0);
      begin += cut[k];
      // Within a tile and what a double holds.
      const double share = speeds[k] / all * static_cast<double>(n);
      CHECK(std::fabs(static_cast<double>(cut[k]) - share) <= 2.0 * tile + 1e-9 * static_cast<double>(n));
    }
  }
  CHECK(clwave::split(10 * tile, std::array{1.0, 3.0, 1.0}) == lengths{2 * tile, 6 * tile, 2 * tile});
  CHECK(clwave::split(5, std::array{1.0, 1.0}) == lengths{5, 0});
  CHECK(clwave::split(0, std::array{1.0, 1.0}) == lengths{0, 0});
  refuses("no device", [] { clwave::split(5, std::span<const double>{}); });
  refuses("every speed is 0", [] { clwave::split(5, std::array{0.0, 0.0}); });
  refuses("negative", [] { clwave::split(5, std::array{1.0, -1.0}); });
  refuses("negative", [] { clwave::split(5, std::array{1.0, std::nan("")}); });
}

TEST_CASE("split of devices: alike where they are one, and no device is refused") {
  const cl_device_id device = places()[0]->device();
  CHECK(clwave::split(8 * tile, std::array{device, device}) == lengths{4 * tile, 4 * tile});
  std::vector<cl_device_id> all;
  for (const auto& each : places()) all.push_back(each->device());
  const lengths cut = clwave::split(1000 * tile + 77, all);
  CHECK(std::accumulate(cut.begin(), cut.end(), u64{0}) == 1000 * tile + 77);
  refuses("no device", [] { clwave::split(5, std::span<const cl_device_id>{}); });
  refuses("a device is null", [&] { clwave::split(5, std::array{device, cl_device_id{nullptr}}); });
}

}  // namespace testing::cuts_test
