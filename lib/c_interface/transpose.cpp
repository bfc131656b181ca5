// Transposes from C: a shell over transpose.hpp's untyped calls.
#include <clwave/c/moves.h>
#include <clwave/transpose.hpp>

#include "c_interface/c_call.hpp"

using namespace clwave::detail;

clwave_status clwave_transpose(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                               const clwave_matrices* matrices, const clwave_pitches* in_pitches,
                               const clwave_pitches* out_pitches, const clwave_options* options,
                               cl_event* event) {
  return c_enqueue("clwave_transpose", options, event, [&](const clwave::launch_options& launch) {
    return clwave::transpose(queue,
                             clwave::transpose_problem{.in = view_of(in, "in"),
                                                       .out = view_of(out, "out"),
                                                       .size = matrices_of(matrices),
                                                       .in_pitches = pitches_of(in_pitches),
                                                       .out_pitches = pitches_of(out_pitches)},
                             launch);
  });
}

clwave_status clwave_transpose_in_place(cl_command_queue queue, const clwave_view* squares,
                                        const clwave_matrices* matrices, const clwave_pitches* pitches,
                                        const clwave_options* options, cl_event* event) {
  return c_enqueue("clwave_transpose_in_place", options, event, [&](const clwave::launch_options& launch) {
    return clwave::transpose_in_place(
        queue,
        clwave::transpose_in_place_problem{.squares = view_of(squares, "squares"),
                                           .size = matrices_of(matrices),
                                           .steps = pitches_of(pitches)},
        launch);
  });
}
