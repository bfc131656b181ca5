// What measured times say: their quantiles, and whether a device that others use too has drowned them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace clwave::tool::bench {

// Between two values where it lies between them; 0 of none.
inline double quantile(std::vector<double> values, double at) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double place = at * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (values[high] - values[low]) * (place - static_cast<double>(low));
}

// The distance between the quartiles.
inline double distance_of_quartiles(const std::vector<double>& values) {
  return quantile(values, 0.75) - quantile(values, 0.25);
}

// Whether `walls`, of leads and what was enqueued behind them, say nothing of the latter: they are longer
// than `leads` alone by no more than leads differ from one another, or even shorter. So it is where other
// processes use the device, for a lead lasts until these have had their turns.
inline bool is_drowned(const std::vector<double>& walls, const std::vector<double>& leads) {
  return !leads.empty() && quantile(walls, 0.5) - quantile(leads, 0.5) <= distance_of_quartiles(leads);
}

}  // namespace clwave::tool::bench
