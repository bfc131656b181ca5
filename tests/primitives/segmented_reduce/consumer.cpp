// Every function and template of segmented_reduce.hpp.
#include "every_call.hpp"

#include <clwave/segmented_reduce.hpp>

void calls_of_segmented_reduce(const call_operands& on) {
  const clwave::view<clwave::indexed<float>> places{on.buffer, 3, 8};
  clwave::segmented_reduce(on.queue, on.x, on.borders, on.y);
  clwave::segmented_reduce(on.queue, on.x, on.borders, on.y, on.count, clwave::max, {.workspace = on.bytes});
  clwave::segmented_reduce(on.queue, on.x, on.borders, on.y, clwave::max, {.after = {on.before}});
  clwave::segmented_reduce(on.queue, on.x, on.borders, on.y, on.count, {.after = {on.before}});
  clwave::transform_segmented_reduce(on.queue, on.x, on.borders, on.y, clwave::plus, clwave::square);
  clwave::transform_segmented_reduce(on.queue, on.x, on.borders, on.y, on.count, clwave::plus,
                                     clwave::square);
  clwave::checked_segmented_reduce(on.queue, on.x, on.borders, on.y);
  clwave::checked_segmented_reduce(on.queue, on.x, on.borders, on.y, clwave::max, {.after = {on.before}});
  clwave::checked_segmented_reduce(on.queue, on.x, on.borders, on.y, clwave::plus, clwave::square);
  clwave::segmented_reduce(on.queue, on.x, on.borders.first_segments(on.count), on.y);
  clwave::segmented_argmin(on.queue, on.x, on.borders, places);
  clwave::segmented_argmax(on.queue, on.x, on.borders, places);
  clwave::plan(clwave::segmented_reduce_problem{.in = {on.f32, 1000},
                                                .offsets = {clwave::element_of<std::uint32_t>(), 11},
                                                .out = {on.f32, 10},
                                                .segments = 10},
               on.target);
  const clwave::view<clwave::min_and_max<float>> ends{on.buffer, 3, 33};
  const clwave::view<clwave::moments<float>> all{on.buffer, 3, 17};
  clwave::segmented_minmax(on.queue, on.x, on.borders, ends);
  clwave::segmented_mean_and_variance(on.queue, on.x, on.borders, all);
}
