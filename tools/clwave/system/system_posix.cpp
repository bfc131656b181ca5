// Terminals, files, names and libraries on Linux.
#include "system/system.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <link.h>
#include <pwd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace clwave::tool {
namespace {

std::string kind_of_file(mode_t mode) {
  if (S_ISREG(mode)) return {};
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe (FIFO)";
  if (S_ISSOCK(mode)) return "a socket";
  return S_ISCHR(mode) || S_ISBLK(mode) ? "a device" : "no regular file";
}

std::optional<file_facts> facts_from(int failed, const struct stat& status) {
  if (failed != 0) return std::nullopt;
  return file_facts{kind_of_file(status.st_mode), static_cast<std::uint64_t>(status.st_size)};
}

// The call's answer, asked again where a signal came between.
template <class Call>
std::ptrdiff_t without_interruption(const Call& call) {
  for (;;) {
    const ssize_t moved = call();
    if (moved >= 0 || errno != EINTR) return moved;
  }
}

std::vector<std::string>& leftover_paths() {
  static std::vector<std::string> paths;
  return paths;
}

// Taken by who reads or changes the list. The signals are blocked in the thread that changes it, so that one
// that another thread gets finds it free at last.
std::atomic_flag leftovers_taken = ATOMIC_FLAG_INIT;

void take_leftovers() {
  while (leftovers_taken.test_and_set(std::memory_order_acquire)) {
  }
}

constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

// What the thread that has the list had blocked before.
sigset_t blocked_before;

extern "C" void remove_leftovers(int signal) {
  take_leftovers();  // and for good
  const std::vector<std::string>& paths = leftover_paths();
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
    if (unlink(path->c_str()) != 0) rmdir(path->c_str());
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

leftovers::leftovers() {
  sigset_t ending, before;
  sigemptyset(&ending);
  for (const int signal : ending_signals) sigaddset(&ending, signal);
  pthread_sigmask(SIG_BLOCK, &ending, &before);
  take_leftovers();
  blocked_before = before;
  for (const int signal : ending_signals) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL)
      std::signal(signal, remove_leftovers);
  }
}

leftovers::~leftovers() {
  const sigset_t before = blocked_before;
  leftovers_taken.clear(std::memory_order_release);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void leftovers::add(const std::string& path) { leftover_paths().push_back(path); }

void leftovers::forget(const std::string& beginning) {
  std::erase_if(leftover_paths(), [&](const std::string& path) { return path.starts_with(beginning); });
}

bool is_terminal(int descriptor) { return isatty(descriptor) == 1; }

bool errors_go_to_terminal() { return is_terminal(STDERR_FILENO); }

std::size_t terminal_columns(int descriptor) {
  winsize size = {};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int move_standard_output() {
  std::signal(SIGXFSZ, SIG_IGN);
  // Descriptors 0 to 2 that the caller closed would be given to the next files opened, and drivers print
  // there.
  bool has_output = true;
  for (int number = 0; number <= 2; ++number) {
    if (fcntl(number, F_GETFD) >= 0) continue;
    const int nothing = open("/dev/null", O_RDWR);
    if (number == STDOUT_FILENO) has_output = false;
    if (nothing != number && nothing >= 0) {
      dup2(nothing, number);
      close(nothing);
    }
  }
  const int moved = has_output ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10) : -1;
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return moved;
}

std::optional<file_facts> facts_of_file(const std::string& path) {
  struct stat status {};
  return facts_from(stat(path.c_str(), &status), status);
}

std::optional<file_facts> facts_of_file(const detail::file_descriptor& file) {
  struct stat status {};
  return facts_from(fstat(file.number(), &status), status);
}

detail::file_descriptor open_to_read(const std::string& path) {
  return detail::file_descriptor(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

detail::file_descriptor kept_standard_input() {
  std::error_code none;
  std::string path = (std::filesystem::temp_directory_path(none) / "clwave-input-XXXXXX").string();
  detail::file_descriptor kept(mkstemp(path.data()));
  if (!kept) return kept;
  fcntl(kept.number(), F_SETFD, FD_CLOEXEC);
  unlink(path.c_str());
  std::vector<char> piece(std::size_t{1} << 20);
  for (;;) {
    const std::ptrdiff_t got =
        without_interruption([&] { return ::read(STDIN_FILENO, piece.data(), piece.size()); });
    if (got == 0) break;
    if (got < 0) return detail::file_descriptor(-1);
    for (std::ptrdiff_t done = 0; done < got;) {
      const std::ptrdiff_t wrote = kept.write_some(piece.data() + done, static_cast<std::size_t>(got - done));
      if (wrote <= 0) return detail::file_descriptor(-1);
      done += wrote;
    }
  }
  lseek(kept.number(), 0, SEEK_SET);
  return kept;
}

std::ptrdiff_t read_start(const detail::file_descriptor& file, void* into, std::size_t n_bytes) {
  return pread(file.number(), into, n_bytes, 0);
}

std::ptrdiff_t read_some_at(const detail::file_descriptor& file, std::uint64_t at, void* into,
                            std::size_t n_bytes) {
  return without_interruption([&] { return pread(file.number(), into, n_bytes, static_cast<off_t>(at)); });
}

std::ptrdiff_t write_some_at(const detail::file_descriptor& file, std::uint64_t at, const void* from,
                             std::size_t n_bytes) {
  return without_interruption([&] { return pwrite(file.number(), from, n_bytes, static_cast<off_t>(at)); });
}

detail::file_descriptor create_file(const std::string& path) {
  return detail::file_descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
}

void set_variable(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

void unset_variable(const char* name) { unsetenv(name); }

std::optional<std::string> user_name() {
  const passwd* entry = getpwuid(getuid());
  if (entry == nullptr || entry->pw_name == nullptr) return std::nullopt;
  return entry->pw_name;
}

std::optional<std::string> host_name() {
  utsname system = {};
  if (uname(&system) != 0) return std::nullopt;
  return system.nodename;
}

std::optional<std::string> system_text() {
  utsname system = {};
  if (uname(&system) != 0) return std::nullopt;
  return std::string(system.sysname) + ' ' + system.release + ' ' + system.machine;
}

bool fits_pattern(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), FNM_CASEFOLD) == 0;
}

std::string file_of_loader() {
  std::string path;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        const std::string name = info->dlpi_name != nullptr ? info->dlpi_name : "";
        if (name.find("libOpenCL.so") == std::string::npos) return 0;
        *static_cast<std::string*>(out) = name;
        return 1;
      },
      &path);
  return path;
}

std::string file_of_library(const std::string& library) {
  void* loaded = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  link_map* map = nullptr;
  if (loaded == nullptr || dlinfo(loaded, RTLD_DI_LINKMAP, &map) != 0) return {};
  std::error_code failed;
  const std::filesystem::path resolved = std::filesystem::canonical(map->l_name, failed);
  return failed ? map->l_name : resolved.string();
}

std::optional<std::string> why_not_loadable(const std::string& library) {
  if (dlopen(library.c_str(), RTLD_NOW) != nullptr) return std::nullopt;
  const char* reason = dlerror();
  return reason != nullptr ? reason : "no reason given";
}

}  // namespace clwave::tool
