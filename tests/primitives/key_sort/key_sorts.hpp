// What the tests of sorts by keys share: what elements are compared by, and calls held against
// std::stable_sort.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/plan.hpp>
#include <clwave/sort.hpp>

#include "families/selections.hpp"
#include "families/sorts.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/given.hpp"
#include "harness/reference.hpp"

namespace testing::keys {

// What elements are compared by, of the first key those of all elements, and so on.
using numbers = std::vector<std::vector<std::uint64_t>>;

// The bits of a key that are compared.
template <class Key>
u64 number_of(Key key, const sort_order& order) {
  const unsigned count = order.last_bit.value_or(sizeof(Key) * 8) - order.first_bit;
  if (count == 0) return 0;
  return ordered(key, order.descending) >> order.first_bit & ~u64{0} >> (64 - count);
}

template <class T, class Make>
std::vector<u64> numbers_of(const std::vector<T>& elements, const Make& make, const sort_order& order = {}) {
  std::vector<u64> all;
  all.reserve(elements.size());
  for (const T& each : elements) all.push_back(number_of(make(each), order));
  return all;
}

// By all bits of a number of so many, and the other way about by some.
inline std::array<sort_order, 2> some_orders(random_engine& random, unsigned width) {
  const bool descending = random.below(2) == 0;
  const auto first = static_cast<unsigned>(random.below(width));
  const auto last = static_cast<unsigned>(first + random.below(width - first + 1));
  return {{{.descending = descending}, {.descending = !descending, .first_bit = first, .last_bit = last}}};
}

inline std::vector<u32> places_of(const numbers& keys) {
  std::vector<u32> places(keys[0].size());
  std::iota(places.begin(), places.end(), 0u);
  std::stable_sort(places.begin(), places.end(), [&](u32 a, u32 b) {
    for (const auto& each : keys)
      if (each[a] != each[b]) return each[a] < each[b];
    return false;
  });
  return places;
}

// Elements alone, apart and in place; they begin some elements into their buffer.
template <class T>
void check_sort(const fixture& on, const std::vector<T>& elements, const numbers& keys,
                const clwave::key_list& list) {
  const std::size_t n = elements.size();
  CAPTURES(n, element_of<T>().name);
  const std::vector<unsigned char> right = bytes_of(taken(elements, places_of(keys)));
  check_apart_and_in_place(on, elements, right,
                           [&](auto in, auto out) { clwave::sort(on.queue, in, out, given(list)).wait(); });
}

// With values: apart, the values alone in place, the elements alone, and both.
template <class T, class V>
void check_pairs(const fixture& on, const std::vector<T>& elements, const std::vector<V>& values,
                 const numbers& keys, const clwave::key_list& list) {
  const std::size_t n = elements.size();
  CAPTURES(n, sizeof(V));
  const std::vector<u32> places = places_of(keys);
  const auto right = bytes_of(taken(elements, places)), right_values = bytes_of(taken(values, places));
  for (const bool in_place : {false, true}) {
    for (const bool values_in_place : {false, true}) {
      CAPTURES(in_place, values_in_place);
      const cl::Buffer in = on.buffer_of(elements), values_in = on.buffer_of(values);
      const guarded_buffer<T> out(on, n);
      const guarded_buffer<V> values_out(on, n);
      const view<T> x{in, n}, to = in_place ? x : out.view();
      const view<V> y{values_in, n}, values_to = values_in_place ? y : values_out.view();
      clwave::sort_by_key(on.queue, x, y, to, values_to, given(list)).wait();
      CHECK(bytes_of(in_place ? on.read<T>(in, n) : out.read()) == right);
      CHECK(bytes_of(values_in_place ? on.read<V>(values_in, n) : values_out.read()) == right_values);
      CHECK(out.guards_intact());
      CHECK(values_out.guards_intact());
    }
  }
}

template <class Index, class T>
void check_indices(const fixture& on, const std::vector<T>& elements, const numbers& keys,
                   const clwave::key_list& list) {
  const std::size_t n = elements.size();
  CAPTURE(n);
  const std::vector<u32> places = places_of(keys);
  const cl::Buffer in = on.buffer_of(elements);
  const guarded_buffer<Index> indices(on, n);
  clwave::argsort(on.queue, view<const T>{in, n}, indices.view(), given(list)).wait();
  CHECK(indices.read_guarded() == std::vector<Index>(places.begin(), places.end()));
  CHECK(bytes_of(on.read<T>(in, n)) == bytes_of(elements));
}

// Of any bits, but few keys.
template <class T>
std::vector<T> elements_of(random_engine& random, std::size_t n, std::size_t keys) {
  std::vector<T> all = values_of<T>(random, n);
  for (T& each : all) each.key = static_cast<decltype(each.key)>(random.below(keys));
  return all;
}

// The text that makes a key of type Key of a parcel's first word, the same key on the host, and parcels that
// have any.
template <class Key>
std::string text_for() {
  if constexpr (std::is_same_v<Key, double>) return "as_double(x.words[0])";
  if constexpr (std::is_same_v<Key, float> || is_16_bits<Key>) return "as_float((uint)x.words[0])";
  return "x.words[0]";
}

template <class Key>
Key key_for(const parcel& each) {
  if constexpr (is_16_bits<Key>)
    return Key(from_bits<float>(bits_of(each.words[0], 4)));
  else
    return from_bits<Key>(bits_of(each.words[0], sizeof(Key)));
}

template <class Key>
std::vector<parcel> parcels_with(random_engine& random, std::size_t n) {
  std::vector<parcel> elements = values_of<parcel>(random, n);
  // Of 16 bits, keys that rounding brings together.
  using wide = std::conditional_t<is_16_bits<Key>, float, Key>;
  const std::vector<wide> keys = any_keys<wide>(random, n);
  for (std::size_t k = 0; k < n; ++k)
    elements[k].words[0] = raw_bits(keys[k]) | (sizeof(wide) == 8 ? 0 : random() << 32);
  return elements;
}

inline const auto key_of = [](const auto& each) { return each.key; };
inline const auto word_of = [](const auto& each) { return static_cast<u32>(each.words[0]); };

inline const auto by_cell = clwave::by<u32>({.name = "key", .source = "x.key"});

// What a GPU's group sorts in local memory, or a CPU's core in one launch, of keys of 4 bytes with indices.
inline std::size_t tile_of(const fixture& on) {
  const clwave::plan_target target = on.target();
  const element& type = element_of<person>();
  const std::array<clwave::sort_key, 1> keys{by_cell};
  std::size_t n = 1;
  for (std::size_t step = std::size_t{1} << 20; step > 0; step /= 2) {
    const auto plan =
        clwave::plan(clwave::sort_problem{.keys = {type, n + step}, .keys_out = type, .by = keys}, target);
    if (plan.kernels.size() == 3) n += step;
  }
  return n;
}

}  // namespace testing::keys
