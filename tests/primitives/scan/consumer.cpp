// Every function and template of scan.hpp, parts_scan.hpp and ranks_scan.hpp.
#include "every_call.hpp"

#include <clwave/parts_scan.hpp>
#include <clwave/ranks_scan.hpp>
#include <clwave/scan.hpp>

void calls_of_scan(const call_operands& on) {
  clwave::inclusive_scan(on.queue, on.x, on.y);
  clwave::exclusive_scan(on.queue, on.x, on.y, clwave::max, {.start = 1.0f});
  clwave::exclusive_scan(on.queue, on.x, on.y, clwave::max, {.with_event = false});
  clwave::transform_inclusive_scan(on.queue, on.x, on.y, clwave::plus, clwave::square);
  clwave::transform_exclusive_scan(on.queue, on.x, on.y, clwave::plus, clwave::abs, {.start = 1.0f},
                                   {.workspace = on.bytes});
  const clwave::parts<float> x{{on.queue, on.x}}, y{{on.queue, on.y}};
  clwave::inclusive_scan(x, y);
  clwave::exclusive_scan(x, y, clwave::plus, {.start = 2.0f});
  clwave::transform_inclusive_scan(x, y, clwave::max, clwave::square);
  clwave::transform_exclusive_scan(x, y, clwave::plus, clwave::square);
  one_rank all;
  clwave::inclusive_scan(all, x, y);
  clwave::exclusive_scan(all, x, y, clwave::plus, {.start = 2.0f});
  clwave::transform_inclusive_scan(all, x, y, clwave::max, clwave::square);
  clwave::transform_exclusive_scan(all, x, y, clwave::plus, clwave::square);
  clwave::plan(clwave::scan_question{.in = on.f32, .out = on.f32, .n = 1000, .exclusive = true}, on.target);
}
