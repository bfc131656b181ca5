// segmented_sort: segments of all lengths with values, in place, those of several passes among them; and bad
// ones.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <clwave/segmented_sort.hpp>

#include "harness/own_site.hpp"
#include "offline_parts.hpp"
#include "own_types.hpp"
#include "primitives/segmented_sort.hpp"

namespace races::runs_of_segmented_sort {
namespace {

using words = std::vector<std::uint32_t>;

// Tiles are as small as can be.
void segments_of(words offsets, std::uint64_t bad_ones) {
  machine on;
  testing::own_site site(on.queue(), "segmented_sort");
  site.row.merge = {.segment_group_size = site.on.choice.lanes, .segment_items = 2};
  const std::size_t n = std::max<std::size_t>(900, offsets.back() / 100 * 100);
  words keys(n), values(n), right(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u) >> 26;
  std::iota(values.begin(), values.end(), 0u);
  std::iota(right.begin(), right.end(), 0u);
  if (std::is_sorted(offsets.begin(), offsets.end())) {
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      if (offsets[s + 1] > n) continue;
      std::stable_sort(right.begin() + offsets[s], right.begin() + offsets[s + 1],
                       [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    }
  }
  std::vector<std::uint64_t> bad{9};
  const cl::Buffer x = on.buffer(keys), y = on.buffer(values), at = on.buffer(offsets),
                   counted = on.buffer(bad);
  const clwave::element& u32 = clwave::element_of<std::uint32_t>();
  const clwave::sort_problem problem{.keys = {u32, n},
                                     .keys_out = u32,
                                     .values = u32,
                                     .values_out = u32,
                                     .offsets = clwave::any_view(u32, offsets.size()),
                                     .bad = clwave::any_view(clwave::element_of<std::uint64_t>(), 1)};
  site.run(clwave::detail::segment_sort{problem}, {x(), y(), x(), y(), at(), counted()});
  on.queue.enqueueReadBuffer(y, CL_TRUE, 0, n * 4, values.data());
  on.queue.enqueueReadBuffer(counted, CL_TRUE, 0, 8, bad.data());
  check(values == right && bad[0] == bad_ones, "sort of segments", n);
}

const clwave::op by_x{.name = "by x", .source = "a.x < b.x", .identity = {}};

// Structures, which stay where they were loaded while their places are sorted, and nothing that goes with
// them: between two tiles stands one barrier.
void segments_of_points() {
  machine on;
  testing::own_site site(on.queue(), "segmented_sort");
  site.row.merge = {.segment_group_size = site.on.choice.lanes, .segment_items = 2};
  const std::size_t n = 400;
  std::vector<std::uint64_t> offsets{0, 3, 90, n};
  std::vector<triple> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t mixed = static_cast<std::uint32_t>(i * 2654435761u) >> 27;
    keys[i] = {static_cast<float>(mixed), static_cast<float>(i), 0};
  }
  std::vector<triple> right = keys;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::stable_sort(right.begin() + static_cast<std::ptrdiff_t>(offsets[s]),
                     right.begin() + static_cast<std::ptrdiff_t>(offsets[s + 1]),
                     [](const triple& a, const triple& b) { return a.x < b.x; });
  const cl::Buffer x = on.buffer(keys), at = on.buffer(offsets);
  const clwave::element& point = clwave::element_of<triple>();
  const clwave::sort_problem problem{
      .keys = {point, n},
      .keys_out = point,
      .less = &by_x,
      .offsets = clwave::any_view(clwave::element_of<std::uint64_t>(), offsets.size())};
  site.run(clwave::detail::segment_sort{problem}, {x(), x(), at()});
  on.queue.enqueueReadBuffer(x, CL_TRUE, 0, n * sizeof(triple), keys.data());
  check(std::ranges::equal(keys, right,
                           [](const triple& a, const triple& b) { return a.x == b.x && a.y == b.y; }),
        "sort of segments of structures", n);
}

void segments() {
  segments_of_points();
  segments_of({0, 3, 3, 20, 90, 91, 700, 720, 900}, 0);
  segments_of({5, 6, 7, 20, 401, 901}, 1);
  // Several groups, of which each looks for its own part.
  segments_of({0, 60, 124, 180, 2500}, 0);
  // More segments than work-items, of which only the last one takes a pass: a group that finds none to merge
  // goes on to the next ones.
  words many(72);
  for (std::size_t s = 0; s < many.size(); ++s) many[s] = static_cast<std::uint32_t>(3 * s);
  many.back() = 900;
  segments_of(many, 0);
  // So many empty ones that a group gathers no keys, and then gathers again.
  words empty(70, 0);
  empty.push_back(9);
  segments_of(empty, 0);
}

void bad_segments() { segments_of({0, 300, 200, 900}, 1); }

clwave::call_plan sort_of_structures(const clwave::plan_target& on) {
  const clwave::element& point = clwave::element_of<triple>();
  return plan(
      clwave::sort_problem{.keys = {point, many_elements},
                           .keys_out = point,
                           .less = &by_x,
                           .offsets = clwave::any_view(clwave::element_of<std::uint64_t>(), (1 << 20) + 1)},
      on);
}

const registered listed("segmented_sort",
                        {{.parts = {{"segmented-sort", segments}, {"segmented-sort-bad", bad_segments}},
                          .programs = {{"segmented_sort structures of 12 bytes", sort_of_structures}}}});

}  // namespace
}  // namespace races::runs_of_segmented_sort
