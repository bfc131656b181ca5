// What every_call.cpp defines.
#pragma once

#include <CL/cl.h>

// Names every function of the public headers. Made to be compiled and linked; run, it throws at its first
// call.
void every_call(cl_device_id device, cl_command_queue queue);
