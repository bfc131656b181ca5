// The answers that clwave demo checks against: plain loops on the host.
#pragma once

#include <string>
#include <vector>

#include <clwave/element.hpp>

#include "drivers/session.hpp"

namespace clwave::tool {

// Elements in host memory, as a file has them.
struct host_elements {
  const element* type = nullptr;
  std::uint64_t n = 0;
  std::vector<unsigned char> bytes;
};

// Whether a device's sum, min or max ("sum", "min", "max") is right: integers, min and max in every
// bit; a float sum within the error that its fold order can make. Empty if right, else what was expected.
std::string what_is_wrong(const host_elements& x, const reduce_meaning& meaning, const timed_value& got);

}  // namespace clwave::tool
