// Files of tests: temporary folders, what is in a file, and the kernel parts as CLWAVE_KERNEL_DIR takes them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <system_error>

#include "program/embedded_kernels.hpp"

namespace testing {

// A new empty folder, removed with all that is in it.
class temporary_folder {
 public:
  temporary_folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "clwave-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
    path_ = pattern;
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// In place, so that owner and mode stay.
inline void overwrite(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

inline void write_parts(const std::filesystem::path& folder) {
  for (const clwave::detail::kernel_part& part : clwave::detail::embedded_kernel_parts()) {
    std::filesystem::create_directories((folder / part.name).parent_path());
    overwrite(folder / part.name, std::string(part.text));
  }
}

}  // namespace testing
