// The two sorted ranges of a merge or a set operation. The number of elements of either may lie on the device
// (call/counted.hpp). Here are the checks of these numbers, and the arguments by which kernels get both
// ranges (cl_kernels/blocks/sorted_ranges.cl).
#pragma once

#include <cstddef>
#include <string_view>

#include <clwave/any_view.hpp>

#include "call/description.hpp"
#include "call/operands.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// How many bytes the number of either range has; 0: the host knows it.
struct range_counts {
  unsigned a = 0, b = 0;
};

// Throws bad_call where a number is not one of 32 or 64 bits without a sign.
range_counts counts_of_ranges(std::string_view primitive, const any_view& a, const any_view& b);

// The module, and the words of the numbers.
void add_sorted_ranges(program_spec& spec, const range_counts& counts);

// The numbers as operands of a description, behind those that are there, in the order of the ranges.
void describe_counts(const range_counts& counts, described_work& work);

// Adds the arguments SORTED_RANGES. The ranges are operands 0 and 1, their numbers operands from
// `first_count` on.
void add_sorted_ranges(described_launch& launch, const any_view& a, const any_view& b,
                       std::size_t first_count);

// What the description of a variant in a plan ends in; "" where the host knows both numbers.
std::string_view words_of_counts(const range_counts& counts);

}  // namespace clwave::detail
