// Programs with instructions that the device's OpenCL compiler does not know, but its assembler does, for
// another target (profile::beyond). Their inline assembly begins with a mark that makes it a comment, so that
// the compiler hands it on. The first build is from source. What the driver hands out of it is text; in that,
// the marks are deleted and the target is named, and the second build is from there. Its binary is what the
// caches keep.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <clwave/error.hpp>
#include <clwave/profile.hpp>

#include "program/program.hpp"

namespace clwave::detail {

// What stands before a marked instruction: a comment's beginning in assembly.
inline constexpr std::string_view instruction_mark = "//@ ";

// What a first build gave, made ready for the second; nothing where it is no such text, or of another target.
std::optional<std::string> text_for_second_build(std::string_view first, const beyond_compiler& how);

// Why a marked program was not built. Whoever asked for it describes the call again, without such
// instructions.
class second_build_error : public error {
 public:
  using error::error;
};

// Whether a program was not built for its marks' sake. The device then takes no such program any more, and
// `on` is what to describe the call for next.
bool built_without_marks(target& on, cl_device_id device, const error& trouble);

// Has every second build fail, for tests.
void fail_second_builds(bool all);
bool second_builds_fail();

}  // namespace clwave::detail
