// A device as the library knows it: its facts, and the profile chosen from them.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <clwave/device.hpp>
#include <clwave/profile.hpp>

namespace clwave::detail {

// Holds a reference to the device, so that its handle cannot become another device's: a sub-device ends with
// its last reference, and the next one made may stand at the same address.
class known_device {
 public:
  // Asks the driver, and takes what an earlier process kept of its probes. Compiles nothing.
  explicit known_device(cl_device_id device);
  ~known_device();
  known_device(const known_device&) = delete;
  known_device& operator=(const known_device&) = delete;

  cl_device_id device() const { return answers_.device; }

  // All facts. Runs the probes where nobody has; others wait.
  const device_facts& facts();

  // What calls go by: the same where the probes are known; where they have one outcome with the device's
  // driver, that is assumed, and no probe holds up a first call. Both lists stay where they are.
  const device_facts& facts_for_calls();

  // Whether `used` were assumed, and the probes, which then run, found anything else.
  bool were_wrong(const device_facts& used);

  // The profile for the device by facts_for_calls(), remembered as long as these, CLWAVE_PROFILE and the
  // tunings stay the same.
  applied_profile choice();

  // True where the device can end, and only this object holds it.
  bool is_last_holder() const;

 private:
  struct chosen {
    const device_facts* facts;
    std::string forced;
    unsigned epoch;
    applied_profile choice;
  };

  bool retained_ = false;  // sub-devices only: others live as long as the process
  device_facts answers_;   // the driver's
  device_facts assumed_;   // the same with what is assumed of the probes
  device_facts probed_;    // the same with what the probes found
  std::once_flag probing_;
  std::atomic<const device_facts*> for_calls_{nullptr};  // one of the last two, once it is filled
  std::mutex mutex_;
  std::optional<chosen> chosen_;
};

// What is known of the device. Asked once, while others wait.
std::shared_ptr<known_device> known(cl_device_id device);

// Drops what is known of sub-devices that only the library holds.
void forget_unused_devices();

}  // namespace clwave::detail
