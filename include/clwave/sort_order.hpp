/// @file
/// Orders of numbers: those of sorts by their bits, and of all calls on sorted ranges of numbers.
#pragma once

#include <optional>

namespace clwave {

/// In which order a sort brings its keys, and in which order a sorted range has them.
struct sort_order {
  bool descending = false;  ///< the largest key first
  /// Keys are compared by the bits from `first_bit` to before `last_bit` alone, counted from the lowest one;
  /// keys that are equal in these keep their order. The bits are those of a number without a sign that has
  /// the key's order: of integers with a sign the highest bit is inverted, of floats below 0 all bits, of
  /// others the highest; a NaN's are all 1. No bits at all: nothing changes its place.
  unsigned first_bit = 0;
  std::optional<unsigned> last_bit = {};  ///< nothing: all bits of the key
};

}  // namespace clwave
