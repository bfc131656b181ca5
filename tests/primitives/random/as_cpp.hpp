// Parts of the kernels as C++, so that the host's compiler makes the numbers once more.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace random_as_cpp {

using uint = std::uint32_t;
using ulong = std::uint64_t;

inline uint as_uint(float x) { return std::bit_cast<uint>(x); }
inline float as_float(uint x) { return std::bit_cast<float>(x); }
inline ulong as_ulong(double x) { return std::bit_cast<ulong>(x); }
inline double as_double(ulong x) { return std::bit_cast<double>(x); }
inline float convert_float_rte(uint x) { return static_cast<float>(x); }
inline float fma(float a, float b, float c) { return std::fma(a, b, c); }
inline double fma(double a, double b, double c) { return std::fma(a, b, c); }
inline uint mul_hi(uint a, uint b) { return static_cast<uint>(ulong{a} * b >> 32); }

struct uint16 {
  uint s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, sa, sb, sc, sd, se, sf;
};

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

namespace single {
#define NORMAL_FLOAT
#include "../../../cl_kernels/blocks/normal.cl"
#undef NORMAL_FLOAT
}  // namespace single
namespace twice {
#define NORMAL_DOUBLE
#include "../../../cl_kernels/blocks/normal.cl"
#undef NORMAL_DOUBLE
}  // namespace twice

#define PERMUTED_INDEX ulong
#include "../../../cl_kernels/blocks/permutation.cl"

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

}  // namespace random_as_cpp
