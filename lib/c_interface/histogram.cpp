// Histograms from C: a shell over histogram.hpp's untyped call.
#include <cstddef>
#include <cstdint>

#include <clwave/c/moves.h>
#include <clwave/histogram.hpp>

#include "c_interface/c_call.hpp"
#include "c_interface/c_lazy.hpp"

namespace clwave::detail {
namespace {

histogram_problem histogram_problem_from_c(const any_view& in, const clwave_view* counts,
                                           std::uint32_t channels) {
  return {.in = in, .counts = view_of(counts, "counts"), .channels = channels};
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_histogram(cl_command_queue queue, const clwave_view* in, const clwave_view* counts,
                               double low, double high, uint32_t channels, const clwave_options* options,
                               cl_event* event) {
  return c_enqueue("clwave_histogram", options, event, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    auto asked = histogram_problem_from_c(from, counts, channels);
    asked.bounds = clwave::even{low, high};
    return clwave::histogram(queue, asked, launch);
  });
}

clwave_status clwave_histogram_between(cl_command_queue queue, const clwave_view* in,
                                       const clwave_view* counts, clwave_type edges_type, const void* edges,
                                       size_t n_edges, uint32_t channels, const clwave_options* options,
                                       cl_event* event) {
  return c_enqueue("clwave_histogram_between", options, event, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    auto asked = histogram_problem_from_c(from, counts, channels);
    if (edges == nullptr) refuse_null("edges");
    asked.host = clwave::host_edges{edges, n_edges, &type_of(edges_type)};
    return clwave::histogram(queue, asked, launch);
  });
}

clwave_status clwave_histogram_between_device(cl_command_queue queue, const clwave_view* in,
                                              const clwave_view* counts, const clwave_view* edges,
                                              uint32_t channels, const clwave_options* options,
                                              cl_event* event) {
  return c_enqueue("clwave_histogram_between_device", options, event,
                   [&](const clwave::launch_options& launch) {
                     const lazy_input from(in, "in");
                     auto asked = histogram_problem_from_c(from, counts, channels);
                     asked.edges = view_of(edges, "edges");
                     return clwave::histogram(queue, asked, launch);
                   });
}
