// What a scan needs of all that stands before one of its elements, to go on from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "distributed/open_fold.hpp"

namespace clwave::detail {

// What is open of the element's stretch, and the fold of all earlier stretches: nothing in the first stretch.
struct scan_prefix {
  open_fold of_stretch = {};
  std::vector<std::byte> of_earlier = {};
};

// Where an element's stretch begins.
std::uint64_t begin_of_stretch(const fold_levels& levels, std::uint64_t i);
// How many bytes the two shards of its prefix have.
std::uint64_t stretch_bytes(const fold_levels& levels, const node_bytes& widths, std::uint64_t i);
std::uint64_t earlier_bytes(const fold_levels& levels, const node_bytes& widths, std::uint64_t i);

// Who folds also stretches from the left.
class scan_folder : public node_folder {
 public:
  // For each of these stretches, all behind `first` and in order, the fold of all before it. `earlier` is
  // that for stretch `first`, nothing where it is the array's first; `folds` are those of the stretches from
  // it up to before the last that is asked for.
  virtual std::vector<std::byte> folds_before(std::span<const std::uint64_t> stretches, std::uint64_t first,
                                              std::span<const std::byte> earlier,
                                              std::span<const std::byte> folds) = 0;
};

// The prefix of each of these elements, which are in order, each the first of one of `neighbours`. `first` is
// the prefix of the first neighbour's first element.
std::vector<scan_prefix> prefixes_of(std::span<const std::uint64_t> elements, const scan_prefix& first,
                                     std::span<const open_fold> neighbours, const fold_levels& levels,
                                     const node_bytes& widths, scan_folder& folder);

}  // namespace clwave::detail
