// The fold of the results of tiles, as a call that reduce describes.
#include "parts/tile_results.hpp"

#include <string>

namespace clwave::detail {

namespace {

// The declarations of an operator may name the type of the elements, which only the map sees.
bool takes_type_of_elements(const folded_types& types) {
  return types.fold->kind == op_kind::user && !types.value->declaration.empty() &&
         types.value->opencl_name != types.accumulator->opencl_name;
}

}  // namespace

reduce_call call_on_results(const folded_types& types, const fold_sizes& sizes, const operand& results,
                            std::optional<upper_types>& kept) {
  reduce_call upper{.in = results,
                    .in2 = {},
                    .accumulator = types.accumulator,
                    .fold = types.fold,
                    .apply = &identity,
                    .sizes = sizes};
  if (takes_type_of_elements(types)) {
    if (!kept)
      kept = {.apply = {.name = identity.name,
                        .source = {},
                        .declarations = types.value->declaration,
                        .kind = map_kind::identity}};
    upper.apply = &kept->apply;
  }
  return upper;
}

}  // namespace clwave::detail
