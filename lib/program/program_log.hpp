// The log of programs that a process needed, from which `clwave warm` builds them again.
#pragma once

#include <string>

#include "program/program.hpp"

namespace clwave::detail {

// A program as one line of JSON without its end: all that its source and options are made of but the target,
// and for which clwave, device and profile it was described. tools/clwave/README.md has the fields.
std::string line_of_program(const program_spec& spec, const target& on);

// Appends the line to the file that CLWAVE_CALL_LOG names, in one write, so that processes may share a log. A
// log that cannot be written is no reason to fail the call.
void log_program(const program_spec& spec, const target& on);

}  // namespace clwave::detail
