// Which rows of the table a test case takes this time.
#pragma once

#include <string>
#include <vector>

#include <clwave/profile.hpp>

#include "harness/devices.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"

namespace testing {

// A CPU's compiler takes up to a minute over each program of emulated lanes, Intel's up to three: there, one
// run of a case in four takes such a row. With PoCL a quick run that has chosen among rows before takes what
// it chose; on Intel's runtime all runs take the rows of sub-groups, which are its own. Other devices take
// all.
inline bool takes_row(const fixture& on, reference::random_engine& random, const std::string& name) {
  if (name == "cpu" || on.device.getInfo<CL_DEVICE_TYPE>() != CL_DEVICE_TYPE_CPU) return true;
  if (on.is_pocl() ? quick() : name.starts_with("gen") || name.starts_with("subgroup")) return true;
  return random.below(4) == 0;
}

// Those of the table that it takes, of one row in eight in a quick run.
inline std::vector<std::string> rows_taken(const fixture& on, reference::random_engine& random) {
  std::vector<std::string> taken;
  sample some(8);
  for (const clwave::profile& row : clwave::profiles())
    if (some.takes_next() && takes_row(on, random, std::string(row.name))) taken.emplace_back(row.name);
  return taken;
}

}  // namespace testing
