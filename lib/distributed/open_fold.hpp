// Open folds: what is left of neighbouring elements of an array once all that lies whole in them is folded.
//
// The order of a fold is a tree that is fixed by the number of elements: on level 0 are the elements, and
// each tile of a level has one result on the level above, up to the level that has one (reduce.hpp). Whoever
// holds the elements from `begin` to before `end` alone folds each tile, of any level, that lies whole in
// them. What is left over on each level is at most two runs, one at either end, and each of fewer than a
// tile: of the tiles that reach over the ends others hold a shard. Two neighbours' open folds join to the
// open fold of what both hold, whose tiles are folded where they become whole. So the bits are those of one
// fold, whoever holds what and in whichever order neighbours are joined; and an open fold takes at most 2 *
// (tile - 1) elements and as many results on each level, whatever it stands for.
//
// Of a scan the order has three levels of which each is fixed (scan.hpp): elements, tiles and stretches of
// tiles. Folds of stretches are combined from the left by whoever has all that are before; so all those of
// the stretches that lie whole in the elements are left over.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace clwave::detail {

// Neighbouring nodes of one level: elements on level 0, above it results.
struct node_run {
  std::uint64_t first = 0, count = 0;
  std::uint64_t end() const { return first + count; }
};

// The levels of the fold of n elements.
class fold_levels {
 public:
  // Up to the level that has one node, the result.
  fold_levels(std::uint64_t n, std::uint64_t tile);
  // As many as there are `tiles`: a node of each level has so many of the one below. What is on the last is
  // not folded.
  fold_levels(std::uint64_t n, std::initializer_list<std::uint64_t> tiles);

  std::uint64_t n() const { return counts_[0]; }
  // How many nodes of a level a tile of it has.
  std::uint64_t tile(std::size_t level = 0) const { return tiles_[level]; }
  // The last level. Of a fold without elements it is 0.
  std::size_t top() const { return counts_.size() - 1; }
  // How many nodes a level has.
  std::uint64_t count(std::size_t level) const { return counts_[level]; }
  // The nodes of which the elements from `begin` to before `end` are all that there is.
  node_run complete(std::size_t level, std::uint64_t begin, std::uint64_t end) const;
  // Those of them whose own tile is not: at the beginning, and at the end. Where no tile of them is complete,
  // the first has all.
  std::array<node_run, 2> open(std::size_t level, std::uint64_t begin, std::uint64_t end) const;
  // The node of a level that element i is of, and the first element of it.
  std::uint64_t node_of(std::size_t level, std::uint64_t i) const { return i / reach_[level]; }
  bool begins_at(std::size_t level, std::uint64_t i) const { return i % reach_[level] == 0; }
  std::uint64_t begin_of(std::size_t level, std::uint64_t node) const { return node * reach_[level]; }
  // The nodes of the level below that a node is the fold of.
  node_run below(std::size_t level, std::uint64_t node) const;

 private:
  void add_level(std::uint64_t tile);

  std::vector<std::uint64_t> tiles_;
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint64_t> reach_{1};  // elements of a node; of a level's last there may be fewer
};

// How many bytes nodes have. Elements lie in one array for each input.
struct node_bytes {
  std::size_t value = 0;   // of an element
  std::size_t inputs = 1;  // 1 or 2
  std::size_t folded = 0;  // of a result

  std::size_t arrays(std::size_t level) const { return level == 0 ? inputs : 1; }
  std::size_t of(std::size_t level) const { return level == 0 ? value : folded; }
};

// The open fold of the elements from `begin` to before `end`. The bytes are those of all levels, from the
// lowest on; of a level those of x and then those of y; of each the first run and then the second.
struct open_fold {
  std::uint64_t begin = 0, end = 0;
  std::vector<std::byte> bytes = {};
};

// How many bytes it has.
std::uint64_t open_bytes(const fold_levels& levels, const node_bytes& widths, std::uint64_t begin,
                         std::uint64_t end);

// Calls visit(level, array, run, where the run is in the bytes) for each run that is not empty, in the bytes'
// order.
template <class Visit>
void for_each_run(const fold_levels& levels, const node_bytes& widths, std::uint64_t begin, std::uint64_t end,
                  const Visit& visit) {
  std::uint64_t at = 0;
  for (std::size_t level = 0; level <= levels.top(); ++level) {
    const std::array<node_run, 2> runs = levels.open(level, begin, end);
    for (std::size_t array = 0; array < widths.arrays(level); ++array) {
      for (const node_run& run : runs) {
        if (run.count == 0) continue;
        visit(level, array, run, at);
        at += run.count * widths.of(level);
      }
    }
  }
}

// A tile that has become whole, with the nodes that it is the fold of.
struct whole_node {
  std::size_t level;  // of its result
  std::uint64_t number;
  std::uint64_t n;               // nodes of the level below
  std::vector<std::byte> nodes;  // of elements those of x, and then those of y
};

// Those with results on `level` that become whole where neighbours join, without their nodes. `bounds` are
// where the neighbours begin, in their order, and where the last ends: a cut between two goes through each.
std::vector<whole_node> nodes_at_cuts(const fold_levels& levels, std::size_t level,
                                      std::span<const std::uint64_t> bounds);

// Who folds such tiles.
class node_folder {
 public:
  virtual ~node_folder() = default;
  // Tiles of one level; the results go to `results` one behind another.
  virtual void fold(std::span<const whole_node> tiles, std::byte* results) = 0;
};

// What neighbours know together, which are given in their order: each ends where the next begins. Refers to
// all that it is given.
class joined_folds {
 public:
  // Folds what becomes whole.
  joined_folds(const fold_levels& levels, const node_bytes& widths, std::span<const open_fold> neighbours,
               node_folder& folder);
  // The open fold of those of them that reach from `begin` to `end`.
  open_fold between(std::uint64_t begin, std::uint64_t end) const;
  // Copies nodes of a level that some of them know.
  void copy(std::size_t level, std::size_t array, const node_run& wanted, std::byte* to) const;

 private:
  // Nodes of one level, and where their bytes are, in one array for each input.
  struct known_nodes {
    node_run run;
    std::array<const std::byte*, 2> at;
  };

  void add(const open_fold& of);

  const fold_levels& levels_;
  const node_bytes& widths_;
  std::vector<std::vector<known_nodes>> known_;  // of each level
  std::vector<std::vector<std::byte>> results_;  // of the tiles folded here
};

// The open fold of neighbours together.
open_fold joined(const fold_levels& levels, const node_bytes& widths, std::span<const open_fold> neighbours,
                 node_folder& folder);

}  // namespace clwave::detail
