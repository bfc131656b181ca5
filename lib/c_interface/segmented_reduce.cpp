// Reductions of segments from C: a shell over segmented_reduce.hpp's untyped calls.
#include <clwave/c/folds.h>
#include <clwave/segmented_reduce.hpp>

#include "c_interface/c_call.hpp"
#include "c_interface/c_statistics.hpp"

namespace clwave::detail {
namespace {

segmented_reduce_problem segmented_reduce_problem_from_c(const clwave_view* in, const any_view& offsets,
                                                         const clwave_view* out, const clwave_op* op,
                                                         const clwave_map* map) {
  return {.in = view_of(in, "in"),
          .offsets = offsets,
          .out = view_of(out, "out"),
          .fold = &fold_of(op),
          .apply = &map_of(map)};
}

// `into` says the statistic by the types of the elements and of the output.
template <class Into>
event statistic_of_segments(cl_command_queue queue, const clwave_view* in, const clwave_view* offsets,
                            const clwave_view* out, const clwave_view* bad, const Into& into,
                            const launch_options& launch) {
  const counted_input segments(offsets, "offsets");
  segmented_reduce_problem asked{.in = view_of(in, "in"),
                                 .offsets = segments,
                                 .out = view_of(out, "out"),
                                 .bad = view_if_any(bad, "bad")};
  const c_statistic how = into(*asked.in.type, *asked.out.type);
  fold_statistic(asked, how);
  return clwave::segmented_reduce(queue, asked, launch);
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_segmented_reduce(cl_command_queue queue, const clwave_view* in,
                                      const clwave_view* offsets, const clwave_view* out,
                                      const clwave_view* bad, const clwave_op* op, const clwave_map* map,
                                      const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_segmented_reduce", options, event, [&](const clwave::launch_options& launch) {
    const counted_input segments(offsets, "offsets");
    auto asked = segmented_reduce_problem_from_c(in, segments, out, op, map);
    asked.bad = view_if_any(bad, "bad");
    return clwave::segmented_reduce(queue, asked, launch);
  });
}

clwave_status clwave_checked_segmented_reduce(cl_command_queue queue, const clwave_view* in,
                                              const clwave_view* offsets, const clwave_view* out,
                                              const clwave_op* op, const clwave_map* map,
                                              const clwave_options* options) {
  return c_block("clwave_checked_segmented_reduce", options, [&](const clwave::launch_options& launch) {
    const counted_input segments(offsets, "offsets");
    clwave::checked_segmented_reduce(queue, segmented_reduce_problem_from_c(in, segments, out, op, map),
                                     launch);
  });
}

clwave_status clwave_segmented_minmax(cl_command_queue queue, const clwave_view* in,
                                      const clwave_view* offsets, const clwave_view* out,
                                      const clwave_view* bad, const clwave_options* options,
                                      cl_event* event) {
  return c_enqueue("clwave_segmented_minmax", options, event, [&](const clwave::launch_options& launch) {
    return statistic_of_segments(queue, in, offsets, out, bad, minmax_into, launch);
  });
}

clwave_status clwave_segmented_mean_and_variance(cl_command_queue queue, const clwave_view* in,
                                                 const clwave_view* offsets, const clwave_view* out,
                                                 const clwave_view* bad, const clwave_options* options,
                                                 cl_event* event) {
  return c_enqueue("clwave_segmented_mean_and_variance", options, event,
                   [&](const clwave::launch_options& launch) {
                     return statistic_of_segments(queue, in, offsets, out, bad, moments_into, launch);
                   });
}
