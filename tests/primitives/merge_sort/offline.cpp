// merge_sort: keys with values in place, and indices, of a tile and of several passes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <clwave/sort.hpp>

#include "harness/own_site.hpp"
#include "offline_parts.hpp"
#include "own_types.hpp"
#include "primitives/merge_sort.hpp"

namespace races::runs_of_merge_sort {
namespace {

// Tiles are as small as can be; the last one is short. A CPU's have as many keys as they have.
void sort_of(std::size_t n, bool indices) {
  machine on;
  testing::own_site site(on.queue(), "merge_sort");
  site.row.merge = {.group_size = site.on.choice.lanes,
                    .items = 3,
                    .few_group_size = site.on.choice.lanes,
                    .few_items = 3,
                    .shares = 1000};
  std::vector<std::uint32_t> keys(n), values(n), places(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u) >> 26;
  std::iota(values.begin(), values.end(), 0u);
  std::iota(places.begin(), places.end(), 0u);
  std::ranges::stable_sort(places, {}, [&](std::uint32_t i) { return keys[i]; });
  const cl::Buffer x = on.buffer(keys), y = on.buffer(values);
  const clwave::element& u32 = clwave::element_of<std::uint32_t>();
  static const clwave::op less{.name = "less", .source = "a < b", .identity = {}};
  clwave::sort_problem problem{.keys = {u32, n}, .values_out = u32, .less = &less};
  std::vector<cl_mem> buffers{x(), y()};
  if (!indices) {
    problem.keys_out = problem.values = clwave::any_view(u32);
    buffers = {x(), y(), x(), y()};
  }
  site.run(clwave::detail::operator_sort{problem}, buffers);
  on.queue.enqueueReadBuffer(y, CL_TRUE, 0, n * 4, values.data());
  check(values == places, indices ? "argsort by a text" : "sort by a text", n);
}

void sorts() {
  sort_of(77, false);
  sort_of(2 * 96 - 1, false);  // few tiles
  sort_of(901, false);
  sort_of(500, true);
}

clwave::call_plan sort_of_structures(const clwave::plan_target& on) {
  static const clwave::op by_x{.name = "by x", .source = "a.x < b.x", .identity = {}};
  const clwave::element& point = clwave::element_of<triple>();
  return plan(clwave::sort_problem{.keys = {point, many_elements}, .keys_out = point, .less = &by_x}, on);
}

const registered listed("merge_sort",
                        {{.parts = {{"merge-sort", sorts}},
                          .programs = {{"merge_sort structures of 12 bytes", sort_of_structures}}}});

}  // namespace
}  // namespace races::runs_of_merge_sort
