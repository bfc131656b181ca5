// The kernel parts as they were when the library was built, one for each file of cl_kernels/.
#pragma once

#include <span>
#include <string_view>

namespace clwave::detail {

struct kernel_part {
  std::string_view name;  // the file's name: "reduce.cl"
  std::string_view text;  // the whole file
};

// All parts, in the order of the list in CMakeLists.txt. Written by cl_kernels/embed.cmake.
std::span<const kernel_part> embedded_kernel_parts();

}  // namespace clwave::detail
