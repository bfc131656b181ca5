// Finds out whether the environment has changed.
#include "base/environment.hpp"

#include <cstdlib>

#include "base/system.hpp"

namespace clwave::detail {
namespace {

const char* unless_empty(const char* value) { return value != nullptr && *value != '\0' ? value : nullptr; }

}  // namespace

const char* environment(const char* name) { return unless_empty(std::getenv(name)); }

call_variables variables_of_calls() {
  // As getenv() gave them: a variable may also be changed where it stands.
  thread_local call_variables found;
  thread_local environment_mark seen;
  const environment_mark now = mark_environment();
  if (now.n == 0 || now != seen) {
    found = {std::getenv("CLWAVE_PROFILE"), std::getenv("CLWAVE_KERNEL_DIR")};
    seen = now;
  }
  return {unless_empty(found.profile), unless_empty(found.kernel_folder)};
}

}  // namespace clwave::detail
