// What one rank folds of an array that lies with many: its own shards, and the tiles that become whole with
// it. The shards of one process are such ranks, too, where the host folds what they leave (shard_sums.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "distributed/open_fold.hpp"
#include "distributed/sharded_reduction.hpp"

namespace clwave::detail {

class rank_fold : private sharded_reduction, public node_folder {
 public:
  // Checks the rank's shards. Nothing is enqueued.
  explicit rank_fold(const sharded_reduce_problem& call) : sharded_reduction(call) {}
  // Waits for all commands first: what they read and write goes now.
  ~rank_fold() override { all_.abandon_home(); }

  // The rank's own elements.
  std::uint64_t n() const { return lengths_.n; }
  const call_site& site() const { return all_.home(); }
  // Says where they lie in the array. Throws bad_call for an array that is too long.
  void place_at(std::uint64_t begin, std::uint64_t n);

  const fold_levels& levels() const { return *levels_; }
  node_bytes widths() const;

  // Builds all programs that own() and fold() need. Nothing is enqueued. `bounds` are where the rank's own
  // elements and those of its children's subtrees begin, in their order, and where the last end. Of tiles on
  // levels above `last_level` fold() is not asked.
  void prepare(std::span<const std::uint64_t> bounds,
               std::size_t last_level = std::numeric_limits<std::size_t>::max());
  // The open fold of the rank's shards; after prepare().
  open_fold own() {
    start();
    go_on();
    return finish();
  }
  // The same step by step: start() has all shards begin, go_on() gives the home what comes behind, and
  // finish() waits. Where the rank has one shard the others do not block.
  void start();
  void go_on();
  open_fold finish();
  // Tiles at the home device. The result of the top level is the reduction's.
  void fold(std::span<const whole_node> tiles, std::byte* results) override;
  // The reduction of the rank's shards alone; for an operator with an index, before place_at().
  void run_alone(void* result) {
    sharded_reduction::prepare();
    run(result);
  }

 private:
  // The results of a level above that of tiles on the home device: those of `nodes`, from that byte on.
  struct upper_level {
    std::uint64_t at = 0;
    node_run nodes = {};
    ready_call<reduce_variant> fold = {};
  };

  bool has_all() const { return lengths_.n == levels_->n(); }
  // Where the results of a level lie at home, from which byte on, and which they are.
  cl_mem buffer_of(std::size_t level) const { return level == 1 ? all_.memory() : upper_->buffer(); }
  std::uint64_t place_of_level(std::size_t level) const {
    return level == 1 ? results_ : upper_levels_[level - 2].at;
  }
  node_run nodes_of(std::size_t level) const {
    return level == 1 ? node_run{cuts_.first_tile, cuts_.tiles} : upper_levels_[level - 2].nodes;
  }
  // A reduction of a tile of nodes of the level below `level`, in one array or two that begin at those bytes.
  reduce_problem call_of_tile(std::size_t level, cl_mem memory, std::span<const std::uint64_t> places,
                              std::uint64_t n);
  void prepare_upper_levels();
  void fold_upper_levels();
  // The last level on which a tile lies whole in the shards, which leaves its results in the host's memory if
  // the kernel can: no level above it is folded here.
  ready_call<reduce_variant>& last_fold() {
    return upper_levels_.empty() ? shards_[home_].tiles : upper_levels_.back().fold;
  }
  void send_straight();
  void read_open();
  // Whether the kernel that was to write to the host's memory has not.
  bool is_not_written() const;
  std::byte* open_bytes_here() const { return static_cast<std::byte*>(open_->get()) + shift_; }

  std::uint64_t begin_ = 0;
  std::optional<fold_levels> levels_;
  std::vector<upper_level> upper_levels_;  // from level 2 on
  layout_of_arrays upper_layout_;          // of their results
  std::optional<workspace> upper_;         // which are here
  std::unique_ptr<host_memory> open_;      // what is open, on the host
  std::size_t shift_ = 0;                  // where it begins there, so that what a kernel writes is aligned
  node_run straight_ = {};                 // of it what the kernel of the last level writes, in bytes
  bool writes_straight_ = true;
};

}  // namespace clwave::detail
