// What drivers hand out of built programs, and take back.
#include "program/driver_builds.hpp"

#include <cstddef>

namespace clwave::detail {

std::string build_log(cl_program handle, cl_device_id device) {
  std::size_t size = 0;
  if (clGetProgramBuildInfo(handle, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS) return "";
  std::string log(size, '\0');
  if (clGetProgramBuildInfo(handle, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr) != CL_SUCCESS)
    return "";
  return log.substr(0, log.find('\0'));
}

std::vector<unsigned char> binary_of(cl_program handle, cl_device_id device) {
  cl_uint count = 0;
  if (clGetProgramInfo(handle, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, nullptr) != CL_SUCCESS)
    return {};
  std::vector<cl_device_id> owners(count);
  std::vector<std::size_t> sizes(count);
  if (clGetProgramInfo(handle, CL_PROGRAM_DEVICES, count * sizeof(cl_device_id), owners.data(), nullptr) !=
          CL_SUCCESS ||
      clGetProgramInfo(handle, CL_PROGRAM_BINARY_SIZES, count * sizeof(std::size_t), sizes.data(), nullptr) !=
          CL_SUCCESS)
    return {};
  std::vector<unsigned char> binary;
  std::vector<unsigned char*> places(count, nullptr);  // a null place is skipped by the driver
  for (cl_uint d = 0; d < count; ++d) {
    if (owners[d] != device) continue;
    binary.resize(sizes[d]);
    places[d] = binary.data();
  }
  if (clGetProgramInfo(handle, CL_PROGRAM_BINARIES, count * sizeof(unsigned char*), places.data(), nullptr) !=
      CL_SUCCESS)
    return {};
  return binary;
}

cl::Program from_binary(cl_context context, cl_device_id device, const std::vector<unsigned char>& binary,
                        const std::string& options, cl_int& code) {
  const unsigned char* bytes = binary.data();
  const std::size_t size = binary.size();
  cl_int status = CL_SUCCESS;
  cl::Program handle(clCreateProgramWithBinary(context, 1, &device, &size, &bytes, &status, &code));
  if (code == CL_SUCCESS) code = status;
  if (code == CL_SUCCESS) code = clBuildProgram(handle(), 1, &device, options.c_str(), nullptr, nullptr);
  return handle;
}

}  // namespace clwave::detail
