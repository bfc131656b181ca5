// The first round of every call on several ranks: whether all make the same one, and where each rank's
// elements lie in the array.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/op.hpp>

#include "distributed/rank_messages.hpp"
#include "distributed/rank_talk.hpp"

namespace clwave::detail {

// What all ranks must give alike.
struct rank_facets {
  std::string_view call;
  std::vector<std::uint64_t> order;  // the numbers that its order has
  const element* value;
  const element* accumulator;
  const op* fold;
  const map* apply;
  unsigned inputs = 1;
  const void* start = nullptr;  // a value to accumulate in
  std::vector<std::byte> bins = {};
};

std::array<std::uint64_t, n_facets> hashes_of(const rank_facets& of);

// Where a rank's own elements and those of its children's subtrees lie.
struct rank_elements {
  std::uint64_t begin = 0, n = 0;          // of the rank's own; of the array
  std::vector<std::uint64_t> begins = {};  // of each child's, and the end of the last

  std::uint64_t begin_of(std::size_t child) const { return begins[child]; }
  std::uint64_t end_of(std::size_t child) const { return begins[child + 1]; }
  std::uint64_t count_of(std::size_t child) const { return end_of(child) - begin_of(child); }
  // Where the rank's own and each child's begin, and where the last end.
  std::vector<std::uint64_t> bounds() const;
};

// How many elements a subtree has goes up, and where they begin comes down. `own` checks the rank's call, and
// says how many elements it has; what it throws is thrown on all ranks, as is a difference between them.
rank_elements open_call(rank_talk& talk, std::string_view primitive,
                        const std::function<opening_message()>& own);

}  // namespace clwave::detail
