// Devices the library has met: gathers their facts once, and drops those of sub-devices that have ended.
#include "call/known_device.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/environment.hpp"
#include "base/opencl.hpp"
#include "device/device_facts.hpp"
#include "device/distrust.hpp"
#include "device/probes.hpp"
#include "device/tuning.hpp"

namespace clwave::detail {
namespace {

// Whether the device is part of another. An OpenCL 1.1 driver has no such devices and refuses the problem.
bool is_sub_device(cl_device_id device) {
  cl_device_id parent = nullptr;
  return clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, nullptr) == CL_SUCCESS &&
         parent != nullptr;
}

struct known_devices {
  std::mutex mutex;
  std::unordered_map<cl_device_id, std::shared_ptr<known_device>> all;

  void forget_unused() {
    std::erase_if(
        all, [](const auto& each) { return each.second.use_count() == 1 && each.second->is_last_holder(); });
  }
};

// Never destroyed: calls may still run, or begin, while the process exits.
known_devices& devices_met() {
  static known_devices& instance = *new known_devices;
  return instance;
}

}  // namespace

known_device::known_device(cl_device_id device) {
  if (is_sub_device(device)) {
    check(clRetainDevice(device), "retain a sub-device", doing::callers_object);
    retained_ = true;
  }
  try {
    answers_ = ask_driver(device);
    const auto& places = devices();
    const auto place = std::ranges::find(places, device, &device_place::device);
    if (place != places.end()) {
      if (answers_.platform == nullptr) answers_.platform = place->platform;  // its driver would not say
      answers_.platform_index = place->platform_index;
      answers_.device_index = place->device_index;
    }
    device_facts complete = answers_;
    if (take_known_probes(complete)) {
      std::call_once(probing_, [&] { probed_ = std::move(complete); });
      for_calls_ = &probed_;
    } else if (assumed_ = answers_; assume_probes(assumed_)) {
      for_calls_ = &assumed_;
    }
  } catch (...) {
    if (retained_) clReleaseDevice(device);
    throw;
  }
}

known_device::~known_device() {
  if (retained_) clReleaseDevice(device());
}

const device_facts& known_device::facts() {
  std::call_once(probing_, [&] {
    device_facts complete = answers_;
    add_probes(complete);
    probed_ = std::move(complete);
    for_calls_ = &probed_;
  });
  return probed_;
}

const device_facts& known_device::facts_for_calls() {
  if (const device_facts* const best = for_calls_.load(std::memory_order_acquire)) return *best;
  return facts();
}

bool known_device::were_wrong(const device_facts& used) {
  if (&used != &assumed_) return false;
  const device_facts& found = facts();
  return found.inline_ptx.value != used.inline_ptx.value ||
         found.host_memory_reached.value_or(false) != used.host_memory_reached.value_or(false) ||
         (found.lanes_probed && found.lanes_probed.value != used.warp_size.value);
}

applied_profile known_device::choice() {
  const char* named = variables_of_calls().profile;
  const std::string_view forced = named != nullptr ? named : "";
  const unsigned epoch = tuning_epoch() + distrust_epoch();
  const device_facts& facts = facts_for_calls();
  if (const refusal refused = refusal_of(facts); !refused.message.empty())
    throw error(failure::driver, refused.message, CL_SUCCESS,
                {.device = facts.name.value_or("unknown"), .advice = refused.advice});
  const std::lock_guard lock(mutex_);
  if (!chosen_ || chosen_->facts != &facts || chosen_->forced != forced || chosen_->epoch != epoch)
    chosen_ = chosen{&facts, std::string(forced), epoch, choose_profile(facts)};
  return chosen_->choice;
}

bool known_device::is_last_holder() const {
  cl_uint count = 0;
  return retained_ &&
         clGetDeviceInfo(device(), CL_DEVICE_REFERENCE_COUNT, sizeof count, &count, nullptr) == CL_SUCCESS &&
         count == 1;
}

std::shared_ptr<known_device> known(cl_device_id device) {
  // Discovery before any other call: PoCL's first calls race.
  devices();
  known_devices& met = devices_met();
  const std::lock_guard lock(met.mutex);
  if (const auto found = met.all.find(device); found != met.all.end()) return found->second;
  met.forget_unused();
  auto fresh = std::make_shared<known_device>(device);
  met.all.emplace(device, fresh);
  return fresh;
}

void forget_unused_devices() {
  known_devices& met = devices_met();
  const std::lock_guard lock(met.mutex);
  met.forget_unused();
}

}  // namespace clwave::detail

namespace clwave {

const device_facts& facts_of(cl_device_id device) {
  if (device == nullptr) throw error(failure::bad_call, "facts_of: the device is null");
  return detail::known(device)->facts();
}

}  // namespace clwave
