// Finds a rank's place in the tree, and its messages.
#include "distributed/rank_tree.hpp"

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

std::vector<rank_message> messages_of(std::uint32_t rank, std::uint32_t ranks,
                                      std::span<const round_bytes> rounds) {
  const rank_place place = place_in_tree(rank, ranks);
  const rank_stretch own{rank, place.end};
  std::vector<rank_message> all;
  for (const round_bytes& round : rounds) {
    for (const rank_stretch& child : place.children) all.push_back({child.first, rank, round.up(child)});
    if (place.parent) {
      all.push_back({rank, *place.parent, round.up(own)});
      all.push_back({*place.parent, rank, round.down(own)});
    }
    for (const rank_stretch& child : place.children) all.push_back({rank, child.first, round.down(child)});
  }
  return all;
}

}  // namespace clwave::detail
