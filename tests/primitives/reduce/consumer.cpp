// Every function and template of reduce.hpp and statistics.hpp.
#include "every_call.hpp"

#include <clwave/reduce.hpp>
#include <clwave/statistics.hpp>

void calls_of_reduce(const call_operands& on) {
  const clwave::view<clwave::half> halves{on.buffer, 10};
  const clwave::view<clwave::u16> words{on.buffer, 10};
  const clwave::op longest{.name = "longest", .source = "sqrt(a * a + b * b)", .identity = "0"};
  const clwave::map above{.name = "above", .source = "x > 0.5f ? 1u : 0u"};
  clwave::reduce(on.queue, on.x);
  clwave::reduce<double>(on.queue, on.x, clwave::plus, {.after = {on.before}});
  clwave::reduce(on.queue, on.x, {.after = {on.before}});
  clwave::reduce(on.queue, on.x, on.y, {.after = {on.before}});
  clwave::reduce(on.queue, halves, clwave::max);
  clwave::reduce(on.queue, words, clwave::bit_or);
  clwave::reduce(on.queue, on.x, on.y, longest, {.after = {on.before}, .with_event = false});
  clwave::transform_reduce<std::uint64_t>(on.queue, on.x, clwave::plus, above);
  clwave::transform_reduce(on.queue, clwave::zip(on.x, on.y), on.x.subview(0, 1), clwave::plus,
                           clwave::product);
  clwave::dot(on.queue, on.x, on.y);
  clwave::argmin(on.queue, on.x);
  clwave::argmax(on.queue, halves);
  clwave::future<float> sum = clwave::reduce_async(on.queue, on.x);
  sum = clwave::reduce_async(on.queue, on.x, clwave::max, {.after = {on.before}});
  clwave::future<double> squares = clwave::transform_reduce_async<double>(
      on.queue, on.x, clwave::plus, clwave::square, {.after = {sum.event()}});
  clwave::future<float> product = clwave::dot_async(on.queue, on.x, on.y, {.workspace = on.buffer});
  clwave::future<clwave::indexed<float>> least = clwave::argmin_async(on.queue, on.x);
  least = clwave::argmax_async(on.queue, halves);
  if (sum.valid() && sum.done() && least.get().index != 0)
    static_cast<void>(static_cast<float>(squares.get()) > product.get());
  clwave::plan(clwave::reduce_problem{.in = {on.f32, 1000}, .accumulator = &on.f32}, on.target);

  clwave::reduce(on.queue, on.x, {.start = 1.0f, .after = {on.before}});
  clwave::reduce(on.queue, on.x, on.y, clwave::max, {.start = 1.0f});
  const clwave::map positive{.name = "positive", .source = "x > 0"};
  clwave::count_if(on.queue, on.x, positive);
  clwave::count_if(on.queue, on.x, on.count, positive);
  clwave::future<std::uint64_t> many = clwave::count_if_async(on.queue, on.x, positive);
  const clwave::view<clwave::min_and_max<float>> ends{on.buffer, 1, 30};
  const clwave::view<clwave::moments<float>> all{on.buffer, 1, 15};
  clwave::minmax(on.queue, on.x, ends);
  clwave::mean_and_variance(on.queue, on.x, all);
  const clwave::min_and_max<float> both = clwave::minmax(on.queue, halves);
  auto later = clwave::minmax_async(on.queue, on.bytes);
  const clwave::moments<float> measured = clwave::mean_and_variance(on.queue, on.x);
  auto wide = clwave::mean_and_variance_async<double>(on.queue, on.x);
  if (static_cast<float>(many.get()) > both.min && later.get().max > 0)
    static_cast<void>(measured.variance() < static_cast<float>(wide.get().sample_variance()));
}
