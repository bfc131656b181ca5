// What is said where OpenCL platforms list no device.
#include "device/no_devices.hpp"

#include <utility>

namespace clwave::detail {
namespace {

// By how the platforms' names begin. What was seen: rusticl of Mesa 22.3.6, and PoCL 3.1. The others are what
// their documentation says of who may use a device, and of the variables that hide devices.
constexpr std::pair<std::string_view, std::string_view> reasons[] = {
    {"rusticl",
     "it shows the devices of those Mesa drivers alone that RUSTICL_ENABLE names, e.g. radeonsi, iris or "
     "llvmpipe"},
    {"Portable Computing Language",
     "PoCL needs a folder that it may write to (POCL_CACHE_DIR, else XDG_CACHE_HOME, else .cache in HOME), "
     "and has the devices that "
     "POCL_DEVICES names"},
    {"Clover", "it shows GPUs whose files /dev/dri/renderD* this user may open"},
    {"NVIDIA CUDA", "CUDA_VISIBLE_DEVICES may hide GPUs, and a container has those it was given"},
    {"AMD Accelerated Parallel Processing",
     "this user must be allowed to open /dev/kfd and /dev/dri/renderD*, and ROCR_VISIBLE_DEVICES or "
     "GPU_DEVICE_ORDINAL may hide GPUs"},
    {"Intel(R) OpenCL",
     "this user must be allowed to open /dev/dri/renderD*, and ZE_AFFINITY_MASK may hide GPUs"},
};

}  // namespace

std::string_view usual_reason_for_no_device(std::string_view platform_name) {
  for (const auto& [name, reason] : reasons) {
    if (platform_name.starts_with(name)) return reason;
  }
  return "its devices may be absent, not given to this container or user, or hidden by a variable of the "
         "driver";
}

std::string text_of_empty_platform(const std::string& name) {
  return "the platform " + name + " lists no device: " + std::string(usual_reason_for_no_device(name));
}

std::string text_of_closed_files(const std::vector<std::string>& files) {
  std::string text;
  for (const std::string& each : files) text += (text.empty() ? "this user may not open " : ", ") + each;
  return text.empty() ? text : text + ", by which drivers reach GPUs: mostly, the group render or video may";
}

no_device_words words_for_no_device(const std::vector<std::string>& platforms,
                                    const std::vector<std::string>& closed_files) {
  no_device_words words{.what = "no OpenCL device was found", .advice = {}};
  for (const std::string& each : platforms)
    words.advice += (words.advice.empty() ? "" : "; ") + text_of_empty_platform(each);
  if (platforms.empty())
    words.advice =
        "install an OpenCL driver for your hardware, or PoCL to run on the CPU; clinfo -l lists what the "
        "loader finds";
  if (const std::string closed = text_of_closed_files(closed_files); !closed.empty())
    words.advice += "; " + closed;
  return words;
}

}  // namespace clwave::detail
