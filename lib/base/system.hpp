// What differs between POSIX systems and Windows. CMake builds system_posix.cpp or system_windows.cpp, and no
// other file of the library asks whether it is on Windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <clwave/opencl.hpp>

namespace clwave::detail {

// Owns an open file, or a directory, by its number in the C library.
class file_descriptor {
 public:
  explicit file_descriptor(int number) : number_(number) {}
  file_descriptor(file_descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~file_descriptor() { close(); }
  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }
  // False where the system held back an error of an earlier write until now (NFS, quotas).
  bool close();
  // As many bytes as the system moves at once, at least one: 0 at the end of the file, negative on an error,
  // which errno has. A signal is no error.
  std::ptrdiff_t read_some(void* into, std::size_t n_bytes) const;
  std::ptrdiff_t write_some(const void* from, std::size_t n_bytes) const;

 private:
  int number_;
};

// --- Directories and files of the user's own -------------------------------------------------------

// "clwave" in the folder that the variable `xdg` names, else in `in_home` (".cache") of the home; on Windows
// "clwave\cache" in LOCALAPPDATA. Empty where there is no such folder.
std::string default_user_directory(const char* xdg, const char* in_home);

// The directory, or nothing where it must not be used: it is another user's, or others may write to it. What
// follows is relative to this descriptor, so that nobody can exchange the directory after it was checked.
//
// On Windows only the owner is looked at, not the access list: a folder in which the user let others write
// is taken, and so the default lies in LOCALAPPDATA, which others cannot write to.
file_descriptor open_user_directory(std::string path, bool create);

// A file of the user's own in it, that only they can have written (on Windows: that they own), to be read,
// and its true size. Links are not followed.
std::optional<std::pair<file_descriptor, std::uint64_t>> open_in(const file_descriptor& directory,
                                                                 const std::string& name);
// A new file, which only the user may read and write; none where the name is taken.
file_descriptor create_in(const file_descriptor& directory, const std::string& name);
// Replaces `to`, in one step that readers see whole.
bool rename_in(const file_descriptor& directory, const std::string& from, const std::string& to);
bool remove_in(const file_descriptor& directory, const std::string& name);
// Says that the file was used now.
void touch(const file_descriptor& file);

struct listed_file {
  std::int64_t last_used;  // in a unit of the system's
  std::uint64_t n_bytes;
  std::string name;
};
// The files there whose names `is_wanted` takes; those that cannot be asked are left out.
std::vector<listed_file> list_files(const file_descriptor& directory,
                                    const std::function<bool(std::string_view)>& is_wanted);

// A file that the user asked for, emptied, under their umask; the same to be written at its end.
file_descriptor open_to_write(const std::string& path);
file_descriptor open_to_append(const std::string& path);

// Calls `write` so that a write past the limit on file sizes (batch systems set one) is an error in this
// thread, and not a signal, which would end the process. Windows has no such limit.
bool without_file_size_signal(const std::function<bool()>& write);

// --- Processes -------------------------------------------------------------------------------------

// The environment's variables that `is_wanted` takes: NAME=value.
std::vector<std::string> environment_variables(const std::function<bool(std::string_view)>& is_wanted);

// What tells one list of the environment's variables from another, without reading one: how many there are,
// and two sums of their places (after Fletcher), the second of which knows their order. That is enough where
// setenv() frees no variable, so that none comes to stand in another's place: with glibc. (What putenv() was
// given is the program's own.) Nothing but zeros elsewhere (musl, macOS, Windows).
struct environment_mark {
  std::uint64_t n = 0, sum = 0, sum_of_sums = 0;
  friend bool operator==(const environment_mark&, const environment_mark&) = default;
};
environment_mark mark_environment();

// Tells this process from others that run now.
std::uint64_t process_number();

// Has the function called in each later child of fork(). Where there is no memory for that, a child goes
// unnoticed. Windows has no fork.
void call_in_forked_children(void (*function)());

// --- The OpenCL loader -----------------------------------------------------------------------------

// clGetKernelSubGroupInfo of OpenCL 2.1, the one call that clwave makes and 1.2 does not have; null where the
// loader is older.
using sub_group_function = cl_int(CL_API_CALL*)(cl_kernel, cl_device_id, cl_uint, std::size_t, const void*,
                                                std::size_t, void*, std::size_t*);
sub_group_function loaders_sub_group_function();

// Of the files in that folder by which drivers reach GPUs (kfd, dri/renderD*; dri itself where it cannot be
// listed), those that are there and that this process may not open to read and write. None on Windows, whose
// drivers have no files.
std::vector<std::string> closed_device_files(const std::string& folder = "/dev");

}  // namespace clwave::detail
