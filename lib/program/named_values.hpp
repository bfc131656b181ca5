// Named values of operators and maps: which a call may have, and what they are called in its source.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/op.hpp>

#include "program/expressions.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// An operator or a map has no more.
inline constexpr std::size_t most_values = 16;

// The names of the kernels' arguments are those of the values behind these, so that an operator, a map, the
// operator that compares elements, and the maps that make keys of them may have values of one name.
inline constexpr std::array<std::string_view, 12> value_prefixes = {
    "clwave_op_",    "clwave_map_",   "clwave_same_",  "clwave_key_0_", "clwave_key_1_", "clwave_key_2_",
    "clwave_key_3_", "clwave_key_4_", "clwave_key_5_", "clwave_key_6_", "clwave_key_7_", "clwave_lazy_"};
inline constexpr std::string_view op_value_prefix = value_prefixes[0];
inline constexpr std::string_view map_value_prefix = value_prefixes[1];
inline constexpr std::string_view same_value_prefix = value_prefixes[2];
// Of the maps that make keys, or a transform's further outputs, in their order.
inline constexpr std::span<const std::string_view> key_value_prefixes =
    std::span(value_prefixes).subspan(3, 8);
// Of the map that makes a lazy input's elements.
inline constexpr std::string_view lazy_value_prefix = value_prefixes[11];

// Throws bad_call for values that no text names, for clwave's own operators and maps have none, and for those
// of a type that the device does not have. The rest is checked where a program is made (add_values): it
// depends on names and types alone.
void check_values(std::string_view primitive, const target& on, const op& fold);
void check_values(std::string_view primitive, const target& on, const map& apply);

// Adds the declaration of a call's values, of which there may be none; a primitive without operators or maps
// has null for them. Throws bad_call for too many values, and for names that no value can have.
void add_values(program_spec& spec, const op* fold, const map* apply);

// The expression of the operator that compares two elements, as the macro SAME_TEXT or LESS_TEXT, and, behind
// those of add_values, its values.
void add_comparison(program_spec& spec, const char* macro, const op& compared, const element& type);

// The expression of a predicate beside the call's map, as the macro PREDICATE_TEXT, of the same operands;
// and, behind the values of add_values, its own.
void add_predicate(program_spec& spec, const map& predicate, std::vector<text_operand> operands);

// The expression of the k-th map of a call that has several, behind the first one, as the macro
// FURTHER_TEXT_1 and so on, of the same operands; and, behind the values that are there, its own.
void add_further_map(program_spec& spec, std::size_t k, const map& apply, std::vector<text_operand> operands,
                     const element& gives);

// The expression of the map that makes a lazy input's elements, as the macro LAZY_TEXT. Before all values of
// the call come the arguments that `sources` declares, V(type, name) each, and this map's values. Throws
// bad_call for a value that has an operand's name.
void add_lazy_text(program_spec& spec, const map& made, std::vector<text_operand> operands,
                   const element& gives, const std::string& sources);

// The same of the map that makes the k-th key of an element, as the macro KEY_TEXT_0 and so on.
void add_key_text(program_spec& spec, std::size_t k, const map& key, const element& of, const element& gives);

// Arguments of kernels, V(type, name) each, that come before all values of the call.
void add_sources(program_spec& spec, const std::string& declared);

}  // namespace clwave::detail
