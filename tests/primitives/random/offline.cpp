// random and shuffle: packets from any place on, further words of bounded numbers, permutations.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <clwave/random.hpp>

#include "offline_parts.hpp"

namespace races::runs_of_random {
namespace {

// A part of the numbers has those that all have there.
template <class T>
void numbers_of(std::size_t n, const clwave::random_options& options) {
  machine on;
  const std::size_t offset = n % 2, cut = n / 3;
  std::vector<T> all(n + offset), part(n + offset);
  const cl::Buffer to = on.buffer(all), other = on.buffer(part);
  clwave::random(on.queue, clwave::view<T>{to, n, offset}, 7, options).wait();
  clwave::random_options rest = options;
  rest.first += cut;
  clwave::random(on.queue, clwave::view<T>{other, n - cut, offset + cut}, 7, rest).wait();
  on.queue.enqueueReadBuffer(to, CL_TRUE, 0, all.size() * sizeof(T), all.data());
  on.queue.enqueueReadBuffer(other, CL_TRUE, 0, part.size() * sizeof(T), part.data());
  bool right = true;
  for (std::size_t i = cut; i < n; ++i) right &= all[offset + i] == part[offset + i];
  check(right, "random", n);
}

void numbers() {
  using clwave::random_kind;
  for (const std::size_t n : sizes) {
    numbers_of<std::uint32_t>(n, {});
    numbers_of<float>(n, {.kind = random_kind::normal, .first = 3});
  }
  for (const std::size_t n : few_sizes) {
    numbers_of<std::uint8_t>(n, {.first = 2});
    numbers_of<std::uint64_t>(n, {.below = 0xc000000000000000, .first = 1});
    numbers_of<std::uint32_t>(n, {.below = 3000000000, .first = 1});
  }
}

void orders() {
  for (const std::size_t n : few_sizes) {
    machine on;
    std::vector<std::uint32_t> x(n), shuffled(n);
    std::vector<std::uint64_t> order(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<std::uint32_t>(5 * i);
    const cl::Buffer from = on.buffer(x), to = on.buffer(shuffled), indices = on.buffer(order);
    const clwave::view<std::uint32_t> in{from, n};
    clwave::shuffle(on.queue, in, clwave::view<std::uint32_t>{to, n}, n).wait();
    clwave::random_permutation(on.queue, clwave::view<std::uint64_t>{indices, n}, n).wait();
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * 4, shuffled.data());
    on.queue.enqueueReadBuffer(indices, CL_TRUE, 0, n * 8, order.data());
    bool right = true;
    for (std::size_t i = 0; i < n; ++i) right &= order[i] < n && shuffled[i] == 5 * order[i];
    std::ranges::sort(order);
    for (std::size_t i = 0; i < n; ++i) right &= order[i] == i;
    check(right, "shuffle", n);
  }
}

const registered listed("random", {{.parts = {{"random", numbers}, {"shuffle", orders}}, .programs = {}}});

}  // namespace
}  // namespace races::runs_of_random
