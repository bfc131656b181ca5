// Open folds and the tree of ranks, without a device: what neighbours leave open joins to the fold of all in
// its order, and a million ranks in one process send no more messages than sixteen.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "distributed/open_fold.hpp"
#include "distributed/rank_messages.hpp"
#include "distributed/rank_traffic.hpp"
#include "distributed/rank_tree.hpp"
#include "harness/captures.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"

namespace testing::open_folds_test {

using clwave::detail::fold_levels;
using clwave::detail::node_bytes;
using clwave::detail::node_run;
using clwave::detail::open_fold;
using clwave::detail::place_in_tree;
using clwave::detail::rank_branches;
using clwave::detail::rank_place;
using reference::random_engine;

namespace {

using word = std::uint64_t;
using sizes_of_fold = clwave::detail::fold_sizes;

// Neither associative nor commutative, so that another order is another value.
word mixed(word a, word b) { return a * 0x9e3779b97f4a7c15 + (b << 23 | b >> 41) + 1; }

// Elements of x and y: what is folded is x - 3 * y.
constexpr node_bytes widths{sizeof(word), 2, sizeof(word)};

word x_at(std::uint64_t i) { return i * 0xbf58476d1ce4e5b9 ^ i >> 7; }
word y_at(std::uint64_t i) { return i * 0x94d049bb133111eb + 11; }

// Folds tiles on the host, and counts them.
class host_folder : public clwave::detail::node_folder {
 public:
  explicit host_folder(sizes_of_fold sizes) : sizes_(sizes) {}
  void fold(std::span<const clwave::detail::whole_node> tiles, std::byte* results) override {
    for (const auto& each : tiles) {
      const auto* const nodes = reinterpret_cast<const word*>(each.nodes.data());
      const word result = tile(each.n, [&](std::size_t i) {
        return each.level == 1 ? nodes[i] - 3 * nodes[each.n + i] : nodes[i];
      });
      std::memcpy(results, &result, sizeof result);
      results += sizeof result;
      ++n_folds;
    }
  }
  template <class At>
  word tile(std::uint64_t n, const At& at) const {
    const auto results = reference::fold_tiles<word>(static_cast<std::size_t>(n), at, mixed, false, sizes_);
    REQUIRE(results.size() == 1);
    return results[0];
  }
  std::uint64_t n_folds = 0;

