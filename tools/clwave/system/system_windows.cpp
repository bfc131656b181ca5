// Terminals, files, names and libraries on Windows.
#include "base/windows_api.hpp"
// after windows.h
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "system/system.hpp"

namespace clwave::tool {
namespace {

OVERLAPPED place_in_file(std::uint64_t at) {
  OVERLAPPED place = {};
  place.Offset = static_cast<DWORD>(at);
  place.OffsetHigh = static_cast<DWORD>(at >> 32);
  return place;
}

// As many of so many bytes as one call moves.
DWORD bytes_of_call(std::size_t n_bytes) {
  return static_cast<DWORD>(std::min<std::size_t>(n_bytes, std::size_t{1} << 30));
}

HANDLE handle_of(int descriptor) { return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)); }

std::optional<file_facts> facts_from(int failed, const struct _stat64& status) {
  if (failed != 0) return std::nullopt;
  const auto mode = status.st_mode & _S_IFMT;
  std::string kind;
  if (mode != _S_IFREG) kind = "no regular file";
  if (mode == _S_IFDIR) kind = "a folder";
  if (mode == _S_IFIFO) kind = "a pipe";
  if (mode == _S_IFCHR) kind = "a device";
  return file_facts{kind, static_cast<std::uint64_t>(status.st_size)};
}

// The set "a-z0-9]..." that follows a '[' takes c; `pattern` goes on behind it. Without its ']' it is no set.
std::optional<bool> set_takes(std::string_view& pattern, char c) {
  const std::size_t end = pattern.find(']', 1);
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view set = pattern.substr(0, end);
  pattern.remove_prefix(end + 1);
  const bool others = set.front() == '!' || set.front() == '^';
  if (others) set.remove_prefix(1);
  bool in = false;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const bool range = i + 2 < set.size() && set[i + 1] == '-';
    in |= range ? set[i] <= c && c <= set[i + 2] : set[i] == c;
    if (range) i += 2;
  }
  return in != others;
}

// Both in small letters.
bool fits(std::string_view pattern, std::string_view name) {
  while (!pattern.empty()) {
    const char first = pattern.front();
    pattern.remove_prefix(1);
    if (first == '*') {
      for (std::size_t skipped = 0; skipped <= name.size(); ++skipped)
        if (fits(pattern, name.substr(skipped))) return true;
      return false;
    }
    if (name.empty()) return false;
    const std::optional<bool> in_set = first == '[' ? set_takes(pattern, name.front()) : std::nullopt;
    if (!in_set.value_or(first == '?' || first == name.front())) return false;
    name.remove_prefix(1);
  }
  return name.empty();
}

