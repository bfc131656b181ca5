// Between the library and the loader: PoCL builds programs of emulated lanes without optimisation. It takes
// up to a minute to optimise one, five times as long as all else, and nobody runs them there but tests. Every
// other program is built as its options say.
#if defined(_WIN32)
#include "base/windows_api.hpp"
#else
#include <dlfcn.h>
#endif

#include <string>
#include <string_view>

#include <CL/cl.h>

namespace {

// The loader's own clBuildProgram.
auto loaders_build_program() {
#if defined(_WIN32)
  void* found = reinterpret_cast<void*>(GetProcAddress(GetModuleHandleA("OpenCL.dll"), "clBuildProgram"));
#else
  void* found = dlsym(RTLD_NEXT, "clBuildProgram");
#endif
  return reinterpret_cast<decltype(&clBuildProgram)>(found);
}

bool is_pocl(cl_device_id device) {
  cl_platform_id platform = nullptr;
  char name[64] = {};
  return clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(cl_platform_id), static_cast<void*>(&platform),
                         nullptr) == CL_SUCCESS &&
         clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, nullptr) == CL_SUCCESS &&
         std::string_view(name) == "Portable Computing Language";
}

}  // namespace

extern "C" CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint n_devices,
                                                          const cl_device_id* devices, const char* options,
                                                          void(CL_CALLBACK* notify)(cl_program, void*),
                                                          void* data) {
  static const auto loaders = loaders_build_program();
  if (loaders == nullptr) return CL_INVALID_OPERATION;
  std::string all = options != nullptr ? options : "";
  if (all.find("-DEMULATE_LANES=1") != std::string::npos && n_devices == 1 && is_pocl(*devices))
    all += " -cl-opt-disable";
  return loaders(program, n_devices, devices, all.c_str(), notify, data);
}
