// CLBlast as a peer: what its contenders share.
#pragma once

#include "bench/bench.hpp"

#ifdef CLWAVE_BENCH_CLBLAST
#include <clblast.h>
#endif

namespace clwave::tool::bench {

inline contender without_clblast() { return skipped("CLBlast was not found when clwave was configured"); }

#ifdef CLWAVE_BENCH_CLBLAST
inline void check_blast(clblast::StatusCode code) {
  if (code != clblast::StatusCode::kSuccess)
    throw error(failure::driver, "CLBlast failed with code " + std::to_string(static_cast<int>(code)));
}

// Its kernels count elements in ints, offsets included: past that they end the context.
inline bool too_long(const arrangement& at) { return at.places * at.stride > 0x7fffffffu; }
inline contender too_long_for_ints() { return skipped("CLBlast's kernels count in 32-bit ints"); }
#endif

}  // namespace clwave::tool::bench
