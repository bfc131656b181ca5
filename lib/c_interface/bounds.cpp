// Bounds from C: a shell over bounds.hpp's untyped call.
#include <clwave/c/sorts.h>
#include <clwave/bounds.hpp>

#include "c_interface/c_call.hpp"
#include "c_interface/c_order.hpp"

namespace clwave::detail {
namespace {

clwave_status bounds_from_c(const char* function, bool upper, cl_command_queue queue, const clwave_view* in,
                            const clwave_view* needles, const clwave_view* out, const clwave_order* order,
                            const clwave_options* options, cl_event* event) {
  return c_enqueue(function, options, event, [&](const launch_options& launch) {
    const c_order by = range_order_from_c(order);
    return clwave::bounds(queue,
                          bounds_problem{.in = view_of(in, "in"),
                                         .needles = view_of(needles, "needles"),
                                         .out = view_of(out, "out"),
                                         .order = by.numbers,
                                         .less = by.less,
                                         .upper = upper},
                          launch);
  });
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_lower_bound(cl_command_queue queue, const clwave_view* in, const clwave_view* needles,
                                 const clwave_view* out, const clwave_order* order,
                                 const clwave_options* options, cl_event* event) {
  return bounds_from_c("clwave_lower_bound", false, queue, in, needles, out, order, options, event);
}

clwave_status clwave_upper_bound(cl_command_queue queue, const clwave_view* in, const clwave_view* needles,
                                 const clwave_view* out, const clwave_order* order,
                                 const clwave_options* options, cl_event* event) {
  return bounds_from_c("clwave_upper_bound", true, queue, in, needles, out, order, options, event);
}
