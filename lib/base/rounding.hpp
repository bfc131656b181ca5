// How many units something takes.
#pragma once

#include <cstdint>

namespace clwave::detail {

inline std::uint64_t blocks_of(std::uint64_t count, std::uint64_t block) {
  return count / block + (count % block != 0);
}

inline std::uint64_t round_up(std::uint64_t count, std::uint64_t unit) {
  return blocks_of(count, unit) * unit;
}

inline std::uint64_t low_bit(std::uint64_t x) { return x & -x; }

}  // namespace clwave::detail
