// top_k from C: a shell over top_k.hpp's untyped call.
#include <cstdint>

#include <clwave/c/sorts.h>
#include <clwave/top_k.hpp>

#include "c_interface/c_call.hpp"

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
