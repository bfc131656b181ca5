// Sorts by an operator.
#include "every_call.hpp"

#include <clwave/sort.hpp>

void calls_of_merge_sort(const call_operands& on) {
  const clwave::view<std::uint32_t> indices{on.buffer, 8, 40};
  const clwave::op less{.name = "less", .source = "a < b", .identity = {}};
  clwave::sort(on.queue, on.x, on.y, {.less = less});
  clwave::sort(on.queue, on.x, on.x, {.less = less, .with_event = false});
  clwave::sort_by_key(on.queue, on.bytes.subview(0, 16), on.x, on.bytes.subview(16, 16), on.y,
                      {.less = less});
  clwave::argsort(on.queue, on.x.subview(0, 8), indices, {.less = less});
  clwave::plan(clwave::sort_problem{.keys = {on.f32, 1000}, .keys_out = on.f32, .less = &less}, on.target);
}
