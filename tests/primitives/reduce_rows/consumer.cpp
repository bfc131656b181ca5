// Every function and template of reduce_rows.hpp.
#include "every_call.hpp"

#include <clwave/reduce_rows.hpp>

void calls_of_reduce_rows(const call_operands& on) {
  const clwave::view<clwave::indexed<float>> places{on.buffer, 4, 8};
  clwave::reduce_rows(on.queue, on.x, on.y, {.rows = 4, .columns = 3}, {.after = {on.before}});
  clwave::reduce_rows(on.queue, on.x, on.y, {.rows = 4, .columns = 3}, clwave::max,
                      {.row = 4, .workspace = on.bytes});
  clwave::transform_reduce_rows(on.queue, on.x, on.y, {.rows = 4, .columns = 4}, clwave::plus,
                                clwave::square);
  clwave::argmin_rows(on.queue, on.x, places, {.rows = 4, .columns = 4});
  clwave::argmax_rows(on.queue, on.x, places, {.rows = 4, .columns = 4});
  clwave::plan(clwave::reduce_rows_problem{.in = on.f32, .out = on.f32, .size = {.rows = 4, .columns = 5}},
               on.target);
  const clwave::matrices four{.rows = 4, .columns = 4};
  clwave::minmax_rows(on.queue, on.x, clwave::view<clwave::min_and_max<float>>{on.buffer, 4, 30}, four);
  clwave::mean_and_variance_rows(on.queue, on.x, clwave::view<clwave::moments<float>>{on.buffer, 4, 15},
                                 four);
}
