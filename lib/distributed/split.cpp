// split: lengths of shards by the speeds of devices.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <clwave/device.hpp>
#include <clwave/profile.hpp>
#include <clwave/sharded.hpp>

#include "call/call.hpp"
#include "call/planning.hpp"
#include "device/device_facts.hpp"
#include "device/tuning.hpp"

namespace clwave {
using namespace detail;

namespace {

constexpr std::string_view split_name = "split";

// What the driver says of how much the device does at once; nothing where it does not say. A CPU's lanes are
// those of its vectors.
std::optional<double> reported_speed(const device_facts& facts) {
  const bool is_cpu = family_of(facts) == device_family::cpu;
  const fact<unsigned>& lanes = is_cpu ? facts.native_vector_width_float : facts.lanes_per_compute_unit;
  const double speed =
      1.0 * facts.compute_units.value_or(0) * lanes.value_or(0) * facts.clock_mhz.value_or(0);
  return speed > 0 ? std::optional(speed) : std::nullopt;
}

// The speeds by one way of knowing them, where it knows all.
template <class Speed>
std::optional<std::vector<double>> speeds_by(std::span<const cl_device_id> devices, const Speed& speed_of) {
  std::vector<double> speeds;
  for (const cl_device_id device : devices) {
    const std::optional<double> speed = speed_of(facts_of(device));
    if (!speed) return std::nullopt;
    speeds.push_back(*speed);
  }
  return speeds;
}

}  // namespace

std::vector<std::uint64_t> split(std::uint64_t n, std::span<const double> speeds) {
  const bool known = std::ranges::all_of(speeds, [](double s) { return std::isfinite(s) && s >= 0; });
  const double most = speeds.empty() || !known ? 0 : std::ranges::max(speeds);
  if (most <= 0)
    refuse(split_name, speeds.empty() ? "there is no device"
                       : known        ? "every speed is 0"
                                      : "a speed is negative, infinite or no number");
  // Of the fastest, so that no sum overflows.
  std::vector<double> upto(speeds.size());
  std::transform_inclusive_scan(speeds.begin(), speeds.end(), upto.begin(), std::plus<>(),
                                [most](double s) { return s / most; });
  const auto last = static_cast<std::size_t>(
      std::ranges::find_if(speeds.rbegin(), speeds.rend(), [](double s) { return s > 0; }).base() -
      speeds.begin() - 1);
  const std::uint64_t tiles = blocks_of(n, fold_tile);
  std::vector<std::uint64_t> lengths(speeds.size());
  std::uint64_t begin = 0;
  for (std::size_t k = 0; k <= last; ++k) {
    // Where each shard ends is rounded, and not how long it is: so they always add up.
    const double share = upto[k] / upto[last];
    const std::uint64_t end_tile =
        std::min(tiles, static_cast<std::uint64_t>(std::llround(share * static_cast<double>(tiles))));
    const std::uint64_t end =
        k == last || end_tile == tiles ? n : std::max(begin, std::uint64_t{end_tile} * fold_tile);
    if (speeds[k] > 0) {
      lengths[k] = end - begin;
      begin = end;
    }
  }
  return lengths;
}

std::vector<std::uint64_t> split(std::uint64_t n, std::span<const cl_device_id> devices) {
  if (devices.empty()) refuse(split_name, "there is no device");
  if (std::ranges::find(devices, nullptr) != devices.end()) refuse(split_name, "a device is null");
  auto speeds = speeds_by(devices, [](const device_facts& facts) {
    return measured_speed(facts, choose_profile(facts).profile->name, "reduce");
  });
  if (!speeds) speeds = speeds_by(devices, reported_speed);
  return split(n, speeds ? *speeds : std::vector<double>(devices.size(), 1.0));
}

}  // namespace clwave
