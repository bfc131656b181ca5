// A reduction of shards, step by step: for the call on one process's shards (reduce_sharded.cpp), and for
// that on the shards of many (reduce_ranks.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <clwave/sharded.hpp>

#include "call/execute.hpp"
#include "distributed/chain.hpp"
#include "distributed/cuts.hpp"
#include "distributed/fold_steps.hpp"
#include "distributed/gathering.hpp"
#include "distributed/shard.hpp"
#include "primitives/reduce.hpp"

namespace clwave::detail {

class sharded_reduction {
 public:
  // Checks all shards. Nothing is enqueued.
  explicit sharded_reduction(const sharded_reduce_problem& call);
  // Builds all programs that run() needs. Nothing is enqueued.
  void prepare();
  // Blocks until the result is there. Once, after prepare().
  void run(void* result);

 protected:
  // One shard of the array, of x and where there are two inputs of y.
  struct shard {
    reduce_problem whole;                   // a reduction of the shard alone
    ready_call<reduce_variant> tiles = {};  // the fold of its tiles
    parcel results = {};                    // of that
  };

  // The shards are the elements from `begin` on of an input of n; without this call they are all of it.
  void place_at(std::uint64_t begin, std::uint64_t n);
  void check_shard(std::size_t k);
  // An array in one shard is any other input.
  bool is_alone() const { return cuts_.n == lengths_.each[home_]; }
  // What the caller gave for a shard of the second input to wait for; null where there is one input.
  const wait_list* waits_of_y(std::size_t k) const { return inputs() == 2 ? &call_.y[k].after : nullptr; }
  void make_places();
  // Describes the folds of tiles, and gets their programs.
  void make_ready();
  void make_upper_ready();
  // Folds all tiles of which the shards have all elements; their results are at home when the home's commands
  // end. Those on other devices have ended.
  void fold_tiles();
  void start(std::size_t k);
  void find_place(void* result);

  // A reduction of a part of a shard.
  reduce_problem subcall(std::size_t k, std::uint64_t from, std::uint64_t n) const;
  // The elements of a cut tile, put together at home, whose memory is given.
  any_view gathered(cl_mem memory, std::size_t cut, std::size_t input) const {
    return array_at(memory, place_of(cut, input), cuts_.cut[cut].n, value());
  }
  // The results of all tiles, there.
  any_view results_of_tiles(cl_mem memory) const {
    return array_at(memory, results_, cuts_.tiles, steps_.result());
  }
  std::uint64_t place_of(std::size_t cut, std::size_t input) const {
    return gathered_[input] + cut * steps_.tile() * value().size;
  }
  std::uint64_t result_place(std::uint64_t tile) const {
    return results_ + (tile - cuts_.first_tile) * steps_.result().size;
  }
  const element& value() const { return steps_.value(); }
  std::size_t inputs() const { return steps_.inputs(); }

  const sharded_reduce_problem& call_;
  const shard_lengths lengths_;
  const fold_steps steps_;
  cuts cuts_;
  std::size_t home_;  // the shard of most elements, whose results need not leave its device
  std::vector<shard> shards_;
  std::uint64_t results_ = 0;                   // where at home the results of all tiles begin, in bytes
  std::array<std::uint64_t, 2> gathered_ = {};  // and the cut tiles of x and y
  bool watches_tiles_ = true;                   // whether the folds of tiles need events
  std::vector<ready_call<reduce_variant>> cut_tiles_;  // the fold of each of which all is here
  gathering all_;                                      // goes first: it waits for what the others are read by
};

}  // namespace clwave::detail
