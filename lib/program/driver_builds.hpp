// What drivers hand out of built programs, and take back.
#pragma once

#include <string>
#include <vector>

#include <clwave/opencl.hpp>

#include "base/opencl.hpp"

namespace clwave::detail {

// What the compiler said; empty where the driver does not tell.
std::string build_log(cl_program handle, cl_device_id device);

// The binary for the one device of a program; empty where the driver has none to give.
std::vector<unsigned char> binary_of(cl_program handle, cl_device_id device);

// A program from a binary. Where the driver does not take it, `code` says so; then what there is of it has
// the log.
cl::Program from_binary(cl_context context, cl_device_id device, const std::vector<unsigned char>& binary,
                        const std::string& options, cl_int& code);

}  // namespace clwave::detail
