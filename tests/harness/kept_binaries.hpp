// Programs' binaries kept on disk, whatever driver the tests run on.
#pragma once

#include "program/program.hpp"

namespace testing {

// As long as it lives, also those of a driver that keeps its own (PoCL).
struct kept_binaries {
  kept_binaries() { clwave::detail::keep_all_binaries(true); }
  ~kept_binaries() { clwave::detail::keep_all_binaries(false); }
  kept_binaries(const kept_binaries&) = delete;
  kept_binaries& operator=(const kept_binaries&) = delete;
};

}  // namespace testing
