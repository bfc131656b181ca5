// Searches that stop early: places in every part of a tile, and none.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <clwave/search.hpp>

#include "offline_parts.hpp"
#include "own_types.hpp"

namespace races::runs_of_search {
namespace {

void searches_in(std::size_t n) {
  machine on;
  const std::size_t offset = n % 2;
  for (const std::size_t place : {std::size_t{0}, n / 2, n - 1, n}) {
    if (place > n) continue;
    std::vector<std::uint32_t> x(n + offset + 1), y(n + offset + 1);
    for (std::size_t i = 0; i < n; ++i) x[offset + i] = y[offset + i] = static_cast<std::uint32_t>(2 * i + 2);
    if (place < n) x[offset + place] = 1;
    const cl::Buffer xs = on.buffer(x), ys = on.buffer(y);
    std::vector<std::uint64_t> results(2);
    const cl::Buffer to = on.buffer(results);
    const clwave::view<std::uint32_t> in{xs, n, offset}, other{ys, n, offset};
    clwave::find_if(on.queue, in, clwave::view<std::uint64_t>{to, 1}, {.name = "odd", .source = "x & 1"})
        .wait();
    clwave::mismatch(on.queue, in, other, clwave::view<std::uint64_t>{to, 1, 1}).wait();
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, 16, results.data());
    const std::uint64_t right = place < n ? place : clwave::nowhere;
    check(results[0] == right && results[1] == right, "find_if and mismatch", n);
    const bool rises = place == 0 || place >= n;
    check(clwave::is_sorted(on.queue, in) == rises, "is_sorted", n);
  }
}

void searches() {
  for (const std::size_t n : sizes) searches_in(n);
}

clwave::call_plan equal_structures(const clwave::plan_target& on) {
  static const clwave::op by_x{.name = "same x", .source = "a.x == b.x"};
  const clwave::any_view points(clwave::element_of<triple>(), many_elements);
  return plan(
      clwave::search_problem{.kind = clwave::search_kind::equal, .in = points, .in2 = points, .same = &by_x},
      on);
}

const registered listed("search", {{.parts = {{"search", searches}},
                                    .programs = {{"search equal structures", equal_structures}}}});

}  // namespace
}  // namespace races::runs_of_search
