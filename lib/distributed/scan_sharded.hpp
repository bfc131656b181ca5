// A scan of shards, step by step: for the call on one process's shards (scan_sharded.cpp), and for that on
// the shards of many (scan_ranks.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

#include <clwave/sharded_scan.hpp>

#include "call/call.hpp"
#include "call/context_entry.hpp"
#include "call/execute.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "distributed/chain.hpp"
#include "distributed/cuts.hpp"
#include "distributed/shard.hpp"
#include "primitives/scan.hpp"

namespace clwave::detail {

class sharded_scan {
 public:
  // Checks all shards. Nothing is enqueued.
  explicit sharded_scan(const sharded_scan_problem& call);
  // Waits for all commands first: what they read and write goes with this.
  ~sharded_scan() {
    for (shard& each : shards_) {
      each.commands.reset();
      each.last_commands.reset();
    }
  }
  sharded_scan(const sharded_scan&) = delete;
  sharded_scan& operator=(const sharded_scan&) = delete;
  void run();

 protected:
  struct shard {
    call_site site;
    scan_problem whole;                         // a scan of the shard alone
    bool at_home = false;                       // on the queue that finds what stands before tiles
    ready_call<scan_variant> folds = {};        // of its tiles
    ready_call<scan_variant> results = {};      // of its tiles
    layout_of_arrays layout = {};               // of its memory, where it is not at home
    std::uint64_t tiles = 0, stretches = 0;     // where in memory their values lie, in bytes
    std::uint64_t n_stretches = 0;              // of which it has a tile
    std::uint64_t staged = 0;                   // where in the host's those of the tiles, and behind them
    std::unique_ptr<workspace> memory = {};     // its own, where it is not at home
    std::unique_ptr<chain> commands = {};       // up to what stands before its tiles
    std::unique_ptr<chain> last_commands = {};  // from there on
  };
  // A tile that is put together at home.
  struct gathered_tile {
    std::uint64_t elements = 0, results = 0;  // where in memory they lie, in bytes
    ready_call<scan_variant> fold = {};       // up to the last element that is here
    ready_call<scan_variant> scan = {};
  };

  template <class Do>
  auto at_shard(std::size_t k, const Do& what) {
    return for_shard(k, shards_.size(), shards_[k].site, what);
  }

  // The shards are the elements from `begin` on of an input of n; without this call they are all of it. Of
  // those behind them no result depends, so a scan of them is one of an input that ends with them.
  void place_at(std::uint64_t begin, std::uint64_t n);
  void check_shard(std::size_t k);
  void check_overlaps(const std::vector<operand_bytes>& in, const std::vector<operand_bytes>& out);
  void choose_home();
  bool is_alone();
  void make_places();
  void make_ready();
  ready_call<scan_variant> fit_step(const call_site& site, scan_problem problem, const scan_piece& step);
  // A step at home of the tiles from stretch `first` on, up to before element `end`.
  ready_call<scan_variant> fit_at_home(scan_step step, std::uint64_t first, std::uint64_t end);
  // A problem of arrays that begin there in a workspace.
  scan_problem problem_of(std::uint64_t elements_at, std::uint64_t results_at, std::uint64_t n) const;
  void make_memory();
  void start(std::size_t k);
  void start_fragments(std::size_t k);
  void find_what_stands_before();
  void bring_home();
  void send_back();
  // The scans of cut tiles, when it is known what stands before all; and what goes to other devices.
  void scan_cut_tiles();
  // The results of all shards, for which all is enqueued at home.
  void give_all_results();
  void give_results(std::size_t k);
  void give_fragments(std::size_t k);
  // Waits for the shards' commands, but for those of shard `except`, whichever fails first.
  void wait_for(std::unique_ptr<chain> shard::*commands, std::optional<std::size_t> except);
  void give_back();

  void enqueue_step(chain& commands, const call_site& site, const ready_call<scan_variant>& ready,
                    std::initializer_list<cl_mem> buffers);
  // The part of shard `k` from an element on.
  scan_problem subcall(std::size_t k, std::uint64_t from, std::uint64_t n) const;
  cl_mem memory_of(std::size_t k) const {
    return shards_[k].at_home ? memory_->buffer() : shards_[k].memory->buffer();
  }
  unsigned char* staged(std::uint64_t at) const { return static_cast<unsigned char*>(staging_->get()) + at; }
  const element& value() const { return *call_.in[0].elements.type; }
  const element& result() const { return *call_.out[0].elements.type; }
  std::uint64_t tile() const { return sizes_.tile(); }
  std::uint64_t stretch() const { return tile() * sizes_.tiles; }  // elements of one
  std::uint64_t stretch_of(std::uint64_t tile) const { return tile / sizes_.tiles; }
  std::uint64_t end() const { return begin_ + n_; }
  std::uint64_t first_stretch() const { return begin_ / stretch(); }
  std::uint64_t end_of_stretches() const { return blocks_of(end(), stretch()); }
  // Where at home the values of a tile and of a stretch lie, in bytes.
  std::uint64_t place_of_tile(std::uint64_t tile) const {
    return tiles_ + (tile - first_stretch() * sizes_.tiles) * result().size;
  }
  std::uint64_t place_of_stretch(std::uint64_t stretch) const {
    return stretches_ + (stretch - first_stretch()) * result().size;
  }
  shard& home() { return shards_[home_]; }

  const sharded_scan_problem& call_;
  scan_sizes sizes_;
  std::vector<std::uint64_t> lengths_;  // of the shards
  std::uint64_t n_ = 0;                 // their sum
  std::uint64_t begin_ = 0;             // where they begin in the input
  cuts cuts_;
  std::size_t home_ = 0;
  std::vector<shard> shards_;  // before all that refers to where they lie
  std::unique_ptr<host_memory> staging_;
  std::uint64_t n_staged_ = 0;  // bytes of it
  std::vector<fragment_place> fragments_;
  std::optional<workspace> memory_;          // at home
  layout_of_arrays layout_;                  // of it
  std::uint64_t tiles_ = 0, stretches_ = 0;  // where in it the values of tiles and stretches lie: those of
                                             // the first stretch that has an element here, and from there on
  std::vector<gathered_tile> gathered_;      // the cut tiles
  std::optional<scan_problem> at_home_;      // one of which there is a program at home
  ready_call<scan_variant> tiles_before_ = {}, stretches_before_ = {};  // find what stands before all of them
};

}  // namespace clwave::detail
