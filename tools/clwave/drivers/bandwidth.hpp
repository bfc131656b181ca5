// What copies cost on a driver: between host and device, within a device, and from device to device in each
// way that OpenCL has. Runs in the child of a visit (visit_child.cpp), for drivers crash and hang here too.
#pragma once

#include <functional>

#include "shared/common.hpp"

namespace clwave::tool {

// Times copies on all devices of the loader's platforms, until about `budget_s` seconds are over: what is
// left then says so. Each answer is given as soon as it is known:
//   {"timing": "0:0 to 0:1, by migration"}     before it is timed: by place in this process
//   {"timed": {"of": "device", "platform": 0, "device": 0, ...}}
//   {"timed": {"of": "platform", "platform": 0, "common_context": true, "why": null}}
//   {"timed": {"of": "pair", "platform": 0, "from": 0, "to": 1, ...}}
// A speed is {"gb_per_s", "samples", "why"}: the median of the samples in 10^9 bytes copied a second, or null
// and why there is none.
void time_copies(double budget_s, const std::function<void(const char* key, json value)>& answer);

}  // namespace clwave::tool
