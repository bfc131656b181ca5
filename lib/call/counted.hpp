// Inputs whose number of elements lies on the device: how calls check them, and how kernels are told.
//
// Everything is described for the whole view, `n` elements. A program whose elements are counted has the word
// COUNTED_BY, the number's type, and its kernels take in place of `n` where the number lies and the most that
// it counts for (cl_kernels/blocks/count.cl).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <clwave/any_view.hpp>

#include "call/description.hpp"
#include "call/operands.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// The view of all elements that there may be.
inline any_view all_of(any_view input) {
  input.count = nullptr;
  return input;
}

inline constexpr std::string_view count_of_elements = "the count of the elements";

// How many bytes the number of an input's elements has; 0: the host knows it. Throws bad_call where it is not
// one number of 32 or 64 bits without a sign. `name` is the number's in errors.
unsigned count_bytes_of(std::string_view primitive, const any_view& input,
                        std::string_view name = count_of_elements);

// The number as an operand of a call, and of its description.
inline call_operand counting_operand(const any_view& input, std::string_view name = count_of_elements) {
  return {.view = *input.count, .name = name};
}
inline described_operand described_count(unsigned count_bytes) { return {access::reads, count_bytes}; }

// What the description of a variant in a plan ends in; "" where the host knows the number.
inline std::string_view words_of_count(unsigned count_bytes) {
  return count_bytes != 0 ? ", as many elements as the device says" : "";
}

// The groups of a GPU's launch that has `groups` where the host knows the number. Each that finds nothing to
// do waits for the number all the same, so there are a few times as many as run at once, which loop: more of
// them where all that a group does is to move a block, so that units that are fast take more.
std::uint64_t groups_of_counted(std::uint64_t groups, unsigned count_bytes, const target& on,
                                std::uint64_t of_a_unit = 16);

// Adds the word, where the elements are counted.
void add_count(program_spec& spec, unsigned count_bytes);

// Adds the arguments ELEMENTS_ARGUMENT of a launch. `operand`: the number's, where there is one.
void add_elements(described_launch& launch, const any_view& input, std::size_t operand);

}  // namespace clwave::detail
