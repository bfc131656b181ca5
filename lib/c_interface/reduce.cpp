// Reductions of all elements from C: a shell over reduce.hpp's untyped calls.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <clwave/c/folds.h>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/op.hpp>
#include <clwave/reduce.hpp>

#include "c_interface/c_call.hpp"
#include "c_interface/c_lazy.hpp"
#include "c_interface/c_statistics.hpp"

namespace clwave::detail {
namespace {

reduce_problem reduce_problem_from_c(const any_view& x, const clwave_view* y, const op& fold,
                                     const map& apply, const void* start = nullptr) {
  return {.in = x, .fold = &fold, .apply = &apply, .in2 = view_if_any(y, "y"), .start = start};
}

reduce_problem count_problem_from_c(const any_view& x, const clwave_view* y, const clwave_map* predicate) {
  reduce_problem asked = reduce_problem_from_c(x, y, plus, given(predicate, "predicate").of);
  asked.counts = true;
  return asked;
}

reduce_problem to_device(reduce_problem asked, const clwave_view* out) {
  asked.out = view_of(out, "out");
  asked.accumulator = asked.out->type;
  return asked;
}

// Of a statistic, which the output's type says.
template <class Into>
event statistic_to_device(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                          const Into& into, const launch_options& launch) {
  const lazy_input from(in, "in");
  const any_view& x = from;
  const c_statistic how = into(*x.type, *view_of(out, "out").type);
  return clwave::reduce(queue, to_device(reduce_problem_from_c(x, nullptr, how.fold, how.lift), out), launch);
}

void reduce_to_host(cl_command_queue queue, reduce_problem asked, const element& accumulator, void* result,
                    const launch_options& launch) {
  if (result == nullptr) refuse_null("result");
  asked.accumulator = &accumulator;
  clwave::reduce(queue, asked, result, launch);
}

void indexed_to_host(cl_command_queue queue, const clwave_view* in, const op& fold, void* value,
                     std::uint64_t* index, const launch_options& launch) {
  const lazy_input from(in, "in", c_input::no_count);
  const reduce_problem asked = reduce_problem_from_c(from, nullptr, fold, identity);
  const element accumulator = indexed_type_of(*asked.in.type);
  // The index lies behind the value, at a multiple of its own 8 bytes.
  unsigned char found[sizeof(indexed<std::uint64_t>)];
  reduce_to_host(queue, asked, accumulator, found, launch);
  const bool widened = asked.in.type->kind == element_kind::half_storage ||
                       asked.in.type->kind == element_kind::bfloat16_storage;
  if (value != nullptr) std::memcpy(value, found, widened ? sizeof(float) : asked.in.type->size);
  if (index != nullptr) std::memcpy(index, found + sizeof(std::uint64_t), sizeof *index);
}

void minmax_to_host(cl_command_queue queue, const clwave_view* in, void* min, void* max,
                    const launch_options& launch) {
  const lazy_input from(in, "in");
  const any_view& x = from;
  const c_statistic how = minmax_from_c(*x.type);
  unsigned char found[2 * sizeof(std::uint64_t)];
  reduce_to_host(queue, reduce_problem_from_c(x, nullptr, how.fold, how.lift), how.type, found, launch);
  const std::size_t n_bytes = how.type.size / 2;
  if (min != nullptr) std::memcpy(min, found, n_bytes);
  if (max != nullptr) std::memcpy(max, found + n_bytes, n_bytes);
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_reduce(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                            const clwave_op* op, const void* start, const clwave_options* options,
                            cl_event* event) {
  return c_enqueue("clwave_reduce", options, event, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    return clwave::reduce(
        queue, to_device(reduce_problem_from_c(from, nullptr, fold_of(op), clwave::identity, start), out),
        launch);
  });
}

clwave_status clwave_reduce_to_host(cl_command_queue queue, const clwave_view* in, const clwave_op* op,
                                    clwave_type accumulator, const void* start, void* result,
                                    const clwave_options* options) {
  return c_block("clwave_reduce_to_host", options, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    reduce_to_host(queue, reduce_problem_from_c(from, nullptr, fold_of(op), clwave::identity, start),
                   type_of(accumulator), result, launch);
  });
}

clwave_status clwave_transform_reduce(cl_command_queue queue, const clwave_view* x, const clwave_view* y,
                                      const clwave_view* out, const clwave_op* op, const clwave_map* map,
                                      const void* start, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_transform_reduce", options, event, [&](const clwave::launch_options& launch) {
    const lazy_input from(x, "x");
    return clwave::reduce(
        queue, to_device(reduce_problem_from_c(from, y, fold_of(op), map_of(map), start), out), launch);
  });
}

