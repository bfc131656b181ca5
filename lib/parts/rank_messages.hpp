// What the messages of a reduction on several ranks carry.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "parts/rank_talk.hpp"

namespace clwave::detail {

// Counts the changes of what ranks send one another.
inline constexpr std::uint64_t message_version = 1;

inline constexpr std::size_t n_facets = 6;

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

inline message_sizes sizes_of_messages(std::size_t result_bytes) {
  return {sizeof(message_header), sizeof(opening_message), sizeof(answer_message), result_bytes};
}

}  // namespace clwave::detail
