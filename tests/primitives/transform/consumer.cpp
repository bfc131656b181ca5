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

  clwave::transform_to(on.queue, on.x, {{on.y, clwave::square}, {z, {.name = "half", .source = "x / 2"}}});
  clwave::transform_to(on.queue, on.x, on.y, {{on.y, mix}});
  clwave::transform_to(on.queue, on.x, on.y, z, {{on.y, mix}}, {.after = {on.before}});
  clwave::transform_to(on.queue, clwave::zip(on.x, z), {{on.y, {.name = "sum", .source = "x + y"}}});

  const clwave::map positive{.name = "positive", .source = "x > 0"},
      flagged{.name = "flagged", .source = "y"};
  clwave::transform_if(on.queue, on.x, on.y, clwave::square, positive);
  clwave::transform_if(on.queue, on.x, on.y, z, clwave::product, flagged);
  clwave::replace_if(on.queue, on.x, positive, 2.0f);
  clwave::generate(on.queue, on.x, {.name = "steps", .source = "0.5f * i"});
  clwave::iota(on.queue, on.bytes);
  clwave::iota(on.queue, on.x, 1.0f, 0.5f, {.after = {on.before}});
  clwave::adjacent_difference(on.queue, on.x, on.x);
  clwave::adjacent_difference(on.queue, on.x, on.y, clwave::map{.name = "ratio", .source = "x / y"});
  const clwave::adjacent_difference_problem differences{.in = {on.f32, 1000}, .out = {on.f32, 1000}};
  clwave::plan(differences, on.target);
  clwave::adjacent_difference(on.queue, differences);
}
