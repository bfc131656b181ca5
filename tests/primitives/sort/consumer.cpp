// Every function and template of sort.hpp.
#include "every_call.hpp"

#include <clwave/sort.hpp>

void calls_of_sort(const call_operands& on) {
  const clwave::view<std::uint32_t> indices{on.buffer, 8, 40};
  clwave::sort(on.queue, on.x, on.y);
  clwave::sort(on.queue, on.x);
  clwave::sort(on.queue, on.x, {.after = {on.before}});
  clwave::sort(on.queue, on.x, on.x,
               {.descending = true, .first_bit = 3, .last_bit = 20, .with_event = false});
  clwave::sort_by_key(on.queue, on.bytes.subview(0, 16), on.x, on.bytes.subview(16, 16), on.y);
  clwave::sort_by_key(on.queue, on.bytes.subview(0, 16), on.x, {.after = {on.before}});
  clwave::argsort(on.queue, on.x.subview(0, 8), indices, {.after = {on.before}});
  clwave::plan(clwave::sort_problem{.keys = {on.f32, 1000}, .keys_out = on.f32}, on.target);
}
