// A folder for the library's cache on disk, and the files in it.
#pragma once

#include <filesystem>
#include <vector>

#include <doctest/doctest.h>

#include "harness/environment.hpp"
#include "harness/files.hpp"

namespace testing {

// A cache directory that does not exist yet, in one that goes with it.
struct empty_cache {
  temporary_folder parent;
  std::filesystem::path path = parent.path() / "cache";
  environment variable{"CLWAVE_CACHE_DIR", path.string()};

  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    if (std::filesystem::is_directory(path))
      for (const auto& item : std::filesystem::directory_iterator(path)) found.push_back(item.path());
    return found;
  }
  std::filesystem::path only_file() const {
    const auto found = files();
    REQUIRE(found.size() == 1);
    return found.front();
  }
};

}  // namespace testing
