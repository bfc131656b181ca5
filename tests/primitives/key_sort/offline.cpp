// key_sort: structures in place by one key, and indices by two, of a tile and of several digits; and segments
// by two, of a tile and of several passes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <clwave/sort.hpp>

#include "harness/own_site.hpp"
#include "offline_parts.hpp"
#include "own_types.hpp"
#include "primitives/key_sort.hpp"

namespace races::runs_of_key_sort {
namespace {

std::array<clwave::sort_key, 2> keys_of_numbers() {
  return {clwave::by<std::uint8_t>({.name = "low", .source = "x & 7"}, {.last_bit = 3}),
          clwave::by<std::int32_t>({.name = "high", .source = "x >> 20"},
                                   {.descending = true, .first_bit = 0, .last_bit = 9})};
}

// Tiles are as small as can be, unless all is one; the last one is short.
void sort_of(std::size_t n, bool indices, bool of_tiles) {
  machine on;
  testing::own_site site(on.queue(), "key_sort");
  if (of_tiles && site.on.choice.lanes > 1) site.row.sort = {.group_size = site.on.choice.lanes, .items = 3};
  std::vector<std::uint32_t> elements(n), places(n), sorted(n);
  for (std::size_t i = 0; i < n; ++i) elements[i] = static_cast<std::uint32_t>(i * 2654435761u);
  std::iota(places.begin(), places.end(), 0u);
  const std::array<clwave::sort_key, 2> keys = keys_of_numbers();
  const std::span<const clwave::sort_key> by = std::span(keys).first(indices ? 2 : 1);
  std::ranges::stable_sort(places, [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t x = elements[a], y = elements[b];
    if ((x & 7) != (y & 7)) return (x & 7) < (y & 7);
    return indices && (x >> 20 & 0x1ff) > (y >> 20 & 0x1ff);
  });
  const cl::Buffer from = on.buffer(elements), to = on.buffer(sorted);
  const clwave::element& u32 = clwave::element_of<std::uint32_t>();
  clwave::sort_problem problem{.keys = {u32, n}, .by = by};
  std::vector<cl_mem> buffers{from(), indices ? to() : from()};
  if (indices) {
    problem.values_out = clwave::any_view(u32);
  } else {
    problem.keys_out = clwave::any_view(u32);
    problem.keys_in_place = true;
  }
  site.run(clwave::detail::key_sort{problem}, buffers);
  on.queue.enqueueReadBuffer(indices ? to : from, CL_TRUE, 0, n * 4, sorted.data());
  bool right = true;
  for (std::size_t i = 0; i < n; ++i) right &= sorted[i] == (indices ? places[i] : elements[places[i]]);
  check(right, indices ? "argsort by keys" : "sort by a key", n);
}

void sorts() {
  sort_of(77, false, false);
  sort_of(300, true, false);
}

void sorts_of_tiles() {
  sort_of(501, false, true);
  sort_of(333, true, true);
}

// Two keys of segments, with values; what is bad or in none stays as it is.
void sort_of_segments(std::vector<std::uint32_t> offsets, std::size_t n) {
  machine on;
  testing::own_site site(on.queue(), "key_sort");
  site.row.merge = {.segment_group_size = site.on.choice.lanes, .segment_items = 2};
  std::vector<std::uint32_t> elements(n), values(n), right(n), sorted(n);
  for (std::size_t i = 0; i < n; ++i) elements[i] = static_cast<std::uint32_t>(i * 2654435761u);
  std::iota(values.begin(), values.end(), 0u);
  std::iota(right.begin(), right.end(), 0u);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    if (offsets[s + 1] > n) continue;
    std::stable_sort(right.begin() + offsets[s], right.begin() + offsets[s + 1],
                     [&](std::uint32_t a, std::uint32_t b) {
                       const std::uint32_t x = elements[a], y = elements[b];
                       if ((x & 7) != (y & 7)) return (x & 7) < (y & 7);
                       return (x >> 20 & 0x1ff) > (y >> 20 & 0x1ff);
                     });
  }
  const cl::Buffer x = on.buffer(elements), y = on.buffer(values), at = on.buffer(offsets);
  const std::array<clwave::sort_key, 2> keys = keys_of_numbers();
  const clwave::element& u32 = clwave::element_of<std::uint32_t>();
  const clwave::sort_problem problem{.keys = {u32, n},
                                     .keys_out = u32,
                                     .values = u32,
                                     .values_out = u32,
                                     .by = keys,
                                     .offsets = clwave::any_view(u32, offsets.size()),
                                     .keys_in_place = true,
                                     .values_in_place = true};
  site.run(clwave::detail::key_sort{problem}, {x(), y(), x(), y(), at()});
  on.queue.enqueueReadBuffer(x, CL_TRUE, 0, n * 4, sorted.data());
  on.queue.enqueueReadBuffer(y, CL_TRUE, 0, n * 4, values.data());
  bool is_right = values == right;
  for (std::size_t i = 0; i < n; ++i) is_right &= sorted[i] == elements[right[i]];
  check(is_right, "sort of segments by keys", n);
}

void sorts_of_segments() {
  sort_of_segments({3, 9, 9, 40}, 44);
  sort_of_segments({0, 3, 3, 90, 400, 900, 951}, 950);
}

clwave::call_plan sort_of_structures(const clwave::plan_target& on) {
  static const std::array<clwave::sort_key, 1> keys{
      clwave::by<float>({.name = "length", .source = "x.x * x.x + x.y * x.y"})};
  const clwave::element& point = clwave::element_of<triple>();
  return plan(clwave::sort_problem{.keys = {point, many_elements}, .keys_out = point, .by = keys}, on);
}

const registered listed("key_sort",
                        {{.parts = {{"key-sort", sorts},
                                    {"key-sort-tiles", sorts_of_tiles},
                                    {"key-sort-segments", sorts_of_segments}},
                          .programs = {{"key_sort structures of 12 bytes", sort_of_structures}}}});

}  // namespace
}  // namespace races::runs_of_key_sort
