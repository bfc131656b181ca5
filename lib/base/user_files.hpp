// The user's own files: read only where nobody else can have written them, and written whole or not at all.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/system.hpp"

namespace clwave::detail {

// The folder that the variable `own` names; else the default one (system.hpp). Empty where `own` is "off" or
// there is no home.
std::string user_directory_path(const char* own, const char* xdg, const char* in_home);

// A file of the user's own in such a directory, that only they can have written, with its true size.
struct user_file {
  file_descriptor descriptor;
  std::uint64_t n_bytes = 0;
  // False on an error and where the file ends early.
  bool read(void* into, std::size_t n_bytes);
};
std::optional<user_file> open_user_file(const file_descriptor& directory, const std::string& name);

// Writes the pieces one after the other to a temporary file of mode 0600, whose name is `name`'s until its
// dot, then more, then ".tmp", and renames it: a reader sees the old file or the new. False where it could
// not.
bool write_user_file(const file_descriptor& directory, const std::string& name,
                     std::initializer_list<std::span<const unsigned char>> pieces);

// Writes a file that the user asked for by its path, under their umask, in place. False where it could not;
// no signal is raised at the limit on file sizes, and a pipe that nobody reads is an error.
bool write_file(const std::string& path, std::span<const unsigned char> bytes);

// Writes behind what such a file has, in one piece where the system does that. Under the same rules.
bool append_to_file(const std::string& path, std::span<const unsigned char> bytes);

// A text as the functions above take it.
std::span<const unsigned char> bytes_of(std::string_view text);

}  // namespace clwave::detail
