// Every function and template of layout.hpp.
#include "every_call.hpp"

#include <clwave/layout.hpp>

CLWAVE_LAYOUT(consumer_point, &consumer_point::x, &consumer_point::y)

void calls_of_layout(const call_operands& on) {
  const clwave::view<consumer_point> points{on.buffer, 5};
  const clwave::layout fields = clwave::layout_of(&consumer_point::x, &consumer_point::y);
  clwave::aos_to_soa(on.queue, points, fields, {on.x, on.y});
  clwave::aos_to_soa(on.queue, points, {on.x, on.y});
  clwave::soa_to_aos(on.queue, {on.x, on.y}, points, fields);
  clwave::soa_to_aos(on.queue, {on.x, on.y}, points);
  clwave::aos_to_aosoa(on.queue, points, fields, on.bytes, 32);
  clwave::aosoa_to_aos(on.queue, on.bytes, 32, points, fields);
  static_cast<void>(clwave::aosoa_bytes(fields, 5, 32));
  const clwave::layout& described = clwave::layout_traits<consumer_point>::describe();
  clwave::plan(
      clwave::layout_problem{.fields = &described, .structures = {clwave::element_of<std::uint8_t>(), 80}},
      on.target);
  clwave::plan(clwave::layout_blocks_problem{.fields = &described,
                                             .structures = {clwave::element_of<std::uint8_t>(), 80},
                                             .blocks = on.bytes,
                                             .block = 32},
               on.target);
}
