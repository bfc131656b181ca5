// What only one vendor's drivers say of their devices.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <clwave/device.hpp>

#include "device/queries.hpp"

namespace clwave::detail {

// Where the device sits on the PCI bus, by whichever extension tells it.
fact<std::string> ask_pci(const queries::driver& ask, const device_facts& facts);

// What tells the device, and the build of its driver, from others of the same names; empty where no extension
// tells it. Of a MIG instance or the like it is the instance's own.
std::vector<unsigned char> ask_uuids(const queries::driver& ask, const device_facts& facts);

// The sizes that sub-groups may be given. Only for devices with cl_intel_required_subgroup_size.
fact<std::vector<std::size_t>> ask_sub_group_sizes(const queries::driver& ask);

// The facts of the device's vendor; those of the others stay unknown and say why. Reads the family, the name
// and the extensions, which must be known by now.
void ask_vendor(const queries::driver& ask, device_facts& facts);

}  // namespace clwave::detail
