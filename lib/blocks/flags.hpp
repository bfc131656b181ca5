// Flags beside elements, which select and gather take: what they may be, alone or with a predicate over them,
// and what programs know of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/op.hpp>

#include "program/expressions.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// Throws bad_call unless flags of this type say by themselves whether they are set: integers and bool.
// `types`: the call's, in errors.
void check_flags(std::string_view primitive, const element& flag, const std::string& types);
// Throws bad_call unless the predicate may decide by flags of this type, which is any that the device has.
void check_flags(std::string_view primitive, const target& on, const element& flag, const map* predicate,
                 const std::string& types);

// The flags of a program as they lie in memory, each of which decides by not being 0: PREDICATE_TEXT, of an
// operand of this name.
void add_flags(program_spec& spec, const element& flag, std::string_view name);
// The flags, and a predicate of the user's over them, as PREDICATE_TEXT of these operands, with what it sees
// of a flag. `others`: the types that the program has declared.
void add_flags(program_spec& spec, const element& flag, std::span<const element* const> others,
               const map& predicate, std::vector<text_operand> operands);

}  // namespace clwave::detail
