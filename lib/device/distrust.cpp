// The profiles found out, by device.
#include "device/distrust.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <utility>

namespace clwave::detail {
namespace {

struct findings {
  std::mutex mutex;
  std::map<std::pair<cl_device_id, std::string>, std::string> rows;
  std::atomic<unsigned> epoch = 0;
};

// Never destroyed: a call may still run at the process's end.
findings& all() {
  static findings& instance = *new findings;
  return instance;
}

}  // namespace

std::optional<std::string> distrusted(cl_device_id device, std::string_view p) {
  if (all().epoch == 0) return std::nullopt;
  const std::lock_guard lock(all().mutex);
  const auto found = all().rows.find({device, std::string(p)});
  return found != all().rows.end() ? std::optional(found->second) : std::nullopt;
}

void distrust(cl_device_id device, std::string_view p, const std::string& reason) {
  {
    const std::lock_guard lock(all().mutex);
    all().rows[{device, std::string(p)}] = reason;
  }
  ++all().epoch;
}

namespace {

// In place of a profile's name; no profile has it.
constexpr std::string_view second_build = "second build";

}  // namespace

bool refused_second_build(cl_device_id device) { return distrusted(device, second_build).has_value(); }

void refuse_second_builds(cl_device_id device) { distrust(device, second_build, "refused"); }

unsigned distrust_epoch() { return all().epoch; }

}  // namespace clwave::detail
