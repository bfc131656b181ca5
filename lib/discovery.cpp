// Which devices there are, their facts kept for the life of the process, and choosing one by selector.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>

#include <clwave/error.hpp>

#include "architecture.hpp"
#include "device_facts.hpp"
#include "environment.hpp"

namespace clwave {
namespace {

std::vector<device_place> discover() {
  std::vector<device_place> found;
  cl_uint platform_count = 0;
  // The loader answers -1001 where no platform is installed: an empty list, not an error.
  if (clGetPlatformIDs(0, nullptr, &platform_count) != CL_SUCCESS) return found;
  std::vector<cl_platform_id> platforms(platform_count);
  if (platform_count == 0 || clGetPlatformIDs(platform_count, platforms.data(), nullptr) != CL_SUCCESS) {
    return found;
  }
  for (unsigned p = 0; p < platforms.size(); ++p) {
    cl_uint device_count = 0;
    // A platform without devices answers -1; the others are still of use.
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 0, nullptr, &device_count) != CL_SUCCESS) continue;
    std::vector<cl_device_id> ids(device_count);
    if (device_count == 0 ||
        clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, device_count, ids.data(), nullptr) != CL_SUCCESS) {
      continue;
    }
    for (unsigned d = 0; d < ids.size(); ++d) {
      // A driver at fault leaves holes in its list; the devices after one keep their places.
      if (ids[d] != nullptr) found.push_back({platforms[p], ids[d], p, d});
    }
  }
  return found;
}

std::optional<unsigned> whole_number(std::string_view text) {
  unsigned value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, value);
  if (text.empty() || failed != std::errc() || stop != end) return std::nullopt;
  return value;
}

[[noreturn]] void none_matches(std::string_view selector) {
  std::string there;
  for (const device_place& place : devices()) {
    there += (there.empty() ? "" : "; ") + std::to_string(place.platform_index) + ":" +
             std::to_string(place.device_index) + " " + ask_driver(place.device).name.value_or("unnamed");
  }
  throw error(failure::device_absent, "no device matches \"" + std::string(selector) + "\"", CL_SUCCESS,
              {.advice = "choose one of: " + there});
}

// The first device of which `matches(facts)` is true. Asked without probes: choosing compiles nothing.
template <class Match>
cl_device_id first_where(std::string_view selector, Match matches) {
  for (const device_place& place : devices()) {
    if (matches(ask_driver(place.device))) return place.device;
  }
  none_matches(selector);
}

cl_device_id first_of_type(std::string_view selector, cl_device_type type) {
  return first_where(selector,
                     [&](const device_facts& facts) { return (facts.type.value_or(0) & type) != 0; });
}

cl_device_id default_device() {
  for (const device_place& place : devices()) {
    if (ask_driver(place.device).type.value_or(0) & CL_DEVICE_TYPE_GPU) return place.device;
  }
  return devices().front().device;
}

}  // namespace

const std::vector<device_place>& devices() {
  static std::once_flag once;
  static std::vector<device_place> found;
  std::call_once(once, [] { found = discover(); });
  return found;
}

const device_facts& facts_of(cl_device_id device) {
  if (device == nullptr) throw error(failure::bad_call, "facts_of: the device is null");
  // Discovery before any other call: PoCL's first calls race. One lock for all devices, since two
  // probes at a time would be two first builds at a time.
  const auto& places = devices();
  static std::mutex lock;
  static std::map<cl_device_id, device_facts> known;  // a map, so that references stay good
  const std::lock_guard guard(lock);
  if (const auto found = known.find(device); found != known.end()) return found->second;
  device_facts facts = ask_driver(device);
  const auto place = std::find_if(places.begin(), places.end(),
                                  [&](const device_place& each) { return each.device == device; });
  if (place != places.end()) {
    if (facts.platform == nullptr) facts.platform = place->platform;  // its driver would not say
    facts.platform_index = place->platform_index;
    facts.device_index = place->device_index;
  }
  run_probes(facts);
  return known.emplace(device, std::move(facts)).first->second;
}

cl_device_id select_device(std::string_view selector) {
  if (devices().empty()) {
    throw error(failure::no_device, "no OpenCL device was found", CL_SUCCESS,
                {.advice = "install an OpenCL driver for your hardware, or PoCL to run on the CPU; "
                           "clinfo -l lists what the loader finds"});
  }
  std::string from_environment;
  if (selector.empty()) {
    const char* set = environment("CLWAVE_DEVICE");
    if (set == nullptr) return default_device();
    from_environment = set;
    selector = from_environment;
  }

  if (selector == "gpu") return first_of_type(selector, CL_DEVICE_TYPE_GPU);
  if (selector == "cpu") return first_of_type(selector, CL_DEVICE_TYPE_CPU);
  if (const std::size_t colon = selector.find(':'); colon != std::string_view::npos) {
    const auto platform = whole_number(selector.substr(0, colon));
    const auto device = whole_number(selector.substr(colon + 1));
    if (platform && device) {
      for (const device_place& place : devices()) {
        if (place.platform_index == *platform && place.device_index == *device) return place.device;
      }
      none_matches(selector);
    }
  }
  if (const auto index = whole_number(selector)) {
    if (*index >= devices().size()) none_matches(selector);
    return devices()[*index].device;
  }
  if (const auto sm = parse_cuda_sm(selector)) {
    return first_where(selector, [&](const device_facts& facts) { return facts.cuda_sm.value == sm; });
  }
  if (selector.starts_with("gfx")) {
    if (const auto gfx = parse_amd_gfx(selector)) {
      return first_where(selector, [&](const device_facts& facts) { return facts.amd_gfx.value == gfx; });
    }
  }
  if (selector.starts_with("name~")) {
    std::string_view text = selector.substr(5);
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
    const std::string wanted = to_lower(text);
    return first_where(selector, [&](const device_facts& facts) {
      return to_lower(facts.name.value_or("")).find(wanted) != std::string::npos;
    });
  }
  if (selector.starts_with("pci=")) {
    const std::string wanted = to_lower(selector.substr(4));
    return first_where(selector, [&](const device_facts& facts) {
      return facts.pci && facts.pci->find(wanted) != std::string::npos;
    });
  }
  throw error(failure::bad_call, "the device selector \"" + std::string(selector) + "\" has no known form",
              CL_SUCCESS,
              {.advice = R"(write "0:1", "1", "gpu", "cpu", "sm_90", "gfx90a", name~"text" or pci=41:00)"});
}

}  // namespace clwave
