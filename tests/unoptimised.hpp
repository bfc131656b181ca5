// Options for PoCL to build programs of emulated lanes without optimisation. It takes up to a minute to
// optimise one, five times as long as all else, and nobody runs them there but tests. Every other program is
// built as its options say, unless the run is to be the quickest (quick.hpp).
#pragma once

#include <string>
#include <string_view>

#include <CL/cl.h>

#include "quick.hpp"

namespace testing {

inline constexpr std::string_view not_optimised = " -cl-opt-disable";

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
  const bool slow = quickest() || all.find("-DEMULATE_LANES=1") != std::string::npos;
  if (slow && n_devices == 1 && is_pocl(*devices)) all += not_optimised;
  return all;
}

}  // namespace testing
