// Every function and template of set_operations.hpp.
#include "every_call.hpp"

#include <clwave/set_operations.hpp>

void calls_of_set_operations(const call_operands& on) {
  const clwave::view<float> a = on.x.subview(0, 6), b = on.x.subview(6, 6);
  const clwave::op less{.name = "less", .source = "a < b", .identity = {}};
  clwave::set_union(on.queue, a, b, on.y, on.count);
  clwave::set_union(on.queue, a, b, on.y, on.count, {.less = less});
  clwave::set_intersection(on.queue, a, b, on.y, on.count, {.descending = true, .with_event = false});
  clwave::set_intersection(on.queue, a, b, on.y, on.count, {.less = less});
  clwave::set_difference(on.queue, a, b, on.y, on.count);
  clwave::set_difference(on.queue, a, b, on.y, on.count, {.less = less});
  clwave::set_symmetric_difference(on.queue, a, b, on.y, on.count);
  clwave::set_symmetric_difference(on.queue, a, b, on.y, on.count, {.less = less});
  const std::uint64_t counts = clwave::set_union(on.queue, a, b, on.y) +
                               clwave::set_union(on.queue, a, b, on.y, {.less = less}) +
                               clwave::set_intersection(on.queue, a, b, on.y) +
                               clwave::set_intersection(on.queue, a, b, on.y, {.less = less}) +
                               clwave::set_difference(on.queue, a, b, on.y) +
                               clwave::set_difference(on.queue, a, b, on.y, {.less = less}) +
                               clwave::set_symmetric_difference(on.queue, a, b, on.y) +
                               clwave::set_symmetric_difference(on.queue, a, b, on.y, {.less = less});
  static_cast<void>(counts);
  clwave::plan(clwave::set_problem{.a = {on.f32, 1000}, .b = {on.f32, 1000}, .out = {on.f32, 2000}},
               on.target);
}
