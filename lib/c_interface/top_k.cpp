// top_k and segmented_top_k from C: a shell over top_k.hpp's untyped calls.
#include <cstdint>

#include <clwave/c/sorts.h>
#include <clwave/top_k.hpp>

#include "c_interface/c_call.hpp"

namespace clwave::detail {
namespace {

segmented_top_k_problem best_of_segments_from_c(const clwave_view* in, const any_view& offsets,
                                                const clwave_view* values, const clwave_view* indices,
                                                std::uint64_t k, bool smallest) {
  return {.in = view_of(in, "in"),
          .offsets = offsets,
          .values = view_of(values, "values"),
          .indices = view_of(indices, "indices"),
          .k = k,
          .descending = !smallest};
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_top_k(cl_command_queue queue, const clwave_view* in, const clwave_view* values,
                           const clwave_view* indices, uint64_t k, bool smallest,
                           const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_top_k", options, event, [&](const clwave::launch_options& launch) {
    const counted_input from(in, "in");
    return clwave::top_k(queue,
                         clwave::top_k_problem{.in = from,
                                               .values = view_of(values, "values"),
                                               .indices = view_of(indices, "indices"),
                                               .k = k,
                                               .descending = !smallest},
                         launch);
  });
}

clwave_status clwave_segmented_top_k(cl_command_queue queue, const clwave_view* in,
                                     const clwave_view* offsets, const clwave_view* values,
                                     const clwave_view* indices, uint64_t k, bool smallest,
                                     const clwave_view* bad, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_segmented_top_k", options, event, [&](const clwave::launch_options& launch) {
    const counted_input segments(offsets, "offsets");
    clwave::segmented_top_k_problem asked =
        best_of_segments_from_c(in, segments, values, indices, k, smallest);
    asked.bad = view_if_any(bad, "bad");
    return clwave::segmented_top_k(queue, asked, launch);
  });
}

clwave_status clwave_checked_segmented_top_k(cl_command_queue queue, const clwave_view* in,
                                             const clwave_view* offsets, const clwave_view* values,
                                             const clwave_view* indices, uint64_t k, bool smallest,
                                             const clwave_options* options) {
  return c_block("clwave_checked_segmented_top_k", options, [&](const clwave::launch_options& launch) {
    const counted_input segments(offsets, "offsets");
    clwave::checked_segmented_top_k(
        queue, best_of_segments_from_c(in, segments, values, indices, k, smallest), launch);
  });
}
