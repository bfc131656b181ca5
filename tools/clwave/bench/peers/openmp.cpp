// OpenMP loops: compiled alone, with -fopenmp -O3 -march=native -ffast-math.
#include "bench/peers/loops.hpp"

#include <cstring>

#include <omp.h>

namespace clwave::tool::bench::openmp {
namespace {

template <class Acc, class T>
Acc sum_of(const T* x, std::size_t n) {
  Acc all = 0;
#pragma omp parallel for simd reduction(+ : all) schedule(static)
  for (std::size_t i = 0; i < n; ++i) all += static_cast<Acc>(x[i]);
  return all;
}

}  // namespace

float sum(const float* x, std::size_t n) { return sum_of<float>(x, n); }
double sum(const double* x, std::size_t n) { return sum_of<double>(x, n); }
std::int32_t sum(const std::int32_t* x, std::size_t n) {
  return static_cast<std::int32_t>(sum_of<std::uint32_t>(x, n));  // unsigned may wrap
}
std::uint32_t sum(const std::uint8_t* x, std::size_t n) { return sum_of<std::uint32_t>(x, n); }

float largest(const float* x, std::size_t n) {
  float all = x[0];
#pragma omp parallel for simd reduction(max : all) schedule(static)
  for (std::size_t i = 0; i < n; ++i) all = x[i] > all ? x[i] : all;
  return all;
}

float dot(const float* x, const float* y, std::size_t n) {
  float all = 0;
#pragma omp parallel for simd reduction(+ : all) schedule(static)
  for (std::size_t i = 0; i < n; ++i) all += x[i] * y[i];
  return all;
}

void copy(const void* from, void* to, std::size_t bytes) {
#pragma omp parallel
  {
    const auto pieces = static_cast<std::size_t>(omp_get_num_threads());
    const auto piece = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t first = bytes * piece / pieces / 64 * 64;
    const std::size_t end = piece + 1 == pieces ? bytes : bytes * (piece + 1) / pieces / 64 * 64;
    std::memcpy(static_cast<char*>(to) + first, static_cast<const char*>(from) + first, end - first);
  }
}

void fill(float* to, float value, std::size_t n) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < n; ++i) to[i] = value;
}

void multiply(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < m; ++i) {
    float* row = c + i * n;
    for (std::size_t j = 0; j < n; ++j) row[j] = 0;
    for (std::size_t l = 0; l < k; ++l) {
      const float x = a[i * k + l];
      const float* from = b + l * n;
#pragma omp simd
      for (std::size_t j = 0; j < n; ++j) row[j] += x * from[j];
    }
  }
}

}  // namespace clwave::tool::bench::openmp
