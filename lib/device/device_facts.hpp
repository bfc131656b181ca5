// A device's facts: the driver's answers, and what follows from them. What only a kernel can tell is in
// probes.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <clwave/device.hpp>

namespace clwave::detail {

// The driver's answers and the tables', no kernel compiled. Cheap; nothing is cached.
device_facts ask_driver(cl_device_id device);

// What follows from facts, and asks nobody.

// The device's family; generic where nobody said.
inline device_family family_of(const device_facts& facts) {
  return facts.family.value_or(device_family::generic);
}

// The newest OpenCL C that the device's compiler takes: 110, 120, 200, 300. 0 where nobody said.
unsigned language_of(const device_facts& facts);

// The most work-items in a group of one dimension; what `unknown` says where nobody said.
std::size_t largest_group(const device_facts& facts, std::size_t unknown);

// Whether the driver is PoCL, by the name of its platform.
bool is_pocl(const device_facts& facts);

// Whether the driver hands out a program's binary as it built it. Where it builds all of it anew for that,
// the driver's own cache serves better.
bool hands_out_binaries(const device_facts& facts);

// Whether the driver's compiler makes wrong code of emulated lanes when it optimises. Programs that emulate
// lanes are then built without optimisation.
bool miscompiles_emulated_lanes(const device_facts& facts);

// Why calls on the device are refused, and what to do about it; no message where they are not.
struct refusal {
  std::string message, advice;
};
refusal refusal_of(const device_facts& facts);

// Whether the driver reports the extension.
bool has_extension(const device_facts& facts, std::string_view extension);

}  // namespace clwave::detail
