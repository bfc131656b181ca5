// Which of OpenCL's functions the library calls, as its archive says. For programs that define some of them
// themselves. The build gives CLWAVE_NM and CLWAVE_LIBRARY.
#pragma once

#include <cctype>
#include <cstdio>
#include <set>
#include <stdexcept>
#include <string>

namespace testing {

inline std::set<std::string> opencl_calls_of_library() {
  FILE* const symbols = popen("'" CLWAVE_NM "' -u '" CLWAVE_LIBRARY "'", "r");  // NOLINT(cert-env33-c)
  if (symbols == nullptr) throw std::runtime_error("no nm");
  std::set<std::string> names;
  char line[512];
  while (std::fgets(line, sizeof line, symbols) != nullptr) {
    std::string name = line;
    name = name.substr(name.find_last_of(' ') + 1);
    name = name.substr(0, name.find_first_of("@\n"));
    if (name.size() > 2 && name.starts_with("cl") && std::isupper(static_cast<unsigned char>(name[2])) != 0)
      names.insert(name);
  }
  if (pclose(symbols) != 0 || names.size() <= 20)
    throw std::runtime_error("nm does not tell what the library calls");
  return names;
}

}  // namespace testing
