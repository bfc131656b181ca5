// OpenMP as a peer: its loops, and what stands for them where there is no OpenMP.
#pragma once

#include "bench/bench.hpp"
#include "bench/peers/loops.hpp"

namespace clwave::tool::bench {

inline contender without_openmp() { return skipped("OpenMP was not found when clwave was configured"); }

}  // namespace clwave::tool::bench
