// What the library asks of drivers newer than OpenCL 1.2, for headers that end with 1.2 (macOS has such). The
// numbers are those of the Khronos registry.
#pragma once

#include <clwave/opencl.hpp>

// Of 2.0
#if !defined(CL_DEVICE_SVM_CAPABILITIES)
#define CL_DEVICE_QUEUE_ON_HOST_PROPERTIES CL_DEVICE_QUEUE_PROPERTIES
#define CL_DEVICE_SVM_CAPABILITIES 0x1053
#define CL_DEVICE_SVM_COARSE_GRAIN_BUFFER (1 << 0)
#endif

// Of 2.1 and 2.2
#if !defined(CL_DEVICE_MAX_NUM_SUB_GROUPS)
#define CL_DEVICE_MAX_NUM_SUB_GROUPS 0x105C
#define CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE 0x2033
#endif
#if !defined(CL_MAX_SIZE_RESTRICTION_EXCEEDED)
#define CL_MAX_SIZE_RESTRICTION_EXCEEDED -72
#endif

// Of 3.0
#if !defined(CL_DEVICE_OPENCL_C_ALL_VERSIONS)
#define CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES 0x1063
#define CL_DEVICE_ATOMIC_ORDER_ACQ_REL (1 << 1)
#define CL_DEVICE_ATOMIC_SCOPE_DEVICE (1 << 5)
#define CL_DEVICE_OPENCL_C_ALL_VERSIONS 0x1066
#define CL_DEVICE_OPENCL_C_FEATURES 0x106F
#define CL_VERSION_MAJOR(version) ((version) >> 22)
#define CL_VERSION_MINOR(version) ((version) >> 12 & 0x3ff)
struct cl_name_version {
  cl_uint version;
  char name[64];
};
#endif
