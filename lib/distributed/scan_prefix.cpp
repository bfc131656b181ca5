// Finds the prefixes of a scan's elements.
#include "distributed/scan_prefix.hpp"

namespace clwave::detail {

std::uint64_t begin_of_stretch(const fold_levels& levels, std::uint64_t i) {
  return levels.begin_of(levels.top(), levels.node_of(levels.top(), i));
}

std::uint64_t stretch_bytes(const fold_levels& levels, const node_bytes& widths, std::uint64_t i) {
  return open_bytes(levels, widths, begin_of_stretch(levels, i), i);
}

std::uint64_t earlier_bytes(const fold_levels& levels, const node_bytes& widths, std::uint64_t i) {
  return levels.node_of(levels.top(), i) > 0 ? widths.folded : 0;
}

std::vector<scan_prefix> prefixes_of(std::span<const std::uint64_t> elements, const scan_prefix& first,
                                     std::span<const open_fold> neighbours, const fold_levels& levels,
                                     const node_bytes& widths, scan_folder& folder) {
  if (elements.empty()) return {};
  const std::size_t top = levels.top();
  const std::uint64_t begin = neighbours.front().begin, first_stretch = levels.node_of(top, begin);
  // All that stands before the last of them, from the beginning of the first one's stretch on.
  std::vector<open_fold> before{{begin_of_stretch(levels, begin), begin, first.of_stretch.bytes}};
  for (const open_fold& each : neighbours)
    if (each.end <= elements.back()) before.push_back(each);
  const joined_folds known(levels, widths, before, folder);
  std::vector<scan_prefix> all;
  std::vector<std::uint64_t> stretches;
  for (const std::uint64_t i : elements) {
    all.push_back({known.between(begin_of_stretch(levels, i), i), first.of_earlier});
    if (levels.node_of(top, i) > first_stretch) stretches.push_back(levels.node_of(top, i));
  }
  if (stretches.empty()) return all;
  std::vector<std::byte> folds(static_cast<std::size_t>(stretches.back() - first_stretch) * widths.folded);
  known.copy(top, 0, {first_stretch, stretches.back() - first_stretch}, folds.data());
  const std::vector<std::byte> found = folder.folds_before(stretches, first_stretch, first.of_earlier, folds);
  for (std::size_t k = 0; k < stretches.size(); ++k) {
    const auto at = found.begin() + static_cast<std::ptrdiff_t>(k * widths.folded);
    // Those of the first stretch are in front.
    all[all.size() - stretches.size() + k].of_earlier.assign(at,
                                                             at + static_cast<std::ptrdiff_t>(widths.folded));
  }
  return all;
}

}  // namespace clwave::detail
