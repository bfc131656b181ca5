// Every function and template of transpose.hpp.
#include "every_call.hpp"

#include <clwave/transpose.hpp>

void calls_of_transpose(const call_operands& on) {
  clwave::transpose(on.queue, on.x, on.y, {.rows = 2, .columns = 5},
                    {.in = {.row = 6}, .after = {on.before}});
  clwave::transpose_in_place(on.queue, on.x, {.rows = 3, .columns = 3}, {.row = 4, .after = {on.before}});
  clwave::plan(clwave::transpose_problem{on.f32, on.f32, {.rows = 2, .columns = 5}}, on.target);
  clwave::plan(clwave::transpose_in_place_problem{on.f32, {.rows = 3, .columns = 3}}, on.target);
}
