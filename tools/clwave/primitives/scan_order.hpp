// The scan order's numbers, for the answers of primitives that scan.
#pragma once

#include <clwave/scan.hpp>

#include "primitives/planned_primitive.hpp"

namespace clwave::tool {

inline json scan_order_of(const element& accumulator) {
  const auto sizes = detail::scan_sizes::of_results_of(accumulator.size);
  return {{"run", sizes.run},
          {"runs", sizes.runs},
          {"strips", sizes.strips},
          {"blocks", sizes.blocks},
          {"tiles", sizes.tiles}};
}

}  // namespace clwave::tool
