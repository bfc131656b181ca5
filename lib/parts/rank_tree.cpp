// Finds a rank's place in the tree, and its messages.
#include "parts/rank_tree.hpp"

namespace clwave::detail {
namespace {

std::vector<rank_stretch> children_of(const rank_stretch& all) {
  std::vector<rank_stretch> children;
  const std::uint32_t others = all.end - all.first - 1;
  std::uint32_t first = all.first + 1;
  for (std::uint32_t k = 0; k < rank_branches && first < all.end; ++k) {
    const std::uint32_t count = others / rank_branches + (k < others % rank_branches ? 1 : 0);
    children.push_back({first, first + count});
    first += count;
  }
  return children;
}

// No child has more below it than the first.
std::uint32_t height_of(rank_stretch all) {
  std::uint32_t height = 0;
  for (; all.end - all.first > 1; all = children_of(all).front()) ++height;
  return height;
}

}  // namespace

rank_place place_in_tree(std::uint32_t rank, std::uint32_t ranks) {
  rank_place place{.rank = rank};
  rank_stretch at{0, ranks};
  place.levels = height_of(at);
  while (at.first != rank) {
    place.parent = at.first;
    ++place.depth;
    for (const rank_stretch& child : children_of(at)) {
      if (rank < child.first || rank >= child.end) continue;
      at = child;
      break;
    }
  }
  place.end = at.end;
  place.children = children_of(at);
  place.height = height_of(at);
  return place;
}

std::vector<rank_message> messages_of(std::uint32_t rank, std::uint32_t ranks, const fold_levels& levels,
                                      const node_bytes& widths, const message_sizes& sizes,
                                      const std::function<std::uint64_t(std::uint32_t)>& begin_of) {
  const rank_place place = place_in_tree(rank, ranks);
  std::vector<rank_message> all;
  // A round: what each subtree sends to its root's parent, and what the parent answers.
  const auto round = [&](const auto& bytes_up, std::uint64_t bytes_down) {
    for (const rank_stretch& child : place.children)
      all.push_back({child.first, rank, sizes.header + bytes_up(child)});
    if (place.parent) {
      all.push_back({rank, *place.parent, sizes.header + bytes_up(rank_stretch{rank, place.end})});
      all.push_back({*place.parent, rank, sizes.header + bytes_down});
    }
    for (const rank_stretch& child : place.children)
      all.push_back({rank, child.first, sizes.header + bytes_down});
  };
  round([&](const rank_stretch&) { return sizes.opening; }, sizes.answer);
  round(
      [&](const rank_stretch& of) {
        return open_bytes(levels, widths, begin_of(of.first), begin_of(of.end));
      },
      sizes.result);
  return all;
}

}  // namespace clwave::detail
