// The indices and elements of the rows of gather, on the host and for CUDA's peers. The kernels of
// rows/gather.cpp make the same.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define CLWAVE_ON_BOTH __host__ __device__
#else
#define CLWAVE_ON_BOTH
#endif

namespace clwave::tool::bench {

// Of n indices, a power of two from 2 to 2^32.
inline unsigned bits_of_indices(std::uint64_t n) {
  unsigned bits = 0;
  while ((std::uint64_t{1} << bits) < n) ++bits;
  return bits;
}

// Where index i points: near i, or by a permutation of all numbers of so many bits. Each of its steps can be
// undone: a product with an odd number, and an exclusive or with the upper half of the bits.
CLWAVE_ON_BOTH inline std::uint32_t index_of(std::uint32_t i, unsigned bits, bool near) {
  const std::uint32_t mask = bits == 32 ? 0xffffffffu : (1u << bits) - 1;
  if (near) return i ^ ((i * 0x9e3779b1u) >> 29 & mask);
  std::uint32_t x = i;
  for (std::uint32_t round = 0; round < 3; ++round) {
    x = (x * 0x9e3779b1u + round) & mask;
    x ^= x >> ((bits + 1) / 2);
  }
  return x;
}

CLWAVE_ON_BOTH inline std::uint32_t word_of_element(std::uint32_t element) { return element * 0x85ebca6bu; }

}  // namespace clwave::tool::bench
