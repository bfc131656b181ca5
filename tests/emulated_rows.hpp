// Which rows of the table a test case takes this time.
#pragma once

#include <string>

#include "devices.hpp"
#include "reference.hpp"

namespace testing {

// PoCL takes up to a minute over each program of emulated lanes: there, one run of a case in four takes such
// a row, unless the run is quick and has chosen among them before. Other devices take all.
inline bool takes_row(const fixture& on, reference::random_engine& random, const std::string& name) {
  return name == "cpu" || quick() || !on.is_pocl() || random.below(4) == 0;
}

}  // namespace testing
