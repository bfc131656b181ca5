// Calls whose kernels are not those of the library.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "harness/environment.hpp"
#include "harness/files.hpp"

namespace testing {

// The kernels with texts of one part replaced: each old one by the new one beside it. Fails where an old text
// does not stand there once.
inline void with_changed_kernels(const std::string& part,
                                 const std::vector<std::pair<std::string, std::string>>& changes,
                                 const std::function<void()>& run) {
  const temporary_folder folder;
  // Those of the folder that stands for the embedded ones, where there is one: it may have a fault to find.
  if (const char* given = std::getenv("CLWAVE_KERNEL_DIR"))
    std::filesystem::copy(given, folder.path(), std::filesystem::copy_options::recursive);
  else
    write_parts(folder.path());
  std::string text = contents(folder.path() / part);
  for (const auto& [old_text, new_text] : changes) {
    const std::size_t at = text.find(old_text);
    REQUIRE(at != std::string::npos);
    REQUIRE(text.find(old_text, at + 1) == std::string::npos);
    text.replace(at, old_text.size(), new_text);
  }
  overwrite(folder.path() / part, text);
  const environment changed("CLWAVE_KERNEL_DIR", folder.path().string());
  const environment uncached("CLWAVE_CACHE_DIR", "off");
  run();
}

inline void with_changed_kernels(const std::string& part, const std::string& old_text,
                                 const std::string& new_text, const std::function<void()>& run) {
  with_changed_kernels(part, {{old_text, new_text}}, run);
}

}  // namespace testing
