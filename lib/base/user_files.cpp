// Opens, reads and writes the user's own files.
#include "base/user_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <type_traits>

#include "base/environment.hpp"

namespace clwave::detail {
namespace {

// A write over the limit on file sizes that batch systems set raises SIGXFSZ, which ends the process.
// While this lives, the calling thread sees only the error code.
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

// Calls read or write until all bytes are through; false on an error and where the file ends early.
template <typename Void>
bool transfer(ssize_t (*call)(int, Void*, std::size_t), const file_descriptor& file,
              std::type_identity_t<Void>* memory, std::size_t n_bytes) {
  auto* next = static_cast<std::conditional_t<std::is_const_v<Void>, const char, char>*>(memory);
  while (n_bytes > 0) {
    const ssize_t moved = call(file.number(), next, n_bytes);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return false;
    next += moved;
    n_bytes -= static_cast<std::size_t>(moved);
  }
  return true;
}

// False on an error, also one that the system held back until the file is closed.
bool write_and_close(file_descriptor& file, std::initializer_list<std::span<const unsigned char>> pieces) {
  const file_size_signal_blocked only_error_codes;
  bool whole = true;
  for (const std::span<const unsigned char> piece : pieces)
    whole = whole && transfer(::write, file, piece.data(), piece.size());
  return file.close() && whole;
}

}  // namespace

std::span<const unsigned char> bytes_of(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

bool file_descriptor::close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

std::string user_directory_path(const char* own, const char* xdg, const char* in_home) {
  if (const char* named = environment(own)) return std::string_view(named) == "off" ? "" : named;
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
  if (create && access(path.c_str(), F_OK) != 0) {
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

std::optional<user_file> open_user_file(const file_descriptor& directory, const std::string& name) {
  // O_NONBLOCK: opening a pipe that somebody put there must not wait for its writer.
  file_descriptor file(
      openat(directory.number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode) ||
      !own_and_closed_to_others(status))
    return std::nullopt;
  return user_file{std::move(file), static_cast<std::uint64_t>(status.st_size)};
}

bool user_file::read(void* into, std::size_t n) { return transfer(::read, descriptor, into, n); }

bool write_user_file(const file_descriptor& directory, const std::string& name,
                     std::initializer_list<std::span<const unsigned char>> pieces) {
  // Not mkstemp, which takes a path. The time tells apart containers that share a home and count
  // processes alike; O_EXCL settles what is left.
  static std::atomic<unsigned> writes{0};
  const std::string temporary = name.substr(0, name.find('.')) + '.' + std::to_string(getpid()) + '.' +
                                std::to_string(writes.fetch_add(1, std::memory_order_relaxed)) + '.' +
                                std::to_string(std::chrono::system_clock::now().time_since_epoch().count()) +
                                ".tmp";
  file_descriptor file(openat(directory.number(), temporary.c_str(),
                              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return false;
  // The mode is set whatever the umask took away.
  const bool whole = fchmod(file.number(), 0600) == 0 && write_and_close(file, pieces);
  if (whole && renameat(directory.number(), temporary.c_str(), directory.number(), name.c_str()) == 0)
    return true;
  unlinkat(directory.number(), temporary.c_str(), 0);
  return false;
}

bool write_file(const std::string& path, std::span<const unsigned char> bytes) {
  file_descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0666));
  return file && write_and_close(file, {bytes});
}

}  // namespace clwave::detail
