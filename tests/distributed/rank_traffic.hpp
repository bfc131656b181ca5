// What many ranks would send one another, without a device and without a message.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "distributed/rank_tree.hpp"
#include "harness/reference.hpp"

namespace testing {

struct traffic {
  // Messages that a rank sends and gets, and their bytes; the bytes that all send; the largest message.
  std::uint64_t most_messages = 0, most_bytes = 0, all_bytes = 0, largest = 0;
};

inline traffic traffic_of(std::uint32_t ranks, const std::vector<clwave::detail::round_bytes>& rounds) {
  traffic all;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const auto messages = clwave::detail::messages_of(r, ranks, rounds);
    std::uint64_t bytes = 0;
    for (const auto& each : messages) {
      bytes += each.n_bytes;
      all.largest = std::max(all.largest, each.n_bytes);
      if (each.from == r) all.all_bytes += each.n_bytes;
    }
    all.most_bytes = std::max(all.most_bytes, bytes);
    all.most_messages = std::max<std::uint64_t>(all.most_messages, messages.size());
  }
  return all;
}

// Calls check(ranks, where the elements of each begin) for a thousand to a million ranks, cut between tiles
// and anywhere, and says what the traffic is that it gives back. About 2^24 elements each: in all at most
// 2^44.
template <class Check>
void for_each_large_cut(reference::random_engine& random, std::uint64_t tile, const Check& check) {
  for (const std::uint32_t ranks : {1000u, 10'000u, 100'000u, 1'000'000u}) {
    for (const bool whole_tiles : {true, false}) {
      const std::uint64_t mean = std::uint64_t{1} << 24;
      std::vector<std::uint64_t> begins{0};
      for (std::uint32_t r = 0; r < ranks; ++r)
        begins.push_back(begins.back() + (whole_tiles ? mean / tile * tile : mean / 2 + random.below(mean)));
      const traffic all = check(ranks, begins);
      MESSAGE(ranks << " ranks cut " << std::string(whole_tiles ? "between tiles" : "anywhere")
                    << ", a tree of " << clwave::detail::place_in_tree(0, ranks).levels << " levels: at most "
                    << all.most_messages << " messages and " << all.most_bytes << " bytes of a rank, "
                    << all.all_bytes / ranks << " bytes sent a rank, largest message " << all.largest);
    }
  }
}

}  // namespace testing
