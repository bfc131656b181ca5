// A reduction of shards, step by step: for the call on one process's shards (reduce_sharded.cpp), and for
// that on the shards of many (reduce_ranks.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <clwave/error.hpp>
#include <clwave/sharded.hpp>

#include "call/call.hpp"
#include "call/execute.hpp"
#include "call/workspace.hpp"
#include "distributed/chain.hpp"
#include "distributed/cuts.hpp"
#include "distributed/shard.hpp"
#include "distributed/tile_results.hpp"
#include "primitives/reduce.hpp"

namespace clwave::detail {

class sharded_reduction {
 public:
  // Checks all shards. Nothing is enqueued.
  explicit sharded_reduction(const sharded_reduce_problem& call);
  // Waits for all commands first: what they read and write goes with this.
  ~sharded_reduction() {
    for (shard& each : shards_) each.commands.reset();
  }
  sharded_reduction(const sharded_reduction&) = delete;
  sharded_reduction& operator=(const sharded_reduction&) = delete;
  // Builds all programs that run() needs. Nothing is enqueued.
  void prepare();
  // Blocks until the result is there. Once, after prepare().
  void run(void* result);

 protected:
  // One shard of the array, of x and where there are two inputs of y.
  struct shard {
    call_site site;
    reduce_problem whole;                    // a reduction of the shard alone
    bool at_home = false;                    // on the queue that folds the results
    ready_call<reduce_variant> tiles = {};   // the fold of its tiles
    layout_of_arrays layout = {};            // of its memory, where it is not at home
    std::uint64_t results = 0;               // where in memory those go, in bytes
    std::uint64_t staged_results = 0;        // and then in the host's
    std::unique_ptr<workspace> memory = {};  // its own, where it is not at home
    std::unique_ptr<chain> commands = {};
  };

  template <class Do>
  auto at_shard(std::size_t k, const Do& what) {
    return for_shard(call_.before + k, std::max(call_.of, call_.x.size()), shards_[k].site, what);
  }

  // The shards are the elements from `begin` on of an input of n; without this call they are all of it.
  void place_at(std::uint64_t begin, std::uint64_t n);
  void check_shard(std::size_t k);
  void choose_home();
  // An array in one shard is any other input.
  bool is_alone() const { return cuts_.n == call_.x[home_].elements.n; }
  // What the caller gave for a shard of the second input to wait for; null where there is one input.
  const wait_list* waits_of_y(std::size_t k) const { return inputs() == 2 ? &call_.y[k].after : nullptr; }
  // Describes the folds of tiles, and gets their programs.
  void make_ready();
  // Folds all tiles of which the shards have all elements; their results are at home when the home's commands
  // end. Those on other devices have ended.
  void fold_tiles();
  void give_back();
  // The fold of tiles, the first of which has that number in its level, to results from that byte on.
  ready_call<reduce_variant> fit_fold(const call_site& site, reduce_problem problem, std::uint64_t tile,
                                      std::uint64_t result_at) const;
  // A reduction of results of the level below. Refers to this.
  reduce_problem upper_call(const any_view& results);

  void make_places();
  void make_upper_ready();
  void make_memory();
  void start(std::size_t k);
  // `y` is null where there is one input.
  void fold(chain& commands, const call_site& site, const ready_call<reduce_variant>& ready, cl_mem x,
            cl_mem y, cl_mem results) const;
  void start_fragments(std::size_t k);
  void wait_for_others();
  void bring_home();
  void fold_cut_tiles();
  void fold_results(void* result);
  void find_place(void* result);

  reduce_problem subcall(std::size_t k, std::uint64_t from, std::uint64_t n) const {
    reduce_problem call = shards_[k].whole;
    const auto cut = [&](any_view& view) {
      view.offset += static_cast<std::size_t>(from);
      view.n = static_cast<std::size_t>(n);
    };
    cut(call.in);
    if (call.in2) cut(*call.in2);
    return call;
  }
  // The elements of a cut tile, put together at home, whose memory is given.
  any_view gathered(cl_mem memory, std::size_t cut, std::size_t input) const {
    return array_at(memory, place_of(cut, input), cuts_.cut[cut].n, value());
  }
  // The results of all tiles, there.
  any_view results_of_tiles(cl_mem memory) const {
    return array_at(memory, results_, cuts_.tiles, *call_.folded);
  }
  unsigned char* staged(std::uint64_t at) const { return static_cast<unsigned char*>(staging_->get()) + at; }
  std::uint64_t place_of(std::size_t cut, std::size_t input) const {
    return gathered_[input] + cut * call_.sizes.tile * value().size;
  }
  std::uint64_t result_place(std::uint64_t tile) const {
    return results_ + (tile - cuts_.first_tile) * call_.folded->size;
  }
  const element& value() const { return *call_.x[0].elements.type; }
  std::size_t inputs() const { return call_.y.empty() ? 1 : 2; }
  shard& home() { return shards_[home_]; }

  const sharded_reduce_problem& call_;
  std::vector<std::uint64_t> lengths_;  // of the shards
  std::uint64_t own_n_ = 0;             // their sum
  cuts cuts_;
  std::size_t home_ = 0;
  std::size_t next_fragment_ = 0;  // the first that no shard has taken up
  std::vector<shard> shards_;      // before all that refers to where they lie
  std::unique_ptr<host_memory> staging_;
  std::uint64_t n_staged_ = 0;  // bytes of it
  std::vector<fragment_place> fragments_;
  std::optional<workspace> memory_;                    // at home
  layout_of_arrays layout_;                            // of it
  std::uint64_t results_ = 0;                          // where in it the results of all tiles begin, in bytes
  std::array<std::uint64_t, 2> gathered_ = {};         // and the cut tiles of x and y
  std::vector<ready_call<reduce_variant>> cut_tiles_;  // the fold of each of which all is here
  std::optional<upper_types> upper_types_;
};

}  // namespace clwave::detail
