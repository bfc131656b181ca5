// Every function and template of transform.hpp.
#include "every_call.hpp"

#include <clwave/transform.hpp>

void calls_of_transform(const call_operands& on) {
  const clwave::view<float> z{on.buffer, 16, 32};
  const clwave::map mix{.name = "mix", .source = "x + y * z * k", .values = {{"k", 2.0f}}};
  clwave::transform(on.queue, on.x, on.y, clwave::square);
  clwave::transform(on.queue, on.x, on.y, z, clwave::product);
  clwave::transform(on.queue, on.x, on.y, z, z, mix);
  clwave::broadcast(on.queue, on.x, on.y, z, {.rows = 4, .columns = 4}, clwave::per::row,
                    {.name = "bias", .source = "x + b"});
  clwave::plan(
      clwave::transform_problem{
          .in = {{on.f32, 1000}, {on.f32, 1000, 1}}, .out = on.f32, .apply = &clwave::product},
      on.target);
  clwave::plan(clwave::broadcast_problem{.in = on.f32,
                                         .vector = on.f32,
                                         .out = on.f32,
                                         .size = {.rows = 4, .columns = 4},
                                         .which = clwave::per::row,
                                         .apply = &clwave::identity},
               on.target);
}
