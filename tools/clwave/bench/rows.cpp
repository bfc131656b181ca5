// All rows, and what their files share.
#include <algorithm>
#include <cmath>

#include "bench/bench.hpp"

namespace clwave::tool::bench {

std::vector<row_file> all_rows() { return registered_rows::in_order(CLWAVE_BENCH_ROWS); }

contender skipped(std::string why) { return {.skip = std::move(why)}; }

contender host_contender(double bytes) {
  return {.bytes = bytes, .finish = [] {}, .on_device = false};
}

std::uint64_t side_of(std::uint64_t n) {
  const auto side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(n)));
  return std::max<std::uint64_t>(side < 128 ? side : side / 64 * 64, 1);
}

}  // namespace clwave::tool::bench
