// Errors: which failure a code of OpenCL's is, how an exception's text is put together, and the codes' names.
#include <clwave/error.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/newer_opencl.hpp"
#include "base/opencl.hpp"

namespace clwave::detail {
namespace {

struct named_code {
  cl_int code;
  std::string_view name;
};

// Numbers rather than the headers' constants: older OpenCL headers lack the newer names, and the
// extensions' names are spread over headers that drag in Direct3D and EGL.
constexpr cl_int nvidia_illegal_access = -9999;
constexpr cl_int context_terminated = -1121;

constexpr named_code codes[] = {
    {0, "CL_SUCCESS"},
    {-1, "CL_DEVICE_NOT_FOUND"},
    {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, "CL_COMPILER_NOT_AVAILABLE"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},
    {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {-8, "CL_MEM_COPY_OVERLAP"},
    {-9, "CL_IMAGE_FORMAT_MISMATCH"},
    {-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},
    {-12, "CL_MAP_FAILURE"},
    {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-15, "CL_COMPILE_PROGRAM_FAILURE"},
    {-16, "CL_LINKER_NOT_AVAILABLE"},
    {-17, "CL_LINK_PROGRAM_FAILURE"},
    {-18, "CL_DEVICE_PARTITION_FAILED"},
    {-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"},
    {-30, "CL_INVALID_VALUE"},
    {-31, "CL_INVALID_DEVICE_TYPE"},
    {-32, "CL_INVALID_PLATFORM"},
    {-33, "CL_INVALID_DEVICE"},
    {-34, "CL_INVALID_CONTEXT"},
    {-35, "CL_INVALID_QUEUE_PROPERTIES"},
    {-36, "CL_INVALID_COMMAND_QUEUE"},
    {-37, "CL_INVALID_HOST_PTR"},
    {-38, "CL_INVALID_MEM_OBJECT"},
    {-39, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"},
    {-40, "CL_INVALID_IMAGE_SIZE"},
    {-41, "CL_INVALID_SAMPLER"},
    {-42, "CL_INVALID_BINARY"},
    {-43, "CL_INVALID_BUILD_OPTIONS"},
    {-44, "CL_INVALID_PROGRAM"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, "CL_INVALID_KERNEL_NAME"},
    {-47, "CL_INVALID_KERNEL_DEFINITION"},
    {-48, "CL_INVALID_KERNEL"},
    {-49, "CL_INVALID_ARG_INDEX"},
    {-50, "CL_INVALID_ARG_VALUE"},
    {-51, "CL_INVALID_ARG_SIZE"},
    {-52, "CL_INVALID_KERNEL_ARGS"},
    {-53, "CL_INVALID_WORK_DIMENSION"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE"},
    {-56, "CL_INVALID_GLOBAL_OFFSET"},
    {-57, "CL_INVALID_EVENT_WAIT_LIST"},
    {-58, "CL_INVALID_EVENT"},
    {-59, "CL_INVALID_OPERATION"},
    {-60, "CL_INVALID_GL_OBJECT"},
    {-61, "CL_INVALID_BUFFER_SIZE"},
    {-62, "CL_INVALID_MIP_LEVEL"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {-64, "CL_INVALID_PROPERTY"},
    {-65, "CL_INVALID_IMAGE_DESCRIPTOR"},
    {-66, "CL_INVALID_COMPILER_OPTIONS"},
    {-67, "CL_INVALID_LINKER_OPTIONS"},
    {-68, "CL_INVALID_DEVICE_PARTITION_COUNT"},
    {-69, "CL_INVALID_PIPE_SIZE"},
    {-70, "CL_INVALID_DEVICE_QUEUE"},
    {-71, "CL_INVALID_SPEC_ID"},
    {-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED"},
    {-1000, "CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    {-1002, "CL_INVALID_D3D10_DEVICE_KHR"},
    {-1003, "CL_INVALID_D3D10_RESOURCE_KHR"},
    {-1004, "CL_D3D10_RESOURCE_ALREADY_ACQUIRED_KHR"},
    {-1005, "CL_D3D10_RESOURCE_NOT_ACQUIRED_KHR"},
    {-1006, "CL_INVALID_D3D11_DEVICE_KHR"},
    {-1007, "CL_INVALID_D3D11_RESOURCE_KHR"},
    {-1008, "CL_D3D11_RESOURCE_ALREADY_ACQUIRED_KHR"},
    {-1009, "CL_D3D11_RESOURCE_NOT_ACQUIRED_KHR"},
    {-1010, "CL_INVALID_DX9_MEDIA_ADAPTER_KHR"},
    {-1011, "CL_INVALID_DX9_MEDIA_SURFACE_KHR"},
    {-1012, "CL_DX9_MEDIA_SURFACE_ALREADY_ACQUIRED_KHR"},
    {-1013, "CL_DX9_MEDIA_SURFACE_NOT_ACQUIRED_KHR"},
    {-1057, "CL_DEVICE_PARTITION_FAILED_EXT"},
    {-1058, "CL_INVALID_PARTITION_COUNT_EXT"},
    {-1059, "CL_INVALID_PARTITION_NAME_EXT"},
    {-1092, "CL_EGL_RESOURCE_NOT_ACQUIRED_KHR"},
    {-1093, "CL_INVALID_EGL_OBJECT_KHR"},
    {-1094, "CL_INVALID_ACCELERATOR_INTEL"},
    {-1095, "CL_INVALID_ACCELERATOR_TYPE_INTEL"},
    {-1096, "CL_INVALID_ACCELERATOR_DESCRIPTOR_INTEL"},
    {-1097, "CL_ACCELERATOR_TYPE_NOT_SUPPORTED_INTEL"},
    {-1098, "CL_INVALID_VA_API_MEDIA_ADAPTER_INTEL"},
    {-1099, "CL_INVALID_VA_API_MEDIA_SURFACE_INTEL"},
    {-1100, "CL_VA_API_MEDIA_SURFACE_ALREADY_ACQUIRED_INTEL"},
    {-1101, "CL_VA_API_MEDIA_SURFACE_NOT_ACQUIRED_INTEL"},
    {-1108, "CL_COMMAND_TERMINATED_ITSELF_WITH_FAILURE_ARM"},
    {context_terminated, "CL_CONTEXT_TERMINATED_KHR"},
    {-1138, "CL_INVALID_COMMAND_BUFFER_KHR"},
    {-1139, "CL_INVALID_SYNC_POINT_WAIT_LIST_KHR"},
    {-1140, "CL_INCOMPATIBLE_COMMAND_QUEUE_KHR"},
    {-1141, "CL_INVALID_MUTABLE_COMMAND_KHR"},
    {-1142, "CL_INVALID_SEMAPHORE_KHR"},
    // In no header, yet what NVIDIA's driver gives after a kernel touched memory it does not own.
    {nvidia_illegal_access, "NVIDIA driver error -9999 (illegal read or write to a buffer)"},
};

std::string compose(std::string_view message, cl_int code, const error_details& details) {
  std::string text(message);
  const auto add = [&](std::string_view label, std::string_view value) {
    if (value.empty()) return;
    text.append("\n  ").append(label).append(": ").append(value);
  };
  if (code != CL_SUCCESS) {
    std::string named = name_of_code(code);
    if (named.starts_with("CL_")) named += " (" + std::to_string(code) + ")";
    add("code", named);
  }
  add("primitive", details.primitive);
  add("types", details.types);
  add("by", details.op);
  add("device", details.device);
  add("profile", details.profile);
  if (details.place.empty()) {
    add("options", details.options);
    // A compiler's lines keep their own columns, since carets point into them.
    if (!details.log.empty()) text.append("\n  compiler log:\n").append(details.log);
    while (text.ends_with('\n')) text.pop_back();
  }
  add("what to do", details.advice);
  return text;
}

}  // namespace

failure failure_of(cl_int code, doing at) {
  switch (code) {
    // Memory and the device itself mean the same wherever they come from.
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
      return failure::out_of_memory;
    case CL_DEVICE_NOT_AVAILABLE:
    case context_terminated:
    case nvidia_illegal_access:
      return failure::device_lost;
    default:
      break;
  }
  const bool invalid = code <= CL_INVALID_VALUE && code >= CL_MAX_SIZE_RESTRICTION_EXCEEDED;
  switch (at) {
    case doing::callers_object:
      return invalid ? failure::bad_call : failure::driver;
    case doing::own_object:
      return invalid ? failure::internal : failure::driver;
    case doing::build:
      return code == CL_BUILD_PROGRAM_FAILURE || code == CL_COMPILE_PROGRAM_FAILURE ||
                     code == CL_LINK_PROGRAM_FAILURE || code == CL_INVALID_BUILD_OPTIONS
                 ? failure::build
                 : failure::driver;
    case doing::outcome:
      return failure::device_lost;
    case doing::command:
      break;
  }
  // A queue that was good a moment ago: NVIDIA's driver answers so once a kernel has ended its context.
  return code == CL_INVALID_COMMAND_QUEUE ? failure::device_lost : failure::driver;
}

void check(cl_int code, std::string_view what, doing at, error_details details) {
  if (code == CL_SUCCESS) return;
  throw error(failure_of(code, at), "could not " + std::string(what), code, std::move(details));
}

}  // namespace clwave::detail

namespace clwave {
using namespace detail;

error::error(failure kind, std::string_view message, cl_int code, error_details details)
    : std::runtime_error(compose(message, code, details)),
      kind_(kind),
      code_(code),
      details_(std::move(details)) {}

std::string name_of_code(cl_int code) {
  const auto found =
      std::find_if(std::begin(codes), std::end(codes), [&](const named_code& c) { return c.code == code; });
  if (found != std::end(codes)) return std::string(found->name);
  return "OpenCL error " + std::to_string(code);
}

}  // namespace clwave
