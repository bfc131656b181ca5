// Between the library and the loader: clBuildProgram with the options of unoptimised.hpp.
#include "harness/unoptimised.hpp"

#if defined(_WIN32)
#include "base/windows_api.hpp"
#else
#include <dlfcn.h>
#endif

// The loader's own clBuildProgram.
static auto loaders_build_program() {
#if defined(_WIN32)
  void* found = reinterpret_cast<void*>(GetProcAddress(GetModuleHandleA("OpenCL.dll"), "clBuildProgram"));
#else
  void* found = dlsym(RTLD_NEXT, "clBuildProgram");
#endif
  return reinterpret_cast<decltype(&clBuildProgram)>(found);
}

extern "C" CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint n_devices,
                                                          const cl_device_id* devices, const char* options,
                                                          void(CL_CALLBACK* notify)(cl_program, void*),
                                                          void* data) {
  static const auto loaders = loaders_build_program();
  if (loaders == nullptr) return CL_INVALID_OPERATION;
  return loaders(program, n_devices, devices,
                 testing::options_unoptimised(options, n_devices, devices).c_str(), notify, data);
}
