// Every function and template of histogram.hpp, sharded_histogram.hpp, host_array_histogram.hpp and
// ranks_histogram.hpp.
#include "every_call.hpp"

#include <array>
#include <vector>

#include <clwave/histogram.hpp>
#include <clwave/host_array_histogram.hpp>
#include <clwave/ranks_histogram.hpp>
#include <clwave/sharded_histogram.hpp>

void calls_of_histogram(const call_operands& on) {
  const clwave::view<std::uint32_t> counts{on.buffer, 3, 64};
  const clwave::view<std::uint64_t> wide_counts{on.buffer, 12, 32};
  clwave::histogram(on.queue, on.x, counts, clwave::even{-1, 0.5});
  clwave::histogram(on.queue, on.bytes, wide_counts, clwave::even{0, 256},
                    {.channels = 4, .with_event = false});
  clwave::histogram(on.queue, on.x, counts, std::array{0, 18, 65, 120}, {.after = {on.before}});
  clwave::histogram(on.queue, on.x, counts, std::vector<clwave::half>{clwave::half(0.f), clwave::half(1.f)});
  clwave::histogram(on.queue, on.x, counts, on.y.subview(0, 4), {.channels = 1});
  const clwave::sharded<float> pieces{{on.queue, on.x}};
  clwave::histogram(on.queue, pieces, counts, clwave::even{0, 1});
  clwave::histogram(on.queue, pieces, counts, std::vector{0.0f, 1.0f}, {.channels = 1, .after = {on.before}});
  const std::vector<float> elements(10);
  std::vector<std::uint64_t> host_counts(3);
  clwave::histogram(on.queue, clwave::host_array(elements), host_counts, clwave::even{0, 1});
  clwave::histogram({on.queue, on.queue}, clwave::host_array(elements), host_counts,
                    std::array{0.0f, 0.5f, 0.7f, 1.0f}, {.channels = 1});
  one_rank all;
  clwave::histogram(all, pieces, host_counts, clwave::even{0, 1}, {.after = {on.before}});
  clwave::histogram(all, pieces, host_counts, std::array{0.0f, 0.5f, 0.7f, 1.0f});
  const clwave::bound numbers[] = {
      {}, 1, 2.5, 0.1f, clwave::half(1.f), clwave::bfloat16(2.f), clwave::u16(3)};
  static_cast<void>(numbers[1].is_finite() && !numbers[2].is_nan() && numbers[3].is_negative());
  static_cast<void>(numbers[4].digits() != 0 && numbers[5].exponent() == 0);
  clwave::plan(clwave::histogram_problem{.in = {on.f32, 1000},
                                         .counts = {clwave::element_of<std::uint32_t>(), 10},
                                         .bounds = clwave::even{0, 1}},
               on.target);
}
