// Cuts: which tiles of a reduction lie whole in a shard of its input, and what shards have of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace clwave::detail {

// The tiles that lie whole in one shard; none where n is 0.
struct whole_tiles {
  std::uint64_t from = 0;   // where in the shard the first of them begins, in elements
  std::uint64_t n = 0;      // their elements; of the input's last tile there may be fewer than a tile's
  std::uint64_t first = 0;  // the first one's number in the input
  std::uint64_t count = 0;
};

// A tile that no shard has whole.
struct cut_tile {
  std::uint64_t number;  // in the input
  std::uint64_t n;       // elements
  std::uint64_t place;   // where in the tile those begin that the shards have
  std::uint64_t here;    // how many of them they have: all, or another process has the others
  bool is_open() const { return here < n; }
};

// Neighbouring elements of one shard in a tile that is cut.
struct fragment {
  std::size_t shard;
  std::uint64_t from;   // where in the shard they begin
  std::uint64_t n;      // how many
  std::size_t cut;      // which of the cut tiles they are of
  std::uint64_t place;  // where in that tile they begin
};

struct cuts {
  std::uint64_t n = 0;              // elements of the input
  std::uint64_t first_tile = 0;     // the first one of which the shards have all
  std::uint64_t tiles = 0;          // how many such there are
  std::vector<whole_tiles> whole;   // of each shard
  std::vector<cut_tile> cut;        // in order
  std::vector<fragment> fragments;  // in order

  // The number of a shard's first fragment, and of the one behind its last.
  std::pair<std::size_t, std::size_t> fragments_of(std::size_t shard) const;
};

// The elements of the input from `first` to before `end` that the shards have of open tiles: calls
// visit(which cut tile, where those begin in the input) for each of them.
template <class Visit>
void for_each_open(const cuts& of, std::uint64_t tile, std::uint64_t first, std::uint64_t end,
                   const Visit& visit) {
  for (std::size_t c = 0; c < of.cut.size(); ++c) {
    const std::uint64_t begin = of.cut[c].number * tile + of.cut[c].place;
    if (of.cut[c].is_open() && begin >= first && begin < end) visit(c, begin);
  }
}

// Of shards of these lengths, whose sum is at most most_size (planning.hpp).
cuts cut_at(std::span<const std::uint64_t> lengths, std::uint64_t tile);
// Of shards that lie from element `begin` on in an input of n, of which others have the rest.
cuts cut_at(std::span<const std::uint64_t> lengths, std::uint64_t tile, std::uint64_t begin, std::uint64_t n);

}  // namespace clwave::detail
