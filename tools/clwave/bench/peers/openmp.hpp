// OpenMP and the standard library as peers on a CPU: their loops, and what stands for them where one is not
// there.
#pragma once

#include "bench/bench.hpp"
#include "bench/peers/loops.hpp"

namespace clwave::tool::bench {

inline contender without_openmp() { return skipped("OpenMP was not found when clwave was configured"); }
inline contender without_unseq() {
  return skipped("the standard library had no std::execution::unseq when clwave was configured");
}

}  // namespace clwave::tool::bench
