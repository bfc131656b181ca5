// The sorted ranges that rows of merges, searches and set operations have. For C++20 and for CUDA's compiler;
// the same in OpenCL C is sorted_source.
#pragma once

#include <cstdint>
#include <string>

#include "hash.hpp"

namespace clwave::tool::bench {

// Number i of a range: it lies between `step` * i and before `step` * (i + 1), anywhere there.
CLWAVE_BENCH_ANYWHERE inline std::int32_t sorted_number(std::uint64_t i, std::uint32_t seed,
                                                        std::uint32_t step) {
  return static_cast<std::int32_t>(i * step + hash(i, seed) % step);
}

#ifndef __CUDACC__
// The kernel of a range: `key` is defined before it. Ranges follow each other at `stride` elements.
inline const std::string sorted_source = std::string(hash_source) + R"(
kernel void make_sorted(global key* out, ulong n, ulong stride, uint seed, uint step) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
    out[i] = (key)(int)(i % stride * step + hash(i % stride, seed) % step);
}
)";
#endif

}  // namespace clwave::tool::bench
