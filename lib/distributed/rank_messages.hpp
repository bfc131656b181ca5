// What the messages of calls on several ranks carry.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "distributed/open_fold.hpp"
#include "distributed/rank_talk.hpp"
#include "distributed/rank_tree.hpp"

namespace clwave::detail {

// Counts the changes of what ranks send one another.
inline constexpr std::uint64_t message_version = 3;

inline constexpr std::size_t n_facets = 9;

// Up, in the first round.
struct opening_message {
  std::uint64_t n;                             // elements of the subtree
  std::array<std::uint64_t, n_facets> facets;  // a hash of each thing that all ranks must give alike
};

// Down, in the first round.
struct answer_message {
  std::uint64_t begin;  // of the subtree's elements
  std::uint64_t n;      // of the array
};

// The rounds of a reduction and of a scan. begin_of(r) is where the elements of rank r begin, and n where r
// is the number of ranks. Refer to the levels.
using begin_of_rank = std::function<std::uint64_t(std::uint32_t)>;
std::vector<round_bytes> rounds_of_reduction(const fold_levels& levels, const node_bytes& widths,
                                             const begin_of_rank& begin_of);
std::vector<round_bytes> rounds_of_scan(const fold_levels& levels, const node_bytes& widths,
                                        const begin_of_rank& begin_of);

}  // namespace clwave::detail
