// What is kept in the user's cache directory. Nothing read from there is trusted before it is
// verified in full: a driver handed a damaged binary may crash (PoCL does on a truncated one).
#include "base/disk_cache.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>

#include "base/fnv.hpp"
#include "base/user_files.hpp"

namespace clwave::detail {
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

// The key's name in the directory, less its suffix. Two keys may share it: the whole key is compared.
std::string hash_name(std::string_view key) {
  char name[hash_digits + 1];
  const auto low = static_cast<unsigned long long>(fnv_hash(bytes_of(key)));
  const auto high = static_cast<unsigned long long>(fnv_hash(bytes_of(key), ~fnv_basis));
  std::snprintf(name, sizeof name, "%016llx%016llx", high, low);
  return name;
}

// Empty: no cache.
std::string directory_path() { return user_directory_path("CLWAVE_CACHE_DIR", "XDG_CACHE_HOME", ".cache"); }

// Removes the entries longest unused until the cache is within its limit. Files left over by a process
// that died while writing count as entries; other names are not ours to remove.
void trim(const file_descriptor& directory) {
  std::vector<listed_file> entries = list_files(directory, [](std::string_view name) {
    return name.find_first_not_of("0123456789abcdef") == hash_digits && name[hash_digits] == '.' &&
           (name.ends_with(".bin") || name.ends_with(".tmp"));
  });
  std::uint64_t total_bytes = 0;
  for (const listed_file& entry : entries) total_bytes += entry.n_bytes;
  std::ranges::sort(entries, {}, &listed_file::last_used);
  for (const listed_file& oldest : entries) {
    if (total_bytes <= cache_limit_bytes) return;
    if (remove_in(directory, oldest.name)) total_bytes -= oldest.n_bytes;
  }
}

}  // namespace

bool caching() { return !directory_path().empty(); }

std::optional<std::vector<unsigned char>> read_cached(std::string_view key) noexcept try {
  const file_descriptor directory = open_user_directory(directory_path(), false);
  if (!directory) return std::nullopt;
  std::optional<user_file> file = open_user_file(directory, hash_name(key) + ".bin");
  if (!file) return std::nullopt;

  // The true size bounds what is allocated, whatever the header claims.
  const std::uint64_t file_bytes = file->n_bytes;
  const std::uint64_t before_data = sizeof(entry_header) + key.size();
  entry_header header;
  if (file_bytes < before_data || file_bytes > entry_limit_bytes || !file->read(&header, sizeof header) ||
      header.magic != entry_header{}.magic || header.key_bytes != key.size() ||
      header.data_bytes != file_bytes - before_data)
    return std::nullopt;

  std::string stored_key(key.size(), '\0');
  std::vector<unsigned char> data(header.data_bytes);
  if (!file->read(stored_key.data(), stored_key.size()) || stored_key != key ||
      !file->read(data.data(), data.size()) || header.checksum != fnv_hash(data, fnv_hash(bytes_of(key))))
    return std::nullopt;
  touch(file->descriptor);  // used now: among the last to be trimmed
  return data;
} catch (...) {
  return std::nullopt;
}

void write_cached(std::string_view key, std::span<const unsigned char> bytes) noexcept try {
  const entry_header header{.key_bytes = key.size(),
                            .data_bytes = bytes.size(),
                            .checksum = fnv_hash(bytes, fnv_hash(bytes_of(key)))};
  if (key.size() > entry_limit_bytes || bytes.size() > entry_limit_bytes ||
      sizeof header + key.size() + bytes.size() > entry_limit_bytes)
    return;
  const file_descriptor directory = open_user_directory(directory_path(), true);
  if (!directory) return;
  static std::atomic<unsigned> writes{0};
  const unsigned write_number = writes.fetch_add(1, std::memory_order_relaxed);
  write_user_file(directory, hash_name(key) + ".bin",
                  {{reinterpret_cast<const unsigned char*>(&header), sizeof header}, bytes_of(key), bytes});
  // Also at a process's first write: most processes make only a few.
  if (write_number % writes_between_trims == 0) trim(directory);
} catch (...) {
  // A cache that cannot be written costs the next process a build, and nothing else.
}

}  // namespace clwave::detail
