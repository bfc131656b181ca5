// Program binaries kept in the user's cache directory. Nothing read from there is trusted before it is
// verified in full: a driver handed a damaged binary may crash (PoCL does on a truncated one).
#include "disk_cache.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace clwave {
namespace {

constexpr std::uint64_t cache_limit_bytes = std::uint64_t{256} << 20;
constexpr std::uint64_t entry_limit_bytes = cache_limit_bytes / 4;
constexpr unsigned writes_between_trims = 32;
constexpr std::size_t hash_digits = 32;

// What stands before the key and the data, in the host's byte order. The magic's last byte is the
// format's version; a host of the other byte order does not recognise it.
struct entry_header {
  std::uint64_t magic = 0x636c'7761'7665'0001;  // "clwave", version 1
  std::uint64_t key_bytes = 0;
  std::uint64_t data_bytes = 0;
  std::uint64_t checksum = 0;  // of the key, then the data
};
static_assert(sizeof(entry_header) == 32, "no padding goes to the file");

class file_descriptor {
 public:
  explicit file_descriptor(int number) : number_(number) {}
  file_descriptor(file_descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  ~file_descriptor() { close(); }
  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }
  // False where the system held back an error of an earlier write until now (NFS, quotas).
  bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

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

// FNV-1a. A change of one byte always changes it: each step is a bijection of the state.
constexpr std::uint64_t fnv_basis = 0xcbf29ce484222325;
std::uint64_t hash(std::span<const unsigned char> bytes, std::uint64_t state) {
  for (const unsigned char byte : bytes) state = (state ^ byte) * 0x100000001b3;
  return state;
}

std::span<const unsigned char> as_bytes(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

// The key's name in the directory, less its suffix. Two keys may share it: the whole key is compared.
std::string hash_name(std::string_view key) {
  char name[hash_digits + 1];
  const auto low = static_cast<unsigned long long>(hash(as_bytes(key), fnv_basis));
  const auto high = static_cast<unsigned long long>(hash(as_bytes(key), ~fnv_basis));
  std::snprintf(name, sizeof name, "%016llx%016llx", high, low);
  return name;
}

// Empty: no cache.
std::string directory_path() {
  if (const char* own = std::getenv("CLWAVE_CACHE_DIR")) return std::string_view(own) == "off" ? "" : own;
  // The XDG specification has relative paths ignored.
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/clwave";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.cache/clwave";
  return "";
}

bool own_and_closed_to_others(const struct stat& status) {
  return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// The cache directory, or nothing where it must not be used. What follows is relative to this
// descriptor, so that nobody can exchange the directory after it was checked.
file_descriptor open_directory(bool create) {
  std::string path = directory_path();
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

// Removes the entries longest unused until the cache is within its limit. Files left over by a process
// that died while writing count as entries; other names are not ours to remove.
void trim(const file_descriptor& directory) {
  struct entry {
    std::int64_t last_used;
    std::uint64_t n_bytes;
    std::string name;
  };
  const int listed = openat(directory.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (listed < 0) return;
  const auto close_list = [](DIR* list) { closedir(list); };
  const std::unique_ptr<DIR, decltype(close_list)> list(fdopendir(listed), close_list);
  if (!list) {
    close(listed);
    return;
  }
  std::vector<entry> entries;
  std::uint64_t total_bytes = 0;
  while (const dirent* item = readdir(list.get())) {
    const std::string_view name = item->d_name;
    struct stat status {};
    if (name.find_first_not_of("0123456789abcdef") != hash_digits || name[hash_digits] != '.' ||
        !(name.ends_with(".bin") || name.ends_with(".tmp")) ||
        fstatat(directory.number(), item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    entries.push_back({status.st_mtime, static_cast<std::uint64_t>(status.st_size), std::string(name)});
    total_bytes += entries.back().n_bytes;
  }
  std::ranges::sort(entries, {}, &entry::last_used);
  for (const entry& oldest : entries) {
    if (total_bytes <= cache_limit_bytes) return;
    if (unlinkat(directory.number(), oldest.name.c_str(), 0) == 0) total_bytes -= oldest.n_bytes;
  }
}

}  // namespace

bool caching() { return !directory_path().empty(); }

std::optional<std::vector<unsigned char>> read_cached(std::string_view key) noexcept try {
  const file_descriptor directory = open_directory(false);
  if (!directory) return std::nullopt;
  // O_NONBLOCK: opening a pipe that somebody put there must not wait for its writer.
  const file_descriptor file(openat(directory.number(), (hash_name(key) + ".bin").c_str(),
                                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode) ||
      !own_and_closed_to_others(status))
    return std::nullopt;

  // The true size bounds what is allocated, whatever the header claims.
  const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
  const std::uint64_t before_data = sizeof(entry_header) + key.size();
  entry_header header;
  if (file_bytes < before_data || file_bytes > entry_limit_bytes ||
      !transfer(read, file, &header, sizeof header) || header.magic != entry_header{}.magic ||
      header.key_bytes != key.size() || header.data_bytes != file_bytes - before_data)
    return std::nullopt;

  std::string stored_key(key.size(), '\0');
  std::vector<unsigned char> data(header.data_bytes);
  if (!transfer(read, file, stored_key.data(), stored_key.size()) || stored_key != key ||
      !transfer(read, file, data.data(), data.size()) ||
      header.checksum != hash(data, hash(as_bytes(key), fnv_basis)))
    return std::nullopt;
  futimens(file.number(), nullptr);  // used now: among the last to be trimmed
  return data;
} catch (...) {
  return std::nullopt;
}

void write_cached(std::string_view key, std::span<const unsigned char> bytes) noexcept try {
  const entry_header header{.key_bytes = key.size(),
                            .data_bytes = bytes.size(),
                            .checksum = hash(bytes, hash(as_bytes(key), fnv_basis))};
  if (key.size() > entry_limit_bytes || bytes.size() > entry_limit_bytes ||
      sizeof header + key.size() + bytes.size() > entry_limit_bytes)
    return;
  const file_descriptor directory = open_directory(true);
  if (!directory) return;

  // Not mkstemp, which takes a path. The time tells apart containers that share a home and count
  // processes alike; O_EXCL settles what is left.
  static std::atomic<unsigned> writes{0};
  const unsigned write_number = writes.fetch_add(1, std::memory_order_relaxed);
  const std::string name = hash_name(key);
  const std::string temporary =
      name + '.' + std::to_string(getpid()) + '.' + std::to_string(write_number) + '.' +
      std::to_string(std::chrono::system_clock::now().time_since_epoch().count()) + ".tmp";
  const std::string entry = name + ".bin";
  file_descriptor file(openat(directory.number(), temporary.c_str(),
                              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return;
  bool whole = false;
  {
    const file_size_signal_blocked only_error_codes;
    whole = fchmod(file.number(), 0600) == 0 &&  // whatever the umask took away
            transfer(write, file, &header, sizeof header) && transfer(write, file, key.data(), key.size()) &&
            transfer(write, file, bytes.data(), bytes.size());
  }
  whole = file.close() && whole;
  if (!whole || renameat(directory.number(), temporary.c_str(), directory.number(), entry.c_str()) != 0)
    unlinkat(directory.number(), temporary.c_str(), 0);
  // Also at a process's first write: most processes make only a few.
  if (write_number % writes_between_trims == 0) trim(directory);
} catch (...) {
  // A cache that cannot be written costs the next process a build, and nothing else.
}

}  // namespace clwave
