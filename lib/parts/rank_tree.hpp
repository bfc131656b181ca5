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
#include <vector>

#include "parts/open_fold.hpp"

namespace clwave::detail {

// Four branches: at most 20 messages in the two rounds of a call, and 10 levels for a million ranks.
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

// What a message begins with, and what the messages of a call carry (rank_talk.hpp).
struct message_sizes {
  std::uint64_t header, opening, answer, result;
};

struct rank_message {
  std::uint32_t from, to;
  std::uint64_t n_bytes;
};

// The messages of a reduction that a rank sends or gets, in its order. begin_of(r) is where the elements of
// rank r begin, and n where r is the number of ranks.
std::vector<rank_message> messages_of(std::uint32_t rank, std::uint32_t ranks, const fold_levels& levels,
                                      const node_bytes& widths, const message_sizes& sizes,
                                      const std::function<std::uint64_t(std::uint32_t)>& begin_of);

}  // namespace clwave::detail
