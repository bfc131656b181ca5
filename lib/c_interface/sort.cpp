// Sorts from C, of all elements and of segments: a shell over sort.hpp's and segmented_sort.hpp's untyped
// calls.
#include <clwave/c/sorts.h>
#include <clwave/segmented_sort.hpp>
#include <clwave/sort.hpp>

#include "c_interface/c_call.hpp"
#include "c_interface/c_order.hpp"

namespace clwave::detail {
namespace {

// The problem refers to the order.
sort_problem keys_problem(const any_view& keys, const c_order& by) {
  return {.keys = keys, .order = by.numbers, .less = by.less, .by = by.keys};
}

sort_problem sort_problem_from_c(const any_view& in, const clwave_view* out, const c_order& by) {
  sort_problem asked = keys_problem(in, by);
  asked.keys_out = view_of(out, "out");
  return asked;
}

sort_problem sort_problem_from_c(const any_view& keys, const clwave_view* values, const clwave_view* keys_out,
                                 const clwave_view* values_out, const c_order& by) {
  sort_problem asked = keys_problem(keys, by);
  asked.values = view_of(values, "values");
  asked.keys_out = view_of(keys_out, "keys_out");
  asked.values_out = view_of(values_out, "values_out");
  return asked;
}

sort_problem sort_in_segments(sort_problem asked, const any_view& offsets, const clwave_view* bad) {
  asked.offsets = offsets;
  asked.bad = view_if_any(bad, "bad");
  return asked;
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_sort(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                          const clwave_order* order, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_sort", options, event, [&](const clwave::launch_options& launch) {
    const c_order by = order_from_c(order);
    const counted_input from(in, "in");
    return clwave::sort(queue, sort_problem_from_c(from, out, by), launch);
  });
}

clwave_status clwave_sort_by_key(cl_command_queue queue, const clwave_view* keys, const clwave_view* values,
                                 const clwave_view* keys_out, const clwave_view* values_out,
                                 const clwave_order* order, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_sort_by_key", options, event, [&](const clwave::launch_options& launch) {
    const c_order by = order_from_c(order);
    const counted_input from(keys, "keys");
    return clwave::sort(queue, sort_problem_from_c(from, values, keys_out, values_out, by), launch);
  });
}

clwave_status clwave_argsort(cl_command_queue queue, const clwave_view* keys, const clwave_view* indices,
                             const clwave_order* order, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_argsort", options, event, [&](const clwave::launch_options& launch) {
    const c_order by = order_from_c(order);
    const counted_input from(keys, "keys");
    clwave::sort_problem asked = keys_problem(from, by);
    asked.values_out = view_of(indices, "indices");
    return clwave::sort(queue, asked, launch);
  });
}

clwave_status clwave_segmented_sort(cl_command_queue queue, const clwave_view* in, const clwave_view* offsets,
                                    const clwave_view* out, const clwave_view* bad, const clwave_order* order,
                                    const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_segmented_sort", options, event, [&](const clwave::launch_options& launch) {
    const c_order by = order_from_c(order);
    const counted_input segments(offsets, "offsets");
    return clwave::sort(
        queue, sort_in_segments(sort_problem_from_c(view_of(in, "in"), out, by), segments, bad), launch);
  });
}

clwave_status clwave_checked_segmented_sort(cl_command_queue queue, const clwave_view* in,
                                            const clwave_view* offsets, const clwave_view* out,
                                            const clwave_order* order, const clwave_options* options) {
  return c_block("clwave_checked_segmented_sort", options, [&](const clwave::launch_options& launch) {
    const c_order by = order_from_c(order);
    const counted_input segments(offsets, "offsets");
    clwave::checked_segmented_sort(
        queue, sort_in_segments(sort_problem_from_c(view_of(in, "in"), out, by), segments, nullptr), launch);
  });
}

clwave_status clwave_segmented_sort_by_key(cl_command_queue queue, const clwave_view* keys,
                                           const clwave_view* values, const clwave_view* offsets,
                                           const clwave_view* keys_out, const clwave_view* values_out,
                                           const clwave_view* bad, const clwave_order* order,
                                           const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_segmented_sort_by_key", options, event, [&](const clwave::launch_options& launch) {
    const c_order by = order_from_c(order);
    const counted_input segments(offsets, "offsets");
    return clwave::sort(
        queue,
        sort_in_segments(sort_problem_from_c(view_of(keys, "keys"), values, keys_out, values_out, by),
                         segments, bad),
        launch);
  });
}

clwave_status clwave_checked_segmented_sort_by_key(cl_command_queue queue, const clwave_view* keys,
                                                   const clwave_view* values, const clwave_view* offsets,
                                                   const clwave_view* keys_out, const clwave_view* values_out,
                                                   const clwave_order* order, const clwave_options* options) {
  return c_block("clwave_checked_segmented_sort_by_key", options, [&](const clwave::launch_options& launch) {
    const c_order by = order_from_c(order);
    const counted_input segments(offsets, "offsets");
    clwave::checked_segmented_sort(
        queue,
        sort_in_segments(sort_problem_from_c(view_of(keys, "keys"), values, keys_out, values_out, by),
                         segments, nullptr),
        launch);
  });
}
