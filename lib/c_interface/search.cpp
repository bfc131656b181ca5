// Searches from C: a shell over search.hpp's untyped calls.
#include <cstdint>
#include <string_view>

#include <clwave/c/searches.h>
#include <clwave/search.hpp>

#include "c_interface/c_call.hpp"
#include "c_interface/c_order.hpp"

static_assert(CLWAVE_NOWHERE == clwave::nowhere);

namespace clwave::detail {
namespace {

search_problem search_of_predicate(search_kind kind, const any_view& in, const clwave_map* predicate) {
  return {.kind = kind, .in = in, .predicate = &given(predicate, "predicate").of};
}

search_problem search_of_two(search_kind kind, const clwave_view* x, const clwave_view* y,
                             const clwave_op* same) {
  return {.kind = kind, .in = view_of(x, "x"), .in2 = view_of(y, "y"), .same = op_if_any(same)};
}

search_problem search_of_order(const any_view& in, const c_order& by) {
  return {.kind = search_kind::is_sorted, .in = in, .order = by.numbers, .less = by.less};
}

event search_to_device(cl_command_queue queue, search_problem asked, const clwave_view* out,
                       const launch_options& launch) {
  asked.out = view_of(out, "out");
  return clwave::search(queue, asked, launch);
}

template <class Result>
void search_to_host(cl_command_queue queue, const search_problem& asked, Result* result,
                    std::string_view name, const launch_options& launch) {
  clwave::search(queue, asked, static_cast<void*>(&given(result, name)), launch);
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_find_if(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                             const clwave_map* predicate, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_find_if", options, event, [&](const clwave::launch_options& launch) {
    const counted_input from(in, "in");
    return search_to_device(queue, search_of_predicate(clwave::search_kind::find_if, from, predicate), out,
                            launch);
  });
}

clwave_status clwave_find_if_to_host(cl_command_queue queue, const clwave_view* in,
                                     const clwave_map* predicate, uint64_t* index,
                                     const clwave_options* options) {
  return c_block("clwave_find_if_to_host", options, [&](const clwave::launch_options& launch) {
    const counted_input from(in, "in");
    search_to_host(queue, search_of_predicate(clwave::search_kind::find_if, from, predicate), index, "index",
                   launch);
  });
}

clwave_status clwave_any_of(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                            const clwave_map* predicate, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_any_of", options, event, [&](const clwave::launch_options& launch) {
    const counted_input from(in, "in");
    return search_to_device(queue, search_of_predicate(clwave::search_kind::any_of, from, predicate), out,
                            launch);
  });
}

clwave_status clwave_any_of_to_host(cl_command_queue queue, const clwave_view* in,
                                    const clwave_map* predicate, bool* truth, const clwave_options* options) {
  return c_block("clwave_any_of_to_host", options, [&](const clwave::launch_options& launch) {
    const counted_input from(in, "in");
    search_to_host(queue, search_of_predicate(clwave::search_kind::any_of, from, predicate), truth, "truth",
                   launch);
  });
}

clwave_status clwave_all_of(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                            const clwave_map* predicate, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_all_of", options, event, [&](const clwave::launch_options& launch) {
    const counted_input from(in, "in");
    return search_to_device(queue, search_of_predicate(clwave::search_kind::all_of, from, predicate), out,
                            launch);
  });
}

clwave_status clwave_all_of_to_host(cl_command_queue queue, const clwave_view* in,
                                    const clwave_map* predicate, bool* truth, const clwave_options* options) {
  return c_block("clwave_all_of_to_host", options, [&](const clwave::launch_options& launch) {
    const counted_input from(in, "in");
    search_to_host(queue, search_of_predicate(clwave::search_kind::all_of, from, predicate), truth, "truth",
                   launch);
  });
}

clwave_status clwave_none_of(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                             const clwave_map* predicate, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_none_of", options, event, [&](const clwave::launch_options& launch) {
    const counted_input from(in, "in");
    return search_to_device(queue, search_of_predicate(clwave::search_kind::none_of, from, predicate), out,
                            launch);
  });
}

clwave_status clwave_none_of_to_host(cl_command_queue queue, const clwave_view* in,
                                     const clwave_map* predicate, bool* truth,
                                     const clwave_options* options) {
  return c_block("clwave_none_of_to_host", options, [&](const clwave::launch_options& launch) {
    const counted_input from(in, "in");
    search_to_host(queue, search_of_predicate(clwave::search_kind::none_of, from, predicate), truth, "truth",
                   launch);
  });
}

clwave_status clwave_mismatch(cl_command_queue queue, const clwave_view* x, const clwave_view* y,
                              const clwave_view* out, const clwave_op* same, const clwave_options* options,
                              cl_event* event) {
  return c_enqueue("clwave_mismatch", options, event, [&](const clwave::launch_options& launch) {
    return search_to_device(queue, search_of_two(clwave::search_kind::mismatch, x, y, same), out, launch);
  });
}

clwave_status clwave_mismatch_to_host(cl_command_queue queue, const clwave_view* x, const clwave_view* y,
                                      const clwave_op* same, uint64_t* index, const clwave_options* options) {
  return c_block("clwave_mismatch_to_host", options, [&](const clwave::launch_options& launch) {
    search_to_host(queue, search_of_two(clwave::search_kind::mismatch, x, y, same), index, "index", launch);
  });
}

clwave_status clwave_equal(cl_command_queue queue, const clwave_view* x, const clwave_view* y,
                           const clwave_view* out, const clwave_op* same, const clwave_options* options,
                           cl_event* event) {
  return c_enqueue("clwave_equal", options, event, [&](const clwave::launch_options& launch) {
    return search_to_device(queue, search_of_two(clwave::search_kind::equal, x, y, same), out, launch);
  });
}

clwave_status clwave_equal_to_host(cl_command_queue queue, const clwave_view* x, const clwave_view* y,
                                   const clwave_op* same, bool* truth, const clwave_options* options) {
  return c_block("clwave_equal_to_host", options, [&](const clwave::launch_options& launch) {
    search_to_host(queue, search_of_two(clwave::search_kind::equal, x, y, same), truth, "truth", launch);
  });
}

clwave_status clwave_is_sorted(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                               const clwave_order* order, const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_is_sorted", options, event, [&](const clwave::launch_options& launch) {
    const counted_input from(in, "in");
    return search_to_device(queue, search_of_order(from, range_order_from_c(order)), out, launch);
  });
}

clwave_status clwave_is_sorted_to_host(cl_command_queue queue, const clwave_view* in,
                                       const clwave_order* order, bool* truth,
                                       const clwave_options* options) {
  return c_block("clwave_is_sorted_to_host", options, [&](const clwave::launch_options& launch) {
    const counted_input from(in, "in");
    search_to_host(queue, search_of_order(from, range_order_from_c(order)), truth, "truth", launch);
  });
}
