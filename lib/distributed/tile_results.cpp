// The fold of the results of tiles, as a call that reduce describes.
#include "distributed/tile_results.hpp"

#include <string>
#include <utility>

#include "blocks/fold.hpp"

namespace clwave::detail {

namespace {

// What the texts of the operator may name beside its own: the type of elements, and what the map declares.
std::string seen_below(const folded_types& types) {
  std::string seen;
  if (types.fold->kind != op_kind::user) return seen;
  if (types.value->opencl_name != types.accumulator->opencl_name) seen = types.value->declaration;
  if (types.apply->kind == map_kind::user && !types.apply->declarations.empty())
    seen += between_declarations + types.apply->declarations;
  return seen;
}

}  // namespace

reduce_problem call_on_results(const folded_types& types, const fold_sizes& sizes, const any_view& results,
                               std::optional<upper_types>& kept) {
  reduce_problem upper{.in = results,
                       .accumulator = types.accumulator,
                       .fold = types.fold,
                       .apply = &identity,
                       .sizes = sizes};
  if (std::string seen = seen_below(types); !seen.empty()) {
    if (!kept) kept = upper_types{identity};
    kept->apply.name = types.apply->name;
    kept->apply.declarations = std::move(seen);
    upper.apply = &kept->apply;
  }
  return upper;
}

}  // namespace clwave::detail
