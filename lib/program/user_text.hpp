// The texts that a user wrote: checked before anything is built. No name of theirs meets one of the kernels',
// which begin with a prefix that no text of a user has (kernel_prefix.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <clwave/element.hpp>

#include "program/kernel_prefix.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// Put before the name of a user's function that the language has, too (min), in the text that declares it.
inline constexpr std::string_view user_prefix = "clwave_user_";

// What the kernels call a structure of the user's: its name behind this.
inline constexpr std::string_view type_prefix = "clwave_type_";

// What the kernels' structure of values is called (cl_kernels/blocks/named_values.cl).
inline constexpr std::string_view values_variable = "clwave_given.";

// What the kernels call a type: a user's structure by a name that no text has (type_prefix).
std::string name_in_source(const element& type);

// A text of a user's, and what an error calls it.
struct own_text {
  std::string label, text;
};

// The macros and functions that declarations define.
using own_names = std::set<std::string, std::less<>>;
void add_own_names(own_names& own, const std::string& label, std::string_view text);

// Attributes by which code runs as a program is loaded, or stands where the driver does not look for it: on a
// CPU a program is a library of the process's, and ends it.
inline constexpr std::array<std::string_view, 7> refused_attributes{
    "constructor", "destructor", "init_priority", "ifunc", "alias", "section", "cleanup"};
// Whether the word is one of these, also with underscores before and behind it.
bool is_refused_attribute(std::string_view word);

// Words that pragmas begin with inside a line, of which a user's text has none.
inline constexpr std::array<std::string_view, 2> words_of_pragmas{"_Pragma", "__pragma"};

// Functions, types and macros of the user as they go into the source: without comments, lines where they
// were, and an f behind floating literals that have no suffix, unless the text names double. `own` are the
// names that it and the texts it sees define, `seen` the texts whose macros it sees. Throws clwave::error
// (bad_call) that names label and line for a text that could change the kernels, or leaves something open:
// names that begin with clwave_, macros of the language's words, #line, #include and pragmas other than
// unroll and extensions, brackets, comments, quotes and conditions without their ends, a backslash at the
// end, characters that no text has (0), digraphs and trigraphs.
std::string fit_declarations(const std::string& label, std::string_view text, const own_names& own,
                             std::span<const own_text> seen = {});

// The same of an expression. No directives and no // comments.
std::string fit_expression(const user_text& of, const own_names& own, std::span<const own_text> seen);

// Whether a text names the type double or one of its vectors or conversions.
bool names_double(std::string_view text);

// Whether a text is one identifier that a type can have: no keyword of the language.
bool is_identifier(std::string_view text);

// Throws bad_call unless every type has a name that is one identifier, and types of one name are one type.
void check_elements(std::string_view primitive, std::span<const element* const> types);

}  // namespace clwave::detail
