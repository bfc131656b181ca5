// What differs between Linux and Windows, of the tool: terminals, standard output, files, names. Children and
// drivers, which differ as well, have their own headers (shared/children.hpp, drivers/drivers.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/system.hpp"

namespace clwave::tool {

// --- Terminals and standard output -----------------------------------------------------------------

bool is_terminal(int descriptor);
bool errors_go_to_terminal();
// The width of the terminal there; 0 where there is none, or it does not say.
std::size_t terminal_columns(int descriptor);

// Moves standard output to a descriptor of its own and lets everything else that is written there go to
// standard error. The descriptor, or a negative number where the process was started without standard
// output. A write past the limit on file sizes becomes an error instead of a signal.
int move_standard_output();

// --- Files -----------------------------------------------------------------------------------------

struct file_facts {
  std::string kind;  // "a folder", "a pipe (FIFO)"; empty of a regular file
  std::uint64_t n_bytes = 0;
};

// Nothing where the system has no answer: errno says why. So for the functions that follow.
std::optional<file_facts> facts_of_file(const std::string& path);
std::optional<file_facts> facts_of_file(const detail::file_descriptor& file);
// Does not wait, should a pipe be there.
detail::file_descriptor open_to_read(const std::string& path);
// All that standard input still has, in a file that has no name and goes with its descriptor.
detail::file_descriptor kept_standard_input();
// The first bytes of the file, without going on in it; negative on an error.
std::ptrdiff_t read_start(const detail::file_descriptor& file, void* into, std::size_t n_bytes);
// Some bytes from that one on, at least one, without going on in the file: 0 at its end, negative on an
// error. Threads may read at the same time. (On Windows the place to go on from is another afterwards.)
std::ptrdiff_t read_some_at(const detail::file_descriptor& file, std::uint64_t at, void* into,
                            std::size_t n_bytes);
// The same of writing.
std::ptrdiff_t write_some_at(const detail::file_descriptor& file, std::uint64_t at, const void* from,
                             std::size_t n_bytes);
// A file that was not there before.
detail::file_descriptor create_file(const std::string& path);

// What is to be removed if a signal ends the process: someone tired of waiting presses Ctrl-C. Such a signal
// waits while an object of this class lives, so that what is made meanwhile is never missed. (On Windows
// nothing is removed.)
class leftovers {
 public:
  leftovers();
  ~leftovers();
  leftovers(const leftovers&) = delete;
  leftovers& operator=(const leftovers&) = delete;

  // A file, or a folder, which must be empty by then: what was added last is removed first.
  void add(const std::string& path);
  // All whose names begin like that.
  void forget(const std::string& beginning);
};

// --- Names and variables ---------------------------------------------------------------------------

void set_variable(const char* name, const std::string& value);
void unset_variable(const char* name);

// What the system calls the user and this machine, and itself: "Linux 6.1.0 x86_64".
std::optional<std::string> user_name();
std::optional<std::string> host_name();
std::optional<std::string> system_text();

// Whether the whole name fits a pattern with *, ? and [sets], without regard to case.
bool fits_pattern(const std::string& pattern, const std::string& name);

// --- Drivers' libraries ----------------------------------------------------------------------------

// The file of the OpenCL loader; empty where it is linked in.
std::string file_of_loader();
// Which file the loader took for the library; empty where that is not known.
std::string file_of_library(const std::string& library);
// Why it cannot be loaded; nothing where it can, or nobody can tell.
std::optional<std::string> why_not_loadable(const std::string& library);

}  // namespace clwave::tool
