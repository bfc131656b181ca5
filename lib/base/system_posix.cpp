// Files, processes and the loader on Linux, macOS and other POSIX systems.
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <memory>
#include <string_view>

#include "base/environment.hpp"
#include "base/system.hpp"

#if defined(__ELF__)
// Null, rather than an error of the linker, where the loader does not have it.
#pragma weak clGetKernelSubGroupInfo
#endif

// Not every system's headers declare it.
extern "C" char** environ;  // NOLINT(readability-redundant-declaration): here they do

namespace clwave::detail {
namespace {

// A write over the limit on file sizes raises SIGXFSZ. While this lives, the calling thread sees only the
// error code.
class file_size_signal_blocked {
 public:
  file_size_signal_blocked() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    was_pending_ = pending();
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  file_size_signal_blocked(const file_size_signal_blocked&) = delete;
  file_size_signal_blocked& operator=(const file_size_signal_blocked&) = delete;
  ~file_size_signal_blocked() {
    int taken = 0;
    if (!was_pending_ && pending()) sigwait(&signal_, &taken);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  static bool pending() {
    sigset_t waiting;
    return sigpending(&waiting) == 0 && sigismember(&waiting, SIGXFSZ) == 1;
  }
  sigset_t signal_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

bool own_and_closed_to_others(const struct stat& status) {
  return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// The call's answer, asked again where a signal came between.
template <class Call>
std::ptrdiff_t without_interruption(Call call) {
  ssize_t moved = 0;
  do {
    moved = call();
  } while (moved < 0 && errno == EINTR);
  return moved;
}

}  // namespace

bool file_descriptor::close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

std::ptrdiff_t file_descriptor::read_some(void* into, std::size_t n_bytes) const {
  return without_interruption([&] { return ::read(number_, into, n_bytes); });
}

std::ptrdiff_t file_descriptor::write_some(const void* from, std::size_t n_bytes) const {
  return without_interruption([&] { return ::write(number_, from, n_bytes); });
}

std::string default_user_directory(const char* xdg, const char* in_home) {
  // The XDG specification has relative paths ignored.
  const char* base = environment(xdg);
  if (base != nullptr && *base == '/') return std::string(base) + "/clwave";
  const char* home = environment("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/" + in_home + "/clwave";
  return "";
}

file_descriptor open_user_directory(std::string path, bool create) {
  if (path.empty()) return file_descriptor(-1);
  while (path.size() > 1 && path.back() == '/') path.pop_back();  // "link/" would hide the link
  if (create && ::access(path.c_str(), F_OK) != 0) {
    // Failures show in the open below; most parents exist.
    for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
      mkdir(path.substr(0, end).c_str(), 0700);
    mkdir(path.c_str(), 0700);
  }
  // A link of the user's own may lead to another disk; one that somebody else planted is not followed.
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || status.st_uid != geteuid()) return file_descriptor(-1);
  file_descriptor directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory || fstat(directory.number(), &status) != 0 || !own_and_closed_to_others(status))
    return file_descriptor(-1);
  return directory;
}

std::optional<std::pair<file_descriptor, std::uint64_t>> open_in(const file_descriptor& directory,
                                                                 const std::string& name) {
  // O_NONBLOCK: opening a pipe that somebody put there must not wait for its writer.
  file_descriptor file(
      openat(directory.number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode) ||
      !own_and_closed_to_others(status))
    return std::nullopt;
  return std::pair(std::move(file), static_cast<std::uint64_t>(status.st_size));
}

file_descriptor create_in(const file_descriptor& directory, const std::string& name) {
  file_descriptor file(
      openat(directory.number(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  // The mode is set whatever the umask took away.
  if (file && fchmod(file.number(), 0600) != 0) {
    remove_in(directory, name);
    return file_descriptor(-1);
  }
  return file;
}

bool rename_in(const file_descriptor& directory, const std::string& from, const std::string& to) {
  return renameat(directory.number(), from.c_str(), directory.number(), to.c_str()) == 0;
}

bool remove_in(const file_descriptor& directory, const std::string& name) {
  return unlinkat(directory.number(), name.c_str(), 0) == 0;
}

void touch(const file_descriptor& file) { futimens(file.number(), nullptr); }

std::vector<listed_file> list_files(const file_descriptor& directory,
                                    const std::function<bool(std::string_view)>& is_wanted) {
  const int listed = openat(directory.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (listed < 0) return {};
  const auto close_list = [](DIR* list) { closedir(list); };
  const std::unique_ptr<DIR, decltype(close_list)> list(fdopendir(listed), close_list);
  if (!list) {
    close(listed);
    return {};
  }
  std::vector<listed_file> files;
  while (const dirent* item = readdir(list.get())) {
    struct stat status {};
    if (is_wanted(item->d_name) &&
        fstatat(directory.number(), item->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0)
      files.push_back({status.st_mtime, static_cast<std::uint64_t>(status.st_size), item->d_name});
  }
  return files;
}

file_descriptor open_to_write(const std::string& path) {
  return file_descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0666));
}

file_descriptor open_to_append(const std::string& path) {
  return file_descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0666));
}

bool without_file_size_signal(const std::function<bool()>& write) {
  const file_size_signal_blocked only_error_codes;
  return write();
}

std::vector<std::string> environment_variables(const std::function<bool(std::string_view)>& is_wanted) {
  std::vector<std::string> wanted;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    if (is_wanted(*each)) wanted.emplace_back(*each);
  }
  return wanted;
}

environment_mark mark_environment() {
  environment_mark mark;
#if defined(__GLIBC__)
  if (environ == nullptr) return mark;
  char** each = environ;
  for (; *each != nullptr; ++each) {
    mark.sum += reinterpret_cast<std::uintptr_t>(*each);
    mark.sum_of_sums += mark.sum;
  }
  mark.n = static_cast<std::uint64_t>(each - environ);
#endif
  return mark;
}

std::uint64_t process_number() { return static_cast<std::uint64_t>(getpid()); }

void call_in_forked_children(void (*function)()) { pthread_atfork(nullptr, nullptr, function); }

sub_group_function loaders_sub_group_function() {
#if defined(__APPLE__)
  return nullptr;  // its OpenCL is 1.2
#else
  return clGetKernelSubGroupInfo;
#endif
}

std::vector<std::string> closed_device_files(const std::string& folder) {
  std::vector<std::string> closed;
  // Opened, and not asked for its mode: that a container keeps a device back shows in no mode.
  const auto look_at = [&](const std::string& path) {
    const file_descriptor file(open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (!file && (errno == EACCES || errno == EPERM)) closed.push_back(path);
  };
  look_at(folder + "/kfd");
  const std::string gpus = folder + "/dri";
  const std::unique_ptr<DIR, int (*)(DIR*)> list(opendir(gpus.c_str()), &closedir);
  if (list == nullptr) {
    if (errno == EACCES || errno == EPERM) closed.push_back(gpus);
    return closed;
  }
  // Not those of displays (card0), which drivers do not compute by.
  while (const dirent* item = readdir(list.get())) {
    if (std::string_view(item->d_name).starts_with("renderD")) look_at(gpus + "/" + item->d_name);
  }
  return closed;
}

}  // namespace clwave::detail
