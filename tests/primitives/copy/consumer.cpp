// Every function and template of copy.hpp.
#include "every_call.hpp"

#include <clwave/copy.hpp>

void calls_of_copy(const call_operands& on) {
  const clwave::view<consumer_point> points{on.buffer, 5};
  const float one = 1;
  clwave::copy(on.queue, on.x, on.bytes.subview(40, 16),
               {.saturate = true, .round = clwave::rounding::nearest_even});
  clwave::copy(on.queue, on.x, on.y, {.after = {on.before}, .with_event = false});
  clwave::copy(on.queue, on.x, on.y, {.width = 2, .height = 2}, {.in = {.row = 4}, .after = {on.before}});
  const clwave::view<std::uint64_t> starts{on.buffer, 2, 35}, out_starts{on.buffer, 2, 37};
  const clwave::view<const float> in = on.x;
  clwave::copy_ranges(on.queue, in, on.borders, on.borders, on.y, on.borders);
  clwave::copy_ranges(on.queue, on.x, starts, starts, on.y, out_starts, {.after = {on.before}});
  clwave::copy_ranges(on.queue, on.x, starts, starts, on.y, out_starts, on.count);
  clwave::copy_ranges(on.queue, on.x, starts, starts, on.y, out_starts, on.count, {.with_event = false});
  clwave::checked_copy_ranges(on.queue, on.x, on.borders, on.borders, on.y, on.borders);
  clwave::checked_copy_ranges(on.queue, on.x, starts, starts, on.y, out_starts, {.after = {on.before}});
  clwave::fill(on.queue, on.x, 1.5f);
  clwave::fill(on.queue, points, {1, 2});
  clwave::plan(clwave::copy_problem{{on.f32, 1000}, *clwave::find_element("u8")}, on.target);
  clwave::plan(clwave::box_problem{on.f32, on.f32, {.width = 2, .height = 2}}, on.target);
  const clwave::element& number = clwave::element_of<std::uint32_t>();
  const clwave::copy_ranges_problem ranges{.in = {on.f32, 1000},
                                           .starts = clwave::any_view(number, 10),
                                           .lengths = clwave::any_view(number, 10),
                                           .out = {on.f32, 1000},
                                           .out_starts = clwave::any_view(number, 10)};
  clwave::plan(ranges, on.target);
  clwave::copy_ranges(on.queue, ranges);
  clwave::checked_copy_ranges(on.queue, ranges);
  clwave::plan(clwave::fill_problem{{on.f32, 1000}, &one}, on.target);
}
