/// @file
/// The C header of OpenCL, from the place where the system keeps it: a framework on macOS, the folder CL
/// elsewhere. clwave calls what OpenCL 1.2 has, and looks up at run time the little that is newer, so any
/// loader since 1.2 will do.
#pragma once

#if defined(__APPLE__)
#include <OpenCL/cl.h>
#else
#if !defined(CL_TARGET_OPENCL_VERSION)
/// The version whose declarations the header gives: what it takes by itself, but not without a word.
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#endif
