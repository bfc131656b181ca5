// Files, processes and the loader on Windows.
#include "base/windows_api.hpp"
// after windows.h
#include <aclapi.h>
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string_view>

#include "base/environment.hpp"
#include "base/system.hpp"

namespace clwave::detail {
namespace {

// The C library's calls count in int.
unsigned at_once(std::size_t n_bytes) {
  return static_cast<unsigned>(std::min<std::size_t>(n_bytes, std::numeric_limits<int>::max()));
}

HANDLE handle_of(const file_descriptor& file) {
  return reinterpret_cast<HANDLE>(_get_osfhandle(file.number()));
}

// The handle as a number of the C library's, which closes it.
file_descriptor descriptor_of(HANDLE handle, int flags) {
  if (handle == INVALID_HANDLE_VALUE) return file_descriptor(-1);
  const int number =
      _open_osfhandle(reinterpret_cast<std::intptr_t>(handle), flags | _O_BINARY | _O_NOINHERIT);
  if (number < 0) CloseHandle(handle);
  return file_descriptor(number);
}

// What the token says of one of this process's names: its user, or the group that owns what an administrator
// makes.
std::vector<unsigned char> token_information(TOKEN_INFORMATION_CLASS what) {
  HANDLE token = nullptr;
  if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) return {};
  DWORD size = 0;
  GetTokenInformation(token, what, nullptr, 0, &size);
  std::vector<unsigned char> bytes(size);
  if (size == 0 || !GetTokenInformation(token, what, bytes.data(), size, &size)) bytes.clear();
  CloseHandle(token);
  return bytes;
}

bool is_owned_by_user(HANDLE file) {
  PSID owner = nullptr;
  PSECURITY_DESCRIPTOR description = nullptr;
  if (GetSecurityInfo(file, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, nullptr, nullptr, nullptr,
                      &description) != ERROR_SUCCESS)
    return false;
  const std::vector<unsigned char> user = token_information(TokenUser);
  const std::vector<unsigned char> group = token_information(TokenOwner);
  const bool owned =
      (!user.empty() && EqualSid(owner, reinterpret_cast<const TOKEN_USER*>(user.data())->User.Sid)) ||
      (!group.empty() && EqualSid(owner, reinterpret_cast<const TOKEN_OWNER*>(group.data())->Owner));
  LocalFree(description);
  return owned;
}

// The names in our directories are of ASCII letters and digits.
std::wstring wide(std::string_view name) { return {name.begin(), name.end()}; }

// Where the file of that name is in the directory; empty where the system does not say.
std::wstring path_in(const file_descriptor& directory, std::string_view name) {
  const HANDLE handle = handle_of(directory);
  const DWORD size = GetFinalPathNameByHandleW(handle, nullptr, 0, FILE_NAME_NORMALIZED);
  std::wstring path(size, L'\0');
  const DWORD length = GetFinalPathNameByHandleW(handle, path.data(), size, FILE_NAME_NORMALIZED);
  if (length == 0 || length >= size) return {};
  path.resize(length);
  return path + L'\\' + wide(name);
}

constexpr DWORD shared_by_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

std::uint64_t joined(DWORD high, DWORD low) { return std::uint64_t{high} << 32 | low; }

}  // namespace

bool file_descriptor::close() { return number_ < 0 || _close(std::exchange(number_, -1)) == 0; }

std::ptrdiff_t file_descriptor::read_some(void* into, std::size_t n_bytes) const {
  return _read(number_, into, at_once(n_bytes));
}

std::ptrdiff_t file_descriptor::write_some(const void* from, std::size_t n_bytes) const {
  return _write(number_, from, at_once(n_bytes));
}

std::string default_user_directory(const char* xdg, const char* in_home) {
  if (const char* base = environment(xdg); base != nullptr && std::filesystem::path(base).is_absolute())
    return std::string(base) + "\\clwave";
  const char* home = environment("LOCALAPPDATA");
  if (home == nullptr) return "";
  const std::string_view name = in_home;
  return std::string(home) + "\\clwave\\" + std::string(name.substr(name.starts_with('.') ? 1 : 0));
}

