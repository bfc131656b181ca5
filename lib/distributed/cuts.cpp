// Finds the cuts of an input that lies in shards.
#include "distributed/cuts.hpp"

#include <algorithm>
#include <numeric>

#include "call/planning.hpp"

namespace clwave::detail {

std::pair<std::size_t, std::size_t> cuts::fragments_of(std::size_t shard) const {
  const auto first_not_before = [this](std::size_t number) {
    const auto found = std::ranges::lower_bound(fragments, number, {}, &fragment::shard);
    return static_cast<std::size_t>(found - fragments.begin());
  };
  return {first_not_before(shard), first_not_before(shard + 1)};
}

cuts cut_at(std::span<const std::uint64_t> lengths, std::uint64_t tile) {
  return cut_at(lengths, tile, 0, std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0}));
}

cuts cut_at(std::span<const std::uint64_t> lengths, std::uint64_t tile, std::uint64_t begin,
            std::uint64_t n) {
  cuts all;
  all.n = n;
  all.whole.resize(lengths.size());

  const auto add_fragment = [&](std::size_t shard, std::uint64_t begin, std::uint64_t end,
                                std::uint64_t shard_begin) {
    if (begin >= end) return;
    const std::uint64_t number = begin / tile;
    if (all.cut.empty() || all.cut.back().number != number)
      all.cut.push_back({number, std::min(tile, all.n - number * tile), begin - number * tile, 0});
    all.cut.back().here += end - begin;
    all.fragments.push_back(
        {shard, begin - shard_begin, end - begin, all.cut.size() - 1, begin - number * tile});
  };

  all.first_tile = round_up(begin, tile) / tile;
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    const std::uint64_t end = begin + lengths[k];
    // The input's last tile ends with the input.
    const std::uint64_t first = round_up(begin, tile);
    const std::uint64_t last = end == all.n ? end : end / tile * tile;
    if (first < last)
      all.whole[k] = {first - begin, last - first, first / tile, blocks_of(last - first, tile)};
    add_fragment(k, begin, std::min(first, end), begin);
    add_fragment(k, std::max(first, last), end, begin);
    begin = end;
  }
  const std::uint64_t last_tile = begin == all.n ? blocks_of(all.n, tile) : begin / tile;
  all.tiles = last_tile - std::min(all.first_tile, last_tile);
  return all;
}

}  // namespace clwave::detail
