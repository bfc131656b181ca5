// Which kernel parts a program does without.
#pragma once

#include <string_view>

#include "program/program.hpp"

namespace clwave::detail {

// Whether a part has nothing for a program: all of it stands in one condition (#if, #ifdef), which is false
// by the words that the program is built with. A compiler would skip the part; so it need not be handed over,
// read and hashed. A condition that the program's words do not decide is taken for true.
bool is_left_out(std::string_view part, const program_spec& spec);

}  // namespace clwave::detail
