// Gathers and scatters from C: a shell over gather.hpp's untyped calls.
#include <clwave/c/moves.h>
#include <clwave/gather.hpp>

#include "c_interface/c_call.hpp"

namespace clwave::detail {
namespace {

// `map` is NULL where bits are moved.
gather_problem gather_problem_from_c(const clwave_view* in, const any_view& indices, const clwave_view* out,
                                     const clwave_map* map) {
  return {.in = view_of(in, "in"),
          .indices = indices,
          .out = view_of(out, "out"),
          .apply = map != nullptr ? &map->of : nullptr};
}

gather_problem gather_from_c(const clwave_view* in, const any_view& indices, const clwave_view* out,
                             const clwave_map* map, const void* outside) {
  gather_problem asked = gather_problem_from_c(in, indices, out, map);
  asked.outside = outside;
  return asked;
}

gather_problem scatter_from_c(const clwave_view* in, const any_view& indices, const clwave_view* out,
                              const clwave_map* map, bool distinct) {
  gather_problem asked = gather_problem_from_c(in, indices, out, map);
  asked.scatter = true;
  asked.distinct = distinct;
  return asked;
}

// `predicate` is NULL where those flags are set that are not 0.
gather_problem gather_with_flags(gather_problem asked, const clwave_view* flags,
                                 const clwave_map* predicate) {
  asked.flags = view_of(flags, "flags");
  if (predicate != nullptr) asked.predicate = &predicate->of;
  return asked;
}

gather_problem gather_that_counts(gather_problem asked, const clwave_view* bad) {
  asked.bad = view_if_any(bad, "bad");
  return asked;
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_gather(cl_command_queue queue, const clwave_view* in, const clwave_view* indices,
                            const clwave_view* out, const clwave_view* bad, const clwave_map* map,
                            const void* outside, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_gather", options, event, [&](const clwave::launch_options& launch) {
    const counted_input at(indices, "indices");
    return clwave::gather(queue, gather_that_counts(gather_from_c(in, at, out, map, outside), bad), launch);
  });
}

clwave_status clwave_checked_gather(cl_command_queue queue, const clwave_view* in, const clwave_view* indices,
                                    const clwave_view* out, const clwave_map* map, const void* outside,
                                    const clwave_options* options) {
  return c_block("clwave_checked_gather", options, [&](const clwave::launch_options& launch) {
    const counted_input at(indices, "indices");
    clwave::checked_gather(queue, gather_from_c(in, at, out, map, outside), launch);
  });
}

clwave_status clwave_scatter(cl_command_queue queue, const clwave_view* in, const clwave_view* indices,
                             const clwave_view* out, const clwave_view* bad, const clwave_map* map,
                             bool distinct, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_scatter", options, event, [&](const clwave::launch_options& launch) {
    const counted_input at(indices, "indices");
    return clwave::gather(queue, gather_that_counts(scatter_from_c(in, at, out, map, distinct), bad), launch);
  });
}

clwave_status clwave_checked_scatter(cl_command_queue queue, const clwave_view* in,
                                     const clwave_view* indices, const clwave_view* out,
                                     const clwave_map* map, bool distinct, const clwave_options* options) {
  return c_block("clwave_checked_scatter", options, [&](const clwave::launch_options& launch) {
    const counted_input at(indices, "indices");
    clwave::checked_gather(queue, scatter_from_c(in, at, out, map, distinct), launch);
  });
}

clwave_status clwave_gather_if(cl_command_queue queue, const clwave_view* in, const clwave_view* indices,
                               const clwave_view* flags, const clwave_view* out, const clwave_view* bad,
                               const clwave_map* predicate, const void* outside,
                               const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_gather_if", options, event, [&](const clwave::launch_options& launch) {
    const counted_input at(indices, "indices");
    const clwave::gather_problem all = gather_from_c(in, at, out, nullptr, outside);
    return clwave::gather(queue, gather_that_counts(gather_with_flags(all, flags, predicate), bad), launch);
  });
}

clwave_status clwave_scatter_if(cl_command_queue queue, const clwave_view* in, const clwave_view* indices,
                                const clwave_view* flags, const clwave_view* out, const clwave_view* bad,
                                const clwave_map* predicate, bool distinct, const clwave_options* options,
                                cl_event* event) {
  return c_enqueue("clwave_scatter_if", options, event, [&](const clwave::launch_options& launch) {
    const counted_input at(indices, "indices");
    const clwave::gather_problem all = scatter_from_c(in, at, out, nullptr, distinct);
    return clwave::gather(queue, gather_that_counts(gather_with_flags(all, flags, predicate), bad), launch);
  });
}

clwave_status clwave_reverse(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                             const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_reverse", options, event, [&](const clwave::launch_options& launch) {
    return clwave::reorder(
        queue, clwave::reorder_problem{.in = view_of(in, "in"), .out = view_of(out, "out")}, launch);
  });
}

clwave_status clwave_rotate(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                            uint64_t first, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_rotate", options, event, [&](const clwave::launch_options& launch) {
    return clwave::reorder(
        queue,
        clwave::reorder_problem{
            .in = view_of(in, "in"), .out = view_of(out, "out"), .rotate = true, .first = first},
        launch);
  });
}
