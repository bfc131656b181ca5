// sort: a tile in one launch, in place; and two digits of more keys than a tile has, with values and as
// indices, in three launches for each digit, and in one with messages, and where groups find none.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include <clwave/profile.hpp>
#include <clwave/sort.hpp>

#include "call/call.hpp"
#include "harness/own_site.hpp"
#include "offline_parts.hpp"
#include "primitives/sort.hpp"

namespace races::runs_of_sort {
namespace {

constexpr clwave::sort_order order{.first_bit = 3, .last_bit = 12};

std::vector<std::uint32_t> sorted_places(const std::vector<std::uint32_t>& keys) {
  std::vector<std::uint32_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  std::ranges::stable_sort(places, {}, [&](std::uint32_t i) { return keys[i] >> 3 & 0x1ff; });
  return places;
}

// How much is sorted by digits: what one launch takes, or several tiles, which are small ones on a GPU. Keys
// so few as these would go to their places by their ranks (`sort-few`).
enum class amount { one_launch, tiles };

void sort_by_digits(const machine& on, clwave::sort_problem problem, const std::vector<cl_mem>& buffers,
                    amount of) {
  testing::own_site site(on.queue(), "sort");
  const unsigned lanes = site.on.choice.lanes;
  if (of == amount::tiles && lanes > 1) site.row.sort = {.group_size = 4 * lanes, .items = 4};
  site.row.sort.ranked_keys = 0;
  site.run(clwave::detail::number_sort{problem}, buffers);
}

void sort_pairs(std::size_t n, bool in_place, amount of = amount::one_launch) {
  machine on;
  std::vector<std::uint32_t> keys(n), values(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = static_cast<std::uint32_t>(i * 2654435761u);
    values[i] = static_cast<std::uint32_t>(i);
  }
  const std::vector<std::uint32_t> right = sorted_places(keys);
  const cl::Buffer from = on.buffer(keys), values_from = on.buffer(values);
  std::vector<std::uint32_t> sorted(n);
  const cl::Buffer to = in_place ? from : on.buffer(sorted);
  const cl::Buffer values_to = in_place ? values_from : on.buffer(sorted);
  const clwave::element& u32 = clwave::element_of<std::uint32_t>();
  sort_by_digits(on,
                 {.keys = {u32, n},
                  .keys_out = u32,
                  .values = u32,
                  .values_out = u32,
                  .order = order,
                  .keys_in_place = in_place},
                 {from(), values_from(), to(), values_to()}, of);
  on.queue.enqueueReadBuffer(values_to, CL_TRUE, 0, n * 4, values.data());
  on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * 4, sorted.data());
  bool all = values == right;
  for (std::size_t i = 0; i < n; ++i) all &= sorted[i] == keys[right[i]];
  check(all, "sort by key", n);
}

void sort_indices(std::size_t n, amount of = amount::one_launch) {
  machine on;
  std::vector<std::uint32_t> keys(n), indices(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u);
  const cl::Buffer from = on.buffer(keys), to = on.buffer(indices);
  const clwave::element& u32 = clwave::element_of<std::uint32_t>();
  sort_by_digits(on, {.keys = {u32, n}, .values_out = u32, .order = order}, {from(), to()}, of);
  on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * 4, indices.data());
  check(indices == sorted_places(keys), "argsort", n);
}

// The order of groups is AMD's, whose fences races.py leaves out. Where its groups take their tiles from the
// last to the first (`sort-backwards`), each finds no messages, looks again, and counts the tiles before its
// own itself. Tiles are as small as can be, the last one is short.
void sort_with_messages_of(bool wide) {
  machine on;
  testing::own_site site(on.queue(), "sort");
  const unsigned lanes = site.on.choice.lanes;
  if (lanes == 1) return sort_pairs(77, false);  // a CPU's sorts send none
  site.on.choice.order = clwave::group_order::amd_fence;
  site.row.sort = {.group_size = lanes, .items = 2};
  site.row.scan.looks = 2;
  site.row.scan.in_order_of_start = wide;
  const std::size_t n = std::size_t{5} * 2 * lanes - 3;
  std::vector<std::uint32_t> keys(n), sorted(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u);
  const std::vector<std::uint32_t> right = sorted_places(keys);
  const cl::Buffer from = on.buffer(keys), to = on.buffer(sorted);
  const clwave::element& key = clwave::element_of<std::uint32_t>();
  const clwave::sort_problem problem{.keys = {key, n}, .keys_out = key, .order = order, .wide_counts = wide};
  site.run(clwave::detail::number_sort{problem}, {from(), to()});
  on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * 4, sorted.data());
  bool all = true;
  for (std::size_t i = 0; i < n; ++i) all &= sorted[i] == keys[right[i]];
  check(all, "sort with messages", n);
}

