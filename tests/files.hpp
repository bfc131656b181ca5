// Files of tests: what is in one, and the kernel parts as CLWAVE_KERNEL_DIR takes them.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "program/embedded_kernels.hpp"

namespace testing {

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
