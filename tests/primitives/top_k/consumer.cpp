// Every function and template of top_k.hpp.
#include "every_call.hpp"

#include <clwave/top_k.hpp>

void calls_of_top_k(const call_operands& on) {
  const clwave::element& index = clwave::element_of<std::uint32_t>();
  const clwave::view<std::uint64_t> indices{on.buffer, 4, 40};
  clwave::top_k(on.queue, on.x, on.y, on.borders, 4);
  clwave::top_k(on.queue, on.x, on.y, indices, 4, {.descending = false, .with_event = false});
  const clwave::view<std::uint32_t> places{on.buffer, 3, 80};
  clwave::segmented_top_k(on.queue, on.x, on.borders, on.y, places, 1);
  clwave::segmented_top_k(on.queue, on.x, on.borders.first_segments(on.count), on.y, places, 1);
  clwave::segmented_top_k(on.queue, on.x, on.borders, on.y, indices, 1, {.descending = false});
  clwave::segmented_top_k(on.queue, on.x, on.borders, on.y, places, 1, on.count);
  clwave::segmented_top_k(on.queue, on.x, on.borders, on.y, places, 1, on.count, {.after = {on.before}});
  clwave::checked_segmented_top_k(on.queue, on.x, on.borders, on.y, places, 1, {.with_event = false});
  clwave::plan(clwave::segmented_top_k_problem{.in = {on.f32, 1000},
                                               .offsets = clwave::any_view(index, 11),
                                               .values = on.f32,
                                               .indices = index,
                                               .k = 10},
               on.target);
  clwave::plan(clwave::top_k_problem{.in = {on.f32, 1000}, .values = on.f32, .indices = index, .k = 10},
               on.target);
}
