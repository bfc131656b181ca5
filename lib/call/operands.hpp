// Checks of a call's views before the driver sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <clwave/question.hpp>
#include <clwave/view.hpp>

#include "call/call.hpp"
#include "call/description.hpp"

namespace clwave {

// An operand of a call.
struct call_operand {
  detail::operand view;
  access use = access::reads;
  std::string_view name;  // in errors: "the input"
  // How many of the view's elements the call reaches; nothing: all of them.
  std::optional<std::uint64_t> reach = {};
  // An output may lie exactly where this operand does, element for element.
  bool gives_its_place = false;
};

// Where a view's first element lies: its address modulo 128, if that is known.
struct placement {
  std::uint64_t address = 0;
  bool known = true;
};

// The one check of all operands of a call. Throws bad_call unless each is a live buffer of the queue's
// context, large enough, of an element type the device has, that kernels may access so, in a sub-buffer at an
// origin the device accepts, and its elements lie where the device can load them one by one; and where a
// written one shares bytes with another. `places`, where there are any, is given where the operands lie.
void check_operands(const call_site& site, std::string_view primitive, std::span<const call_operand> all,
                    std::span<placement> places = {});

// Checks one view, and returns the alignment of its first element in bytes: the largest power of two, at
// most 128, that divides its address on the device.
std::size_t check_operand(const call_site& site, const detail::operand& view, access use,
                          std::string_view primitive, std::string_view what);

// Throws bad_call if two views share bytes. Sub-buffers of one buffer are seen through.
void check_disjoint(const detail::operand& a, const detail::operand& b, std::string_view primitive,
                    std::string_view what);

placement place_of(const detail::operand& view);

// A checked view as a question has it.
asked_operand asked(const detail::operand& view);
// The same where check_operands has found its place.
inline asked_operand asked(const detail::operand& view, const placement& at) {
  return {*view.type, view.offset, at.address, at.known};
}

}  // namespace clwave
