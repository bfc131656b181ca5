// What `clwave why` and `clwave emulate` can ask of reduce_rows.
#include <clwave/reduce_rows.hpp>

#include "primitives/matrix_folds.hpp"

namespace clwave::tool {
namespace {

const registered_primitives reduce_rows_listed("reduce_rows", {[] {
                                                 return planned_matrix_fold<reduce_rows_problem>(
                                                     "reduce_rows",
                                                     "The fold of each row of a matrix, or of a batch");
                                               }});

}  // namespace
}  // namespace clwave::tool
