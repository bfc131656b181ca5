// Scans from C: a shell over scan.hpp's untyped call.
#include <clwave/c/scans.h>
#include <clwave/scan.hpp>

#include "c_interface/c_call.hpp"
#include "c_interface/c_lazy.hpp"

namespace clwave::detail {
namespace {

clwave_status scan_from_c(const char* function, bool exclusive, cl_command_queue queue, const clwave_view* in,
                          const clwave_view* out, const clwave_op* op, const clwave_map* map,
                          const void* start, const clwave_options* options, cl_event* event) {
  return c_enqueue(function, options, event, [&](const launch_options& launch) {
    const lazy_input from(in, "in");
    return clwave::scan(queue,
                        scan_problem{.in = from,
                                     .out = view_of(out, "out"),
                                     .fold = &fold_of(op),
                                     .apply = &map_of(map),
                                     .exclusive = exclusive,
                                     .start = start},
                        launch);
  });
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_inclusive_scan(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                                    const clwave_op* op, const clwave_map* map, const void* start,
                                    const clwave_options* options, cl_event* event) {
  return scan_from_c("clwave_inclusive_scan", false, queue, in, out, op, map, start, options, event);
}

clwave_status clwave_exclusive_scan(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                                    const clwave_op* op, const clwave_map* map, const void* start,
                                    const clwave_options* options, cl_event* event) {
  return scan_from_c("clwave_exclusive_scan", true, queue, in, out, op, map, start, options, event);
}
