// std::reduce and its like under std::execution::unseq: compiled alone, with -O3 -march=native.
#include <execution>
#include <functional>
#include <numeric>

#include "bench/peers/loops.hpp"

namespace clwave::tool::bench::unseq {
namespace {
constexpr auto& policy = std::execution::unseq;
}

float sum(const float* x, std::size_t n) { return std::reduce(policy, x, x + n, 0.0f); }
double sum(const double* x, std::size_t n) { return std::reduce(policy, x, x + n, 0.0); }

std::int32_t sum(const std::int32_t* x, std::size_t n) {
  // Signed integers may not wrap in C++.
  const auto as_unsigned = [](std::int32_t v) { return static_cast<std::uint32_t>(v); };
  return static_cast<std::int32_t>(
      std::transform_reduce(policy, x, x + n, std::uint32_t{0}, std::plus<>(), as_unsigned));
}

std::uint32_t sum(const std::uint8_t* x, std::size_t n) {
  return std::reduce(policy, x, x + n, std::uint32_t{0});
}

float largest(const float* x, std::size_t n) {
  return std::reduce(policy, x, x + n, x[0], [](float a, float b) { return a > b ? a : b; });
}

float dot(const float* x, const float* y, std::size_t n) {
  return std::transform_reduce(policy, x, x + n, y, 0.0f);
}

}  // namespace clwave::tool::bench::unseq
