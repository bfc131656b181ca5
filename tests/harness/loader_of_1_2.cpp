// For loaders that end with OpenCL 1.2, such as Wine's: the one newer call that CLHPP makes in the tests,
// made of an older one.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

extern "C" CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(
    cl_context context, cl_device_id device, const cl_queue_properties* properties, cl_int* code) {
  cl_command_queue_properties bits = 0;
  for (; properties != nullptr && *properties != 0; properties += 2)
    if (*properties == CL_QUEUE_PROPERTIES) bits = properties[1];
  return clCreateCommandQueue(context, device, bits, code);
}
