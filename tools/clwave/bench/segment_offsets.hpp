// The segments that rows of segmented_reduce have, by the name of their shape. For C++20 and for CUDA's
// compiler.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hash.hpp"

namespace clwave::tool::bench {

// "1048576x16": so many segments of so many elements. "power-law-262144": so many whose lengths follow a
// power law. Half of them have one element or none; where lengths are 8 times as large, segments are 4 times
// as rare, up to lengths of 4 million.
inline std::vector<std::uint32_t> segment_offsets(const std::string& shape) {
  const bool alike = shape.find('x') != std::string::npos;
  const std::uint64_t segments = std::stoull(alike ? shape : shape.substr(shape.rfind('-') + 1));
  const std::uint64_t columns = alike ? std::stoull(shape.substr(shape.find('x') + 1)) : 0;
  std::vector<std::uint32_t> offsets{0};
  for (std::uint64_t s = 0; s < segments; ++s) {
    std::uint64_t length = columns;
    if (!alike) {
      const std::uint32_t rare = hash(s, 0x2545f491u) | 1u << 14;
      unsigned k = 0;
      while ((rare >> k & 1) == 0) ++k;
      length = hash(s, 0x6c078965u) % (2u << (k + k / 2));
    }
    offsets.push_back(offsets.back() + static_cast<std::uint32_t>(length));
  }
  return offsets;
}

}  // namespace clwave::tool::bench
