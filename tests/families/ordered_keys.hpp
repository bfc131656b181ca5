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
  u32 key, words[31];
};
struct largest_value {
  u64 words[16];
};

}  // namespace testing

CLWAVE_STRUCTURE(testing::largest_key, "largest_key", "typedef struct { uint key, words[31]; } largest_key;")
CLWAVE_STRUCTURE(testing::largest_value, "largest_value",
                 "typedef struct { ulong words[16]; } largest_value;")

namespace testing {

template <class T>
constexpr bool is_16_bits = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

inline u64 bits_of(u64 value, unsigned size) {
  return size == 8 ? value : value & ((u64{1} << size * 8) - 1);
}

template <class T>
u64 raw_bits(T value) {
  u64 bits = 0;
  std::memcpy(&bits, &value, sizeof value);  // of little-endian hosts
  return bits;
}

template <class T>
u64 ordered(T value, bool descending) {
  const unsigned width = sizeof(T) * 8;
  u64 bits = raw_bits(value);
  if constexpr (std::is_floating_point_v<T> || is_16_bits<T>) {
    bool nan;
    if constexpr (is_16_bits<T>) {
      const float number = static_cast<float>(value);
      nan = number != number;
    } else {
      nan = value != value;
    }
    const bool negative = (bits >> (width - 1) & 1) != 0;
    bits = nan ? ~u64{0} : negative ? ~bits : bits ^ (u64{1} << (width - 1));
  } else if constexpr (std::is_signed_v<T>) {
    bits ^= u64{1} << (width - 1);
  }
  return bits_of(descending ? ~bits : bits, sizeof(T));
}

// Where in the input the sorted keys lie.
template <class T>
std::vector<u32> sorted_places(const std::vector<T>& keys, const sort_order& order) {
  const unsigned width = sizeof(T) * 8, last = order.last_bit.value_or(width);
  std::vector<u64> numbers(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const u64 bits = ordered<T>(keys[i], order.descending);
    const unsigned count = last - order.first_bit;
    numbers[i] = count == 0 ? 0 : bits >> order.first_bit & (count == 64 ? ~u64{0} : (u64{1} << count) - 1);
  }
  std::vector<u32> places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return numbers[a] < numbers[b]; });
  return places;
}

template <class T>
std::vector<T> taken(const std::vector<T>& from, const std::vector<u32>& places) {
  std::vector<T> all(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) all[i] = from[places[i]];
  return all;
}

template <class T>
T from_bits(u64 bits) {
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
  return value;
}

// Keys of any bits; of floats among them NaNs of both signs, infinities, zeros and denormals.
template <class T>
std::vector<T> any_keys(random_engine& random, std::size_t n) {
  constexpr unsigned width = sizeof(T) * 8;
  u64 infinity = 0;
  if constexpr (std::is_same_v<T, half>) infinity = 0x7c00;
  if constexpr (std::is_same_v<T, bfloat16>) infinity = 0x7f80;
  if constexpr (std::is_floating_point_v<T>) infinity = raw_bits(std::numeric_limits<T>::infinity());
  std::vector<T> keys(n);
  for (T& key : keys) {
    u64 bits = random();
    if (infinity != 0 && bits >> 60 < 4) {
      const u64 sign = bits & (u64{1} << (width - 1));
      const u64 special[] = {0, infinity, infinity + 1 + bits % 99, 1 + bits % 3};
      bits = sign | special[bits >> 40 & 3];
    }
    key = from_bits<T>(bits_of(bits, sizeof(T)));
  }
  return keys;
}

// Numbers in the shapes that break sorts.
inline std::vector<u32> shaped_keys(random_engine& random, std::size_t n, unsigned shape) {
  std::vector<u32> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<u32>(i), m = static_cast<u32>(n);
    const auto r = static_cast<u32>(random());
    const u32 shapes[] = {k,                                // sorted
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
