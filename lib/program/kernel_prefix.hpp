// The prefix that keeps the kernels' names apart from those of a user's texts.
#pragma once

#include <string>
#include <string_view>

namespace clwave::detail {

// What the kernels' names begin with in a program, and no name of a user's does.
inline constexpr std::string_view reserved_prefix = "clwave_";

// But for these: the structures of a value and its index, which texts may see.
inline constexpr std::string_view indexed_prefix = "clwave_indexed_";

// OpenCL C of ours, a kernel part or a #define line, with the prefix before every name that is not the
// language's or a compiler's. Left as they are: names that have the prefix or begin with an underscore;
// single small letters, because texts are evaluated by a, b, x, y, z and i; a macro's parameters; what ##
// joins to the word before it; quotes, comments, and the lines of #pragma, #error and #include.
std::string with_prefix(std::string_view text);

// The same of one name: of a kernel, or of a word of the option line.
std::string prefixed(std::string_view name);

// Whether it is a function of OpenCL C that the kernels call, or one whose name texts may well have.
bool is_function_of_language(std::string_view name);

}  // namespace clwave::detail
