// Every function and template of segmented_sort.hpp.
#include "every_call.hpp"

#include <clwave/segmented_sort.hpp>

void calls_of_segmented_sort(const call_operands& on) {
  const clwave::op less{.name = "less", .source = "a < b", .identity = {}};
  const clwave::view<std::uint8_t> bytes = on.bytes.subview(0, 16), others = on.bytes.subview(16, 16);
  clwave::segmented_sort(on.queue, on.x, on.borders, on.y);
  clwave::segmented_sort(on.queue, on.x, on.borders.first_segments(on.count), on.y);
  clwave::segmented_sort(on.queue, on.x, on.borders, {.after = {on.before}});
  clwave::segmented_sort(on.queue, on.x, on.borders, on.x, {.less = less});
  clwave::segmented_sort(on.queue, on.x, on.borders, on.y, on.count);
  clwave::segmented_sort(on.queue, on.x, on.borders, on.y, on.count, {.less = less});
  clwave::checked_segmented_sort(on.queue, on.x, on.borders, on.y, {.descending = true, .with_event = false});
  clwave::checked_segmented_sort(on.queue, on.x, on.borders, on.y, {.less = less});
  clwave::segmented_sort_by_key(on.queue, bytes, on.y, on.borders, others, on.y);
  clwave::segmented_sort_by_key(on.queue, bytes, on.y, on.borders, {.after = {on.before}});
  clwave::segmented_sort_by_key(on.queue, bytes, on.y, on.borders, others, on.y, {.less = less});
  clwave::segmented_sort_by_key(on.queue, bytes, on.y, on.borders, others, on.y, on.count);
  clwave::segmented_sort_by_key(on.queue, bytes, on.y, on.borders, others, on.y, on.count, {.less = less});
  clwave::checked_segmented_sort_by_key(on.queue, bytes, on.y, on.borders, others, on.y);
  clwave::checked_segmented_sort_by_key(on.queue, bytes, on.y, on.borders, others, on.y, {.less = less});
  clwave::plan(clwave::sort_problem{.keys = {on.f32, 1000},
                                    .keys_out = on.f32,
                                    .offsets = clwave::any_view(clwave::element_of<std::uint32_t>(), 11)},
               on.target);
}
