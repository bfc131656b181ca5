// Scans by key from C: a shell over scan_by_key.hpp's untyped call.
#include <clwave/c/scans.h>
#include <clwave/scan_by_key.hpp>

#include "c_interface/c_call.hpp"

namespace clwave::detail {
namespace {

clwave_status scan_by_key_from_c(const char* function, bool exclusive, cl_command_queue queue,
                                 const clwave_view* keys, const clwave_view* values, const clwave_view* out,
                                 const clwave_op* op, const clwave_map* map, const clwave_op* same,
                                 const void* start, const clwave_options* options, cl_event* event) {
  return c_enqueue(function, options, event, [&](const launch_options& launch) {
    const counted_input from(keys, "keys");
    return clwave::scan_by_key(queue,
                               scan_by_key_problem{.keys = from,
                                                   .values = view_of(values, "values"),
                                                   .out = view_of(out, "out"),
                                                   .fold = &fold_of(op),
                                                   .apply = &map_of(map),
                                                   .same = op_if_any(same),
                                                   .exclusive = exclusive,
                                                   .start = start},
                               launch);
  });
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_inclusive_scan_by_key(cl_command_queue queue, const clwave_view* keys,
                                           const clwave_view* values, const clwave_view* out,
                                           const clwave_op* op, const clwave_map* map, const clwave_op* same,
                                           const void* start, const clwave_options* options,
                                           cl_event* event) {
  return scan_by_key_from_c("clwave_inclusive_scan_by_key", false, queue, keys, values, out, op, map, same,
                            start, options, event);
}

clwave_status clwave_exclusive_scan_by_key(cl_command_queue queue, const clwave_view* keys,
                                           const clwave_view* values, const clwave_view* out,
                                           const clwave_op* op, const clwave_map* map, const clwave_op* same,
                                           const void* start, const clwave_options* options,
                                           cl_event* event) {
  return scan_by_key_from_c("clwave_exclusive_scan_by_key", true, queue, keys, values, out, op, map, same,
                            start, options, event);
}
