// Expressions that the user wrote (operators, maps, predicates, keys, comparisons): what each is given and
// gives, and the functions that they become in a call's source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/named_value.hpp>

#include "program/program.hpp"

namespace clwave::detail {

// An element that an expression names; without a type an index.
struct text_operand {
  const element* type = nullptr;
  const char* name = "";
  std::string given = {};  // what kernels give for it; empty: what has the same name there
};

// An expression as an operator or a map has it.
struct expression {
  std::string macro;  // by which kernels evaluate it, where operands have the same names
  std::string label;  // in errors
  const std::string& source;
  const std::string& declarations;
  const std::vector<named_value>& values;
  std::string_view prefix;  // of the values' kernel arguments
  std::vector<text_operand> operands = {};
  const element* gives = nullptr;  // what it becomes; null: whether it is other than 0
};

// Adds an expression, and what its conversion needs of the kernels. Whether its literals are doubles depends
// on the types and the text that it has itself, and on nothing else of the program.
void add_expression(program_spec& spec, const expression& of);

// What in a call's expressions may not mean what it looks like, a sentence each: divisions of whole numbers,
// which drop the fraction, where the expression gives a float.
std::vector<std::string> remarks_on(const program_spec& spec);

// What stands in the source where the spine has the texts of the call: the declarations, each text of them
// once; the functions of the expressions; the macros that kernels evaluate these by, and those of our own. A
// text sees what all declare, but no macros save its own and those of types, and none reach the kernels.
// Throws clwave::error (bad_call) for a text that could change the kernels (user_text.hpp), and for a name
// that two different texts of declarations define.
std::string texts_of_call(const program_spec& spec);

}  // namespace clwave::detail
