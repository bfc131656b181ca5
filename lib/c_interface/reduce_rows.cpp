// Reductions of rows from C: a shell over reduce_rows.hpp's untyped call.
#include <clwave/c/folds.h>
#include <clwave/reduce_rows.hpp>

#include "c_interface/c_call.hpp"
#include "c_interface/c_lazy.hpp"
#include "c_interface/c_statistics.hpp"

namespace clwave::detail {
namespace {

// `into` says the statistic by the types of the elements and of the output.
template <class Into>
event statistic_of_rows(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                        const clwave_matrices* matrices, const clwave_pitches* pitches, const Into& into,
                        const launch_options& launch) {
  const lazy_input from(in, "in", c_input::no_count);
  reduce_rows_problem asked{
      .in = from, .out = view_of(out, "out"), .size = matrices_of(matrices), .steps = pitches_of(pitches)};
  const c_statistic how = into(*asked.in.type, *asked.out.type);
  fold_statistic(asked, how);
  return clwave::reduce_rows(queue, asked, launch);
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_reduce_rows(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                                 const clwave_matrices* matrices, const clwave_pitches* pitches,
                                 const clwave_op* op, const clwave_map* map, const clwave_options* options,
                                 cl_event* event) {
  return c_enqueue("clwave_reduce_rows", options, event, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in", c_input::no_count);
    return clwave::reduce_rows(queue,
                               clwave::reduce_rows_problem{.in = from,
                                                           .out = view_of(out, "out"),
                                                           .size = matrices_of(matrices),
                                                           .steps = pitches_of(pitches),
                                                           .fold = &fold_of(op),
                                                           .apply = &map_of(map)},
                               launch);
  });
}

clwave_status clwave_minmax_rows(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                                 const clwave_matrices* matrices, const clwave_pitches* pitches,
                                 const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_minmax_rows", options, event, [&](const clwave::launch_options& launch) {
    return statistic_of_rows(queue, in, out, matrices, pitches, minmax_into, launch);
  });
}

clwave_status clwave_mean_and_variance_rows(cl_command_queue queue, const clwave_view* in,
                                            const clwave_view* out, const clwave_matrices* matrices,
                                            const clwave_pitches* pitches, const clwave_options* options,
                                            cl_event* event) {
  return c_enqueue("clwave_mean_and_variance_rows", options, event,
                   [&](const clwave::launch_options& launch) {
                     return statistic_of_rows(queue, in, out, matrices, pitches, moments_into, launch);
                   });
}