// Each in a context of its own: oclgrind takes a buffer in the place of a smaller one for uninitialised where
// that one ended.
void sort_with_messages() {
  sort_with_messages_of(false);
  sort_with_messages_of(true);
}

// More tiles than a group has work-items, which sum the counts of a digit's tiles by turns. Tiles are as
// small as can be, and five bits are sorted, in one turn.
void sort_many_tiles() {
  machine on;
  testing::own_site site(on.queue(), "sort");
  const unsigned lanes = site.on.choice.lanes;
  if (lanes == 1) return sort_pairs(77, false);  // a CPU's sum theirs one after another
  site.on.choice.order = clwave::group_order::two_launches;
  site.row.sort = {.group_size = lanes, .items = 1};
  const std::size_t n = std::size_t{lanes} * (lanes + 1) - 3;
  std::vector<std::uint32_t> keys(n), sorted(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u) >> 27;
  std::vector<std::uint32_t> right = keys;
  std::ranges::sort(right);
  const cl::Buffer from = on.buffer(keys), to = on.buffer(sorted);
  const clwave::element& key = clwave::element_of<std::uint32_t>();
  const clwave::sort_problem problem{.keys = {key, n}, .keys_out = key, .order = {.last_bit = 5}};
  site.run(clwave::detail::number_sort{problem}, {from(), to()});
  on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * 4, sorted.data());
  check(sorted == right, "sort of many tiles", n);
}

// Fewer than a group ranks, and more than local memory holds at a time, with a NaN or two, with values and
// without; in place, too. Each in a context of its own, as above, and in small groups, for oclgrind takes
// minutes over n^2 comparisons.
void sort_few_of(std::size_t n, bool in_place, bool with_values) {
  machine on;
  testing::own_site site(on.queue(), "sort");
  site.row.sort.ranked_keys = 8192;
  // In place the last group brings all to its place, in an order that AMD's fences give.
  if (in_place && site.on.choice.lanes > 1) site.on.choice.order = clwave::group_order::amd_fence;
  site.on.group_limit = std::max(64u, site.on.choice.lanes);
  std::vector<float> keys(n), sorted(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<float>(i * 7919 % 1000);
  keys[2] = std::numeric_limits<float>::quiet_NaN();
  keys[n - 1] = -keys[2];
  std::vector<float> right = keys;
  std::ranges::stable_sort(right, [](float a, float b) { return a < b || (a == a && b != b); });
  std::vector<float> values = keys;
  for (float& v : values) v += 1;
  const cl::Buffer from = on.buffer(keys), to = in_place ? from : on.buffer(sorted);
  const cl::Buffer values_from = on.buffer(values), values_to = in_place ? values_from : on.buffer(sorted);
  const clwave::element& key = clwave::element_of<float>();
  clwave::sort_problem problem{.keys = {key, n}, .keys_out = key, .keys_in_place = in_place};
  std::vector<cl_mem> buffers{from(), to()};
  if (with_values) {
    problem.values = problem.values_out = key;
    buffers = {from(), values_from(), to(), values_to()};
  }
  site.run(clwave::detail::number_sort{problem}, buffers);
  on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * 4, sorted.data());
  bool all = std::memcmp(sorted.data(), right.data(), n * 4) == 0;
  if (with_values) on.queue.enqueueReadBuffer(values_to, CL_TRUE, 0, n * 4, values.data());
  for (std::size_t i = 0; with_values && i < n; ++i)
    all &= values[i] == right[i] + 1 || (values[i] != values[i] && right[i] != right[i]);
  check(all, "sort of few keys", n);
}

void sort_few(bool in_place) {
  sort_few_of(5, in_place, false);
  sort_few_of(5, in_place, true);
  sort_few_of(300, in_place, true);
}

// More than one launch takes: four tiles of a GPU and a bit, of a CPU what one core takes.
std::size_t of_tiles() {
  machine on;
  const unsigned lanes = clwave::detail::site_of(on.queue(), "sort").on.choice.lanes;
  return lanes > 1 ? std::size_t{4} * 16 * lanes + 15 : 32777;
}

const registered listed("sort", {{.parts = {
                                      {"sort",
                                       [] {
                                         sort_pairs(300, true);
                                         sort_indices(77);
                                       }},
                                      {"sort-few", [] { sort_few(false); }},
                                      {"sort-few-in-place", [] { sort_few(true); }},
                                      {"sort-tiles", [] { sort_pairs(of_tiles(), false, amount::tiles); }},
                                      {"argsort-tiles", [] { sort_indices(of_tiles(), amount::tiles); }},
                                      {"sort-many-tiles", sort_many_tiles},
                                      {"sort-messages", sort_with_messages},
                                      {"sort-backwards", sort_with_messages},
                                  }}});

}  // namespace
}  // namespace races::runs_of_sort
