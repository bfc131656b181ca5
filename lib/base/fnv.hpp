// The hash FNV-1a, by Fowler, Noll and Vo, in 64 bits.
#pragma once

#include <cstdint>
#include <span>

namespace clwave::detail {

constexpr std::uint64_t fnv_basis = 0xcbf29ce484222325;

// The hash of what was hashed to `state` with these bytes behind it. A change of one byte always changes it:
// each step is a bijection of the state.
inline std::uint64_t fnv_hash(std::span<const unsigned char> bytes, std::uint64_t state = fnv_basis) {
  for (const unsigned char byte : bytes) state = (state ^ byte) * 0x100000001b3;
  return state;
}

}  // namespace clwave::detail
