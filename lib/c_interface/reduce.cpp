// Reductions of all elements from C: a shell over reduce.hpp's untyped calls.
#include <cstdint>
#include <cstring>

#include <clwave/c/folds.h>
#include <clwave/element.hpp>
#include <clwave/op.hpp>
#include <clwave/reduce.hpp>

#include "c_interface/c_call.hpp"

namespace clwave::detail {
namespace {

reduce_problem reduce_problem_from_c(const any_view& x, const clwave_view* y, const op& fold,
                                     const map& apply) {
  return {.in = x, .fold = &fold, .apply = &apply, .in2 = view_if_any(y, "y")};
}

reduce_problem to_device(reduce_problem asked, const clwave_view* out) {
  asked.out = view_of(out, "out");
  asked.accumulator = asked.out->type;
  return asked;
}

void reduce_to_host(cl_command_queue queue, reduce_problem asked, const element& accumulator, void* result,
                    const launch_options& launch) {
  if (result == nullptr) refuse_null("result");
  asked.accumulator = &accumulator;
  clwave::reduce(queue, asked, result, launch);
}

void indexed_to_host(cl_command_queue queue, const clwave_view* in, const op& fold, void* value,
                     std::uint64_t* index, const launch_options& launch) {
  const reduce_problem asked = reduce_problem_from_c(view_of(in, "in"), nullptr, fold, identity);
  const element accumulator = indexed_type_of(*asked.in.type);
  // The index lies behind the value, at a multiple of its own 8 bytes.
  unsigned char found[sizeof(indexed<std::uint64_t>)];
  reduce_to_host(queue, asked, accumulator, found, launch);
  const bool widened = asked.in.type->kind == element_kind::half_storage ||
                       asked.in.type->kind == element_kind::bfloat16_storage;
  if (value != nullptr) std::memcpy(value, found, widened ? sizeof(float) : asked.in.type->size);
  if (index != nullptr) std::memcpy(index, found + sizeof(std::uint64_t), sizeof *index);
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_reduce(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                            const clwave_op* op, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_reduce", options, event, [&](const clwave::launch_options& launch) {
    const counted_input from(in, "in");
    return clwave::reduce(
        queue, to_device(reduce_problem_from_c(from, nullptr, fold_of(op), clwave::identity), out), launch);
  });
}

clwave_status clwave_reduce_to_host(cl_command_queue queue, const clwave_view* in, const clwave_op* op,
                                    clwave_type accumulator, void* result, const clwave_options* options) {
  return c_block("clwave_reduce_to_host", options, [&](const clwave::launch_options& launch) {
    const counted_input from(in, "in");
    reduce_to_host(queue, reduce_problem_from_c(from, nullptr, fold_of(op), clwave::identity),
                   type_of(accumulator), result, launch);
  });
}

clwave_status clwave_transform_reduce(cl_command_queue queue, const clwave_view* x, const clwave_view* y,
                                      const clwave_view* out, const clwave_op* op, const clwave_map* map,
                                      const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_transform_reduce", options, event, [&](const clwave::launch_options& launch) {
    const counted_input from(x, "x");
    return clwave::reduce(queue, to_device(reduce_problem_from_c(from, y, fold_of(op), map_of(map)), out),
                          launch);
  });
}

clwave_status clwave_transform_reduce_to_host(cl_command_queue queue, const clwave_view* x,
                                              const clwave_view* y, const clwave_op* op,
                                              const clwave_map* map, clwave_type accumulator, void* result,
                                              const clwave_options* options) {
  return c_block("clwave_transform_reduce_to_host", options, [&](const clwave::launch_options& launch) {
    const counted_input from(x, "x");
    reduce_to_host(queue, reduce_problem_from_c(from, y, fold_of(op), map_of(map)), type_of(accumulator),
                   result, launch);
  });
}

clwave_status clwave_dot(cl_command_queue queue, const clwave_view* x, const clwave_view* y,
                         const clwave_view* out, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_dot", options, event, [&](const clwave::launch_options& launch) {
    const counted_input from(x, "x");
    return clwave::reduce(
        queue, to_device(reduce_problem_from_c(from, &given(y, "y"), clwave::plus, clwave::product), out),
        launch);
  });
}

clwave_status clwave_dot_to_host(cl_command_queue queue, const clwave_view* x, const clwave_view* y,
                                 clwave_type accumulator, void* result, const clwave_options* options) {
  return c_block("clwave_dot_to_host", options, [&](const clwave::launch_options& launch) {
    const counted_input from(x, "x");
    reduce_to_host(queue, reduce_problem_from_c(from, &given(y, "y"), clwave::plus, clwave::product),
                   type_of(accumulator), result, launch);
  });
}

clwave_status clwave_argmin_to_host(cl_command_queue queue, const clwave_view* in, void* value,
                                    uint64_t* index, const clwave_options* options) {
  return c_block("clwave_argmin_to_host", options, [&](const clwave::launch_options& launch) {
    indexed_to_host(queue, in, argmin_op, value, index, launch);
  });
}

clwave_status clwave_argmax_to_host(cl_command_queue queue, const clwave_view* in, void* value,
                                    uint64_t* index, const clwave_options* options) {
  return c_block("clwave_argmax_to_host", options, [&](const clwave::launch_options& launch) {
    indexed_to_host(queue, in, argmax_op, value, index, launch);
  });
}
