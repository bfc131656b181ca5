// Which devices there are, and choosing one by selector.
#include <algorithm>
#include <cstdlib>
#include <list>
#include <map>
#include <mutex>
#include <optional>

#include <clwave/error.hpp>

#include "base/digits.hpp"
#include "base/environment.hpp"
#include "base/forked.hpp"
#include "base/opencl.hpp"
#include "base/system.hpp"
#include "device/architecture.hpp"
#include "device/device_facts.hpp"
#include "device/no_devices.hpp"
#include "device/probes.hpp"
#include "device/queries.hpp"

namespace clwave {
using namespace detail;
namespace {

// What is known of the devices there are. A platform that failed is asked again by the next call, because
// drivers fail for a while (PoCL's, when several threads come first); what has once answered is kept.
class discovery {
 public:
  // Asks those that have not answered yet. The list stays where it is as long as the process lives.
  const std::vector<device_place>& ask() {
    const std::lock_guard guard(mutex_);
    if (complete_) return lists_.back();
    failed_ = false;
    trouble_ = CL_SUCCESS;
    if (platforms_.empty()) ask_loader();
    for (platform& each : platforms_) {
      if (each.devices.empty()) ask_platform(each);
    }
    std::vector<device_place> found;
    for (unsigned p = 0; p < platforms_.size(); ++p) {
      for (unsigned d = 0; d < platforms_[p].devices.size(); ++d) {
        // A driver at fault leaves holes in its list; the devices after one keep their places.
        if (platforms_[p].devices[d] != nullptr)
          found.push_back({platforms_[p].id, platforms_[p].devices[d], p, d});
      }
    }
    const auto same = [](const device_place& a, const device_place& b) { return a.device == b.device; };
    if (lists_.empty() || !std::ranges::equal(lists_.back(), found, same)) lists_.push_back(std::move(found));
    complete_ = !failed_;
    return lists_.back();
  }

  // The names of the platforms that list none.
  std::vector<std::string> empty_platforms() {
    const std::lock_guard guard(mutex_);
    std::vector<std::string> names;
    for (const platform& each : platforms_) {
      std::string name;
      if (each.devices.empty() && cl::Platform(each.id).getInfo(CL_PLATFORM_NAME, &name) == CL_SUCCESS)
        names.push_back(name);
    }
    return names;
  }

  // The code that the last one to fail gave; CL_SUCCESS where all answered.
  cl_int trouble() {
    const std::lock_guard guard(mutex_);
    return trouble_;
  }

 private:
  struct platform {
    cl_platform_id id = nullptr;
    std::vector<cl_device_id> devices;
  };

  void failed(cl_int code) {
    failed_ = true;
    trouble_ = code;
  }

  void ask_loader() {
    cl_uint count = 0;
    cl_int code = clGetPlatformIDs(0, nullptr, &count);
    std::vector<cl_platform_id> ids(code == CL_SUCCESS ? count : 0);
    if (!ids.empty()) code = clGetPlatformIDs(count, ids.data(), nullptr);
    if (code != CL_SUCCESS) {
      // The loader answers so where no platform is installed: an empty list, not an error.
      constexpr cl_int platform_not_found = -1001;
      failed(code == platform_not_found ? CL_SUCCESS : code);
      return;
    }
    for (const cl_platform_id id : ids) platforms_.push_back({id, {}});
  }

