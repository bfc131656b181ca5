// Which clwave this is.
#pragma once

#include <string>

namespace clwave::tool {

// Three lines: the version alone, the commit, how it was built.
std::string version_text();

std::string commit();         // as git describes it; "unknown" where it was built without git
std::string build_options();  // "RelWithDebInfo, GCC 12.2.0"

}  // namespace clwave::tool
