// The fold of the results of tiles, as a call that reduce describes.
#include "parts/tile_results.hpp"

#include <string>

namespace clwave::detail {

namespace {

bool takes_declarations(const folded_types& types) {
  return types.fold->kind == op_kind::user &&
         (!types.apply->declarations.empty() ||
          (!types.value->declaration.empty() && types.value->opencl_name != types.accumulator->opencl_name));
}

upper_types with_declarations(const folded_types& types) {
  upper_types all{*types.accumulator, *types.folded, *types.fold};
  const element& value = *types.value;
  std::string before;
  if (value.opencl_name != types.accumulator->opencl_name && !value.declaration.empty())
    before = value.declaration + "\n";
  if (!all.accumulator.declaration.empty()) {
    all.accumulator.declaration = before + all.accumulator.declaration;
    all.folded = all.accumulator;
    before.clear();
  }
  if (!types.apply->declarations.empty()) before += types.apply->declarations + "\n";
  all.fold.declarations = before + all.fold.declarations;
  return all;
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
  if (takes_declarations(types)) {
    if (!kept) kept = with_declarations(types);
    upper.in.type = &kept->folded;
    upper.accumulator = &kept->accumulator;
    upper.fold = &kept->fold;
  }
  return upper;
}

}  // namespace clwave::detail
