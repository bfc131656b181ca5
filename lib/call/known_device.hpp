// A device as the library knows it: its facts, and the profile chosen from them.
#pragma once

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
  // Asks the driver and runs the probes.
  explicit known_device(cl_device_id device);
  ~known_device();
  known_device(const known_device&) = delete;
  known_device& operator=(const known_device&) = delete;

  const device_facts& facts() const { return facts_; }

  // The profile for the device, remembered as long as CLWAVE_PROFILE and the tunings stay the same.
  profile_choice choice();

  // True where the device can end, and only this object holds it.
  bool is_last_holder() const;

 private:
  struct chosen {
    std::string forced;
    unsigned epoch;
    profile_choice choice;
  };

  bool retained_ = false;  // sub-devices only: others live as long as the process
  device_facts facts_;
  std::mutex mutex_;
  std::optional<chosen> chosen_;
};

// What is known of the device. Found out once, while others wait.
std::shared_ptr<known_device> known(cl_device_id device);

// Drops what is known of sub-devices that only the library holds.
void forget_unused_devices();

}  // namespace clwave::detail
