// The random elements of the pools, on the host. Floats are multiples of 2^-23 in [-1, 1) with all the bits
// that such have; so partial sums round, as they do in real work.
#pragma once

#include <cstdint>

#include <clwave/element.hpp>

#include "bench/hash.hpp"

namespace clwave::tool::bench {

template <class T>
struct random_of;
template <>
struct random_of<float> {
  static float at(std::uint64_t i, std::uint32_t seed) {
    return static_cast<float>(static_cast<std::int32_t>(hash(i, seed) >> 8) - (1 << 23)) * 0x1p-23f;
  }
};
template <>
struct random_of<double> {
  static double at(std::uint64_t i, std::uint32_t seed) {
    const std::uint64_t bits = std::uint64_t{hash(i, seed)} << 21 | hash(i, ~seed) >> 11;
    return static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-52 - 1.0;
  }
};
template <>
struct random_of<std::int32_t> {
  static std::int32_t at(std::uint64_t i, std::uint32_t seed) {
    return static_cast<std::int32_t>(hash(i, seed));
  }
};
template <>
struct random_of<std::uint8_t> {
  static std::uint8_t at(std::uint64_t i, std::uint32_t seed) {
    return static_cast<std::uint8_t>(hash(i, seed));
  }
};
template <>
struct random_of<half> {
  // The value, not its bits.
  static float at(std::uint64_t i, std::uint32_t seed) {
    return static_cast<float>(static_cast<std::int32_t>(hash(i, seed) >> 21) - 1024) * 0x1p-10f;
  }
};
template <>
struct random_of<bfloat16> {
  // The value, not its bits.
  static float at(std::uint64_t i, std::uint32_t seed) {
    return static_cast<float>(static_cast<std::int32_t>(hash(i, seed) >> 24) - 128) * 0x1p-7f;
  }
};

}  // namespace clwave::tool::bench
