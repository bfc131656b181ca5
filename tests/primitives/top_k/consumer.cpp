// Every function and template of top_k.hpp.
#include "every_call.hpp"

#include <clwave/top_k.hpp>

void calls_of_top_k(const call_operands& on) {
  const clwave::view<std::uint64_t> indices{on.buffer, 4, 40};
  clwave::top_k(on.queue, on.x, on.y, on.borders, 4);
  clwave::top_k(on.queue, on.x, on.y, indices, 4, {.descending = false, .with_event = false});
  const clwave::element& index = clwave::element_of<std::uint32_t>();
  clwave::plan(clwave::top_k_problem{.in = {on.f32, 1000}, .values = on.f32, .indices = index, .k = 10},
               on.target);
}
