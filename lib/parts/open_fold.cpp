// Joins open folds.
#include "parts/open_fold.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "call/planning.hpp"

namespace clwave::detail {

fold_levels::fold_levels(std::uint64_t n, std::uint64_t tile) : tile_(tile), counts_{n}, reach_{1} {
  while (counts_.back() > 1 || (counts_.size() == 1 && n == 1)) {
    counts_.push_back(blocks_of(counts_.back(), tile));
    // No node of the top level begins behind the first.
    const bool all = reach_.back() > std::numeric_limits<std::uint64_t>::max() / tile;
    reach_.push_back(all ? std::numeric_limits<std::uint64_t>::max() : reach_.back() * tile);
  }
}

node_run fold_levels::complete(std::size_t level, std::uint64_t begin, std::uint64_t end) const {
  if (begin >= end) return {};
  const std::uint64_t first = blocks_of(begin, reach_[level]);
  const std::uint64_t last = end == n() ? counts_[level] : end / reach_[level];
  return {first, last - std::min(first, last)};
}

std::array<node_run, 2> fold_levels::open(std::size_t level, std::uint64_t begin, std::uint64_t end) const {
  const node_run all = complete(level, begin, end);
  if (level == top() || all.count == 0) return {all, {}};
  const node_run tiles = complete(level + 1, begin, end);
  if (tiles.count == 0) return {all, {}};
  const std::uint64_t first = tiles.first * tile_;
  const std::uint64_t last = std::min(tiles.end() * tile_, counts_[level]);
  return {node_run{all.first, first - all.first}, {last, all.end() - last}};
}

node_run fold_levels::below(std::size_t level, std::uint64_t node) const {
  return {node * tile_, std::min(tile_, counts_[level - 1] - node * tile_)};
}

std::uint64_t open_bytes(const fold_levels& levels, const node_bytes& widths, std::uint64_t begin,
                         std::uint64_t end) {
  std::uint64_t n_bytes = 0;
  for (std::size_t level = 0; level <= levels.top(); ++level)
    for (const node_run& run : levels.open(level, begin, end))
      n_bytes += run.count * widths.arrays(level) * widths.of(level);
  return n_bytes;
}

namespace {

// Nodes of one level, and where their bytes are, in one array for each input.
struct known_nodes {
  node_run run;
  std::array<const std::byte*, 2> at;
};

// All that is known of each level by the neighbours, in order.
std::vector<std::vector<known_nodes>> known_of(const fold_levels& levels, const node_bytes& widths,
                                               std::span<const open_fold> neighbours) {
  std::vector<std::vector<known_nodes>> all(levels.top() + 1);
  for (const open_fold& each : neighbours) {
    const std::byte* const bytes = each.bytes.data();
    for_each_run(levels, widths, each.begin, each.end,
                 [&](std::size_t level, std::size_t array, const node_run& run, std::uint64_t at) {
                   if (array == 0) all[level].push_back({run, {bytes + at, nullptr}});
                   const auto known = std::ranges::find(
                       all[level], run.first, [](const known_nodes& nodes) { return nodes.run.first; });
                   known->at[array] = bytes + at;
                 });
  }
  return all;
}

void copy_nodes(std::span<const known_nodes> known, std::size_t array, std::size_t width,
                const node_run& wanted, std::byte* to) {
  for (const known_nodes& each : known) {
    const std::uint64_t first = std::max(wanted.first, each.run.first);
    const std::uint64_t end = std::min(wanted.end(), each.run.end());
    if (first >= end) continue;
    std::memcpy(to + (first - wanted.first) * width, each.at[array] + (first - each.run.first) * width,
                static_cast<std::size_t>(end - first) * width);
  }
}

// The tiles with results on `level` that become whole: a cut between neighbours goes through each.
std::vector<whole_node> tiles_at_cuts(const fold_levels& levels, const node_bytes& widths, std::size_t level,
                                      std::span<const open_fold> neighbours,
                                      std::span<const known_nodes> below) {
  std::vector<whole_node> tiles;
  const node_run complete = levels.complete(level, neighbours.front().begin, neighbours.back().end);
  for (const open_fold& each : neighbours.subspan(1)) {
    const std::uint64_t number = levels.node_of(level, each.begin);
    // At an end of all there is no cut, nor between tiles.
    if (each.begin == neighbours.front().begin || each.begin == neighbours.back().end ||
        levels.begins_at(level, each.begin) || number < complete.first || number >= complete.end() ||
        (!tiles.empty() && tiles.back().number == number))
      continue;
    const node_run nodes = levels.below(level, number);
    const std::size_t width = widths.of(level - 1), arrays = widths.arrays(level - 1);
    whole_node& tile = tiles.emplace_back(whole_node{level, number, nodes.count, {}});
    tile.nodes.resize(static_cast<std::size_t>(nodes.count) * width * arrays);
    for (std::size_t k = 0; k < arrays; ++k)
      copy_nodes(below, k, width, nodes,
                 tile.nodes.data() + k * static_cast<std::size_t>(nodes.count) * width);
  }
  return tiles;
}

}  // namespace

open_fold joined(const fold_levels& levels, const node_bytes& widths, std::span<const open_fold> neighbours,
                 node_folder& folder) {
  open_fold all{neighbours.front().begin, neighbours.back().end};
  all.bytes.resize(static_cast<std::size_t>(open_bytes(levels, widths, all.begin, all.end)));
  std::vector<std::vector<known_nodes>> known = known_of(levels, widths, neighbours);
  std::vector<std::vector<std::byte>> results(levels.top() + 1);  // of the tiles folded here
  for (std::size_t level = 1; level <= levels.top(); ++level) {
    const auto tiles = tiles_at_cuts(levels, widths, level, neighbours, known[level - 1]);
    if (tiles.empty()) continue;
    results[level].resize(tiles.size() * widths.folded);
    folder.fold(tiles, results[level].data());
    for (std::size_t k = 0; k < tiles.size(); ++k)
      known[level].push_back({{tiles[k].number, 1}, {results[level].data() + k * widths.folded, nullptr}});
  }
  for_each_run(levels, widths, all.begin, all.end,
               [&](std::size_t level, std::size_t array, const node_run& run, std::uint64_t at) {
                 copy_nodes(known[level], array, widths.of(level), run, all.bytes.data() + at);
               });
  return all;
}

}  // namespace clwave::detail
