// top_k: of few elements by one group, of many by a bound from one sample and from two, of equal ones; a list
// that is too long; all sorted; and of segments, those of several passes among them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include <clwave/top_k.hpp>

#include "harness/own_site.hpp"
#include "offline_parts.hpp"
#include "primitives/top_k.hpp"

namespace races::runs_of_top_k {
namespace {

void take_best(const char* what, std::size_t n, std::size_t k, std::uint32_t values_below,
               const clwave::detail::top_k_sizes& sizes) {
  machine on;
  testing::own_site site(on.queue(), "top_k");
  if (site.on.choice.lanes > 1) {
    site.row.top_k = {.group_size = site.on.choice.lanes, .items = 1};
  }
  std::vector<std::uint32_t> keys(n), values(k), indices(k), places(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u) % values_below;
  std::iota(places.begin(), places.end(), 0u);
  std::ranges::stable_sort(places, std::greater<>(), [&](std::uint32_t i) { return keys[i]; });
  const cl::Buffer in = on.buffer(keys), values_out = on.buffer(values), indices_out = on.buffer(indices);
  const clwave::element& word = clwave::element_of<std::uint32_t>();
  const clwave::top_k_problem problem{
      .in = {word, n}, .values = word, .indices = word, .k = k, .sizes = sizes};
  site.run(problem, {in(), values_out(), indices_out()});
  on.queue.enqueueReadBuffer(values_out, CL_TRUE, 0, k * 4, values.data());
  on.queue.enqueueReadBuffer(indices_out, CL_TRUE, 0, k * 4, indices.data());
  bool all = true;
  for (std::size_t i = 0; i < k; ++i) all &= indices[i] == places[i] && values[i] == keys[places[i]];
  check(all, what, n);
}

void of_few_and_many() {
  const clwave::detail::top_k_sizes few{.most_of_one_group = 100,
                                        .most_of_one_core = 100,
                                        .most_sorted = 0,
                                        .first_sample = 128,
                                        .elements_of_sample = 4};
  take_best("top_k of few", 77, 20, 1000, few);
  take_best("top_k by one sample", 300, 5, 1000, few);
  take_best("top_k by two samples", 1500, 5, 1000, few);
  take_best("top_k of equal elements", 1500, 5, 1, few);
  clwave::detail::top_k_sizes short_list = few;
  short_list.capacity_factor = 0;
  take_best("top_k with a list that is too long", 400, 40, 1000, short_list);
}

// All that one group has room for in local memory.
void of_most() {
  const clwave::detail::top_k_sizes by_one_group{
      .most_of_one_group = 3000, .most_of_one_core = 3000, .most_sorted = 0};
  take_best("top_k of the most that a group sorts", 2049, 2048, 1000, by_one_group);
}

void of_all() { take_best("top_k of all", 3000, 2500, 100000, {}); }

// Tiles are as small as can be.
void best_of(std::vector<std::uint32_t> offsets, std::size_t k) {
  machine on;
  testing::own_site site(on.queue(), "segmented_top_k");
  site.row.merge = {.segment_group_size = site.on.choice.lanes, .segment_items = 2};
  const std::size_t n = offsets.back(), results = (offsets.size() - 1) * k;
  std::vector<std::uint32_t> keys(n), values(results, 7), indices(results, 7);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u) >> 26;
  std::vector<std::uint32_t> best = values, places = indices;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    std::vector<std::uint32_t> own(offsets[s + 1] - offsets[s]);
    std::iota(own.begin(), own.end(), offsets[s]);
    std::ranges::stable_sort(own, std::greater<>(), [&](std::uint32_t i) { return keys[i]; });
    for (std::size_t i = 0; i < std::min(k, own.size()); ++i) {
      best[s * k + i] = keys[own[i]];
      places[s * k + i] = own[i];
    }
  }
  const cl::Buffer in = on.buffer(keys), at = on.buffer(offsets), values_out = on.buffer(values),
                   indices_out = on.buffer(indices);
  const clwave::element& word = clwave::element_of<std::uint32_t>();
  const clwave::segmented_top_k_problem problem{.in = {word, n},
                                                .offsets = clwave::any_view(word, offsets.size()),
                                                .values = word,
                                                .indices = word,
                                                .k = k};
  site.run(problem, {in(), values_out(), indices_out(), at()});
  on.queue.enqueueReadBuffer(values_out, CL_TRUE, 0, results * 4, values.data());
  on.queue.enqueueReadBuffer(indices_out, CL_TRUE, 0, results * 4, indices.data());
  check(values == best && indices == places, "top_k of segments", n);
}

void of_segments() {
  for (const std::size_t k : {3u, 70u, 150u}) best_of({0, 3, 3, 20, 90, 91, 700, 720, 900}, k);
  best_of({5, 60, 124, 180, 1500}, 9);
}

const registered listed("top_k", {{.parts = {{"top-k", of_few_and_many},
                                             {"top-k-most", of_most},
                                             {"top-k-sorted", of_all},
                                             {"top-k-segments", of_segments}}}});

}  // namespace
}  // namespace races::runs_of_top_k
