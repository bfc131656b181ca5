// What every call does first: reads its queue, and checks its views before the driver sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <clwave/view.hpp>

#include "program.hpp"

namespace clwave {

// Where a call runs.
struct call_site {
  cl_command_queue queue = nullptr;
  cl_context context = nullptr;
  cl_device_id device = nullptr;
  bool in_order = true;
  target on;  // the device's facts and the profile chosen for it
};

// Asks the queue. Throws bad_call for a null or dead queue.
call_site site_of(cl_command_queue queue, std::string_view primitive);

// Checks one view: a live buffer of the queue's context, large enough, of an element type the device
// has; a sub-buffer at an origin the device accepts. `what` names it in errors ("input").
// Returns the alignment of its first element in bytes: the largest power of two, at most 128, that
// divides its address on the device.
std::size_t check_operand(const call_site& site, const detail::operand& view, std::string_view primitive,
                          std::string_view what);

// Throws bad_call if two views share bytes. Sub-buffers of one buffer are seen through.
void check_disjoint(const detail::operand& a, const detail::operand& b, std::string_view primitive,
                    std::string_view what);

// Where a view's first byte lies: its address modulo 128, if that is known. Memory of the host's own that
// begins at an odd place may lie differently on a device that keeps a copy of it.
struct placement {
  std::uint64_t address = 0;
  bool known = true;
};

// Of a checked view.
placement place_of(const detail::operand& view);

// Throws bad_call.
[[noreturn]] void refuse(std::string_view primitive, std::string_view message, std::string_view advice = {});

}  // namespace clwave
