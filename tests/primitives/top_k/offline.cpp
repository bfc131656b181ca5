// top_k: of few elements by one group, of many by a bound from one sample and from two, of equal ones; a list
// that is too long; and all sorted.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include <clwave/top_k.hpp>

#include "call/call.hpp"
#include "call/execute.hpp"
#include "offline_parts.hpp"
#include "primitives/top_k.hpp"

namespace races::runs_of_top_k {
namespace {

void take_best(const char* what, std::size_t n, std::size_t k, std::uint32_t values_below,
               const clwave::detail::top_k_sizes& sizes) {
  machine on;
  clwave::detail::call_site site = clwave::detail::site_of(on.queue(), "top_k");
  clwave::profile row = *site.on.choice.profile;
  if (site.on.choice.lanes > 1) {
    row.top_k = {.group_size = site.on.choice.lanes, .items = 1};
    site.on.choice.profile = &row;
  }
  std::vector<std::uint32_t> keys(n), values(k), indices(k), places(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u) % values_below;
  std::iota(places.begin(), places.end(), 0u);
  std::ranges::stable_sort(places, std::greater<>(), [&](std::uint32_t i) { return keys[i]; });
  const cl::Buffer in = on.buffer(keys), values_out = on.buffer(values), indices_out = on.buffer(indices);
  const clwave::element& word = clwave::element_of<std::uint32_t>();
  const clwave::top_k_problem problem{
      .in = {word, n}, .values = word, .indices = word, .k = k, .sizes = sizes};
  const std::vector<cl_mem> buffers{in(), values_out(), indices_out()};
  clwave::detail::carry_out(site, problem, buffers, {}, true).wait();
  on.queue.enqueueReadBuffer(values_out, CL_TRUE, 0, k * 4, values.data());
  on.queue.enqueueReadBuffer(indices_out, CL_TRUE, 0, k * 4, indices.data());
  bool all = true;
  for (std::size_t i = 0; i < k; ++i) all &= indices[i] == places[i] && values[i] == keys[places[i]];
  check(all, what, n);
}

void of_few_and_many() {
  const clwave::detail::top_k_sizes few{
      .most_of_one_group = 100, .most_of_one_core = 100, .first_sample = 128, .elements_of_sample = 4};
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
  const clwave::detail::top_k_sizes by_one_group{.most_of_one_group = 3000, .most_of_one_core = 3000};
  take_best("top_k of the most that a group sorts", 2049, 2048, 1000, by_one_group);
}

void of_all() { take_best("top_k of all", 3000, 2500, 100000, {}); }

const registered listed(
    "top_k", {{.parts = {{"top-k", of_few_and_many}, {"top-k-most", of_most}, {"top-k-sorted", of_all}}}});

}  // namespace
}  // namespace races::runs_of_top_k
