// Reductions by key from C: a shell over reduce_by_key.hpp's untyped calls.
#include <cstdint>

#include <clwave/c/folds.h>
#include <clwave/reduce_by_key.hpp>

#include "c_interface/c_call.hpp"

namespace clwave::detail {
namespace {

reduce_by_key_problem reduce_by_key_problem_from_c(const any_view& keys, const clwave_view* values,
                                                   const clwave_view* keys_out, const clwave_view* values_out,
                                                   const clwave_op* op, const clwave_map* map,
                                                   const clwave_op* same) {
  return {.keys = keys,
          .values = view_of(values, "values"),
          .keys_out = view_of(keys_out, "keys_out"),
          .values_out = view_of(values_out, "values_out"),
          .fold = &fold_of(op),
          .apply = &map_of(map),
          .same = op_if_any(same)};
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_reduce_by_key(cl_command_queue queue, const clwave_view* keys, const clwave_view* values,
                                   const clwave_view* keys_out, const clwave_view* values_out,
                                   const clwave_view* count, const clwave_op* op, const clwave_map* map,
                                   const clwave_op* same, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_reduce_by_key", options, event, [&](const clwave::launch_options& launch) {
    const counted_input from(keys, "keys");
    auto asked = reduce_by_key_problem_from_c(from, values, keys_out, values_out, op, map, same);
    asked.count = view_of(count, "count");
    return clwave::reduce_by_key(queue, asked, launch);
  });
}

clwave_status clwave_reduce_by_key_to_host(cl_command_queue queue, const clwave_view* keys,
                                           const clwave_view* values, const clwave_view* keys_out,
                                           const clwave_view* values_out, const clwave_op* op,
                                           const clwave_map* map, const clwave_op* same, uint64_t* count,
                                           const clwave_options* options) {
  return c_block("clwave_reduce_by_key_to_host", options, [&](const clwave::launch_options& launch) {
    std::uint64_t& found = given(count, "count");
    const counted_input from(keys, "keys");
    found = clwave::reduce_by_key_to_host(
        queue, reduce_by_key_problem_from_c(from, values, keys_out, values_out, op, map, same), launch);
  });
}