 private:
  sizes_of_fold sizes_;
};

// What one rank has.
open_fold own_fold(const fold_levels& levels, const host_folder& folder, std::uint64_t begin,
                   std::uint64_t end) {
  open_fold all{begin, end};
  all.bytes.resize(clwave::detail::open_bytes(levels, widths, begin, end));
  std::vector<std::vector<word>> nodes(levels.top() + 1);  // those that are complete, from level 1 on
  for (std::size_t level = 1; level <= levels.top(); ++level) {
    const node_run tiles = levels.complete(level, begin, end);
    const node_run below = levels.complete(level - 1, begin, end);
    for (std::uint64_t t = tiles.first; t < tiles.end(); ++t) {
      const node_run of_tile = levels.below(level, t);
      nodes[level].push_back(folder.tile(of_tile.count, [&](std::size_t k) {
        const std::uint64_t i = of_tile.first + k;
        return level == 1 ? x_at(i) - 3 * y_at(i) : nodes[level - 1][i - below.first];
      }));
    }
  }
  clwave::detail::for_each_run(
      levels, widths, begin, end,
      [&](std::size_t level, std::size_t array, const node_run& run, std::uint64_t at) {
        for (std::uint64_t i = run.first; i < run.end(); ++i, at += sizeof(word)) {
          const word value = level > 0    ? nodes[level][i - levels.complete(level, begin, end).first]
                             : array == 0 ? x_at(i)
                                          : y_at(i);
          std::memcpy(all.bytes.data() + at, &value, sizeof value);
        }
      });
  return all;
}

word whole_fold(std::uint64_t n, sizes_of_fold sizes) {
  return reference::fold_reference<word>(
      static_cast<std::size_t>(n), [](std::size_t i) { return x_at(i) - 3 * y_at(i); }, mixed, false, sizes);
}

word value_of(const open_fold& all) {
  REQUIRE(all.bytes.size() == sizeof(word));
  word value = 0;
  std::memcpy(&value, all.bytes.data(), sizeof value);
  return value;
}

// The open fold of a subtree, as the ranks of it would come to it.
open_fold fold_of_subtree(const fold_levels& levels, host_folder& folder, std::uint32_t rank,
                          std::uint32_t ranks, const std::vector<std::uint64_t>& begins) {
  const rank_place place = place_in_tree(rank, ranks);
  std::vector<open_fold> folds{own_fold(levels, folder, begins[rank], begins[rank + 1])};
  for (const auto& child : place.children)
    folds.push_back(fold_of_subtree(levels, folder, child.first, ranks, begins));
  return joined(levels, widths, folds, folder);
}

}  // namespace

TEST_CASE_FIXTURE(on_places,
                  "what neighbours leave open joins to the fold of all, in whichever order they are joined") {
  for (int turn = 0; turn < (quick() ? 3000 : 20'000); ++turn) {
    const std::size_t accumulators = std::size_t{1} << random.below(3);
    const sizes_of_fold sizes{accumulators << (1 + random.below(2)), accumulators};
    const std::uint64_t n = 1 + random.below(random.below(4) == 0 ? 1200 : 90);
    const fold_levels levels(n, sizes.tile);
    std::vector<std::uint64_t> begins{0, n};
    for (std::size_t k = random.below(9); k > 0; --k) {
      std::uint64_t at = random.below(n + 1);
      if (random.below(2) == 0) at = at / sizes.tile * sizes.tile;
      begins.push_back(at);
    }
    std::ranges::sort(begins);
    CAPTURES(n, sizes.tile);
    host_folder folder(sizes);
    std::vector<open_fold> folds;
    std::uint64_t folded_by_ranks = 0, all_tiles = 0;
    for (std::size_t level = 1; level <= levels.top(); ++level) all_tiles += levels.count(level);
    for (std::size_t k = 0; k + 1 < begins.size(); ++k) {
      folds.push_back(own_fold(levels, folder, begins[k], begins[k + 1]));
      for (std::size_t level = 1; level <= levels.top(); ++level)
        folded_by_ranks += levels.complete(level, begins[k], begins[k + 1]).count;
    }
    while (folds.size() > 1) {
      const std::size_t first = random.below(folds.size());
      const std::size_t count = 1 + random.below(std::min<std::size_t>(folds.size() - first, 5));
      const auto from = folds.begin() + static_cast<std::ptrdiff_t>(first);
      *from = joined(levels, widths, std::span(folds).subspan(first, count), folder);
      for (std::size_t level = 0; level <= levels.top(); ++level)
        for (const node_run& run : levels.open(level, from->begin, from->end)) {
          // Two ends may lie in one run where no tile is complete between them.
          CHECK(run.count <= 2 * (sizes.tile - 1));
        }
      folds.erase(from + 1, from + static_cast<std::ptrdiff_t>(count));
    }
    CHECK(value_of(folds[0]) == whole_fold(n, sizes));
    // Each tile was folded once.
    CHECK(folded_by_ranks + folder.n_folds == all_tiles);
  }
}

TEST_CASE("the tree: each rank has one parent, whose child it is, and subtrees are stretches of neighbours") {
  for (const std::uint32_t ranks : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 16u, 21u, 22u, 100u, 1000u}) {
    std::vector<int> seen(ranks);
    std::uint32_t deepest = 0;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const rank_place place = place_in_tree(r, ranks);
      deepest = std::max(deepest, place.depth);
      CHECK(place.depth + place.height <= place.levels);
      CHECK(place.parent.has_value() == (r > 0));
      CHECK(place.children.size() <= rank_branches);
      std::uint32_t next = r + 1;
      for (const auto& child : place.children) {
        CHECK(child.first == next);
        next = child.end;
        ++seen[child.first];
        const rank_place below = place_in_tree(child.first, ranks);
        CHECK(below.parent == r);
        CHECK(below.end == child.end);
        CHECK(below.height < place.height);
      }
      CHECK(next == place.end);
    }
    CHECK(deepest == place_in_tree(0, ranks).levels);
    CHECK(std::count(seen.begin() + 1, seen.end(), 1) == ranks - 1);
  }
}

TEST_CASE_FIXTURE(on_places,
                  "a million ranks in one process: the fold of one, and 20 messages each at most") {
  const std::uint32_t ranks = 1'000'000;
  // Stretches of ranks with nothing, with a few elements, and with some tiles.
  std::vector<std::uint64_t> begins{0};
  std::uint64_t most = 1;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    if (random.below(1000) == 0) most = std::array<std::uint64_t, 4>{1, 3, 8, 30}[random.below(4)];
    begins.push_back(begins.back() + random.below(most));
  }
  const std::uint64_t n = begins.back();
  const sizes_of_fold sizes{16, 4};
  const fold_levels levels(n, sizes.tile);
  host_folder folder(sizes);
  CHECK(value_of(fold_of_subtree(levels, folder, 0, ranks, begins)) == whole_fold(n, sizes));
}

TEST_CASE_FIXTURE(on_places, "messages and bytes of a sum of floats over a thousand to a million ranks") {
  const std::uint64_t tile = clwave::fold_tile;
  for_each_large_cut(random, tile, [&](std::uint32_t ranks, const std::vector<std::uint64_t>& begins) {
    const fold_levels levels(begins.back(), tile);
    const traffic all = traffic_of(ranks, clwave::detail::rounds_of_reduction(
                                              levels, {4, 1, 4}, [&](std::uint32_t k) { return begins[k]; }));
    CHECK(all.most_messages == 2 * 2 * (rank_branches + 1));
    CHECK(all.most_messages <= 40);
    // The bound that ranks.hpp gives.
    CHECK(all.largest <= 16 + 2 * (tile - 1) * 4 * 4);
    CHECK(all.most_bytes <= 2 * (rank_branches + 1) * (128 + 2 * (tile - 1) * 4 * 4));
    return all;
  });
}

}  // namespace testing::open_folds_test
