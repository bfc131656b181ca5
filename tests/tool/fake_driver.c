// An OpenCL driver that lists one device, or none, and misbehaves later, as -DKIND=... says. The tests of the
// tool compile it.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <CL/cl_icd.h>

enum {
  INFO_CRASHES,     // clGetDeviceInfo
  INFO_HANGS,       // clGetDeviceInfo
  CONTEXT_CRASHES,  // clCreateContext
  COPIES_CRASH,     // clCreateContext, where nobody asked for the device's name: when copies are timed
  COPIES_HANG,      // clCreateContext, the same
  NO_PLATFORM,      // CL_DEVICE_PLATFORM is an error, and a context for a null platform crashes
  NULL_DEVICE,      // the list of devices begins with a null
  PRINTS,           // to stdout, at every call
  LEAVES,           // its destructor ends the process with 9
  EMPTY,            // has no device, as clGetDeviceIDs says by CL_DEVICE_NOT_FOUND
  EMPTY_SUCCESS,    // the same, by CL_SUCCESS and a count of 0
  REPORTS,          // extensions with properties of their own, and a device that is not there
  FORGES,  // writes the end of an answer to every descriptor, and ends the process as if all were well
};

struct _cl_platform_id {
  cl_icd_dispatch* dispatch;
};
struct _cl_device_id {
  cl_icd_dispatch* dispatch;
};
static cl_icd_dispatch table;
static struct _cl_platform_id platform = {&table};
static struct _cl_device_id device = {&table};
static struct _cl_device_id absent = {&table};  // programs are built for it all the same
struct _cl_context {
  cl_icd_dispatch* dispatch;
};
static struct _cl_context with_absent = {&table};
static int name_was_asked = 0;

static void noise(void) {
  if (KIND == PRINTS) {
    puts("{\"noise\": 1}");
    fflush(stdout);
  }
}

static cl_int give(const void* value, size_t size, size_t room, void* to, size_t* size_is) {
  if (size_is != NULL) *size_is = size;
  if (to == NULL) return CL_SUCCESS;
  if (room < size) return CL_INVALID_VALUE;
  memcpy(to, value, size);
  return CL_SUCCESS;
}
#define GIVE_TEXT(text) give(text, strlen(text) + 1, room, to, size_is)

static CL_API_ENTRY cl_int CL_API_CALL tell_platform(cl_platform_id p, cl_platform_info what, size_t room,
                                                     void* to, size_t* size_is) {
  noise();
  switch (what) {
    case CL_PLATFORM_PROFILE:
      return GIVE_TEXT("FULL_PROFILE");
    case CL_PLATFORM_VERSION:
      return GIVE_TEXT("OpenCL 1.2 fake");
    case CL_PLATFORM_NAME:
      return GIVE_TEXT(NAME);
    case CL_PLATFORM_VENDOR:
      return GIVE_TEXT("nobody");
    case CL_PLATFORM_EXTENSIONS:
      return KIND == REPORTS
                 ? GIVE_TEXT("cl_khr_icd cl_amd_offline_devices cl_khr_command_buffer_multi_device")
                 : GIVE_TEXT("cl_khr_icd");
    case 0x0908: {  // CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR
      const cl_ulong universal = 1;
      return KIND == REPORTS ? give(&universal, sizeof universal, room, to, size_is) : CL_INVALID_VALUE;
    }
    case 0x0920:  // CL_PLATFORM_ICD_SUFFIX_KHR
      return GIVE_TEXT("fake");
  }
  return CL_INVALID_VALUE;
}

