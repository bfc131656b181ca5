// Transforms and broadcasts from C: a shell over transform.hpp's untyped calls.
#include <cstddef>
#include <cstdint>
#include <string>

#include <clwave/c/moves.h>
#include <clwave/transform.hpp>

#include "c_interface/c_call.hpp"

namespace clwave::detail {
namespace {

per per_of(clwave_per which) {
  if (which != CLWAVE_PER_ROW && which != CLWAVE_PER_COLUMN)
    refuse_argument("`which` is " + std::to_string(which) + ", neither CLWAVE_PER_ROW nor CLWAVE_PER_COLUMN");
  return which == CLWAVE_PER_ROW ? per::row : per::column;
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_transform(cl_command_queue queue, const clwave_view* in, size_t n_in,
                               const clwave_view* out, const clwave_map* map, const clwave_options* options,
                               cl_event* event) {
  return c_enqueue("clwave_transform", options, event, [&](const clwave::launch_options& launch) {
    if (n_in < 1 || n_in > 3)
      refuse_argument("a transform has 1 to 3 inputs, and not " + std::to_string(n_in));
    clwave::transform_problem asked{.in = {}, .out = view_of(out, "out"), .apply = &given(map, "map").of};
    const counted_input first(in, "in");
    asked.in.push_back(first);
    for (std::size_t i = 1; i < n_in; ++i) asked.in.push_back(view_of(in + i, "in"));
    return clwave::transform(queue, asked, launch);
  });
}

clwave_status clwave_broadcast(cl_command_queue queue, const clwave_view* in, const clwave_view* vector,
                               const clwave_view* out, uint64_t rows, uint64_t columns, uint64_t in_row,
                               uint64_t out_row, clwave_per which, const clwave_map* map,
                               const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_broadcast", options, event, [&](const clwave::launch_options& launch) {
    return clwave::broadcast(queue,
                             clwave::broadcast_problem{.in = view_of(in, "in"),
                                                       .vector = view_of(vector, "vector"),
                                                       .out = view_of(out, "out"),
                                                       .size = {.rows = size_of(rows, "rows"),
                                                                .columns = size_of(columns, "columns"),
                                                                .in_row = size_of(in_row, "in_row"),
                                                                .out_row = size_of(out_row, "out_row")},
                                                       .which = per_of(which),
                                                       .apply = &given(map, "map").of},
                             launch);
  });
}
