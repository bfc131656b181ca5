// Joins open folds.
#include "distributed/open_fold.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "call/planning.hpp"

namespace clwave::detail {

void fold_levels::add_level(std::uint64_t tile) {
  tiles_.push_back(tile);
  counts_.push_back(blocks_of(counts_.back(), tile));
  // Where that is past the largest number, no node begins behind the first.
  const bool all = reach_.back() > std::numeric_limits<std::uint64_t>::max() / tile;
  reach_.push_back(all ? std::numeric_limits<std::uint64_t>::max() : reach_.back() * tile);
}

fold_levels::fold_levels(std::uint64_t n, std::uint64_t tile) : counts_{n} {
  while (counts_.back() > 1 || (counts_.size() == 1 && n == 1)) add_level(tile);
}

fold_levels::fold_levels(std::uint64_t n, std::initializer_list<std::uint64_t> tiles) : counts_{n} {
  for (const std::uint64_t tile : tiles) add_level(tile);
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
  const std::uint64_t first = tiles.first * tiles_[level];
  const std::uint64_t last = std::min(tiles.end() * tiles_[level], counts_[level]);
  return {node_run{all.first, first - all.first}, {last, all.end() - last}};
}

node_run fold_levels::below(std::size_t level, std::uint64_t node) const {
  const std::uint64_t tile = tiles_[level - 1];
  return {node * tile, std::min(tile, counts_[level - 1] - node * tile)};
}

std::uint64_t open_bytes(const fold_levels& levels, const node_bytes& widths, std::uint64_t begin,
                         std::uint64_t end) {
  std::uint64_t n_bytes = 0;
  for (std::size_t level = 0; level <= levels.top(); ++level)
    for (const node_run& run : levels.open(level, begin, end))
      n_bytes += run.count * widths.arrays(level) * widths.of(level);
  return n_bytes;
}

joined_folds::joined_folds(const fold_levels& levels, const node_bytes& widths,
                           std::span<const open_fold> neighbours, node_folder& folder)
    : levels_(levels), widths_(widths), known_(levels.top() + 1), results_(levels.top() + 1) {
  std::vector<std::uint64_t> bounds{neighbours.front().begin};
  for (const open_fold& each : neighbours) {
    add(each);
    bounds.push_back(each.end);
  }
  for (std::size_t level = 1; level <= levels.top(); ++level) {
    auto tiles = nodes_at_cuts(levels, level, bounds);
    if (tiles.empty()) continue;
    for (whole_node& each : tiles) {
      const node_run nodes = levels.below(level, each.number);
      const std::size_t n_bytes = static_cast<std::size_t>(nodes.count) * widths.of(level - 1);
      each.nodes.resize(n_bytes * widths.arrays(level - 1));
      for (std::size_t k = 0; k < widths.arrays(level - 1); ++k)
        copy(level - 1, k, nodes, each.nodes.data() + k * n_bytes);
    }
    results_[level].resize(tiles.size() * widths.folded);
    folder.fold(tiles, results_[level].data());
    for (std::size_t k = 0; k < tiles.size(); ++k)
      known_[level].push_back({{tiles[k].number, 1}, {results_[level].data() + k * widths.folded, nullptr}});
  }
}

void joined_folds::add(const open_fold& of) {
  const std::byte* const bytes = of.bytes.data();
  for_each_run(levels_, widths_, of.begin, of.end,
               [&](std::size_t level, std::size_t array, const node_run& run, std::uint64_t at) {
                 if (array == 0) return known_[level].push_back({run, {bytes + at, nullptr}});
                 const auto known = std::ranges::find(
                     known_[level], run.first, [](const known_nodes& nodes) { return nodes.run.first; });
                 known->at[array] = bytes + at;
               });
}

void joined_folds::copy(std::size_t level, std::size_t array, const node_run& wanted, std::byte* to) const {
  const std::size_t width = widths_.of(level);
  for (const known_nodes& each : known_[level]) {
    const std::uint64_t first = std::max(wanted.first, each.run.first);
    const std::uint64_t end = std::min(wanted.end(), each.run.end());
    if (first >= end) continue;
    std::memcpy(to + (first - wanted.first) * width, each.at[array] + (first - each.run.first) * width,
                static_cast<std::size_t>(end - first) * width);
  }
}

std::vector<whole_node> nodes_at_cuts(const fold_levels& levels, std::size_t level,
                                      std::span<const std::uint64_t> bounds) {
  std::vector<whole_node> nodes;
  const node_run complete = levels.complete(level, bounds.front(), bounds.back());
  for (const std::uint64_t begin : bounds.subspan(1, bounds.size() - 2)) {
    const std::uint64_t number = levels.node_of(level, begin);
    // At an end of all there is no cut, nor between tiles.
    if (begin == bounds.front() || begin == bounds.back() || levels.begins_at(level, begin) ||
        number < complete.first || number >= complete.end() ||
        (!nodes.empty() && nodes.back().number == number))
      continue;
    nodes.push_back({level, number, levels.below(level, number).count, {}});
  }
  return nodes;
}

open_fold joined_folds::between(std::uint64_t begin, std::uint64_t end) const {
  open_fold all{begin, end};
  all.bytes.resize(static_cast<std::size_t>(open_bytes(levels_, widths_, begin, end)));
  for_each_run(levels_, widths_, begin, end,
               [&](std::size_t level, std::size_t array, const node_run& run, std::uint64_t at) {
                 copy(level, array, run, all.bytes.data() + at);
               });
  return all;
}

open_fold joined(const fold_levels& levels, const node_bytes& widths, std::span<const open_fold> neighbours,
                 node_folder& folder) {
  return joined_folds(levels, widths, neighbours, folder)
      .between(neighbours.front().begin, neighbours.back().end);
}

}  // namespace clwave::detail
