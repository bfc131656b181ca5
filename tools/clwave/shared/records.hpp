// Devices, profiles and plans as JSON, for every command that prints them. README.md has the schema.
#pragma once

#include <clwave/device.hpp>
#include <clwave/plan.hpp>
#include <clwave/profile.hpp>

#include "shared/common.hpp"

namespace clwave::tool {

// A device of clwave-info/1, without its place.
json record_of(const device_facts& facts, const profile_choice& choice);

// A chosen profile, and a profile of the device table.
json record_of(const profile_choice& choice);
json record_of(const profile& row);

// A plan, all but its source: plan.json of clwave emulate, clwave why --json.
json record_of(const call_plan& plan);

// "sm_90 (NVIDIA Hopper), emulated": a chosen profile in a few words.
std::string short_text_of(const profile_choice& choice);

}  // namespace clwave::tool
