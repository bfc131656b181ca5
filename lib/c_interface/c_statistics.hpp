// The structures that the C interface's minmax and mean_and_variance fold.
#pragma once

#include <clwave/element.hpp>
#include <clwave/op.hpp>

namespace clwave::detail {

// What folds elements to a structure. A problem made of it refers to it, so it lives until the call has
// returned.
struct c_statistic {
  element type;  // of the structure
  op fold;
  map lift;
};

// The least and the greatest of numbers of type `value`, and their moments, which are computed in `value`.
// Throw bad_call for other elements.
c_statistic minmax_from_c(const element& value);
c_statistic moments_from_c(const element& in, const element& value);

// The same for an output on the device, whose type says what moments are computed in. Throw bad_call where
// the output is of another type.
c_statistic minmax_into(const element& in, const element& out);
c_statistic moments_into(const element& in, const element& out);

template <class Problem>
void fold_statistic(Problem& asked, const c_statistic& how) {
  asked.fold = &how.fold;
  asked.apply = &how.lift;
}

}  // namespace clwave::detail
