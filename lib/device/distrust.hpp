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

// Changes with each row that is found out.
unsigned distrust_epoch();

}  // namespace clwave::detail
