// Reductions of rows and of columns from C: shells over the untyped calls of reduce_matrices.hpp.
#pragma once

#include <clwave/c/folds.h>
#include <clwave/reduce_matrices.hpp>

#include "c_interface/c_call.hpp"
#include "c_interface/c_lazy.hpp"
#include "c_interface/c_statistics.hpp"

namespace clwave::detail {

// What every such call has.
struct c_matrix_fold {
  cl_command_queue queue;
  const clwave_view *in, *out;
  const clwave_matrices* matrices;
  const clwave_pitches* pitches;
  const clwave_options* options;
  cl_event* event;
};

// `complete` adds to the problem what else it has.
template <per Lines, class Complete>
clwave_status enqueue_matrix_fold(const char* function, const c_matrix_fold& given,
                                  const Complete& complete) {
  return c_enqueue(function, given.options, given.event, [&](const launch_options& launch) {
    const lazy_input from(given.in, "in", c_input::no_count);
    matrix_fold_problem<Lines> asked{.in = from,
                                     .out = view_of(given.out, "out"),
                                     .size = matrices_of(given.matrices),
                                     .steps = pitches_of(given.pitches)};
    return complete(asked, [&] {
      if constexpr (Lines == per::row)
        return clwave::reduce_rows(given.queue, asked, launch);
      else
        return clwave::reduce_columns(given.queue, asked, launch);
    });
  });
}

template <per Lines>
clwave_status fold_matrix_from_c(const char* function, const c_matrix_fold& given, const clwave_op* op,
                                 const clwave_map* map) {
  return enqueue_matrix_fold<Lines>(function, given, [&](auto& asked, const auto& enqueue) {
    asked.fold = &fold_of(op);
    asked.apply = &map_of(map);
    return enqueue();
  });
}

// `into` says the statistic by the types of the elements and of the output.
template <per Lines, class Into>
clwave_status matrix_statistic_from_c(const char* function, const c_matrix_fold& given, const Into& into) {
  return enqueue_matrix_fold<Lines>(function, given, [&](auto& asked, const auto& enqueue) {
    const c_statistic how = into(*asked.in.type, *asked.out.type);
    fold_statistic(asked, how);
    return enqueue();
  });
}

}  // namespace clwave::detail
