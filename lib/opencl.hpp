// CLHPP for ownership inside the library, and the one place where a failed OpenCL call becomes an error.
#pragma once

// CLHPP with a minimum of 1.2 and a target of 2.0 or later does not compile in Debian's version.
#define CL_HPP_MINIMUM_OPENCL_VERSION 110
#define CL_HPP_TARGET_OPENCL_VERSION 300
#include <CL/opencl.hpp>

#include <string_view>

#include <clwave/error.hpp>

namespace clwave {

// The kind of failure an OpenCL code stands for.
failure failure_of(cl_int code);

// Throws clwave::error unless `code` is CL_SUCCESS; `doing` completes "could not ...".
void check(cl_int code, std::string_view doing, error_details details = {});

}  // namespace clwave
