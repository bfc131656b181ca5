// Reductions of rows from C.
#include "c_interface/c_matrix_folds.hpp"

using namespace clwave::detail;

clwave_status clwave_reduce_rows(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                                 const clwave_matrices* matrices, const clwave_pitches* pitches,
                                 const clwave_op* op, const clwave_map* map, const clwave_options* options,
                                 cl_event* event) {
  return fold_matrix_from_c<clwave::per::row>("clwave_reduce_rows",
                                              {queue, in, out, matrices, pitches, options, event}, op, map);
}

clwave_status clwave_minmax_rows(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                                 const clwave_matrices* matrices, const clwave_pitches* pitches,
                                 const clwave_options* options, cl_event* event) {
  return matrix_statistic_from_c<clwave::per::row>(
      "clwave_minmax_rows", {queue, in, out, matrices, pitches, options, event}, minmax_into);
}

clwave_status clwave_mean_and_variance_rows(cl_command_queue queue, const clwave_view* in,
                                            const clwave_view* out, const clwave_matrices* matrices,
                                            const clwave_pitches* pitches, const clwave_options* options,
                                            cl_event* event) {
  return matrix_statistic_from_c<clwave::per::row>(
      "clwave_mean_and_variance_rows", {queue, in, out, matrices, pitches, options, event}, moments_into);
}
