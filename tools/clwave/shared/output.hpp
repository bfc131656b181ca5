// The tool's standard output, kept away from drivers, and the tool's end, which is the tool's own.
#pragma once

#include <ostream>

namespace clwave::tool {

// To call first in main, before any driver is loaded: standard output goes to a descriptor that only out()
// writes to, and whatever else is printed to stdout (drivers do) goes to stderr from then on. A write past
// the limit on file sizes becomes an error instead of a signal.
void take_standard_output();

// Where results go: std::cout and printf are the drivers'.
std::ostream& out();
[[gnu::format(printf, 1, 2)]] void print(const char* format, ...);

// The descriptor that out() writes to; negative where there is none.
int output_descriptor();

// Writes what out() still holds. False if something could not be written.
bool flush_output();

// Ends the process with this code at once: destructors of drivers, which may crash, hang or choose an exit
// code of their own, do not run.
[[noreturn]] void leave(int code);
// Ends the process as other programs do, to see what a driver does then.
[[noreturn]] void leave_through_drivers(int code);

}  // namespace clwave::tool
