// The hash that the random elements of the pools are made of: of element i and a seed. Its mixing function is
// lowbias32 of C. Wellons' hash-prospector. For C++20, for CUDA's compiler, and in OpenCL C.
#pragma once

#include <cstdint>

// A function of the host and of CUDA's devices.
#ifdef __CUDACC__
#define CLWAVE_BENCH_ANYWHERE __host__ __device__
#else
#define CLWAVE_BENCH_ANYWHERE
#endif

namespace clwave::tool::bench {

CLWAVE_BENCH_ANYWHERE inline std::uint32_t hash(std::uint64_t i, std::uint32_t seed) {
  std::uint32_t x =
      static_cast<std::uint32_t>(i) ^ (static_cast<std::uint32_t>(i >> 32) * 0x85ebca6bu) ^ seed;
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

// The i below 2^32 of which x is the hash: each of its steps can be undone.
CLWAVE_BENCH_ANYWHERE inline std::uint32_t place_of_hash(std::uint32_t x, std::uint32_t seed) {
  x ^= x >> 16;
  x *= 0x43021123u;
  x ^= x >> 15 ^ x >> 30;
  x *= 0x1d69e2a5u;
  x ^= x >> 16;
  return x ^ seed;
}

#ifndef __CUDACC__
inline constexpr const char* hash_source = R"(
uint hash(ulong i, uint seed) {
  uint x = (uint)i ^ ((uint)(i >> 32) * 0x85ebca6bu) ^ seed;
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}
)";

inline constexpr const char* place_of_hash_source = R"(
uint place_of_hash(uint x, uint seed) {
  x ^= x >> 16;
  x *= 0x43021123u;
  x ^= x >> 15 ^ x >> 30;
  x *= 0x1d69e2a5u;
  x ^= x >> 16;
  return x ^ seed;
}
)";

// Of a key: keys have the sum of it that they had before they were sorted.
inline constexpr const char* hash_of_key_source = R"(
uint mixed(int x) {
  uint h = (uint)x * 0x9e3779b1u;
  h ^= h >> 15;
  h *= 0x85ebca6bu;
  return h ^ h >> 13;
}
)";
#endif

}  // namespace clwave::tool::bench
