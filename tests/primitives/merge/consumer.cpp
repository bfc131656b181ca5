// Every function and template of merge.hpp.
#include "every_call.hpp"

#include <clwave/merge.hpp>

void calls_of_merge(const call_operands& on) {
  const clwave::view<float> a = on.x.subview(0, 4), b = on.x.subview(4, 4), out = on.y.subview(0, 8),
                            others = on.y.subview(8, 8);
  const clwave::op less{.name = "less", .source = "a < b", .identity = {}};
  clwave::merge(on.queue, a, b, out);
  clwave::merge(on.queue, a, b, out, {.after = {on.before}});
  clwave::merge(on.queue, a, b, out, {.descending = true, .with_event = false});
  clwave::merge(on.queue, a, b, out, {.less = less});
  clwave::merge(on.queue, a, b, out, on.count);
  clwave::merge(on.queue, a, b, out, on.count, {.less = less});
  clwave::merge_by_key(on.queue, a, a, b, b, out, others);
  clwave::merge_by_key(on.queue, a, a, b, b, out, others, {.less = less});
  clwave::merge_by_key(on.queue, a, a, b, b, out, others, on.count);
  clwave::merge_by_key(on.queue, a, a, b, b, out, others, on.count, {.less = less});
  const clwave::op never{.name = "never", .source = "a != a && b != b", .identity = {}};
  clwave::checked_merge(on.queue, a, b, out, {.last_bit = 0});
  clwave::checked_merge(on.queue, a, b, out, {.less = never});
  clwave::checked_merge_by_key(on.queue, a, a, b, b, out, others, {.last_bit = 0});
  clwave::checked_merge_by_key(on.queue, a, a, b, b, out, others, {.less = never});
  clwave::plan(clwave::merge_problem{.a = {on.f32, 1000}, .b = {on.f32, 1000}, .out = on.f32}, on.target);
}
