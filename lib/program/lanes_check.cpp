// Asks a built kernel for its sub-group's size, and distrusts the row where it has another.
#include "program/lanes_check.hpp"

#include "device/distrust.hpp"

namespace clwave::detail {
namespace {

// Rows whose code counts on the lanes of a set being the hardware's, of a size that a kernel can have several
// of. NVIDIA's warps have 32 lanes everywhere.
bool depends_on_size(lane_exchange exchange) {
  return exchange == lane_exchange::sub_group || exchange == lane_exchange::dpp_row_bcast ||
         exchange == lane_exchange::dpp_permlanex16 || exchange == lane_exchange::swizzle;
}

void take_next_row(target& on, cl_device_id device, const std::string& reason) {
  distrust(device, on.choice.profile->name, reason);
  on.choice = choose_profile(*on.facts);
}

}  // namespace

bool runs_other_lanes(target& on, cl_device_id device, program& code, unsigned group_size,
                      std::span<const std::string_view> kernels) {
  if (!depends_on_size(on.choice.exchange)) return false;
  for (const std::string_view kernel : kernels) {
    if (kernel.empty()) continue;
    const std::size_t lanes = code.lanes_of(*on.facts, kernel, group_size);
    // A group of fewer lanes than a set has a smaller one.
    if (lanes == 0 || lanes == on.choice.lanes || group_size < on.choice.lanes) continue;
    take_next_row(on, device,
                  "its kernel " + std::string(kernel) + " runs " + std::to_string(lanes) + " lanes, not " +
                      std::to_string(on.choice.lanes));
    return true;
  }
  return false;
}

bool built_for_other_lanes(target& on, cl_device_id device, const error& trouble) {
  if (!depends_on_size(on.choice.exchange) || trouble.kind() != failure::build ||
      trouble.details().log.find("a wavefront has not LANES lanes") == std::string::npos)
    return false;
  take_next_row(on, device,
                "its kernels are compiled for wavefronts of other than " + std::to_string(on.choice.lanes));
  return true;
}

}  // namespace clwave::detail
