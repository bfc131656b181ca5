// What the tests of sorts share: calls held against std::stable_sort.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/plan.hpp>
#include <clwave/sort.hpp>

#include "families/ordered_keys.hpp"
#include "families/selections.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/given.hpp"

namespace testing {

template <class T>
void check_keys(const fixture& on, const std::vector<T>& keys, const sort_order& order,
                std::size_t offset = 0) {
  const std::size_t n = keys.size() - offset;
  CAPTURES(n, order.descending, order.first_bit, order.last_bit.value_or(sizeof(T) * 8),
           element_of<T>().name);
  const std::vector<T> asked(keys.begin() + static_cast<std::ptrdiff_t>(offset), keys.end());
  const std::vector<unsigned char> right = bytes_of(taken(asked, sorted_places(asked, order)));
  check_apart_and_in_place(
      on, asked, right, [&](auto in, auto out) { clwave::sort(on.queue, in, out, given(order)).wait(); },
      offset);
}

template <class T, class V>
void check_pairs(const fixture& on, const std::vector<T>& keys, const std::vector<V>& values,
                 const sort_order& order) {
  const std::size_t n = keys.size();
  CAPTURES(n, order.descending, order.first_bit, sizeof(V));
  const std::vector<u32> places = sorted_places(keys, order);
  const std::vector<unsigned char> right = bytes_of(taken(keys, places)),
                                   right_values = bytes_of(taken(values, places));
  const cl::Buffer in = on.buffer_of(keys), values_in = on.buffer_of(values);
  const guarded_buffer<T> out(on, n);
  const guarded_buffer<V> values_out(on, n);
  const view<T> k{in, n};
  const view<V> x{values_in, n};
  clwave::sort_by_key(on.queue, k, x, out.view(), values_out.view(), given(order)).wait();
  CHECK(bytes_of(out.read_guarded()) == right);
  CHECK(bytes_of(values_out.read_guarded()) == right_values);
  // The values alone in place, then both.
  const cl::Buffer both_keys = on.buffer_of(keys), both_values = on.buffer_of(values);
  const view<V> y{both_values, n};
  clwave::sort_by_key(on.queue, k, x, out.view(), x, given(order)).wait();
  CHECK(bytes_of(on.read<V>(values_in, n)) == right_values);
  clwave::sort_by_key(on.queue, view<T>{both_keys, n}, y, view<T>{both_keys, n}, y, given(order)).wait();
  CHECK(bytes_of(on.read<T>(both_keys, n)) == right);
  CHECK(bytes_of(on.read<V>(both_values, n)) == right_values);
}

template <class Index, class T>
void check_indices(const fixture& on, const std::vector<T>& keys, const sort_order& order) {
  const std::size_t n = keys.size();
  CAPTURE(n);
  const std::vector<u32> places = sorted_places(keys, order);
  const cl::Buffer in = on.buffer_of(keys);
  const guarded_buffer<Index> indices(on, n);
  clwave::argsort(on.queue, view<const T>{in, n}, indices.view(), given(order)).wait();
  CHECK(indices.read_guarded() == std::vector<Index>(places.begin(), places.end()));
  CHECK(bytes_of(on.read<T>(in, n)) == bytes_of(keys));
}

// What one tile of the default device takes, and sizes around that, and more.
inline std::vector<std::size_t> sizes_around(std::size_t tile) {
  return {0, 1, 2, 31, 33, tile - 1, tile, tile + 1, 2 * tile, 3 * tile + 17};
}

// How many keys go into one launch.
inline std::size_t keys_of_one_launch(const fixture& on, const element& key) {
  const clwave::plan_target target = on.target();
  std::size_t n = 1;
  for (std::size_t step = std::size_t{1} << 20; step > 0; step /= 2) {
    const auto kernels = plan(clwave::sort_problem{.keys = {key, n + step}, .keys_out = key}, target).kernels;
    if (kernels.size() == 1) n += step;
  }
  return n;
}

}  // namespace testing
