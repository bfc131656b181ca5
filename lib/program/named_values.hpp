// Named values of operators and maps: which a call may have, and what they are called in its source.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <clwave/op.hpp>

#include "program/program.hpp"

namespace clwave::detail {

// An operator or a map has no more.
inline constexpr std::size_t most_values = 16;

// The names of the kernels' arguments are those of the values behind these, so that an operator, a map and
// the operator that compares elements may have values of one name.
inline constexpr std::string_view op_value_prefix = "clwave_op_";
inline constexpr std::string_view map_value_prefix = "clwave_map_";
inline constexpr std::string_view same_value_prefix = "clwave_same_";

// Throws bad_call for values that no text names, for clwave's own operators and maps have none, and for those
// of a type that the device does not have. The rest is checked where a program is made (add_values): it
// depends on names and types alone.
void check_values(std::string_view primitive, const target& on, const op& fold);
void check_values(std::string_view primitive, const target& on, const map& apply);

// The names that the texts of an operator or a map have for its values.
text_values values_of(const op& fold);
text_values values_of(const map& apply);

// Adds the declaration of a call's values, of which there may be none; a primitive without operators or maps
// has null for them. Throws bad_call for too many values, and for names that no value can have.
void add_values(program_spec& spec, const op* fold, const map* apply);

// The text of the operator that compares two elements, as the macro SAME_TEXT or LESS_TEXT, with its
// declarations and, behind those of add_values, its values.
void add_comparison(program_spec& spec, const char* macro, const op& compared);

}  // namespace clwave::detail
