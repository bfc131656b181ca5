// Transforms and broadcasts from C: a shell over transform.hpp's untyped calls.
#include <cstddef>
#include <cstdint>
#include <string>

#include <clwave/c/moves.h>
#include <clwave/transform.hpp>

#include "c_interface/c_call.hpp"
#include "c_interface/c_lazy.hpp"

namespace clwave::detail {
namespace {

per per_of(clwave_per which) {
  if (which != CLWAVE_PER_ROW && which != CLWAVE_PER_COLUMN)
    refuse_argument("`which` is " + std::to_string(which) + ", neither CLWAVE_PER_ROW nor CLWAVE_PER_COLUMN");
  return which == CLWAVE_PER_ROW ? per::row : per::column;
}

// Of 1 to 3 inputs, the first of which may have a count or lie nowhere.
transform_problem transform_problem_from_c(const any_view& first, const clwave_view* in, std::size_t n_in,
                                           const clwave_view* out, const clwave_map* map) {
  transform_problem asked{.in = {first}, .out = view_of(out, "out"), .apply = &given(map, "map").of};
  for (std::size_t i = 1; i < n_in; ++i) asked.in.push_back(view_of(in + i, "in"));
  return asked;
}

// Maps see what the one input is made of, which has none of its own.
void see_sources(transform_problem& asked, lazy_input& zip) {
  if (asked.in.size() != 1) return;  // refused by the call
  zip.make_by(*asked.apply, *asked.out.type);
  asked.in.front() = zip;
  asked.apply = &identity;
  asked.zipped = true;
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_transform(cl_command_queue queue, const clwave_view* in, size_t n_in,
                               const clwave_view* out, const clwave_map* map, const clwave_options* options,
                               cl_event* event) {
  return c_enqueue("clwave_transform", options, event, [&](const clwave::launch_options& launch) {
    if (n_in < 1 || n_in > 3)
      refuse_argument("a transform has 1 to 3 inputs, and not " + std::to_string(n_in));
    lazy_input first(in, "in", c_input::counted_or_zip);
    clwave::transform_problem asked = transform_problem_from_c(first, in, n_in, out, map);
    if (first.sources_alone() > 1) see_sources(asked, first);
    return clwave::transform(queue, asked, launch);
  });
}

clwave_status clwave_transform_to(cl_command_queue queue, const clwave_view* in, size_t n_in,
                                  const clwave_transform_output* out, size_t n_out,
                                  const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_transform_to", options, event, [&](const clwave::launch_options& launch) {
    if (n_in < 1 || n_in > 3)
      refuse_argument("a transform has 1 to 3 inputs, and not " + std::to_string(n_in));
    if (n_out < 1 || n_out > 4)
      refuse_argument("a transform has 1 to 4 outputs, and not " + std::to_string(n_out));
    const clwave_transform_output* all = &given(out, "out");
    lazy_input first(in, "in", c_input::counted_or_zip);
    clwave::transform_problem asked = transform_problem_from_c(first, in, n_in, all[0].out, all[0].map);
    if (first.sources_alone() > (n_out > 1 ? 0 : 1)) see_sources(asked, first);
    for (std::size_t k = 1; k < n_out; ++k)
      asked.further.push_back({view_of(all[k].out, "out"), given(all[k].map, "map").of});
    return clwave::transform(queue, asked, launch);
  });
}

clwave_status clwave_transform_if(cl_command_queue queue, const clwave_view* in, size_t n_in,
                                  const clwave_view* out, const clwave_map* map, const clwave_map* predicate,
                                  const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_transform_if", options, event, [&](const clwave::launch_options& launch) {
    if (n_in != 1 && n_in != 2)
      refuse_argument("a transform_if has 1 or 2 inputs, and not " + std::to_string(n_in));
    const counted_input first(in, "in");
    clwave::transform_problem asked = transform_problem_from_c(first, in, n_in, out, map);
    asked.only_if = &given(predicate, "predicate").of;
    return clwave::transform(queue, asked, launch);
  });
}

clwave_status clwave_replace_if(cl_command_queue queue, const clwave_view* x, const clwave_map* predicate,
                                const void* value, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_replace_if", options, event, [&](const clwave::launch_options& launch) {
    const counted_input elements(x, "x");
    if (value == nullptr) refuse_null("value");
    const clwave::any_view& all = elements;
    const clwave::map constant = constant_map(*all.type, value);
    clwave::transform_problem asked{
        .in = {all}, .out = all, .apply = &constant, .only_if = &given(predicate, "predicate").of};
    asked.out.count = nullptr;
    return clwave::transform(queue, asked, launch);
  });
}

clwave_status clwave_generate(cl_command_queue queue, const clwave_view* out, const clwave_map* map,
                              const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_generate", options, event, [&](const clwave::launch_options& launch) {
    const counted_input to(out, "out");
    return clwave::transform(
        queue, clwave::transform_problem{.in = {}, .out = to, .apply = &given(map, "map").of}, launch);
  });
}

clwave_status clwave_iota(cl_command_queue queue, const clwave_view* out, const void* first, const void* step,
                          const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_iota", options, event, [&](const clwave::launch_options& launch) {
    const counted_input to(out, "out");
    const clwave::any_view& all = to;
    const clwave::map steps = iota_map(*all.type, first, step);
    return clwave::transform(queue, clwave::transform_problem{.in = {}, .out = to, .apply = &steps}, launch);
  });
}

clwave_status clwave_adjacent_difference(cl_command_queue queue, const clwave_view* in,
                                         const clwave_view* out, const clwave_map* map,
                                         const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_adjacent_difference", options, event, [&](const clwave::launch_options& launch) {
    return clwave::adjacent_difference(
        queue,
        clwave::adjacent_difference_problem{.in = view_of(in, "in"),
                                            .out = view_of(out, "out"),
                                            .apply = map != nullptr ? &map->of : nullptr},
        launch);
  });
}

clwave_status clwave_broadcast(cl_command_queue queue, const clwave_view* in, const clwave_view* vector,
                               const clwave_view* out, uint64_t rows, uint64_t columns, uint64_t in_row,
                               uint64_t out_row, clwave_per which, const clwave_map* map,
                               const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_broadcast", options, event, [&](const clwave::launch_options& launch) {
    return clwave::broadcast(queue,
                             clwave::broadcast_problem{.in = view_of(in, "in"),
                                                       .vector = view_of(vector, "vector"),
                                                       .out = view_of(out, "out"),
                                                       .size = {.rows = size_of(rows, "rows"),
                                                                .columns = size_of(columns, "columns"),
                                                                .in_row = size_of(in_row, "in_row"),
                                                                .out_row = size_of(out_row, "out_row")},
                                                       .which = per_of(which),
                                                       .apply = &given(map, "map").of},
                             launch);
  });
}
