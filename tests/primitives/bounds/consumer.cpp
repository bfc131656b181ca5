// Every function and template of bounds.hpp.
#include "every_call.hpp"

#include <clwave/bounds.hpp>

void calls_of_bounds(const call_operands& on) {
  const clwave::view<std::uint32_t> places{on.buffer, 8, 40};
  const clwave::view<float> needles = on.y.subview(0, 8);
  const clwave::op less{.name = "less", .source = "a < b", .identity = {}};
  clwave::lower_bound(on.queue, on.x, needles, places);
  clwave::lower_bound(on.queue, on.x, needles, places, {.less = less, .with_event = false});
  clwave::upper_bound(on.queue, on.x, needles, places, {.descending = true, .after = {on.before}});
  clwave::upper_bound(on.queue, on.x, needles, places, {.less = less});
  clwave::plan(clwave::bounds_problem{.in = {on.f32, 1000},
                                      .needles = {on.f32, 1000},
                                      .out = {clwave::element_of<std::uint32_t>(), 1000}},
               on.target);
}