  void ask_platform(platform& of) {
    cl_uint count = 0;
    cl_int code = clGetDeviceIDs(of.id, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
    std::vector<cl_device_id> ids(code == CL_SUCCESS ? count : 0);
    if (!ids.empty()) code = clGetDeviceIDs(of.id, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr);
    if (code == CL_SUCCESS)
      of.devices = std::move(ids);
    else  // A platform without devices answers as one does that only has none yet.
      failed(code == CL_DEVICE_NOT_FOUND ? CL_SUCCESS : code);
  }

  std::mutex mutex_;
  std::vector<platform> platforms_;
  std::list<std::vector<device_place>> lists_;  // references to each of them are out
  bool complete_ = false;
  bool failed_ = false;  // one of this round
  cl_int trouble_ = CL_SUCCESS;
};

// Never destroyed: calls may be made while the process ends.
discovery& found_devices() {
  static discovery& instance = *new discovery;
  return instance;
}

[[noreturn]] void none_matches(std::string_view selector) {
  std::string there;
  for (const device_place& place : devices()) {
    there += (there.empty() ? "" : "; ") + std::to_string(place.platform_index) + ":" +
             std::to_string(place.device_index) + " " + ask_driver(place.device).name.value_or("unnamed");
  }
  // The one that is meant may be of a platform that lists none.
  for (const std::string& each : found_devices().empty_platforms())
    there += "; " + text_of_empty_platform(each);
  throw error(failure::device_absent, "no device matches \"" + std::string(selector) + "\"", CL_SUCCESS,
              {.advice = "choose one of: " + there});
}

// Whether calls on the device are not refused (refusal_of). Asked once a process. Probes run only where the
// driver is not known, and no earlier process kept what they found.
bool may_be_chosen(cl_device_id device) {
  static auto& asked = *new std::map<cl_device_id, bool>;  // never destroyed, as found_devices()
  static auto& mutex = *new std::mutex;
  const std::lock_guard guard(mutex);
  if (const auto found = asked.find(device); found != asked.end()) return found->second;
  device_facts facts = ask_driver(device);
  if (!is_known_to_finish_loops(facts)) add_probes(facts);
  return asked[device] = refusal_of(facts).message.empty();
}

// The first that may be chosen; of a list without such a device, its first. One alone is not asked.
cl_device_id first_to_choose(const std::vector<cl_device_id>& list) {
  if (list.size() == 1) return list.front();
  const auto found = std::ranges::find_if(list, may_be_chosen);
  return found != list.end() ? *found : list.front();
}

// The first device of which `matches(facts)` is true. Asked without probes: this compiles nothing.
template <class Match>
cl_device_id first_where(std::string_view selector, Match matches) {
  for (const device_place& place : devices()) {
    if (matches(ask_driver(place.device))) return place.device;
  }
  none_matches(selector);
}

bool is_of_type(cl_device_id device, cl_device_type type) {
  return (queries::driver(device).number<cl_device_type>(CLWAVE_QUERY(CL_DEVICE_TYPE)).value_or(0) & type) !=
         0;
}

cl_device_id first_of_type(std::string_view selector, cl_device_type type) {
  std::vector<cl_device_id> list;
  for (const device_place& place : devices()) {
    if (is_of_type(place.device, type)) list.push_back(place.device);
  }
  if (list.empty()) none_matches(selector);
  return first_to_choose(list);
}

// GPUs before others.
cl_device_id default_device() {
  std::vector<cl_device_id> list;
  for (const device_place& place : devices()) list.push_back(place.device);
  std::ranges::stable_partition(list, [](cl_device_id each) { return is_of_type(each, CL_DEVICE_TYPE_GPU); });
  return first_to_choose(list);
}

}  // namespace

const std::vector<device_place>& devices() {
  refuse_forked_child("devices");  // before any lock, which a thread of the parent may have held
  drivers_are_used();
  return found_devices().ask();
}

cl_device_id select_device(std::string_view selector) {
  if (devices().empty()) {
    const cl_int code = found_devices().trouble();
    const failure kind = code == CL_SUCCESS ? failure::no_device : failure_of(code);
    no_device_words words = words_for_no_device(found_devices().empty_platforms(), closed_device_files());
    throw error(kind == failure::driver ? failure::no_device : kind, words.what, code,
                {.advice = std::move(words.advice)});
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
    const auto platform = number_of(selector.substr(0, colon));
    const auto device = number_of(selector.substr(colon + 1));
    if (platform && device) {
      for (const device_place& place : devices()) {
        if (place.platform_index == *platform && place.device_index == *device) return place.device;
      }
      none_matches(selector);
    }
  }
  if (const auto index = number_of(selector)) {
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
