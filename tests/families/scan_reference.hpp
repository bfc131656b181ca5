// What a scan shall give, by a plain loop on the host.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <clwave/scan.hpp>

namespace reference {

// The results of a scan of n elements in the order that include/clwave/scan.hpp promises, from what is folded
// so far at each level: a level that ends goes into the one above. `nothing` is the first result of an
// exclusive scan without a start. NaNs are as they come.
template <class Acc, class Lift, class Combine>
std::vector<Acc> scan_reference(std::size_t n, Lift lift, Combine combine, bool exclusive,
                                std::optional<Acc> start = {}, Acc nothing = {},
                                std::optional<clwave::detail::scan_sizes> given = {}) {
  const auto sizes = given.value_or(clwave::detail::scan_sizes::of_results_of(sizeof(Acc)));
  const std::array<std::size_t, 5> units = {sizes.run, sizes.runs, sizes.strips, sizes.blocks, sizes.tiles};
  std::array<std::optional<Acc>, 6> levels;  // s, R, Q, S, B, P
  levels[5] = start;
  const auto in_order = [&](const std::optional<Acc>& a, const std::optional<Acc>& b) {
    return a && b ? std::optional<Acc>(combine(*a, *b)) : a ? a : b;
  };
  const auto result = [&] {
    std::optional<Acc> fold;
    for (const std::optional<Acc>& level : levels) fold = in_order(level, fold);
    return fold;
  };
  std::vector<Acc> results;
  results.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (exclusive) results.push_back(result().value_or(nothing));
    std::size_t unit = 1;
    for (std::size_t level = 0; i > 0 && level < units.size(); ++level) {
      unit *= units[level];
      if (i % unit != 0) break;
      levels[level + 1] = in_order(levels[level + 1], levels[level]);
      levels[level].reset();
    }
    levels[0] = in_order(levels[0], std::optional<Acc>(lift(i)));
    if (!exclusive) results.push_back(*result());
  }
  return results;
}

}  // namespace reference

namespace testing {

using clwave::detail::scan_sizes;

// Tiles of 32 elements, and stretches of 128: too few runs for a set of lanes, which takes strips instead.
inline constexpr scan_sizes small = {.run = 4, .runs = 2, .strips = 2, .blocks = 2, .tiles = 4};
// Tiles of 256 elements, and stretches of 512: a run for each work-item, which holds it.
inline constexpr scan_sizes of_held_runs = {.run = 4, .runs = 4, .strips = 4, .blocks = 4, .tiles = 2};

}  // namespace testing
