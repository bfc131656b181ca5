// Every function and template of segmented_scan.hpp.
#include "every_call.hpp"

#include <clwave/segmented_scan.hpp>

void calls_of_segmented_scan(const call_operands& on) {
  clwave::segmented_inclusive_scan(on.queue, on.x, on.borders, on.y);
  clwave::segmented_inclusive_scan(on.queue, on.x, on.borders.first_segments(on.count), on.y);
  clwave::segmented_inclusive_scan(on.queue, on.x, on.borders, on.y, clwave::max, {.after = {on.before}});
  clwave::segmented_inclusive_scan(on.queue, on.x, on.borders, on.y, on.count, {.after = {on.before}});
  clwave::segmented_exclusive_scan(on.queue, on.x, on.borders, on.y, {.after = {on.before}});
  clwave::segmented_exclusive_scan(on.queue, on.x, on.borders, on.y, on.count, clwave::max);
  clwave::segmented_inclusive_scan(on.queue, on.x, on.borders, on.y, on.count, clwave::max);
  clwave::segmented_exclusive_scan(on.queue, on.x, on.borders, on.y, clwave::plus,
                                   {.start = 1.0f, .workspace = on.bytes});
  clwave::segmented_exclusive_scan(on.queue, on.x, on.borders, on.y, on.count);
  clwave::transform_segmented_inclusive_scan(on.queue, on.x, on.borders, on.y, clwave::plus, clwave::square);
  clwave::transform_segmented_inclusive_scan(on.queue, on.x, on.borders, on.y, on.count, clwave::plus,
                                             clwave::square);
  clwave::transform_segmented_exclusive_scan(on.queue, on.x, on.borders, on.y, clwave::plus, clwave::square,
                                             {.with_event = false});
  clwave::transform_segmented_exclusive_scan(on.queue, on.x, on.borders, on.y, on.count, clwave::plus,
                                             clwave::square);
  clwave::plan(clwave::segmented_scan_problem{.in = {on.f32, 1000},
                                              .offsets = {clwave::element_of<std::uint32_t>(), 11},
                                              .out = {on.f32, 1000},
                                              .segments = 10},
               on.target);
}
