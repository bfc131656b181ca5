// The one file that is compiled with the commit's name and the build's type.
#include "shared/version.hpp"

#include <clwave/version.hpp>

namespace clwave::tool {
namespace {

std::string compiler() {
#if defined(__clang__)
  return "Clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__) + "." +
         std::to_string(__clang_patchlevel__);
#elif defined(__GNUC__)
  return "GCC " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) + "." +
         std::to_string(__GNUC_PATCHLEVEL__);
#else
  return "an unknown compiler";
#endif
}

}  // namespace

std::string commit() { return CLWAVE_COMMIT; }

std::string build_options() {
  const std::string type = CLWAVE_BUILD_TYPE;
  std::string options = (type.empty() ? "no build type" : type) + ", " + compiler();
#ifdef __SANITIZE_ADDRESS__
  options += ", address sanitizer";
#endif
#ifdef __SANITIZE_THREAD__
  options += ", thread sanitizer";
#endif
  return options;
}

std::string version_text() {
  return std::string(CLWAVE_VERSION_STRING) + "\ncommit " + commit() + "\nbuild " + build_options();
}

}  // namespace clwave::tool
