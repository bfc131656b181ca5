// Whether a built kernel runs the lanes it was written for. Where it does not, its row serves the device no
// more.
#pragma once

#include <span>
#include <string_view>

#include <clwave/error.hpp>
#include <clwave/opencl.hpp>
#include <clwave/profile.hpp>

#include "program/program.hpp"

namespace clwave::detail {

// Whether one of the kernels runs other lanes than the row's: its driver's answer for groups of that size,
// where it has one. `on` then has the row that is next. An empty name is no kernel.
bool runs_other_lanes(target& on, cl_device_id device, program& code, unsigned group_size,
                      std::span<const std::string_view> kernels);

// The same of a program that did not build: whether its compiler said that its wavefronts have other lanes.
bool built_for_other_lanes(target& on, cl_device_id device, const error& trouble);

}  // namespace clwave::detail
