// A program in a log (CLWAVE_CALL_LOG), which `clwave warm` builds again. README.md has the fields of a line.
#pragma once

#include <optional>
#include <string>

#include <clwave/prepare.hpp>

#include "program/program.hpp"
#include "shared/common.hpp"

namespace clwave::tool {

struct logged_program {
  std::string line;   // as it stands in the log
  std::string title;  // "reduce f32 plus"
  std::string version, device, profile;
  detail::program_spec spec;
};

// Nothing where the line is not whole, or not one of a log.
std::optional<logged_program> read_logged(const std::string& line);

// Why the program is of no use on a device; empty where it is.
std::string why_not_here(const logged_program& program, const device_facts& facts,
                         const profile_choice& choice);

any_problem problem_of(const logged_program& program);

}  // namespace clwave::tool
