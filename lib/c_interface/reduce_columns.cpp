// Reductions of columns from C.
#include "c_interface/c_matrix_folds.hpp"

using namespace clwave::detail;

clwave_status clwave_reduce_columns(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                                    const clwave_matrices* matrices, const clwave_pitches* pitches,
                                    const clwave_op* op, const clwave_map* map, const clwave_options* options,
                                    cl_event* event) {
  return fold_matrix_from_c<clwave::per::column>(
      "clwave_reduce_columns", {queue, in, out, matrices, pitches, options, event}, op, map);
}

clwave_status clwave_minmax_columns(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                                    const clwave_matrices* matrices, const clwave_pitches* pitches,
                                    const clwave_options* options, cl_event* event) {
  return matrix_statistic_from_c<clwave::per::column>(
      "clwave_minmax_columns", {queue, in, out, matrices, pitches, options, event}, minmax_into);
}

clwave_status clwave_mean_and_variance_columns(cl_command_queue queue, const clwave_view* in,
                                               const clwave_view* out, const clwave_matrices* matrices,
                                               const clwave_pitches* pitches, const clwave_options* options,
                                               cl_event* event) {
  return matrix_statistic_from_c<clwave::per::column>(
      "clwave_mean_and_variance_columns", {queue, in, out, matrices, pitches, options, event}, moments_into);
}
