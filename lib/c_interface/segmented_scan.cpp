// Scans of segments from C: a shell over segmented_scan.hpp's untyped call.
#include <clwave/c/scans.h>
#include <clwave/segmented_scan.hpp>

#include "c_interface/c_call.hpp"

namespace clwave::detail {
namespace {

clwave_status segmented_scan_from_c(const char* function, bool exclusive, cl_command_queue queue,
                                    const clwave_view* in, const clwave_view* offsets, const clwave_view* out,
                                    const clwave_view* bad, const clwave_op* op, const clwave_map* map,
                                    const void* start, const clwave_options* options, cl_event* event) {
  return c_enqueue(function, options, event, [&](const launch_options& launch) {
    const counted_input segments(offsets, "offsets");
    return clwave::segmented_scan(queue,
                                  segmented_scan_problem{.in = view_of(in, "in"),
                                                         .offsets = segments,
                                                         .out = view_of(out, "out"),
                                                         .bad = view_if_any(bad, "bad"),
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

clwave_status clwave_segmented_inclusive_scan(cl_command_queue queue, const clwave_view* in,
                                              const clwave_view* offsets, const clwave_view* out,
                                              const clwave_view* bad, const clwave_op* op,
                                              const clwave_map* map, const void* start,
                                              const clwave_options* options, cl_event* event) {
  return segmented_scan_from_c("clwave_segmented_inclusive_scan", false, queue, in, offsets, out, bad, op,
                               map, start, options, event);
}

clwave_status clwave_segmented_exclusive_scan(cl_command_queue queue, const clwave_view* in,
                                              const clwave_view* offsets, const clwave_view* out,
                                              const clwave_view* bad, const clwave_op* op,
                                              const clwave_map* map, const void* start,
                                              const clwave_options* options, cl_event* event) {
  return segmented_scan_from_c("clwave_segmented_exclusive_scan", true, queue, in, offsets, out, bad, op, map,
                               start, options, event);
}
