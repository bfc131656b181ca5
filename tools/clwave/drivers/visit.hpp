// Visits each OpenCL driver in a child process first, so that one that crashes or hangs is reported by
// name and takes nothing else down.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <clwave/device.hpp>

#include "drivers/drivers.hpp"
#include "drivers/properties.hpp"
#include "shared/common.hpp"

namespace clwave::tool {

// How far a visit goes: the list of platforms and devices, or all facts and the profile of each, or all that
// OpenCL lets a platform and a device be asked for as well; or the list, and copies that are timed.
enum class depth { list, facts, properties, copies };

enum class outcome {
  good,
  duplicate,   // the same file as a driver before it
  empty,       // the loader got no platform out of it
  crashed,     // ended by a signal or by an exit of its own
  hung,        // did not finish before the deadline
  garbled,     // ended as if all were well, but without an answer
  unreadable,  // the file that names it is none that a loader can read to its end
};

const char* name_of(outcome how);

struct visited_platform {
  std::string name;
  std::string version;
  std::size_t devices = 0;
  std::vector<property> properties = {};
};

struct visited_device {
  unsigned platform = 0;  // index among the visit's platforms
  unsigned device = 0;
  json record;  // as in clwave-info/1, without its place
  std::vector<property> properties = {};
};

struct visited {
  driver from = {};
  outcome how = outcome::garbled;
  std::string what = {};  // what happened, one sentence, or why it has no device; empty if all was well
  std::string file = {};  // the library's own file, links resolved
  std::vector<visited_platform> platforms = {};
  std::vector<visited_device> devices = {};
  std::vector<property> loader = {};                           // what it says of itself
  std::vector<json> timed = {};                                // what bandwidth.hpp has of copies
  std::string timing = {};                                     // the copy that it came to
  std::size_t asked = 0;                                       // how many devices a brief visit has come to
  std::optional<std::pair<unsigned, unsigned>> selected = {};  // answer to a selector
  std::optional<error> refused = {};                           // an error that clwave itself raised

  bool is_bad() const { return how >= outcome::crashed; }
  // "libpocl.so.2 (/etc/OpenCL/vendors/pocl.icd)"
  std::string name() const;
};

// Visits every driver, each in a child of its own, all at the same time. Takes at most about
// CLWAVE_DRIVER_DEADLINE seconds. With a selector, to compute on the device it means: the child asks all
// devices what they are, as selecting does, and makes a context and a queue where the selector can mean one.
// Besides the properties, `also` are words of the child's own: --offline, --null-platform.
std::vector<visited> visit_drivers(depth how_deep, const std::optional<std::string>& use = std::nullopt,
                                   const std::vector<std::string>& also = {});

// Visits all drivers found good in one child, as a program would use them: in what order the platforms
// come, and (with a selector) which device is meant.
visited visit_together(const std::vector<visited>& each, const std::optional<std::string>& selector);

// Times copies on the drivers found good, each in a child of its own, one after the other. A driver that
// crashes or hangs leaves what it had timed by then. One for each of `each`; `outcome::empty` where it was
// not visited. Takes a few seconds a driver, and at most about three times CLWAVE_DRIVER_DEADLINE.
std::vector<visited> visit_copies(const std::vector<visited>& each);

// select_device, except that a selector of no known form selects no device: device_absent, as for any
// other that fits none.
cl_device_id select_or_absent(const std::string& selector);

// Before this process's first OpenCL call: visits the drivers, to compute on the device that the selector
// means, and if some are bad, says so on stderr and keeps the loader away from them for the life of this
// object. Throws clwave::error if none is left.
class safe_drivers {
 public:
  explicit safe_drivers(const std::string& selector);
  const std::vector<visited>& each() const { return each_; }
  // The file of the driver that has a platform of that name; empty if not known.
  std::string file_of_platform(const std::string& platform_name) const;

 private:
  std::vector<visited> each_;
  std::unique_ptr<vendors_folder> only_good_;
};

}  // namespace clwave::tool
