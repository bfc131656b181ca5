// A scan of shards, step by step: for the call on one process's shards (scan_sharded.cpp), and for that on
// the shards of many (scan_ranks.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <clwave/sharded_scan.hpp>

#include "call/call.hpp"
#include "call/execute.hpp"
#include "call/planning.hpp"
#include "distributed/chain.hpp"
#include "distributed/cuts.hpp"
#include "distributed/gathering.hpp"
#include "distributed/scan_steps.hpp"
#include "distributed/shard.hpp"

namespace clwave::detail {

class sharded_scan {
 public:
  // Checks all shards. Nothing is enqueued.
  explicit sharded_scan(const sharded_scan_problem& call);
  void run();

 protected:
  struct shard {
    scan_problem whole;                     // a scan of the shard alone
    ready_call<scan_variant> folds = {};    // of its tiles
    ready_call<scan_variant> results = {};  // of its tiles
    parcel tiles = {}, stretches = {};      // the values of those, and of the stretches of which it has one
  };
  // A tile that is put together at home.
  struct gathered_tile {
    std::uint64_t elements = 0, results = 0;  // where in memory they lie, in bytes
    ready_call<scan_variant> fold = {};       // up to the last element that is here
    ready_call<scan_variant> scan = {};
  };

  // The shards are the elements from `begin` on of an input of n; without this call they are all of it.
  // Results do not depend on later elements, so the input may be taken to end with these shards.
  void place_at(std::uint64_t begin, std::uint64_t n);
  void check_shard(std::size_t k);
  void check_overlaps(const std::vector<operand_bytes>& in, const std::vector<operand_bytes>& out);
  bool is_alone();
  void make_places();
  void make_ready();
  // A step at home of the tiles from stretch `first` on, up to before element `end`.
  ready_call<scan_variant> fit_at_home(scan_step step, std::uint64_t first, std::uint64_t end);
  // A scan of arrays that begin there in a workspace.
  scan_problem at_places(std::uint64_t elements_at, std::uint64_t results_at, std::uint64_t n) const;
  void start(std::size_t k);
  void find_what_stands_before();
  void send_back();
  // The scans of cut tiles, when it is known what stands before all; and what goes to other devices.
  void scan_cut_tiles();
  // The results of all shards, for which all is enqueued at home.
  void give_all_results();
  void give_results(std::size_t k);
  void give_fragments(chain& commands, std::size_t k);
  // What comes back to a shard of a cut tile.
  parcel results_of_fragment(std::size_t f) const;
  // The part of shard `k` from an element on.
  scan_problem subcall(std::size_t k, std::uint64_t from, std::uint64_t n) const;
  const element& value() const { return steps_.value(); }
  const element& result() const { return steps_.result(); }
  std::uint64_t tile() const { return steps_.tile(); }
  std::uint64_t stretch() const { return steps_.stretch(); }
  std::uint64_t stretch_of(std::uint64_t tile) const { return tile / steps_.sizes().tiles; }
  std::uint64_t end() const { return begin_ + lengths_.n; }
  std::uint64_t first_stretch() const { return begin_ / stretch(); }
  std::uint64_t end_of_stretches() const { return blocks_of(end(), stretch()); }
  // Where at home the values of a tile and of a stretch lie, in bytes.
  std::uint64_t place_of_tile(std::uint64_t tile) const {
    return tiles_ + (tile - first_stretch() * steps_.sizes().tiles) * result().size;
  }
  std::uint64_t place_of_stretch(std::uint64_t stretch) const {
    return stretches_ + (stretch - first_stretch()) * result().size;
  }

  const sharded_scan_problem& call_;
  const shard_lengths lengths_;
  const scan_steps steps_;
  std::uint64_t begin_ = 0;  // where the shards begin in the input
  cuts cuts_;
  std::size_t home_;  // the shard of most elements, whose values need not leave its device
  std::vector<shard> shards_;
  std::uint64_t tiles_ = 0, stretches_ = 0;  // where at home the values of tiles and stretches lie: those of
                                             // the first stretch that has an element here, and from there on
  std::vector<gathered_tile> gathered_;      // the cut tiles
  std::optional<scan_problem> at_home_;      // one of which there is a program at home
  ready_call<scan_variant> tiles_before_ = {}, stretches_before_ = {};  // find what stands before all of them
  gathering all_;  // goes first: it waits for what the others are read by
};

}  // namespace clwave::detail
