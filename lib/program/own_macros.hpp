// What the macros of a call's texts may not do: to one another, and by the names that ## puts together.
#pragma once

#include "program/kernel_names.hpp"
#include "program/program.hpp"
#include "program/user_text.hpp"

namespace clwave::detail {

// Throws clwave::error (bad_call) that names label and line for
// - a macro that two texts of a call define in two ways, or that one defines and another declares as
//   something else: a call's texts are one program, in which each has one meaning;
// - a macro that puts a name together by ## that is prefixed where it stands as a whole, or a word that texts
//   do not have: no prefix is put before a name that there is only when the compiler has expanded macros;
// - an argument that is joined so and prefixed, so that the whole is another name;
// - a macro that is an attribute which texts do not have.
void check_own_macros(const program_spec& spec, const kernel_names& kernels, const own_names& own);

}  // namespace clwave::detail
