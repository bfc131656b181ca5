// What drivers make of commands that wait for an event that fails.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/devices.hpp"

namespace testing {

// Whether a command ends in an error where the event that it waits for does. Intel's runtime runs it all the
// same.
inline bool ends_with_its_event(const fixture& on) {
  const cl::CommandQueue queue = on.new_queue();
  const cl::Buffer buffer = on.buffer_of(std::vector<u32>(16));
  cl::UserEvent bad(on.context);
  const std::vector<cl::Event> before{bad};
  cl::Event filled;
  clwave::detail::check(queue.enqueueFillBuffer(buffer, u32{1}, 0, 64, &before, &filled), "fill");
  queue.flush();
  bad.setStatus(-5);
  comes_true([&] { return filled.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() <= CL_COMPLETE; });
  return filled.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() < 0;
}

}  // namespace testing
