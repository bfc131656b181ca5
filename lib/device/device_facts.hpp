// How a device's facts are gathered: the driver's answers first, then what only a kernel can tell.
#pragma once

#include <cstddef>
#include <string_view>

#include <clwave/device.hpp>

namespace clwave::detail {

// The driver's answers and the tables', no kernel compiled. Cheap; nothing is cached.
device_facts ask_driver(cl_device_id device);

// Adds what needs a compiler: inline PTX, AMD built-ins, and the lanes a kernel really runs with.
// Never throws for a failing driver; what failed stays unknown and says why. (probes.cpp)
void run_probes(device_facts& facts);

// What follows from facts, and asks nobody.

// The newest OpenCL C that the device's compiler takes: 110, 120, 200, 300. 0 where nobody said.
unsigned language_of(const device_facts& facts);

// The most work-items in a group of one dimension; what `unknown` says where nobody said.
std::size_t largest_group(const device_facts& facts, std::size_t unknown);

// Whether the driver reports the extension.
bool has_extension(const device_facts& facts, std::string_view extension);

}  // namespace clwave::detail
