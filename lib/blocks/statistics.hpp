// The structures that minmax and mean_and_variance fold (statistics.hpp).
#pragma once

#include <clwave/statistics.hpp>

namespace clwave::detail {

// Whether an operator is minmax's of floats, for which some devices have instructions.
bool is_minmax_of_floats(const op& fold, const element& accumulator);

// The map that makes each NaN of such a structure the canonical one, as folds leave it; null for every other
// type, and where there are no floats.
const map* canonical_statistics(const element& accumulator);

}  // namespace clwave::detail
