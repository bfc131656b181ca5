// The one way in which environment variables are read.
#pragma once

#include <cstdlib>

namespace clwave::detail {

// The variable's value, or null. An empty variable counts as unset: scripts clear variables so.
inline const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace clwave::detail