static CL_API_ENTRY cl_int CL_API_CALL list_devices(cl_platform_id p, cl_device_type type, cl_uint room,
                                                    cl_device_id* to, cl_uint* count) {
  const cl_device_id all[] = {NULL, &device};
  const cl_uint n = KIND == NULL_DEVICE ? 2 : 1;
  noise();
  if (KIND == EMPTY_SUCCESS) {
    if (count != NULL) *count = 0;
    return CL_SUCCESS;
  }
  if (KIND == EMPTY || (type & CL_DEVICE_TYPE_ACCELERATOR) == 0) return CL_DEVICE_NOT_FOUND;
  if (count != NULL) *count = n;
  for (cl_uint i = 0; to != NULL && i < n && i < room; ++i) to[i] = all[i + 2 - n];
  return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL tell(cl_device_id d, cl_device_info what, size_t room, void* to,
                                            size_t* size_is) {
  const cl_device_type type = CL_DEVICE_TYPE_ACCELERATOR;
  const cl_platform_id mine = &platform;
  const cl_uint one = 1;
  const cl_ulong some_bits = what == 0x4231 ? 0x20001 : 2;
  noise();
  if (KIND == INFO_CRASHES) raise(SIGSEGV);
  while (KIND == INFO_HANGS) pause();
  switch (what) {
    case CL_DEVICE_TYPE:
      return give(&type, sizeof type, room, to, size_is);
    case CL_DEVICE_PLATFORM:
      return KIND == NO_PLATFORM ? CL_INVALID_VALUE : give(&mine, sizeof mine, room, to, size_is);
    case CL_DEVICE_NAME:
      name_was_asked = 1;
      if (d == &absent) return GIVE_TEXT("gfx90a");
      return GIVE_TEXT(NAME);
    case CL_DEVICE_VENDOR:
      return GIVE_TEXT("nobody");
    case CL_DRIVER_VERSION:
      return GIVE_TEXT("1");
    case CL_DEVICE_VERSION:
      return GIVE_TEXT("OpenCL 1.2 fake");
    case CL_DEVICE_OPENCL_C_VERSION:
      return GIVE_TEXT("OpenCL C 1.2 fake");
    case CL_DEVICE_EXTENSIONS:
      return KIND == REPORTS ? GIVE_TEXT(
                                   "cl_ext_float_atomics cl_khr_kernel_clock cl_khr_command_buffer "
                                   "cl_khr_command_buffer_multi_device cl_amd_copy_buffer_p2p")
                             : GIVE_TEXT("");
    case 0x4231:  // CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT
    case 0x4232:  // the same of doubles
    case 0x4233:  // and of halves
    case 0x1076:  // CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR
    case 0x129A:  // CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR
      return KIND == REPORTS ? give(&some_bits, sizeof some_bits, room, to, size_is) : CL_INVALID_VALUE;
    case 0x12AB:  // CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR
      return KIND == REPORTS ? give(&one, sizeof one, room, to, size_is) : CL_INVALID_VALUE;
    case 0x12AC:  // CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR
    case 0x4089:  // CL_DEVICE_P2P_DEVICES_AMD
      return KIND == REPORTS ? give(&d, sizeof d, room, to, size_is) : CL_INVALID_VALUE;
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      return give(&one, sizeof one, room, to, size_is);
  }
  return CL_INVALID_VALUE;
}

static CL_API_ENTRY cl_context CL_API_CALL
make_context(const cl_context_properties* properties, cl_uint n, const cl_device_id* devices,
             void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* user, cl_int* code) {
  noise();
  if (KIND == CONTEXT_CRASHES) raise(SIGSEGV);
  if (KIND == COPIES_CRASH && !name_was_asked) raise(SIGSEGV);
  while (KIND == COPIES_HANG && !name_was_asked) pause();
  if (KIND == NO_PLATFORM && (properties != NULL && properties[1] == 0)) raise(SIGSEGV);
  if (code != NULL) *code = CL_OUT_OF_HOST_MEMORY;
  return NULL;
}

static CL_API_ENTRY cl_context CL_API_CALL make_context_of_type(
    const cl_context_properties* properties, cl_device_type type,
    void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* user, cl_int* code) {
  if (KIND == NO_PLATFORM && properties == NULL) raise(SIGSEGV);
  const int offline = KIND == REPORTS && properties != NULL && properties[2] == 0x403F && properties[3] == 1;
  if (code != NULL) *code = offline ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  return offline ? &with_absent : NULL;
}

static CL_API_ENTRY cl_int CL_API_CALL tell_context(cl_context c, cl_context_info what, size_t room, void* to,
                                                    size_t* size_is) {
  const cl_device_id all[] = {&device, &absent};
  return what == CL_CONTEXT_DEVICES ? give(all, sizeof all, room, to, size_is) : CL_INVALID_VALUE;
}

static CL_API_ENTRY cl_int CL_API_CALL count_context(cl_context c) { return CL_SUCCESS; }

static CL_API_ENTRY cl_int CL_API_CALL count_reference(cl_device_id d) { return CL_SUCCESS; }

static CL_API_ENTRY cl_int CL_API_CALL list_platforms(cl_uint room, cl_platform_id* to, cl_uint* count) {
  if (KIND == FORGES) {
    const char* end = "{\"end\":true}\n";
    for (int descriptor = 3; descriptor < 64; ++descriptor)
      if (write(descriptor, end, strlen(end)) < 0) continue;
    _exit(0);
  }
  table.clGetPlatformInfo = tell_platform;
  table.clGetDeviceIDs = list_devices;
  table.clGetDeviceInfo = tell;
  table.clCreateContext = make_context;
  table.clCreateContextFromType = make_context_of_type;
  table.clGetContextInfo = tell_context;
  table.clReleaseContext = count_context;
  table.clRetainDevice = count_reference;
  table.clReleaseDevice = count_reference;
  if (count != NULL) *count = 1;
  if (to != NULL && room > 0) *to = &platform;
  return CL_SUCCESS;
}

// The loader asks for this one by its name. In the table it would be the loader's own of that name.
CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id p, cl_platform_info what, size_t room,
                                                  void* to, size_t* size_is) {
  return tell_platform(p, what, room, to, size_is);
}

CL_API_ENTRY void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void*)list_platforms : NULL;
}

__attribute__((destructor)) static void end(void) {
  if (KIND == LEAVES) _exit(9);
}
