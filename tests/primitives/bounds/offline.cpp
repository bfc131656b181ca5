// bounds: of numbers and by a text, in ranges of a few lengths.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <clwave/bounds.hpp>

#include "offline_parts.hpp"
#include "own_types.hpp"

namespace races::runs_of_bounds {
namespace {

void bounds_in(std::size_t n) {
  machine on;
  constexpr std::size_t count = 300;
  std::vector<std::uint32_t> in(n + 1), needles(count), places(count);
  for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<std::uint32_t>(i / 2 * 3);
  for (std::size_t i = 0; i < count; ++i) needles[i] = static_cast<std::uint32_t>(i * 7 % (2 * n + 5));
  const cl::Buffer x = on.buffer(in), y = on.buffer(needles), out = on.buffer(places);
  using words = clwave::view<std::uint32_t>;
  const auto run = [&](bool upper) {
    if (upper)
      clwave::upper_bound(on.queue, words{x, n}, words{y, count}, words{out, count},
                          {.less = {.name = "less", .source = "a < b"}})
          .wait();
    else
      clwave::lower_bound(on.queue, words{x, n}, words{y, count}, words{out, count}).wait();
    on.queue.enqueueReadBuffer(out, CL_TRUE, 0, count * 4, places.data());
    const auto end = in.begin() + static_cast<std::ptrdiff_t>(n);
    bool all = true;
    for (std::size_t i = 0; i < count; ++i) {
      const auto right = upper ? std::upper_bound(in.begin(), end, needles[i])
                               : std::lower_bound(in.begin(), end, needles[i]);
      all &= places[i] == static_cast<std::uint32_t>(right - in.begin());
    }
    check(all, upper ? "upper bounds by a text" : "lower bounds", n);
  };
  run(false);
  run(true);
}

void bounds() {
  for (const std::size_t n : {0, 1, 2, 77}) bounds_in(n);
}

clwave::call_plan bounds_of_structures(const clwave::plan_target& on) {
  static const clwave::op by_x{.name = "by x", .source = "a.x < b.x", .identity = {}};
  const clwave::element& point = clwave::element_of<triple>();
  return plan(clwave::bounds_problem{.in = {point, many_elements},
                                     .needles = {point, many_elements},
                                     .out = {clwave::element_of<std::uint64_t>(), many_elements},
                                     .less = &by_x},
              on);
}

const registered listed("bounds", {{.parts = {{"bounds", bounds}},
                                    .programs = {{"bounds structures of 12 bytes", bounds_of_structures}}}});

}  // namespace
}  // namespace races::runs_of_bounds
