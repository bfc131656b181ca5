// The tree along which ranks send their messages: who sends to whom, and how much.
//
// Ranks from `first` to before `end` are a subtree whose root is `first`; the others of it fall into
// rank_branches stretches of neighbours, equal but for one, which are subtrees in their turn. So every
// subtree is a stretch of neighbours, whose elements follow one another in the array, and a rank sends to its
// parent and to its children alone: in a round, in which something goes up to rank 0 and an answer comes
// down, at most 2 * (rank_branches + 1) messages have to do with it. The tree is as deep as the logarithm of
// the number of ranks to the base rank_branches.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace clwave::detail {

// Four branches: at most 10 messages in a round, and 10 levels for a million ranks.
inline constexpr std::uint32_t rank_branches = 4;

// A stretch of ranks, of which `first` is the root.
struct rank_stretch {
  std::uint32_t first = 0, end = 0;
};

// A rank's place in the tree.
struct rank_place {
  std::uint32_t rank = 0;
  std::optional<std::uint32_t> parent = {};
  std::vector<rank_stretch> children = {};
  std::uint32_t end = 0;     // of the rank's own subtree, which begins with the rank
  std::uint32_t depth = 0;   // levels above it
  std::uint32_t height = 0;  // levels below it
  std::uint32_t levels = 0;  // below rank 0
};

rank_place place_in_tree(std::uint32_t rank, std::uint32_t ranks);

struct rank_message {
  std::uint32_t from, to;
  std::uint64_t n_bytes;
};

// How many bytes a subtree sends to its root's parent in a round, and gets from it.
struct round_bytes {
  std::function<std::uint64_t(const rank_stretch&)> up, down;
};

// The messages that a rank sends or gets in these rounds, in its order.
std::vector<rank_message> messages_of(std::uint32_t rank, std::uint32_t ranks,
                                      std::span<const round_bytes> rounds);

}  // namespace clwave::detail
