// What the tests of merges share: calls held against std::merge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/merge.hpp>

#include "families/selections.hpp"
#include "families/sorted_ranges.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/given.hpp"
#include "harness/reference.hpp"

namespace testing {

// Two ranges, in their order, with guards around what they are merged into; they begin some elements into
// their buffers.
template <class T, class Less, class Call>
void check_merge(const fixture& on, const std::vector<T>& a, const std::vector<T>& b, const Less& less,
                 const Call& call) {
  CAPTURES(a.size(), b.size(), element_of<T>().name);
  std::vector<T> right(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), right.begin(), less);
  std::vector<T> shifted(3);
  shifted.insert(shifted.end(), b.begin(), b.end());
  const cl::Buffer a_buffer = on.buffer_of(a), b_buffer = on.buffer_of(shifted);
  const guarded_buffer<T> out(on, right.size());
  call(view<const T>{a_buffer, a.size()}, view<const T>{b_buffer, b.size(), 3}, out.view());
  CHECK(bytes_of(out.read_guarded()) == bytes_of(right));
}

// Numbers, sorted here.
template <class T>
void check_numbers(const fixture& on, std::vector<T> a, std::vector<T> b, const sort_order& order = {}) {
  CAPTURES(order.descending, order.first_bit);
  const auto less = by_order<T>(order);
  check_merge(on, sorted(std::move(a), less), sorted(std::move(b), less), less,
              [&](auto x, auto y, auto out) { clwave::merge(on.queue, x, y, out, given(order)).wait(); });
}

// Keys with values that are all different.
template <class K, class V, class Less, class Call>
void check_merge_pairs(const fixture& on, const std::vector<K>& a, const std::vector<K>& b,
                       const std::vector<V>& values, const Less& less, const Call& call) {
  CAPTURES(a.size(), b.size(), sizeof(V));
  const std::size_t n = a.size() + b.size();
  std::vector<std::pair<K, std::size_t>> first, second, all(n);
  for (std::size_t i = 0; i < a.size(); ++i) first.push_back({a[i], i});
  for (std::size_t i = 0; i < b.size(); ++i) second.push_back({b[i], a.size() + i});
  std::merge(first.begin(), first.end(), second.begin(), second.end(), all.begin(),
             [&](const auto& x, const auto& y) { return less(x.first, y.first); });
  std::vector<K> keys;
  std::vector<V> right;
  for (const auto& [key, place] : all) {
    keys.push_back(key);
    right.push_back(values[place]);
  }
  const cl::Buffer a_keys = on.buffer_of(a), b_keys = on.buffer_of(b), both_values = on.buffer_of(values);
  const guarded_buffer<K> keys_out(on, n);
  const guarded_buffer<V> values_out(on, n);
  call(view<K>{a_keys, a.size()}, view<V>{both_values, a.size()}, view<K>{b_keys, b.size()},
       view<V>{both_values, b.size(), a.size()}, keys_out.view(), values_out.view());
  CHECK(bytes_of(keys_out.read_guarded()) == bytes_of(keys));
  CHECK(bytes_of(values_out.read_guarded()) == bytes_of(right));
}

// How many elements one launch takes: a tile of a GPU. Of a CPU, which has no tiles, some.
inline std::size_t tile_of_merge(const fixture& on, const element& key, const clwave::op* less = nullptr) {
  const clwave::plan_target target = on.target();
  constexpr u64 many = 1 << 24;
  const auto kernels =
      plan(clwave::merge_problem{.a = {key, many}, .b = key, .out = key, .less = less}, target).kernels;
  return kernels.size() == 1 ? 4096 : many / kernels.back().groups;
}

}  // namespace testing
