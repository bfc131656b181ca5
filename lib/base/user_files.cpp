// Opens, reads and writes the user's own files.
#include "base/user_files.hpp"

#include <atomic>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/environment.hpp"

namespace clwave::detail {
namespace {

// Calls `move` until all bytes are through; false on an error and where the file ends early.
template <class Byte, class Move>
bool transfer(Byte* next, std::size_t n_bytes, Move move) {
  while (n_bytes > 0) {
    const std::ptrdiff_t moved = move(next, n_bytes);
    if (moved <= 0) return false;
    next += moved;
    n_bytes -= static_cast<std::size_t>(moved);
  }
  return true;
}

// False on an error, also one that the system held back until the file is closed.
bool write_and_close(file_descriptor& file, std::initializer_list<std::span<const unsigned char>> pieces) {
  return without_file_size_signal([&] {
    bool whole = true;
    for (const std::span<const unsigned char> piece : pieces)
      whole = whole && transfer(piece.data(), piece.size(), [&](const void* next, std::size_t left) {
                return file.write_some(next, left);
              });
    return file.close() && whole;
  });
}

}  // namespace

std::span<const unsigned char> bytes_of(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

std::string user_directory_path(const char* own, const char* xdg, const char* in_home) {
  if (const char* named = environment(own)) return std::string_view(named) == "off" ? "" : named;
  return default_user_directory(xdg, in_home);
}

std::optional<user_file> open_user_file(const file_descriptor& directory, const std::string& name) {
  auto opened = open_in(directory, name);
  if (!opened) return std::nullopt;
  return user_file{std::move(opened->first), opened->second};
}

bool user_file::read(void* into, std::size_t n) {
  return transfer(static_cast<unsigned char*>(into), n,
                  [&](void* next, std::size_t left) { return descriptor.read_some(next, left); });
}

bool write_user_file(const file_descriptor& directory, const std::string& name,
                     std::initializer_list<std::span<const unsigned char>> pieces) {
  // Not mkstemp, which takes a path. The time tells apart containers that share a home and count
  // processes alike; that the file must be new settles what is left.
  static std::atomic<unsigned> writes{0};
  const std::string temporary = name.substr(0, name.find('.')) + '.' + std::to_string(process_number()) +
                                '.' + std::to_string(writes.fetch_add(1, std::memory_order_relaxed)) + '.' +
                                std::to_string(std::chrono::system_clock::now().time_since_epoch().count()) +
                                ".tmp";
  file_descriptor file = create_in(directory, temporary);
  if (!file) return false;
  if (write_and_close(file, pieces) && rename_in(directory, temporary, name)) return true;
  file.close();
  remove_in(directory, temporary);
  return false;
}

bool write_file(const std::string& path, std::span<const unsigned char> bytes) {
  file_descriptor file = open_to_write(path);
  return file && write_and_close(file, {bytes});
}

bool append_to_file(const std::string& path, std::span<const unsigned char> bytes) {
  file_descriptor file = open_to_append(path);
  return file && write_and_close(file, {bytes});
}

}  // namespace clwave::detail
