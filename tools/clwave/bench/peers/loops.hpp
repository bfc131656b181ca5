// The CPU peers' loops. They are compiled in files of their own, with options nothing else may have, and
// so those files include nothing of clwave's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clwave::tool::bench {

// On all cores: openmp.cpp.
namespace openmp {
float sum(const float* x, std::size_t n);
double sum(const double* x, std::size_t n);
std::int32_t sum(const std::int32_t* x, std::size_t n);
std::uint32_t sum(const std::uint8_t* x, std::size_t n);
float largest(const float* x, std::size_t n);
float dot(const float* x, const float* y, std::size_t n);
// The running sums, of the elements up to each place or before it; and the running maximum.
void scan(const float* x, float* out, std::size_t n, bool exclusive);
void scan(const double* x, double* out, std::size_t n, bool exclusive);
void scan(const std::int32_t* x, std::int32_t* out, std::size_t n, bool exclusive);
void scan(const std::uint8_t* x, std::uint32_t* out, std::size_t n, bool exclusive);
void scan_largest(const std::int32_t* x, std::int32_t* out, std::size_t n);
// The sum of each row of a matrix without gaps.
void row_sums(const float* x, float* sums, std::size_t rows, std::size_t columns);
void column_sums(const float* x, float* sums, std::size_t rows, std::size_t columns);
// The sum of each segment of x, between neighbouring offsets.
void segment_sums(const float* x, const std::uint32_t* offsets, float* sums, std::size_t segments);
void segment_scans(const float* x, const std::uint32_t* offsets, float* out, std::size_t segments);
// Even bins: of all bytes, of floats in [-1, 1).
void histogram(const std::uint8_t* x, std::uint32_t* counts, std::size_t n, std::size_t bins);
void histogram(const float* x, std::uint32_t* counts, std::size_t n, std::size_t bins);
void copy(const void* from, void* to, std::size_t bytes);
void fill(float* to, float value, std::size_t n);
// c = a b, row-major, m x n by k.
void multiply(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k);
}  // namespace openmp

// On one core, by the standard library's algorithms under std::execution::unseq: std.cpp.
namespace unseq {
float sum(const float* x, std::size_t n);
double sum(const double* x, std::size_t n);
std::int32_t sum(const std::int32_t* x, std::size_t n);
std::uint32_t sum(const std::uint8_t* x, std::size_t n);
float largest(const float* x, std::size_t n);
float dot(const float* x, const float* y, std::size_t n);
void scan(const float* x, float* out, std::size_t n, bool exclusive);
void scan(const double* x, double* out, std::size_t n, bool exclusive);
void scan(const std::int32_t* x, std::int32_t* out, std::size_t n, bool exclusive);
void scan(const std::uint8_t* x, std::uint32_t* out, std::size_t n, bool exclusive);
void scan_largest(const std::int32_t* x, std::int32_t* out, std::size_t n);
}  // namespace unseq

}  // namespace clwave::tool::bench
