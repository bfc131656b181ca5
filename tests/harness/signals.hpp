// Signals as they were before a driver was loaded: PoCL installs a handler of SIGFPE that lets a division by
// zero in the library go on, and what a driver's handler hides no test sees.
#pragma once

#include <csignal>
#include <cstddef>
#include <iterator>
#include <vector>

#include <CL/cl.h>

namespace testing {

// Loads the drivers, and puts back what was done on a crash's signals before that: the default, or what a
// sanitizer set up. First thing in `main`.
inline void load_drivers_without_their_signal_handlers() {
#if !defined(_WIN32)  // which has no signals that a driver could take
  constexpr int crashes[] = {SIGFPE, SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGTRAP};
  struct sigaction before[std::size(crashes)] = {};
  for (std::size_t k = 0; k < std::size(crashes); ++k) sigaction(crashes[k], nullptr, &before[k]);
  // Not by the library, whose own discovery is tested too.
  cl_uint n_platforms = 0;
  if (clGetPlatformIDs(0, nullptr, &n_platforms) == CL_SUCCESS && n_platforms > 0) {
    std::vector<cl_platform_id> platforms(n_platforms);
    clGetPlatformIDs(n_platforms, platforms.data(), nullptr);
    for (const cl_platform_id each : platforms) {
      cl_uint n_devices = 0;
      clGetDeviceIDs(each, CL_DEVICE_TYPE_ALL, 0, nullptr, &n_devices);
    }
  }
  for (std::size_t k = 0; k < std::size(crashes); ++k) sigaction(crashes[k], &before[k], nullptr);
#endif
}

}  // namespace testing
