// What the tests of sorted keys share: random keys, the host's own comparison of them in the order that
// sort_order.hpp documents, and values that go with keys. Calls no primitive, so that the tests of each may
// include it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/sort_order.hpp>
#include <clwave/view.hpp>

#include "harness/devices.hpp"
#include "harness/reference.hpp"

namespace testing {

// Of the most bytes that an element has.
struct largest_key {
  std::uint32_t key, words[31];
};
struct largest_value {
  std::uint64_t words[16];
};

}  // namespace testing

CLWAVE_STRUCTURE(testing::largest_key, "largest_key", "typedef struct { uint key, words[31]; } largest_key;")
CLWAVE_STRUCTURE(testing::largest_value, "largest_value",
                 "typedef struct { ulong words[16]; } largest_value;")

namespace testing {

template <class T>
constexpr bool is_16_bits = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

inline std::uint64_t bits_of(std::uint64_t value, unsigned size) {
  return size == 8 ? value : value & ((std::uint64_t{1} << size * 8) - 1);
}

template <class T>
std::uint64_t raw_bits(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);  // of little-endian hosts
  return bits;
}

template <class T>
std::uint64_t ordered(T value, bool descending) {
  const unsigned width = sizeof(T) * 8;
  std::uint64_t bits = raw_bits(value);
  if constexpr (std::is_floating_point_v<T> || is_16_bits<T>) {
    bool nan;
    if constexpr (is_16_bits<T>) {
      const float number = static_cast<float>(value);
      nan = number != number;
    } else {
      nan = value != value;
    }
    const bool negative = (bits >> (width - 1) & 1) != 0;
    bits = nan ? ~std::uint64_t{0} : negative ? ~bits : bits ^ (std::uint64_t{1} << (width - 1));
  } else if constexpr (std::is_signed_v<T>) {
    bits ^= std::uint64_t{1} << (width - 1);
  }
  return bits_of(descending ? ~bits : bits, sizeof(T));
}

// Where in the input the sorted keys lie.
template <class T>
std::vector<std::uint32_t> sorted_places(const std::vector<T>& keys, const sort_order& order) {
  const unsigned width = sizeof(T) * 8, last = order.last_bit.value_or(width);
  std::vector<std::uint64_t> numbers(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t bits = ordered<T>(keys[i], order.descending);
    const unsigned count = last - order.first_bit;
    numbers[i] = count == 0 ? 0
                            : bits >> order.first_bit &
                                  (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1);
  }
  std::vector<std::uint32_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return numbers[a] < numbers[b]; });
  return places;
}

template <class T>
std::vector<T> taken(const std::vector<T>& from, const std::vector<std::uint32_t>& places) {
  std::vector<T> all(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) all[i] = from[places[i]];
  return all;
}

template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
  return value;
}

// Keys of any bits; of floats among them NaNs of both signs, infinities, zeros and denormals.
template <class T>
std::vector<T> any_keys(random_engine& random, std::size_t n) {
  constexpr unsigned width = sizeof(T) * 8;
  std::uint64_t infinity = 0;
  if constexpr (std::is_same_v<T, half>) infinity = 0x7c00;
  if constexpr (std::is_same_v<T, bfloat16>) infinity = 0x7f80;
  if constexpr (std::is_floating_point_v<T>) infinity = raw_bits(std::numeric_limits<T>::infinity());
  std::vector<T> keys(n);
  for (T& key : keys) {
    std::uint64_t bits = random();
    if (infinity != 0 && bits >> 60 < 4) {
      const std::uint64_t sign = bits & (std::uint64_t{1} << (width - 1));
      const std::uint64_t special[] = {0, infinity, infinity + 1 + bits % 99, 1 + bits % 3};
      bits = sign | special[bits >> 40 & 3];
    }
    key = from_bits<T>(bits_of(bits, sizeof(T)));
  }
  return keys;
}

// Numbers in the shapes that break sorts.
inline std::vector<std::uint32_t> shaped_keys(random_engine& random, std::size_t n, unsigned shape) {
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::uint32_t>(i), m = static_cast<std::uint32_t>(n);
    const auto r = static_cast<std::uint32_t>(random());
    const std::uint32_t shapes[] = {k,                                // sorted
                                    m - k,                            // reversed
                                    0x80000001,                       // equal
                                    r & 1 ? 0xffffffffu : 0u,         // of two values
                                    r & r << 7 & r >> 11 & r << 13,   // of few bits
                                    k < m / 2 ? k * 5 : (m - k) * 5,  // organ pipes
                                    k % 17,
                                    r};
    keys[i] = shapes[shape];
  }
  return keys;
}
inline constexpr unsigned shapes = 8;

template <class V>
std::vector<V> values_of(random_engine& random, std::size_t n) {
  std::vector<V> values(n);
  auto* bytes = reinterpret_cast<unsigned char*>(values.data());
  for (std::size_t i = 0; i < n * sizeof(V); ++i) bytes[i] = static_cast<unsigned char>(random());
  return values;
}

}  // namespace testing
