// Between the library and the loader: clBuildProgram with the options of unoptimised.hpp.
#include "unoptimised.hpp"

#include <dlfcn.h>

extern "C" CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint n_devices,
                                                          const cl_device_id* devices, const char* options,
                                                          void(CL_CALLBACK* notify)(cl_program, void*),
                                                          void* data) {
  static const auto loaders = reinterpret_cast<decltype(&clBuildProgram)>(dlsym(RTLD_NEXT, "clBuildProgram"));
  if (loaders == nullptr) return CL_INVALID_OPERATION;
  return loaders(program, n_devices, devices,
                 testing::options_unoptimised(options, n_devices, devices).c_str(), notify, data);
}
