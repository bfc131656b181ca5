// Rows of the table that do not serve a device, since a kernel that was built for one was found to run with
// other lanes. Remembered for the process.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <clwave/opencl.hpp>

namespace clwave::detail {

// Why a row does not serve a device; nothing where that is not known.
std::optional<std::string> distrusted(cl_device_id device, std::string_view row);

void distrust(cl_device_id device, std::string_view row, const std::string& reason);

// Whether the driver refused the second build of a program (profile::beyond): no other is tried on the
// device.
bool refused_second_build(cl_device_id device);

void refuse_second_builds(cl_device_id device);

// Changes with each row, and each refusal, that is found out.
unsigned distrust_epoch();

}  // namespace clwave::detail
