// Checks of a call's views before the driver sees them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <clwave/any_view.hpp>
#include <clwave/options.hpp>
#include <clwave/view.hpp>

#include "base/opencl.hpp"
#include "call/call.hpp"
#include "call/description.hpp"

namespace clwave::detail {

// Where a view's bytes lie.
struct located {
  cl_mem whole;          // the buffer, or the one that it is a part of
  std::uint64_t origin;  // of that part
  std::uint64_t host;  // of the memory that the host brought: its address modulo 128; 0 where it brought none
};

// An operand of a call.
struct call_operand {
  any_view view;
  access use = access::reads;
  std::string_view name;  // in errors: "the input"
  // How many of the view's elements the call reaches; nothing: all of them.
  std::optional<std::uint64_t> reach = {};
  // What its first element's address is a multiple of, in bytes; nothing: the largest power of two that
  // divides an element's size.
  std::optional<std::size_t> alignment = {};
  // An output may lie exactly where this operand does, element for element.
  bool gives_its_place = false;
};

// The bytes of an operand, from `first` to before `end` of a whole buffer.
struct operand_bytes {
  cl_mem whole;
  std::uint64_t first, end;
};

// The most operands of a call: structures and 16 arrays, or those of a selection and the 16 of a lazy input.
inline constexpr std::size_t most_operands = 24;

// Operands that check_operands has seen. Refers to them.
class checked_operands {
 public:
  // The k-th, with what is known of its first element's address.
  any_view operator[](std::size_t k) const;
  // Tells a problem's view where the k-th operand's first element lies. Its type stays: it may be another one
  // than the operand was checked in (as_bits).
  void place(std::size_t k, any_view& view) const;
  // Where the k-th lies; of one without elements nothing is known.
  operand_bytes bytes(std::size_t k) const;
  // Whether two lie exactly in one place, element for element, in one buffer or in parts of it.
  bool in_one_place(std::size_t a, std::size_t b) const;

 private:
  friend checked_operands check_operands(const call_site& site, std::string_view primitive,
                                         std::span<const call_operand> all);
  friend cl::Buffer check_workspace(const call_site& site, std::string_view primitive,
                                    const workspace_view& given, std::uint64_t n_bytes,
                                    const checked_operands& operands);
  std::span<const call_operand> all_;
  std::array<located, most_operands> where_;
};

// The one check of all operands of a call. Throws bad_call unless each has a type (check_typed), is a live
// buffer of the queue's context, large enough, of an element type the device has, that kernels may access so,
// in a sub-buffer at an origin the device accepts, and its elements lie where the device can load them one by
// one; and where a written one shares bytes with another.
checked_operands check_operands(const call_site& site, std::string_view primitive,
                                std::span<const call_operand> all);

// The same memory in a type that any device has: doubles whose bits alone are looked at are whole numbers.
any_view as_bits(const any_view& view);

// The memory that the caller gave for a call to work in, of which it needs `n_bytes`: the buffer, or a
// sub-buffer made of its part. Throws bad_call where it is as launch_options forbids.
cl::Buffer check_workspace(const call_site& site, std::string_view primitive, const workspace_view& given,
                           std::uint64_t n_bytes, const checked_operands& operands);

// Throws bad_call for elements that the device cannot compute with.
void check_element(const call_site& site, const element& type, std::string_view primitive,
                   std::string_view what);

}  // namespace clwave::detail
