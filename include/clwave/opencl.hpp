/// @file
/// The C header of OpenCL, from the place where the system keeps it: a framework on macOS, the folder CL
/// elsewhere. clwave calls what OpenCL 1.2 has, and looks up at run time the little that is newer, so any
/// loader since 1.2 will do.
#pragma once

#if defined(__APPLE__)
#include <OpenCL/cl.h>
#else
#if !defined(CL_TARGET_OPENCL_VERSION)
#define CL_TARGET_OPENCL_VERSION 300  // what the header takes by itself, but not without a word
#endif
#include <CL/cl.h>
#endif
