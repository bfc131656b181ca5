// The hash that the random elements of the pools are made of: of element i and a seed. Its mixing function is
// lowbias32 of C. Wellons' hash-prospector. For C++20 and for CUDA's compiler; data.cpp has the same in
// OpenCL C.
#pragma once

#include <cstdint>

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

}  // namespace clwave::tool::bench

#undef CLWAVE_BENCH_ANYWHERE
