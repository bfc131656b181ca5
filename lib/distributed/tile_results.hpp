// The call that folds the results of tiles, of reductions that leave them where the tiles are.
#pragma once

#include <optional>

#include <clwave/reduce.hpp>

namespace clwave::detail {

// The types and texts of a reduction. Refers to all that is pointed to.
struct folded_types {
  const element* value;
  const element* accumulator;
  const element* folded;
  const op* fold;
  const map* apply;
};

// What folds results of tiles is the operator alone, but its texts see what they see in the fold of elements:
// the map, which changes nothing, has the declarations (blocks/fold.hpp).
struct upper_types {
  map apply;
};

// A reduction of results of the level below. Refers to what the types refer to, and to `kept`, which is made
// where the texts take it.
reduce_problem call_on_results(const folded_types& types, const fold_sizes& sizes, const any_view& results,
                               std::optional<upper_types>& kept);

}  // namespace clwave::detail
