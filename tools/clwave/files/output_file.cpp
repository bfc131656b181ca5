// Writes .npy files, format version 1, or 3 where names take UTF-8: magic, header of a multiple of 64 bytes,
// elements.
#include "files/output_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include "files/encodings.hpp"
#include "shared/words.hpp"
#include "system/system.hpp"

namespace clwave::tool {
namespace {

[[noreturn]] void refuse_output(const std::string& path, const std::string& why) {
  refuse("cannot write " + path + ": " + why);
}

// Calls `move(from, size)` until all bytes are written.
template <class Move>
void write_all(const std::string& path, const void* from, std::size_t size, const Move& move) {
  const char* next = static_cast<const char*>(from);
  while (size > 0) {
    const std::ptrdiff_t written = move(next, size);
    if (written <= 0) refuse_output(path, std::strerror(errno));
    next += written;
    size -= static_cast<std::size_t>(written);
  }
}

// Where a path leads: links stay, and what the last one names is replaced.
std::string beyond_links(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int most_links = 40;  // as Linux follows
  fs::path at = path;
  std::error_code failed;
  int links = 0;
  while (fs::is_symlink(at, failed)) {
    if (++links > most_links) refuse_output(path, std::strerror(ELOOP));
    const fs::path folder = fs::canonical(at.has_parent_path() ? at.parent_path() : ".", failed);
    // /dev/stdout, say: of what is there the program has no name.
    if (folder.string().starts_with("/proc/")) refuse_output(path, "it is an open file of a program's");
    const fs::path next = fs::read_symlink(at, failed);
    if (failed) refuse_output(path, failed.message());
    at = at.parent_path() / next;
  }
  return links == 0 ? path : at.string();
}

std::string descr_of(const std::string& path, const element& type) {
  const std::string dtype = dtype_of(type);
  if (dtype.empty()) refuse_output(path, "NumPy has no type for " + std::string(type.name));
  return "'" + dtype + "'";
}

}  // namespace

std::string dtype_of(const element& type) {
  if (type.components > 1 && type.kind != element_kind::complex) return {};
  const auto sized = [&](const char* kind) { return kind + std::to_string(type.size); };
  const char* order = type.size > 1 ? "<" : "|";
  switch (type.kind) {
    case element_kind::signed_integer:
      return order + sized("i");
    case element_kind::unsigned_integer:
      return order + sized("u");
    case element_kind::floating:
    case element_kind::half_storage:
      return order + sized("f");
    case element_kind::complex:
      return order + sized("c");
    case element_kind::boolean:
      return "|b1";
    case element_kind::bfloat16_storage:
      return "<V2";
    default:
      return {};
  }
}

output_file::output_file(const std::string& path, const element& type, std::uint64_t n)
    : output_file(path, descr_of(path, type), {n}) {}

output_file::output_file(const std::string& path, const std::string& descr,
                         const std::vector<std::uint64_t>& shape)
    : path_(path),
      target_(beyond_links(path)),
      partial_(target_ + ".part-" + std::to_string(detail::process_number())),
      file_(-1) {
  if (const auto there = facts_of_file(path); there && !there->kind.empty())
    refuse_output(path, "it is " + there->kind);
  std::string lengths;
  for (const std::uint64_t length : shape)
    lengths += (lengths.empty() ? "" : " ") + std::to_string(length) + ",";
  std::string text = "{'descr': " + descr + ", 'fortran_order': False, 'shape': (" + lengths + "), }";
  // As numpy.save has it: version 1, which is in Latin-1, unless the fields have names beyond that.
  const std::optional<std::string> narrow = latin1_of_utf8(text);
  if (narrow) text = *narrow;
  const std::size_t before = narrow ? 10 : 12;  // magic, version, length
  text.resize((before + text.size() + 1 + 63) / 64 * 64 - before - 1, ' ');
  text += '\n';
  if (text.size() > 0xffff) refuse_output(path, "the names of its fields are too long");
  {
    leftovers change;
    file_ = create_file(partial_);
    if (!file_) refuse_output(path, std::strerror(errno));
    change.add(partial_);
  }
  const std::array<char, 6> version_and_length = {
      narrow ? char{1} : char{3},          0, static_cast<char>(text.size() & 0xff),
      static_cast<char>(text.size() >> 8), 0, 0};
  try {
    write("\x93NUMPY", 6);
    write(version_and_length.data(), before - 6);
    write(text.data(), text.size());
    data_at_ = before + text.size();
  } catch (...) {
    remove();
    throw;
  }
}

output_file::~output_file() {
  if (!finished_) remove();
}

void output_file::remove() {
  leftovers change;
  file_.close();  // Windows removes no open file
  std::remove(partial_.c_str());
  change.forget(partial_);
}

void output_file::write(const void* from, std::size_t size) {
  write_all(path_, from, size,
            [&](const void* next, std::size_t left) { return file_.write_some(next, left); });
}

void output_file::write_at(std::uint64_t at, const void* from, std::size_t size) const {
  std::uint64_t place = data_at_ + at;
  write_all(path_, from, size, [&](const void* next, std::size_t left) {
    const std::ptrdiff_t written = write_some_at(file_, place, next, left);
    place += written > 0 ? static_cast<std::uint64_t>(written) : 0;
    return written;
  });
}

void output_file::finish() {
  if (!file_.close()) refuse_output(path_, std::strerror(errno));
  leftovers change;
  std::error_code failed;
  std::filesystem::rename(partial_, target_, failed);  // replaces on every system, unlike std::rename
  if (failed) refuse_output(path_, failed.message());
  change.forget(partial_);
  finished_ = true;
}

}  // namespace clwave::tool
