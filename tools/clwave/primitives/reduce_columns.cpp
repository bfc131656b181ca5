// What `clwave why` and `clwave emulate` can ask of reduce_columns.
#include <clwave/reduce_columns.hpp>

#include "primitives/matrix_folds.hpp"

namespace clwave::tool {
namespace {

const registered_primitives reduce_columns_listed("reduce_columns", {[] {
                                                    return planned_matrix_fold<reduce_columns_problem>(
                                                        "reduce_columns",
                                                        "The fold of each column of a matrix, or of a batch");
                                                  }});

}  // namespace
}  // namespace clwave::tool