file_descriptor open_user_directory(std::string path, bool create) {
  if (path.empty()) return file_descriptor(-1);
  if (create) {
    std::error_code failed;  // shows in the open below
    std::filesystem::create_directories(path, failed);
  }
  // Nobody may rename or remove it while this handle is open, since it shares no deletion.
  const HANDLE handle = CreateFileA(path.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  file_descriptor directory = descriptor_of(handle, _O_RDONLY);
  BY_HANDLE_FILE_INFORMATION status;
  if (!directory || !GetFileInformationByHandle(handle, &status) ||
      (status.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0 || !is_owned_by_user(handle))
    return file_descriptor(-1);
  return directory;
}

std::optional<std::pair<file_descriptor, std::uint64_t>> open_in(const file_descriptor& directory,
                                                                 const std::string& name) {
  // With the right to say when it was used last.
  const HANDLE handle =
      CreateFileW(path_in(directory, name).c_str(), GENERIC_READ | FILE_WRITE_ATTRIBUTES, shared_by_all,
                  nullptr, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
  file_descriptor file = descriptor_of(handle, _O_RDONLY);
  BY_HANDLE_FILE_INFORMATION status;
  if (!file || GetFileType(handle) != FILE_TYPE_DISK || !GetFileInformationByHandle(handle, &status) ||
      (status.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT)) != 0 ||
      !is_owned_by_user(handle))
    return std::nullopt;
  return std::pair(std::move(file), joined(status.nFileSizeHigh, status.nFileSizeLow));
}

file_descriptor create_in(const file_descriptor& directory, const std::string& name) {
  return descriptor_of(CreateFileW(path_in(directory, name).c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW,
                                   FILE_ATTRIBUTE_NORMAL, nullptr),
                       _O_WRONLY);
}

bool rename_in(const file_descriptor& directory, const std::string& from, const std::string& to) {
  return MoveFileExW(path_in(directory, from).c_str(), path_in(directory, to).c_str(),
                     MOVEFILE_REPLACE_EXISTING) != 0;
}

bool remove_in(const file_descriptor& directory, const std::string& name) {
  return DeleteFileW(path_in(directory, name).c_str()) != 0;
}

void touch(const file_descriptor& file) {
  FILETIME now;
  GetSystemTimeAsFileTime(&now);
  SetFileTime(handle_of(file), nullptr, nullptr, &now);
}

std::vector<listed_file> list_files(const file_descriptor& directory,
                                    const std::function<bool(std::string_view)>& is_wanted) {
  std::vector<listed_file> files;
  WIN32_FIND_DATAW item;
  const HANDLE list = FindFirstFileW(path_in(directory, "*").c_str(), &item);
  if (list == INVALID_HANDLE_VALUE) return files;
  do {
    const std::wstring_view found = item.cFileName;
    if (std::any_of(found.begin(), found.end(), [](wchar_t c) { return c > 127; })) continue;
    std::string name;
    for (const wchar_t c : found) name += static_cast<char>(c);
    if (is_wanted(name))
      files.push_back({static_cast<std::int64_t>(
                           joined(item.ftLastWriteTime.dwHighDateTime, item.ftLastWriteTime.dwLowDateTime)),
                       joined(item.nFileSizeHigh, item.nFileSizeLow), std::move(name)});
  } while (FindNextFileW(list, &item));
  FindClose(list);
  return files;
}

file_descriptor open_to_write(const std::string& path) {
  return file_descriptor(
      _open(path.c_str(), _O_WRONLY | _O_CREAT | _O_TRUNC | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE));
}

file_descriptor open_to_append(const std::string& path) {
  return file_descriptor(
      _open(path.c_str(), _O_WRONLY | _O_CREAT | _O_APPEND | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE));
}

bool without_file_size_signal(const std::function<bool()>& write) { return write(); }

std::vector<std::string> environment_variables(const std::function<bool(std::string_view)>& is_wanted) {
  std::vector<std::string> wanted;
  for (char** each = _environ; each != nullptr && *each != nullptr; ++each) {
    if (is_wanted(*each)) wanted.emplace_back(*each);
  }
  return wanted;
}

environment_mark mark_environment() { return {}; }

std::uint64_t process_number() { return GetCurrentProcessId(); }

void call_in_forked_children(void (*)()) {}

sub_group_function loaders_sub_group_function() {
  const HMODULE loader = GetModuleHandleA("OpenCL.dll");
  const auto found = loader != nullptr ? GetProcAddress(loader, "clGetKernelSubGroupInfo") : nullptr;
  // By way of void*, since the compiler warns of a cast between types of functions.
  return reinterpret_cast<sub_group_function>(reinterpret_cast<void*>(found));
}

std::vector<std::string> closed_device_files(const std::string& /*folder*/) { return {}; }

}  // namespace clwave::detail
