// How many groups of a plan's kernels a compute unit holds, and why, as `clwave why` shows it.
#pragma once

#include <string>
#include <vector>

#include "primitives/planned_primitive.hpp"

namespace clwave::tool {

// Builds the plan's kernels on its device and asks what they take. Where they do not take the plan's groups,
// the plan is made again with smaller ones, as the call would. Nothing is built where the plan has no
// kernels, or where the device has no compiler.
json build_and_fit(plan_target& on, const planned_primitive& primitive, call_plan& plan);

// The same by the plan alone.
json occupancy_without_device(const std::string& architecture, const plan_target& on, const call_plan& plan);

// One sentence for each kernel.
std::vector<std::string> lines_of_occupancy(const json& record);

}  // namespace clwave::tool
