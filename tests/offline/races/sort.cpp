// sort: a tile in one launch, in place; and two digits of more keys than a tile has, with values and as
// indices.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <clwave/sort.hpp>

#include "call/call.hpp"
#include "parts.hpp"

namespace races {
namespace {

constexpr clwave::sort_order order{.first_bit = 3, .last_bit = 12};

std::vector<std::uint32_t> sorted_places(const std::vector<std::uint32_t>& keys) {
  std::vector<std::uint32_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  std::ranges::stable_sort(places, {}, [&](std::uint32_t i) { return keys[i] >> 3 & 0x1ff; });
  return places;
}

void sort_pairs(std::size_t n, bool in_place) {
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
  using words = clwave::view<std::uint32_t>;
  clwave::sort_by_key(on.queue, words{from, n}, words{values_from, n}, words{to, n}, words{values_to, n},
                      order)
      .wait();
  on.queue.enqueueReadBuffer(values_to, CL_TRUE, 0, n * 4, values.data());
  on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * 4, sorted.data());
  bool all = values == right;
  for (std::size_t i = 0; i < n; ++i) all &= sorted[i] == keys[right[i]];
  check(all, "sort by key", n);
}

void sort_indices(std::size_t n) {
  machine on;
  std::vector<std::uint32_t> keys(n), indices(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u);
  const cl::Buffer from = on.buffer(keys), to = on.buffer(indices);
  using words = clwave::view<std::uint32_t>;
  clwave::argsort(on.queue, words{from, n}, words{to, n}, order).wait();
  on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * 4, indices.data());
  check(indices == sorted_places(keys), "argsort", n);
}

// More than one launch takes: a tile of a GPU, of a CPU what one core takes.
std::size_t of_tiles() {
  machine on;
  return clwave::detail::site_of(on.queue(), "sort").on.choice.lanes > 1 ? 4111 : 32777;
}

const registered listed({
    {"sort",
     [] {
       sort_pairs(300, true);
       sort_indices(77);
     }},
    {"sort-tiles", [] { sort_pairs(of_tiles(), false); }},
    {"argsort-tiles", [] { sort_indices(of_tiles()); }},
});

}  // namespace
}  // namespace races
