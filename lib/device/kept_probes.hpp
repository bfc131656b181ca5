// What probes found, kept on disk for later processes: to build and run them takes a second and more on some
// drivers, and what they find changes only with the device or its driver.
//
// An entry is found by all that it depends on: each of the driver's own answers, which are asked anew in each
// process (names, versions, sizes, features, the place on the bus, the UUIDs of device and driver), whether
// the device is part of another, the probes' source, clwave's version, and the environment variables by which
// drivers and their compilers are chosen and set. An answer that has changed finds no entry.
#pragma once

#include <string>
#include <string_view>

#include <clwave/device.hpp>

namespace clwave::detail {

// The name of an entry. To be asked of the driver's answers, before any probe is taken.
std::string key_of_probes(const device_facts& facts, std::string_view source_of_probes);

// Completes the facts with what an earlier process found. False, and the facts as they were, where nothing is
// kept by that name.
bool take_kept_probes(device_facts& facts, const std::string& key);

// Keeps what probes found for later processes.
void keep_probes(const device_facts& facts, const std::string& key);

}  // namespace clwave::detail
