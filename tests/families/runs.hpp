// What the tests of calls by key share: runs of equal neighbouring keys, and a value for each key.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <clwave/plan.hpp>

#include "harness/devices.hpp"
#include "harness/reference.hpp"

namespace testing {

// Keys and values in buffers that begin so many elements before them.
template <class Key, class T>
struct keyed_values {
  std::vector<Key> keys;
  std::vector<T> values;
  std::size_t first_key = 0, first_value = 0;

  std::size_t n() const { return keys.size() - first_key; }
  const T* value(std::size_t i) const { return values.data() + first_value + i; }
};

// Where runs begin, of those that are wanted, and behind them the number of elements.
template <class Key>
std::vector<std::size_t> borders_of(const Key* keys, std::size_t n) {
  std::vector<std::size_t> borders;
  for (std::size_t i = 0; i < n; ++i)
    if (i == 0 || !(keys[i - 1] == keys[i])) borders.push_back(i);
  borders.push_back(n);
  return borders;
}

// Keys of runs of these lengths, and random values for them.
template <class Key, class T>
keyed_values<Key, T> with_lengths(reference::random_engine& random, const std::vector<std::size_t>& lengths,
                                  std::size_t first_key = 0, std::size_t first_value = 0,
                                  reference::spice with = reference::spice::nans) {
  keyed_values<Key, T> all{std::vector<Key>(first_key, Key{9}), {}, first_key, first_value};
  std::size_t runs = 0;
  for (const std::size_t length : lengths) {
    if (length == 0) continue;
    const auto key = static_cast<Key>(runs++ % 7);
    all.keys.insert(all.keys.end(), length, key);
  }
  all.values = reference::random_values<T>(random, first_value + all.n(), with);
  return all;
}

// Lengths of all kinds side by side, n elements together.
inline std::vector<std::size_t> random_run_lengths(reference::random_engine& random, std::size_t n,
                                                   std::size_t most) {
  std::vector<std::size_t> lengths;
  for (std::size_t sum = 0; sum < n;) {
    std::size_t length = 1;
    switch (random.below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
      case 5:
        break;
      case 6:
      case 7:
      case 8:
      case 9:
      case 10:
        length = 1 + random.below(18);
        break;
      case 11:
      case 12:
        length = 4 * (1 + random.below(30));
        break;
      case 13:
      case 14:
        length = 1 + random.below(std::min<std::size_t>(300, most));
        break;
      default:
        length = 1 + random.below(random.below(4) == 0 ? most : most / 8 + 1);
    }
    length = std::min(length, n - sum);
    lengths.push_back(length);
    sum += length;
  }
  return lengths;
}

// The keys of a group's tile, which depend on the device's local memory, too.
template <class Problem>
std::size_t keys_of_tile(const fixture& on, Problem asked) {
  const clwave::plan_target target = on.target();
  const auto is_one_tile = [&](std::size_t n) {
    asked.keys.n = asked.values.n = n;
    const auto kernels = plan(asked, target).kernels;
    const auto found = std::ranges::find_if(
        kernels, [](const planned_kernel& each) { return each.name.starts_with("select_"); });
    return found != kernels.end() && found->groups == 1;
  };
  std::size_t n = 1;
  for (std::size_t step = std::size_t{1} << 20; step > 0; step /= 2)
    if (is_one_tile(n + step)) n += step;
  return n;
}

}  // namespace testing
