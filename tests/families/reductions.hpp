// What the tests of reductions share: an operator that shows in which order it was applied, and NaNs.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <clwave/reduce.hpp>

#include "harness/devices.hpp"
#include "harness/reference.hpp"

// The map x -> scale * x + shift of 32-bit words. Composition is exact and does not commute.
struct affine {
  std::uint32_t scale, shift;
  bool operator==(const affine&) const = default;
};
CLWAVE_STRUCTURE(affine, "affine", "typedef struct { uint scale, shift; } affine;")

namespace testing {

// What the tests name without saying where it is from.
using reference::host_fold;
using reference::wrapping_plus;

// a first, then b.
inline const clwave::op then{.name = "then",
                             .source = "(affine){a.scale * b.scale, a.shift * b.scale + b.shift}",
                             .identity = "(affine){1, 0}",
                             .commutative = false};

inline affine compose(affine a, affine b) { return {a.scale * b.scale, a.shift * b.scale + b.shift}; }

// No scale is even: a product of even numbers ends at 0, and shows no order.
inline std::vector<affine> random_affines(reference::random_engine& random, std::size_t n) {
  std::vector<affine> values(n);
  for (affine& value : values) value = {static_cast<u32>(random()) | 1u, static_cast<u32>(random())};
  return values;
}

template <class T>
T quiet_nan(u64 payload, bool negative = false) {
  if constexpr (sizeof(T) == 4) {
    return std::bit_cast<float>(static_cast<u32>(0x7fc00000u | payload | (negative ? 1u << 31 : 0u)));
  } else {
    return std::bit_cast<double>(u64{0x7ff8} << 48 | payload | u64{negative} << 63);
  }
}

}  // namespace testing
