// Every property that OpenCL and its extensions let a platform or a device be asked for, by its CL_ name:
// what clinfo shows, asked as clinfo asks it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <clwave/opencl.hpp>

#include "shared/common.hpp"

namespace clwave::tool {

// An answer: in JSON a number, a boolean, a string, or a list of strings or numbers, null where the driver
// refused; and as one line of text, bits and flags by their CL_ names.
struct property {
  std::string name;
  json value;
  std::string text;
};

// One JSON array of an answer, for the way from a visit's child to its parent, and back.
json packed(const property& answer);
property unpacked_property(const json& from);

// What this platform and this device can be asked for by their version and extensions, in clinfo's order. The
// last of a device's is what a small kernel compiled for it says, where it has a compiler.
std::vector<property> properties_of(cl_platform_id platform);
std::vector<property> properties_of(cl_platform_id platform, cl_device_id device);

// The devices that the platform builds programs for though they are not there: one answer, the list of their
// names, where it reports cl_amd_offline_devices, else none.
std::vector<property> offline_devices_of(cl_platform_id platform);

// What calls make of a null platform, by their names: a name, a number of devices, a context, or the error.
// Drivers have crashed at them.
std::vector<property> answers_to_no_platform();

// What the loader says of itself; empty where it says nothing.
std::vector<property> properties_of_loader();

// All names known here, whether or not a device has them.
std::vector<std::string> property_names();

// True for what names one single card or driver: kept out of what is sent to others.
bool identifies_one_card(const std::string& property_name);

}  // namespace clwave::tool
