// Every function and template of random.hpp.
#include "every_call.hpp"

#include <clwave/random.hpp>

void calls_of_random(const call_operands& on) {
  const clwave::view<std::uint32_t> words{on.buffer, 8, 40};
  clwave::random(on.queue, on.x, 42);
  clwave::random(on.queue, on.x, 42,
                 {.kind = clwave::random_kind::normal, .stream = 1, .first = 8, .after = {on.before}});
  clwave::random(on.queue, words, 42, {.below = 6, .with_event = false});
  clwave::random_permutation(on.queue, words, 42);
  clwave::shuffle(on.queue, on.x, on.y, 42, {.with_event = false});
  const clwave::random_problem problem{.out = {on.f32, 1000}, .seed = 42};
  clwave::plan(problem, on.target);
  clwave::random(on.queue, problem);
}
