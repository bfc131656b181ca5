// What one rank folds of an array that lies with many: its own parts, and the tiles that become whole with
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "parts/open_fold.hpp"
#include "parts/parts_reduction.hpp"

namespace clwave::detail {

class rank_fold : private parts_reduction, public node_folder {
 public:
  // Checks the rank's parts. Nothing is enqueued.
  explicit rank_fold(const parts_call& call) : parts_reduction(call) {}

  // The rank's own elements.
  std::uint64_t n() const { return own_n_; }
  // Says where they lie in the array. Throws bad_call for an array that is too long.
  void place_at(std::uint64_t begin, std::uint64_t n);

  const fold_levels& levels() const { return *levels_; }
  node_bytes widths() const;

  // The open fold of the rank's parts.
  open_fold own();
  // Tiles at the home device. The result of the top level is the reduction's.
  void fold(std::span<const whole_node> tiles, std::byte* results) override;
  // The reduction of the rank's parts alone; for an operator with an index, before place_at().
  void run_alone(void* result) { parts_reduction::run(result); }

 private:
  // The results of a level on the home device: those of `nodes`, from that byte on.
  struct level_results {
    cl_mem buffer;
    std::uint64_t at;
    node_run nodes;
  };

  std::vector<level_results> fold_upper_levels();
  void read_open(std::span<const level_results> results, open_fold& to);

  std::uint64_t begin_ = 0;
  std::optional<fold_levels> levels_;
  std::optional<workspace> upper_;  // the results above those of tiles
};

}  // namespace clwave::detail
