// What users' texts define: names that two of them may not share, and what macros may not do by the names
// that ## puts together.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "program/user_text.hpp"

namespace clwave::detail {

// Throws clwave::error (bad_call) that names label and line for a macro that puts together by ## a word that
// texts do not have, or a name with the kernels' prefix, and for one that is an attribute which texts do not
// have. `declared` are the declarations whose macros the expressions `sources` see.
void check_own_macros(std::span<const own_text> declared, std::span<const own_text> sources);

// Throws bad_call where two different texts define a function, a variable, a type or an enumerator of one
// name: the texts of a call are one program. Macros may have any: no text sees those of another.
void check_declared_once(std::span<const own_text> texts);

// The macros that a text defines or undefines.
std::set<std::string> names_of_macros(const own_text& text);

// Where in a text, whose lines are joined, numbers stand that macros of `seen` join with something by ##.
std::set<std::size_t> joined_numbers(std::span<const own_text> seen, const own_text& text);

}  // namespace clwave::detail
