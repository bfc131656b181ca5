// Every function and template of scan_by_key.hpp.
#include "every_call.hpp"

#include <clwave/scan_by_key.hpp>

void calls_of_scan_by_key(const call_operands& on) {
  const clwave::op same{.name = "same", .source = "a == b", .identity = {}};
  const auto keys = on.bytes.subview(0, 16);
  clwave::inclusive_scan_by_key(on.queue, keys, on.x, on.y);
  clwave::inclusive_scan_by_key(on.queue, keys, on.x, on.y, clwave::max, {.after = {on.before}});
  clwave::exclusive_scan_by_key(on.queue, keys, on.x, on.y, {.after = {on.before}});
  clwave::inclusive_scan_by_key(on.queue, keys, on.x, on.y, clwave::max, same);
  clwave::exclusive_scan_by_key(on.queue, keys, on.x, on.y, clwave::plus,
                                {.start = 1.0f, .with_event = false});
  clwave::exclusive_scan_by_key(on.queue, keys, on.x, on.y, clwave::plus, same, {.start = 1.0f});
  clwave::transform_inclusive_scan_by_key(on.queue, keys, on.x, on.y, clwave::plus, clwave::square);
  clwave::transform_inclusive_scan_by_key(on.queue, keys, on.x, on.y, clwave::plus, clwave::square, same);
  clwave::transform_exclusive_scan_by_key(on.queue, keys, on.x, on.y, clwave::plus, clwave::square);
  clwave::transform_exclusive_scan_by_key(on.queue, keys, on.x, on.y, clwave::plus, clwave::square, same);
  clwave::plan(
      clwave::scan_by_key_problem{.keys = {on.f32, 1000}, .values = {on.f32, 1000}, .out = {on.f32, 1000}},
      on.target);
}
