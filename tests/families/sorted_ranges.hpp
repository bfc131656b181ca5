// What the tests of sorted ranges share: the orders of numbers and of structures, and ranges in them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <clwave/op.hpp>

#include "families/ordered_keys.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"

namespace testing {

// Whether a case takes the next one of its types, each of which has programs of its own: all of them, or one
// of eight where the run is quick, others each time.
inline bool takes_type() {
  static sample types(8);
  return types.takes_next();
}

// Rows for what differs between them: always one of a GPU at least, whose code no other case runs on a CPU.
inline std::vector<const char*> some_rows() {
  std::vector<const char*> rows = some_of({"sm_90", "gfx90a", "gen9"});
  if (sample(2).takes_next()) rows.push_back("cpu");
  return rows;
}

// The order of sort_order, for std's algorithms.
template <class T>
auto by_order(const sort_order& order) {
  const unsigned width = sizeof(T) * 8, count = order.last_bit.value_or(width) - order.first_bit;
  const u64 mask = count == 64 ? ~u64{0} : (u64{1} << count) - 1;
  return [order, count, mask](const T& a, const T& b) {
    if (count == 0) return false;
    const auto number = [&](const T& x) { return ordered<T>(x, order.descending) >> order.first_bit & mask; };
    return number(a) < number(b);
  };
}

inline constexpr auto by_key = [](const auto& a, const auto& b) { return a.key < b.key; };
inline const clwave::op by_key_text{.name = "by key", .source = "a.key < b.key", .identity = {}};

template <class T, class Less>
std::vector<T> sorted(std::vector<T> values, const Less& less) {
  std::stable_sort(values.begin(), values.end(), less);
  return values;
}

// Structures whose keys are few, and which tell where they come from.
template <class T>
std::vector<T> keyed_ones(random_engine& random, std::size_t n, std::size_t keys) {
  std::vector<T> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    all[i] = {};
    all[i].key = static_cast<decltype(T::key)>(random.below(keys));
    all[i].words[0] = static_cast<u32>(random());
    all[i].words[1] = static_cast<u32>(i);
  }
  return sorted(std::move(all), by_key);
}

}  // namespace testing
