// Prefixes of scans, without a device: what ranks send up their tree and what comes down gives each the
// results of one call, for a million ranks in one process; and how much that is.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/scan.hpp>

#include "distributed/rank_messages.hpp"
#include "distributed/rank_traffic.hpp"
#include "distributed/rank_tree.hpp"
#include "distributed/scan_prefix.hpp"
#include "families/scan_reference.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"

namespace testing::scan_prefixes_test {

using clwave::detail::fold_levels;
using clwave::detail::node_bytes;
using clwave::detail::node_run;
using clwave::detail::open_fold;
using clwave::detail::scan_prefix;
using reference::random_engine;

namespace {

using word = std::uint64_t;

// Neither associative nor commutative, so that another order is another value.
word mixed(word a, word b) { return a * 0x9e3779b97f4a7c15 + (b << 23 | b >> 41) + 1; }
word x_at(std::uint64_t i) { return i * 0xbf58476d1ce4e5b9 ^ i >> 7; }

constexpr node_bytes widths{sizeof(word), 1, sizeof(word)};

// Tiles of 16 elements, stretches of 64.
constexpr scan_sizes tiny = {.run = 2, .runs = 2, .strips = 2, .blocks = 2, .tiles = 4};

std::vector<word> words_of(std::span<const std::byte> bytes) {
  std::vector<word> all(bytes.size() / sizeof(word));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

word left_fold(const std::vector<word>& values) {
  return std::accumulate(values.begin() + 1, values.end(), values.front(), mixed);
}

// Up to the last of some elements of one tile, from its beginning.
word in_tile(const std::vector<word>& elements) {
  return reference::scan_reference<word>(
             elements.size(), [&](std::size_t i) { return elements[i]; }, mixed, false, {}, {}, tiny)
      .back();
}

class host_folder : public clwave::detail::scan_folder {
 public:
  explicit host_folder(std::optional<word> start) : start_(start) {}
  void fold(std::span<const clwave::detail::whole_node> nodes, std::byte* results) override {
    for (const auto& each : nodes) {
      const std::vector<word> own = words_of(each.nodes);
      REQUIRE(own.size() == each.n);
      const word result = each.level == 1 ? in_tile(own) : left_fold(own);
      std::memcpy(results, &result, sizeof result);
      results += sizeof result;
    }
  }
  std::vector<std::byte> folds_before(std::span<const std::uint64_t> stretches, std::uint64_t first,
                                      std::span<const std::byte> earlier,
                                      std::span<const std::byte> folds) override {
    REQUIRE(earlier.empty() == (first == 0));
    REQUIRE(words_of(folds).size() == stretches.back() - first);
    std::vector<word> from = words_of(earlier);
    if (first == 0 && start_) from = {*start_};
    std::vector<std::byte> all;
    for (const std::uint64_t stretch : stretches) {
      REQUIRE(stretch > first);
      std::vector<word> before = from;
      for (const word each : words_of(folds.first(static_cast<std::size_t>(stretch - first) * sizeof(word))))
        before.push_back(each);
      const word result = left_fold(before);
      const auto bytes = std::as_bytes(std::span(&result, 1));
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return all;
  }

 private:
  std::optional<word> start_;
};

word tile_fold(const fold_levels& levels, std::uint64_t tile) {
  const node_run elements = levels.below(1, tile);
  std::vector<word> own(elements.count);
  for (std::uint64_t i = 0; i < elements.count; ++i) own[i] = x_at(elements.first + i);
  return in_tile(own);
}

word node_at(const fold_levels& levels, std::size_t level, std::uint64_t node) {
  if (level == 0) return x_at(node);
  if (level == 1) return tile_fold(levels, node);
  const node_run tiles = levels.below(2, node);
  std::vector<word> own(tiles.count);
  for (std::uint64_t t = 0; t < tiles.count; ++t) own[t] = tile_fold(levels, tiles.first + t);
  return left_fold(own);
}

// What one rank has.
open_fold own_fold(const fold_levels& levels, std::uint64_t begin, std::uint64_t end) {
  open_fold all{begin, end};
  all.bytes.resize(clwave::detail::open_bytes(levels, widths, begin, end));
  clwave::detail::for_each_run(levels, widths, begin, end,
                               [&](std::size_t level, std::size_t, const node_run& run, std::uint64_t at) {
                                 for (std::uint64_t k = run.first; k < run.end(); ++k, at += sizeof(word)) {
                                   const word value = node_at(levels, level, k);
                                   std::memcpy(all.bytes.data() + at, &value, sizeof value);
                                 }
                               });
  return all;
}

// A scan over ranks as they make it, but for the messages: the result at the first element of each.
class scan_of_ranks {
 public:
  scan_of_ranks(const std::vector<std::uint64_t>& begins, std::optional<word> start)
      : begins_(begins),
        ranks_(static_cast<std::uint32_t>(begins.size() - 1)),
        levels_(begins.back(), {tiny.tile(), tiny.tiles}),
        start_(start),
        folder_(start),
        first_results_(ranks_),
        folds_(ranks_) {
    gather(0);
    hand_out(0, {});
  }
  // Of ranks that have elements.
  const std::vector<word>& first_results() const { return first_results_; }

 private:
  const open_fold& gather(std::uint32_t rank) {
    std::vector<open_fold>& own = folds_[rank];
    own.push_back(own_fold(levels_, begins_[rank], begins_[rank + 1]));
    for (const auto& child : clwave::detail::place_in_tree(rank, ranks_).children)
      own.push_back(gather(child.first));
    joined_.push_back(joined(levels_, widths, own, folder_));
    return joined_.back();
  }
  void hand_out(std::uint32_t rank, const scan_prefix& prefix) {
    if (begins_[rank] < begins_[rank + 1]) first_results_[rank] = first_result(begins_[rank], prefix);
    std::vector<std::uint64_t> asked;
    std::vector<std::uint32_t> children;
    for (const auto& child : clwave::detail::place_in_tree(rank, ranks_).children) {
      if (begins_[child.first] == begins_[child.end]) continue;
      asked.push_back(begins_[child.first]);
      children.push_back(child.first);
    }
    const auto prefixes = clwave::detail::prefixes_of(asked, prefix, folds_[rank], levels_, widths, folder_);
    REQUIRE(prefixes.size() == asked.size());
    for (std::size_t k = 0; k < children.size(); ++k) {
      const std::uint64_t begin = asked[k];
      REQUIRE(prefixes[k].of_stretch.bytes.size() == clwave::detail::stretch_bytes(levels_, widths, begin));
      REQUIRE(prefixes[k].of_earlier.size() == clwave::detail::earlier_bytes(levels_, widths, begin));
      hand_out(children[k], prefixes[k]);
    }
  }
  // P + (B + the fold of the tile up to the element).
  word first_result(std::uint64_t i, const scan_prefix& prefix) const {
    std::vector<word> elements, tiles, earlier = words_of(prefix.of_earlier);
    clwave::detail::for_each_run(
        levels_, widths, prefix.of_stretch.begin, prefix.of_stretch.end,
        [&](std::size_t level, std::size_t, const node_run& run, std::uint64_t at) {
          (level == 0 ? elements : tiles) =
              words_of(std::span(prefix.of_stretch.bytes).subspan(at, run.count * sizeof(word)));
        });
    REQUIRE(elements.size() == i % tiny.tile());
    REQUIRE(tiles.size() == i / tiny.tile() % tiny.tiles);
    elements.push_back(x_at(i));
    word result = in_tile(elements);
    if (!tiles.empty()) result = mixed(left_fold(tiles), result);
    if (earlier.empty() && start_) earlier = {*start_};
    return earlier.empty() ? result : mixed(earlier.front(), result);
  }

  const std::vector<std::uint64_t>& begins_;
  const std::uint32_t ranks_;
  const fold_levels levels_;
  const std::optional<word> start_;
  host_folder folder_;
  std::vector<word> first_results_;
  std::vector<std::vector<open_fold>> folds_;  // of each rank: its own, and those of its children's subtrees
  std::vector<open_fold> joined_;
};

void check_ranks(const std::vector<std::uint64_t>& begins, std::optional<word> start) {
  const auto expected = reference::scan_reference<word>(
      static_cast<std::size_t>(begins.back()), [](std::size_t i) { return x_at(i); }, mixed, false, start, {},
      tiny);
  const scan_of_ranks scan(begins, start);
  std::size_t wrong = 0;
  for (std::size_t r = 0; r + 1 < begins.size(); ++r)
    wrong += begins[r] < begins[r + 1] && scan.first_results()[r] != expected[begins[r]] ? 1 : 0;
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("the prefixes that come down to ranks give the results of one call") {
  random_engine random;
  for (int turn = 0; turn < (quick() ? 2000 : 20'000); ++turn) {
    const std::uint64_t n = random.below(random.below(4) == 0 ? 1500 : 200);
    CAPTURE(n);
    std::vector<std::uint64_t> begins{0, n};
    for (std::size_t k = random.below(random.below(4) == 0 ? 60 : 12); k > 0; --k) {
      std::uint64_t at = random.below(n + 1);
      if (random.below(3) == 0) at = at / tiny.tile() * tiny.tile();
      if (random.below(4) == 0) at = at / (tiny.tile() * tiny.tiles) * tiny.tile() * tiny.tiles;
      begins.push_back(at);
      if (random.below(5) == 0) begins.push_back(at);  // a rank with nothing
    }
    std::ranges::sort(begins);
    check_ranks(begins, random.below(2) == 0 ? std::optional<word>(random()) : std::nullopt);
  }
}

// A tenth of them where the run is the quickest.
TEST_CASE("a million ranks in one process: the results of one scan") {
  random_engine random;
  // Stretches of ranks with nothing, with a few elements, and with some tiles.
  std::vector<std::uint64_t> begins{0};
  std::uint64_t most = 1;
  for (std::uint32_t r = 0; r < (quickest() ? 100'000 : 1'000'000); ++r) {
    if (random.below(1000) == 0) most = std::array<std::uint64_t, 4>{1, 3, 8, 30}[random.below(4)];
    begins.push_back(begins.back() + random.below(most));
  }
  check_ranks(begins, 7);
}

TEST_CASE("messages and bytes of a running sum of floats over a thousand to a million ranks") {
  random_engine random;
  const scan_sizes sizes = scan_sizes::of_results_of(sizeof(float));
  const std::uint64_t tile = sizes.tile();
  for_each_large_cut(random, tile, [&](std::uint32_t ranks, const std::vector<std::uint64_t>& begins) {
    const fold_levels levels(begins.back(), {tile, sizes.tiles});
    const traffic all = traffic_of(
        ranks, clwave::detail::rounds_of_scan(levels, {4, 1, 4}, [&](std::uint32_t k) { return begins[k]; }));
    // The bounds that ranks_scan.hpp gives.
    CHECK(all.most_messages == 3 * 2 * (clwave::detail::rank_branches + 1));
    const std::uint64_t ends = 16 + 2 * (tile - 1 + sizes.tiles - 1) * 4;
    CHECK(all.largest <= ends + levels.count(2) * 4);
    CHECK(all.most_bytes <= 30 * 100 + 10 * ends + levels.count(2) * 4);
    return all;
  });
}

}  // namespace testing::scan_prefixes_test
