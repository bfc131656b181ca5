// Options for the quickest run (quick.hpp): PoCL, which is slow to optimise, then builds all programs without
// optimisation. In every other run they are built as users' are.
#pragma once

#include <string>
#include <string_view>

#include <CL/cl.h>

#include "harness/quick.hpp"

namespace testing {

inline constexpr std::string_view not_optimised = "-cl-opt-disable";

inline bool is_pocl(cl_device_id device) {
  cl_platform_id platform = nullptr;
  char name[64] = {};
  return clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(cl_platform_id), static_cast<void*>(&platform),
                         nullptr) == CL_SUCCESS &&
         clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, nullptr) == CL_SUCCESS &&
         std::string_view(name) == "Portable Computing Language";
}

inline std::string options_unoptimised(const char* options, cl_uint n_devices, const cl_device_id* devices) {
  std::string all = options != nullptr ? options : "";
  if (quickest() && n_devices == 1 && is_pocl(*devices) && all.find(not_optimised) == std::string::npos)
    all.append(" ").append(not_optimised);
  return all;
}

}  // namespace testing
