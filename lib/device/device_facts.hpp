// How a device's facts are gathered: the driver's answers first, then what only a kernel can tell.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <clwave/device.hpp>

namespace clwave::detail {

// The driver's answers and the tables', no kernel compiled. Cheap; nothing is cached.
device_facts ask_driver(cl_device_id device);

// What needs a compiler: inline PTX, AMD built-ins, the lanes a kernel really runs with, whether its loops
// run to their end, and whether it reaches the host's memory. All of these take the driver's answers with the
// facts, and complete them.

// Builds and runs kernels in a context of its own. Never throws for a failing driver; what failed stays
// unknown and says why. Returns whether all that was tried worked. (probes.cpp)
bool run_probes(device_facts& facts);

// Without a kernel: for a CPU, for a device without a compiler, and where an earlier process kept what its
// probes found (kept_probes.hpp). False where it takes kernels. (probes.cpp)
bool take_known_probes(device_facts& facts);

// What a program for the device may be built by before anybody has probed it: where the driver is one whose
// probes have one outcome, this is it. False for other drivers. (probes.cpp)
bool assume_probes(device_facts& facts);

// The sources of the probes, which what they found depends on. (probes.cpp)
std::string_view sources_of_probes();

// How many times this process ran probes, for tests.
std::size_t count_probes();

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

// Whether the driver is one whose loops were seen to run to their end. Others are probed. (probes.cpp)
bool is_known_to_finish_loops(const device_facts& facts);

// Why calls on the device are refused, and what to do about it; no message where they are not.
struct refusal {
  std::string message, advice;
};
refusal refusal_of(const device_facts& facts);

// Whether the driver reports the extension.
bool has_extension(const device_facts& facts, std::string_view extension);

}  // namespace clwave::detail
