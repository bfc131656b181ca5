// Set operations from C: a shell over set_operations.hpp's untyped calls.
#include <cstdint>

#include <clwave/c/sorts.h>
#include <clwave/set_operations.hpp>

#include "c_interface/c_call.hpp"
#include "c_interface/c_order.hpp"

namespace clwave::detail {
namespace {

set_problem set_problem_from_c(set_kind kind, const any_view& a, const any_view& b, const clwave_view* out,
                               const clwave_order* order) {
  const c_order by = range_order_from_c(order);
  return {.kind = kind, .a = a, .b = b, .out = view_of(out, "out"), .order = by.numbers, .less = by.less};
}

clwave_status set_to_device(const char* function, set_kind kind, cl_command_queue queue, const clwave_view* a,
                            const clwave_view* b, const clwave_view* out, const clwave_view* count,
                            const clwave_order* order, const clwave_options* options, cl_event* event) {
  return c_enqueue(function, options, event, [&](const launch_options& launch) {
    const counted_input first(a, "a"), second(b, "b");
    set_problem asked = set_problem_from_c(kind, first, second, out, order);
    asked.count = view_of(count, "count");
    return clwave::set_operation(queue, asked, launch);
  });
}

clwave_status set_to_host(const char* function, set_kind kind, cl_command_queue queue, const clwave_view* a,
                          const clwave_view* b, const clwave_view* out, const clwave_order* order,
                          uint64_t* count, const clwave_options* options) {
  return c_block(function, options, [&](const launch_options& launch) {
    const counted_input first(a, "a"), second(b, "b");
    std::uint64_t& found = given(count, "count");
    found = clwave::set_operation_to_host(queue, set_problem_from_c(kind, first, second, out, order), launch);
  });
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_set_union(cl_command_queue queue, const clwave_view* a, const clwave_view* b,
                               const clwave_view* out, const clwave_view* count, const clwave_order* order,
                               const clwave_options* options, cl_event* event) {
  return set_to_device("clwave_set_union", clwave::set_kind::set_union, queue, a, b, out, count, order,
                       options, event);
}

clwave_status clwave_set_union_to_host(cl_command_queue queue, const clwave_view* a, const clwave_view* b,
                                       const clwave_view* out, const clwave_order* order, uint64_t* count,
                                       const clwave_options* options) {
  return set_to_host("clwave_set_union_to_host", clwave::set_kind::set_union, queue, a, b, out, order, count,
                     options);
}

clwave_status clwave_set_intersection(cl_command_queue queue, const clwave_view* a, const clwave_view* b,
                                      const clwave_view* out, const clwave_view* count,
                                      const clwave_order* order, const clwave_options* options,
                                      cl_event* event) {
  return set_to_device("clwave_set_intersection", clwave::set_kind::intersection, queue, a, b, out, count,
                       order, options, event);
}

clwave_status clwave_set_intersection_to_host(cl_command_queue queue, const clwave_view* a,
                                              const clwave_view* b, const clwave_view* out,
                                              const clwave_order* order, uint64_t* count,
                                              const clwave_options* options) {
  return set_to_host("clwave_set_intersection_to_host", clwave::set_kind::intersection, queue, a, b, out,
                     order, count, options);
}

clwave_status clwave_set_difference(cl_command_queue queue, const clwave_view* a, const clwave_view* b,
                                    const clwave_view* out, const clwave_view* count,
                                    const clwave_order* order, const clwave_options* options,
                                    cl_event* event) {
  return set_to_device("clwave_set_difference", clwave::set_kind::difference, queue, a, b, out, count, order,
                       options, event);
}

clwave_status clwave_set_difference_to_host(cl_command_queue queue, const clwave_view* a,
                                            const clwave_view* b, const clwave_view* out,
                                            const clwave_order* order, uint64_t* count,
                                            const clwave_options* options) {
  return set_to_host("clwave_set_difference_to_host", clwave::set_kind::difference, queue, a, b, out, order,
                     count, options);
}

clwave_status clwave_set_symmetric_difference(cl_command_queue queue, const clwave_view* a,
                                              const clwave_view* b, const clwave_view* out,
                                              const clwave_view* count, const clwave_order* order,
                                              const clwave_options* options, cl_event* event) {
  return set_to_device("clwave_set_symmetric_difference", clwave::set_kind::symmetric_difference, queue, a, b,
                       out, count, order, options, event);
}

clwave_status clwave_set_symmetric_difference_to_host(cl_command_queue queue, const clwave_view* a,
                                                      const clwave_view* b, const clwave_view* out,
                                                      const clwave_order* order, uint64_t* count,
                                                      const clwave_options* options) {
  return set_to_host("clwave_set_symmetric_difference_to_host", clwave::set_kind::symmetric_difference, queue,
                     a, b, out, order, count, options);
}
