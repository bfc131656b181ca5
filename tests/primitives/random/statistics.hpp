// How far counts are from those that are expected.
#pragma once

#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace random_statistics {

// Pearson's chi squared of counts, as standard deviations of the normal distribution (Wilson and Hilferty,
// 1931). `shares` sum up to 1; without them all counts are expected to be alike.
inline double deviates(const std::vector<double>& counts, const std::vector<double>& shares = {}) {
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double freedom = static_cast<double>(counts.size()) - 1;
  double squares = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const double expected = all * (shares.empty() ? 1 / (freedom + 1) : shares[k]);
    squares += (counts[k] - expected) * (counts[k] - expected) / expected;
  }
  const double spread = 2 / (9 * freedom);
  return std::fabs(std::cbrt(squares / freedom) - (1 - spread)) / std::sqrt(spread);
}

}  // namespace random_statistics
