// Every function and template of gather.hpp.
#include "every_call.hpp"

#include <clwave/gather.hpp>

void calls_of_gather(const call_operands& on) {
  const clwave::view<std::uint32_t> indices{on.buffer, 8, 40};
  const clwave::view<std::uint64_t> bad{on.buffer, 1, 30};
  const clwave::view<float> x = on.x, beside = on.y.subview(0, 8);
  const clwave::map twice{.name = "twice", .source = "2 * x"};
  clwave::gather(on.queue, x, indices, beside);
  clwave::gather(on.queue, x, indices, beside, {.outside = 1.0f, .after = {on.before}});
  clwave::gather(on.queue, x, indices, beside, bad, {.with_event = false});
  clwave::checked_gather(on.queue, x, indices, beside);
  clwave::transform_gather(on.queue, x, indices, beside, twice, {.outside = 2.0f});
  clwave::scatter(on.queue, beside, indices, x);
  clwave::scatter(on.queue, beside, indices, x, {.distinct = true});
  clwave::scatter(on.queue, beside, indices, x, bad);
  clwave::checked_scatter(on.queue, beside, indices, x);
  clwave::transform_scatter(on.queue, beside, indices, x, twice);
  const clwave::view<std::uint8_t> flags{on.buffer, 8, 320};
  const clwave::map large{.name = "large", .source = "x > 7"};
  clwave::gather_if(on.queue, x, indices, flags, beside);
  clwave::gather_if(on.queue, x, indices, flags, beside, {.outside = 1.0f, .after = {on.before}});
  clwave::gather_if(on.queue, x, indices, flags, beside, large);
  clwave::gather_if(on.queue, x, indices, flags, beside, {.name = "large", .source = "x > 7"},
                    {.with_event = false});
  clwave::scatter_if(on.queue, beside, indices, flags, x);
  clwave::scatter_if(on.queue, beside, indices, flags, x, {.distinct = true});
  clwave::scatter_if(on.queue, beside, indices, flags, x, large, {.with_event = false});
  const clwave::gather_problem problem{
      .in = {on.f32, 1000}, .indices = {clwave::element_of<std::uint32_t>(), 1000}, .out = {on.f32, 1000}};
  clwave::plan(problem, on.target);
  clwave::gather(on.queue, problem);
  clwave::checked_gather(on.queue, problem);
  clwave::reverse(on.queue, on.x, on.y);
  clwave::rotate(on.queue, on.x, on.y, 3, {.with_event = false});
  const clwave::reorder_problem reversed{.in = {on.f32, 1000}, .out = {on.f32, 1000}};
  clwave::plan(reversed, on.target);
  clwave::reorder(on.queue, reversed);
}
