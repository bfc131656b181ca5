// How a device's facts are gathered: the driver's answers first, then what only a kernel can tell.
#pragma once

#include <clwave/device.hpp>

namespace clwave {

// The driver's answers and the tables', no kernel compiled. Cheap; nothing is cached.
device_facts ask_driver(cl_device_id device);

// Adds what needs a compiler: inline PTX, AMD built-ins, and the lanes a kernel really runs with.
// Never throws for a failing driver; what failed stays unknown and says why. (probes.cpp)
void run_probes(device_facts& facts);

}  // namespace clwave
