// What one rank does in a scan of an array that lies with many: the folds of its own tiles, those that become
// whole with it, and its results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "distributed/open_fold.hpp"
#include "distributed/scan_prefix.hpp"
#include "distributed/scan_sharded.hpp"

namespace clwave::detail {

class rank_scan : private sharded_scan, public scan_folder {
 public:
  // Checks the rank's shards. Nothing is enqueued.
  explicit rank_scan(const sharded_scan_problem& call) : sharded_scan(call) {}

  // The rank's own elements.
  std::uint64_t n() const { return lengths_.n; }
  // Says where they lie in the array.
  void place_at(std::uint64_t begin, std::uint64_t n);
  const scan_sizes& sizes() const { return steps_.sizes(); }
  const fold_levels& levels() const { return *levels_; }
  node_bytes widths() const { return {value().size, 1, result().size}; }

  // Builds the program that fold() and folds_before() need, where they will be called. Nothing is enqueued.
  // `bounds` are where the rank's own elements and those of its children's subtrees begin, in their order,
  // and where the last end.
  void prepare_joins(std::vector<std::uint64_t> bounds);
  // The open fold of the rank's shards. Builds all other programs before it enqueues anything.
  open_fold own();
  // Tiles or stretches at the home device.
  void fold(std::span<const whole_node> nodes, std::byte* results) override;
  std::vector<std::byte> folds_before(std::span<const std::uint64_t> stretches, std::uint64_t first,
                                      std::span<const std::byte> earlier,
                                      std::span<const std::byte> folds) override;
  // The results of the rank's shards, which are there when this returns; after own().
  void give(const scan_prefix& before);

 private:
  void read_open(open_fold& to);
  void take(const scan_prefix& before);

  std::optional<fold_levels> levels_;
  std::optional<ready_call<scan_variant>> own_tiles_;   // of the stretches that begin in the rank
  std::optional<ready_call<scan_variant>> head_tiles_;  // of the one that begins before it
  std::optional<ready_call<scan_variant>> stretches_;
};

}  // namespace clwave::detail