std::string in_small_letters(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

leftovers::leftovers() = default;
leftovers::~leftovers() = default;
void leftovers::add(const std::string&) {}
void leftovers::forget(const std::string&) {}

bool is_terminal(int descriptor) {
  DWORD mode = 0;  // _isatty takes every device for one
  return descriptor >= 0 && GetConsoleMode(handle_of(descriptor), &mode) != 0;
}

bool errors_go_to_terminal() { return is_terminal(_fileno(stderr)); }

std::size_t terminal_columns(int descriptor) {
  CONSOLE_SCREEN_BUFFER_INFO screen;
  if (!GetConsoleScreenBufferInfo(handle_of(descriptor), &screen)) return 0;
  return static_cast<std::size_t>(std::max(0, screen.srWindow.Right - screen.srWindow.Left + 1));
}

int move_standard_output() {
  // A driver that crashes ends its process, instead of asking the user in a window.
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
  const int moved = _dup(_fileno(stdout));
  if (moved >= 0) {
    _setmode(moved, _O_BINARY);  // results have the same bytes on every system
    // Colours and moves of the cursor, which consoles show only when told to.
    DWORD mode = 0;
    if (GetConsoleMode(handle_of(moved), &mode))
      SetConsoleMode(handle_of(moved), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  }
  _dup2(_fileno(stderr), _fileno(stdout));
  return moved;
}

std::optional<file_facts> facts_of_file(const std::string& path) {
  struct _stat64 status {};
  return facts_from(_stat64(path.c_str(), &status), status);
}

std::optional<file_facts> facts_of_file(const detail::file_descriptor& file) {
  struct _stat64 status {};
  return facts_from(_fstat64(file.number(), &status), status);
}

detail::file_descriptor open_to_read(const std::string& path) {
  return detail::file_descriptor(_open(path.c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT));
}

detail::file_descriptor kept_standard_input() {
  _setmode(0, _O_BINARY);
  // std::tmpfile makes its file in the root of the drive, where users may not write.
  std::array<wchar_t, MAX_PATH + 1> folder{}, path{};
  const DWORD length = GetTempPathW(static_cast<DWORD>(folder.size()), folder.data());
  if (length == 0 || length >= folder.size() ||
      GetTempFileNameW(folder.data(), L"clw", 0, path.data()) == 0) {
    errno = EACCES;
    return detail::file_descriptor(-1);
  }
  // The file goes with its descriptor.
  detail::file_descriptor kept(_wopen(path.data(), _O_RDWR | _O_BINARY | _O_TEMPORARY | _O_NOINHERIT));
  if (!kept) return kept;
  std::vector<char> piece(std::size_t{1} << 20);
  for (;;) {
    const int got = _read(0, piece.data(), static_cast<unsigned>(piece.size()));
    if (got == 0) break;
    if (got < 0) return detail::file_descriptor(-1);
    for (std::ptrdiff_t done = 0; done < got;) {
      const std::ptrdiff_t wrote = kept.write_some(piece.data() + done, static_cast<std::size_t>(got - done));
      if (wrote <= 0) return detail::file_descriptor(-1);
      done += wrote;
    }
  }
  _lseeki64(kept.number(), 0, SEEK_SET);
  return kept;
}

std::ptrdiff_t read_start(const detail::file_descriptor& file, void* into, std::size_t n_bytes) {
  const std::ptrdiff_t got = file.read_some(into, n_bytes);
  return _lseeki64(file.number(), 0, SEEK_SET) == 0 ? got : -1;
}

std::ptrdiff_t read_some_at(const detail::file_descriptor& file, std::uint64_t at, void* into,
                            std::size_t n_bytes) {
  OVERLAPPED place = place_in_file(at);
  DWORD got = 0;
  if (ReadFile(handle_of(file.number()), into, bytes_of_call(n_bytes), &got, &place)) return got;
  if (GetLastError() == ERROR_HANDLE_EOF) return 0;
  errno = EIO;
  return -1;
}

std::ptrdiff_t write_some_at(const detail::file_descriptor& file, std::uint64_t at, const void* from,
                             std::size_t n_bytes) {
  OVERLAPPED place = place_in_file(at);
  DWORD written = 0;
  if (WriteFile(handle_of(file.number()), from, bytes_of_call(n_bytes), &written, &place)) return written;
  errno = GetLastError() == ERROR_DISK_FULL ? ENOSPC : EIO;
  return -1;
}

detail::file_descriptor create_file(const std::string& path) {
  return detail::file_descriptor(
      _open(path.c_str(), _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE));
}

void set_variable(const char* name, const std::string& value) { _putenv_s(name, value.c_str()); }

void unset_variable(const char* name) { _putenv_s(name, ""); }

std::optional<std::string> user_name() {
  char name[256] = {};
  DWORD size = sizeof name;
  if (!GetUserNameA(name, &size)) return std::nullopt;
  return name;
}

std::optional<std::string> host_name() {
  char name[256] = {};
  DWORD size = sizeof name;
  if (!GetComputerNameA(name, &size)) return std::nullopt;
  return name;
}

std::optional<std::string> system_text() {
  // The version that programs without a manifest are told is an old one.
  return "Windows x86_64";
}

bool fits_pattern(const std::string& pattern, const std::string& name) {
  return fits(in_small_letters(pattern), in_small_letters(name));
}

std::string file_of_loader() {
  const HMODULE loader = GetModuleHandleA("OpenCL.dll");
  std::string path(32768, '\0');
  path.resize(loader != nullptr ? GetModuleFileNameA(loader, path.data(), static_cast<DWORD>(path.size()))
                                : 0);
  return path;
}

// Drivers are not visited one by one here (drivers_windows.cpp), so that none is asked for.
std::string file_of_library(const std::string&) { return {}; }
std::optional<std::string> why_not_loadable(const std::string&) { return std::nullopt; }

}  // namespace clwave::tool
