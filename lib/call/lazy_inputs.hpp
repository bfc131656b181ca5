// Inputs that are no arrays: how calls check them, and how kernels are told what their elements are made of.
//
// A kernel takes such an input where it takes an array, and gets no memory for it: its pointer is null, so
// that a place in it is its index, in elements (cl_kernels/blocks/lazy.cl). The sources are arguments of
// their own behind all others, and the text that makes elements of them finds them among the values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <clwave/any_view.hpp>
#include <clwave/lazy_view.hpp>

#include "call/description.hpp"
#include "call/operands.hpp"
#include "program/expressions.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// How a program reads a source.
struct lazy_source {
  const element* type = nullptr;
  bool by_steps = false;
  unsigned index_bytes = 0;  // 0: by its own index
};

// What a program is built from of an input: nothing of one that is an array.
struct lazy_variant {
  bool lazy = false;
  std::vector<lazy_source> sources = {};
  bool makes = false;  // a text makes the elements of the sources'; else they are the one source's
  const map* apply = &identity;
};

// The array that a call is given for an input: itself, or no elements of its type. Without a count.
any_view array_given_for(const any_view& input);

// Throws bad_call for a lazy input that no call takes.
lazy_variant lazy_of(std::string_view primitive, const any_view& input, const target& on);

// The words and texts of a lazy input of these elements; none of an array. Behind those of all values.
// `bits`: kernels see the elements as whole numbers of their size.
void add_lazy(program_spec& spec, const lazy_variant& v, const element& type, bool bits = false);

// What a text finds of the sources: an element of each, and the index.
std::vector<text_operand> operands_of_text(const lazy_variant& v);

// A description's operand for the input.
described_operand described_input(std::string_view primitive, const any_view& input);
// Adds its sources: the operands behind all others, and the arguments of launches that take values. These say
// so (described_launch::takes_sources).
void describe_sources(std::string_view primitive, const any_view& input, described_work& work);

// The sources as operands of a call, with their buffers; returns how many they are, 16 at most.
inline constexpr std::size_t most_source_operands = 16;
std::size_t list_sources(const any_view& input, std::span<call_operand> all, std::span<cl_mem> buffers);

// What the description of a variant in a plan ends in; "" of an array.
std::string_view words_of_lazy(const any_view& input);

}  // namespace clwave::detail
