// Merges from C: a shell over merge.hpp's untyped calls.
#include <clwave/c/sorts.h>
#include <clwave/merge.hpp>

#include "c_interface/c_call.hpp"
#include "c_interface/c_order.hpp"

namespace clwave::detail {
namespace {

merge_problem merge_problem_from_c(const any_view& a, const any_view& b, const clwave_view* out,
                                   const clwave_order* order) {
  const c_order by = range_order_from_c(order);
  return {.a = a, .b = b, .out = view_of(out, "out"), .order = by.numbers, .less = by.less};
}

merge_problem merge_problem_from_c(const any_view& a_keys, const clwave_view* a_values,
                                   const any_view& b_keys, const clwave_view* b_values,
                                   const clwave_view* keys_out, const clwave_view* values_out,
                                   const clwave_order* order) {
  const c_order by = range_order_from_c(order);
  return {.a = a_keys,
          .b = b_keys,
          .out = view_of(keys_out, "keys_out"),
          .a_values = view_of(a_values, "a_values"),
          .b_values = view_of(b_values, "b_values"),
          .values_out = view_of(values_out, "values_out"),
          .order = by.numbers,
          .less = by.less};
}

event merge_counting(cl_command_queue queue, merge_problem asked, const clwave_view* descents,
                     const launch_options& launch) {
  asked.descents = view_if_any(descents, "descents");
  return clwave::merge(queue, asked, launch);
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_merge(cl_command_queue queue, const clwave_view* a, const clwave_view* b,
                           const clwave_view* out, const clwave_view* descents, const clwave_order* order,
                           const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_merge", options, event, [&](const clwave::launch_options& launch) {
    const counted_input first(a, "a"), second(b, "b");
    return merge_counting(queue, merge_problem_from_c(first, second, out, order), descents, launch);
  });
}

clwave_status clwave_checked_merge(cl_command_queue queue, const clwave_view* a, const clwave_view* b,
                                   const clwave_view* out, const clwave_order* order,
                                   const clwave_options* options) {
  return c_block("clwave_checked_merge", options, [&](const clwave::launch_options& launch) {
    const counted_input first(a, "a"), second(b, "b");
    clwave::checked_merge(queue, merge_problem_from_c(first, second, out, order), launch);
  });
}

clwave_status clwave_merge_by_key(cl_command_queue queue, const clwave_view* a_keys,
                                  const clwave_view* a_values, const clwave_view* b_keys,
                                  const clwave_view* b_values, const clwave_view* keys_out,
                                  const clwave_view* values_out, const clwave_view* descents,
                                  const clwave_order* order, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_merge_by_key", options, event, [&](const clwave::launch_options& launch) {
    const counted_input first(a_keys, "a_keys"), second(b_keys, "b_keys");
    return merge_counting(
        queue, merge_problem_from_c(first, a_values, second, b_values, keys_out, values_out, order), descents,
        launch);
  });
}

clwave_status clwave_checked_merge_by_key(cl_command_queue queue, const clwave_view* a_keys,
                                          const clwave_view* a_values, const clwave_view* b_keys,
                                          const clwave_view* b_values, const clwave_view* keys_out,
                                          const clwave_view* values_out, const clwave_order* order,
                                          const clwave_options* options) {
  return c_block("clwave_checked_merge_by_key", options, [&](const clwave::launch_options& launch) {
    const counted_input first(a_keys, "a_keys"), second(b_keys, "b_keys");
    clwave::checked_merge(
        queue, merge_problem_from_c(first, a_values, second, b_values, keys_out, values_out, order), launch);
  });
}
