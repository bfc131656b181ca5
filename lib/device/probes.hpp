// What only a kernel can tell of a device: inline PTX, AMD built-ins, the lanes a kernel really runs with,
// whether its loops run to their end, and whether it reaches the host's memory. All of these take the
// driver's answers with the facts, and complete them.
#pragma once

#include <cstddef>
#include <string_view>

#include <clwave/device.hpp>

namespace clwave::detail {

// Completes the facts in any case: with what is known, or by running the probes. What these find is kept on
// disk (kept_probes.hpp) only where all of them worked, because a failure may have been of the moment.
void add_probes(device_facts& facts);

// Without a kernel: for a CPU, for a device without a compiler, and where an earlier process kept what its
// probes found. False where it takes kernels.
bool take_known_probes(device_facts& facts);

// Fills in what the probes would find where the driver is one whose probes have always had one outcome, so
// that a program can be built without them; if that fails, the device is probed after all
// (call/known_device.cpp). False for other drivers.
bool assume_probes(device_facts& facts);

// Builds and runs kernels in a context of its own. Never throws for a failing driver; what failed stays
// unknown and says why. Returns whether all that was tried worked.
bool run_probes(device_facts& facts);

// Whether the driver is one whose loops were seen to run to their end. Others are probed.
bool is_known_to_finish_loops(const device_facts& facts);

// The source of all probes, on which depends what they find.
std::string_view probe_source();

// How many times this process ran probes, for tests.
std::size_t count_probes();

}  // namespace clwave::detail