clwave_status clwave_transform_reduce_to_host(cl_command_queue queue, const clwave_view* x,
                                              const clwave_view* y, const clwave_op* op,
                                              const clwave_map* map, clwave_type accumulator,
                                              const void* start, void* result,
                                              const clwave_options* options) {
  return c_block("clwave_transform_reduce_to_host", options, [&](const clwave::launch_options& launch) {
    const lazy_input from(x, "x");
    reduce_to_host(queue, reduce_problem_from_c(from, y, fold_of(op), map_of(map), start),
                   type_of(accumulator), result, launch);
  });
}

clwave_status clwave_dot(cl_command_queue queue, const clwave_view* x, const clwave_view* y,
                         const clwave_view* out, const void* start, const clwave_options* options,
                         cl_event* event) {
  return c_enqueue("clwave_dot", options, event, [&](const clwave::launch_options& launch) {
    const counted_input from(x, "x");
    return clwave::reduce(
        queue,
        to_device(reduce_problem_from_c(from, &given(y, "y"), clwave::plus, clwave::product, start), out),
        launch);
  });
}

clwave_status clwave_dot_to_host(cl_command_queue queue, const clwave_view* x, const clwave_view* y,
                                 clwave_type accumulator, const void* start, void* result,
                                 const clwave_options* options) {
  return c_block("clwave_dot_to_host", options, [&](const clwave::launch_options& launch) {
    const counted_input from(x, "x");
    reduce_to_host(queue, reduce_problem_from_c(from, &given(y, "y"), clwave::plus, clwave::product, start),
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

clwave_status clwave_count_if(cl_command_queue queue, const clwave_view* x, const clwave_view* y,
                              const clwave_view* out, const clwave_map* predicate,
                              const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_count_if", options, event, [&](const clwave::launch_options& launch) {
    const lazy_input from(x, "x");
    return clwave::reduce(queue, to_device(count_problem_from_c(from, y, predicate), out), launch);
  });
}

clwave_status clwave_count_if_to_host(cl_command_queue queue, const clwave_view* x, const clwave_view* y,
                                      const clwave_map* predicate, uint64_t* count,
                                      const clwave_options* options) {
  return c_block("clwave_count_if_to_host", options, [&](const clwave::launch_options& launch) {
    const lazy_input from(x, "x");
    reduce_to_host(queue, count_problem_from_c(from, y, predicate), clwave::element_of<std::uint64_t>(),
                   &given(count, "count"), launch);
  });
}

clwave_status clwave_minmax_type(clwave_type of, clwave_type* type) {
  return c_call("clwave_minmax_type", [&] {
    given(type, "type") = CLWAVE_NO_TYPE;
    *type = number_of_type(minmax_from_c(type_of(of)).type);
  });
}

clwave_status clwave_minmax(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                            const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_minmax", options, event, [&](const clwave::launch_options& launch) {
    return statistic_to_device(queue, in, out, minmax_into, launch);
  });
}

clwave_status clwave_minmax_to_host(cl_command_queue queue, const clwave_view* in, void* min, void* max,
                                    const clwave_options* options) {
  return c_block("clwave_minmax_to_host", options,
                 [&](const clwave::launch_options& launch) { minmax_to_host(queue, in, min, max, launch); });
}

clwave_status clwave_moments_type(clwave_type of, clwave_type* type) {
  return c_call("clwave_moments_type", [&] {
    given(type, "type") = CLWAVE_NO_TYPE;
    *type = number_of_type(moments_from_c(type_of(of), type_of(of)).type);
  });
}

clwave_status clwave_mean_and_variance(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                                       const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_mean_and_variance", options, event, [&](const clwave::launch_options& launch) {
    return statistic_to_device(queue, in, out, moments_into, launch);
  });
}

clwave_status clwave_mean_and_variance_to_host(cl_command_queue queue, const clwave_view* in,
                                               clwave_type accumulator, void* result,
                                               const clwave_options* options) {
  return c_block("clwave_mean_and_variance_to_host", options, [&](const clwave::launch_options& launch) {
    const lazy_input from(in, "in");
    const clwave::any_view& x = from;
    const c_statistic how = moments_from_c(*x.type, type_of(accumulator));
    reduce_to_host(queue, reduce_problem_from_c(x, nullptr, how.fold, how.lift), how.type, result, launch);
  });
}
