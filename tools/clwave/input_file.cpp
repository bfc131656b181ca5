// Reads .npy headers (format versions 1 to 3) and the elements after them.
#include "input_file.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <vector>

#include <sys/stat.h>

#include <clwave/error.hpp>

#include "primitives.hpp"

namespace clwave::tool {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read as they are: little-endian");

constexpr std::string_view magic = "\x93NUMPY";

[[noreturn]] void refuse(const std::string& path, const std::string& message, std::string advice = {}) {
  throw error(failure::bad_call, path + ": " + message, CL_SUCCESS, {.advice = std::move(advice)});
}

// The text after 'key': in the header's dictionary, from its first character that is no blank. Keys
// are written by NumPy and by nobody's hand, so they occur once and in this form.
std::string_view value_of(std::string_view header, std::string_view key, const std::string& path) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = quote + std::string(key) + quote;
    std::size_t at = header.find(quoted);
    if (at == std::string_view::npos) continue;
    at = header.find_first_not_of(" \t:", at + quoted.size());
    if (at != std::string_view::npos) return header.substr(at);
  }
  refuse(path, "its .npy header has no '" + std::string(key) + "'");
}

// The element type of a dtype such as "<f4".
const element& type_of_dtype(const std::string& dtype, const std::string& path) {
  const char order = dtype.empty() ? '?' : dtype.front();
  const std::string kind = dtype.empty() ? "" : dtype.substr(1);
  struct known {
    std::string_view kind, name;
  };
  // A bool is a byte that is 0 or 1.
  constexpr known all[] = {{"f2", "f16"}, {"f4", "f32"}, {"f8", "f64"}, {"i1", "i8"},
                           {"i2", "i16"}, {"i4", "i32"}, {"i8", "i64"}, {"u1", "u8"},
                           {"u2", "u16"}, {"u4", "u32"}, {"u8", "u64"}, {"b1", "u8"}};
  for (const known& each : all) {
    if (kind != each.kind) continue;
    const element& type = *find_element(each.name);
    if (order == '>' && type.size > 1)
      refuse(path, "its elements (" + dtype + ") are big-endian",
             "store it little-endian: a.astype('<" + kind + "')");
    if (order == '<' || order == '=' || order == '|' || type.size == 1) return type;
  }
  refuse(path, "its element type '" + dtype + "' is not one clwave takes",
         "it takes integers of 8 to 64 bits, floats of 16, 32 and 64 bits, and bool");
}

std::vector<std::uint64_t> shape_of(std::string_view text, const std::string& path) {
  std::vector<std::uint64_t> shape;
  if (text.empty() || text.front() != '(') refuse(path, "its .npy header has a shape that cannot be read");
  const std::size_t close = text.find(')');
  std::string_view inside = text.substr(1, close == std::string_view::npos ? close : close - 1);
  while (close != std::string_view::npos) {
    const std::size_t start = inside.find_first_not_of(" ,");
    if (start == std::string_view::npos) return shape;
    inside.remove_prefix(start);
    std::uint64_t length = 0;
    const auto [stop, failed] = std::from_chars(inside.data(), inside.data() + inside.size(), length);
    if (failed != std::errc()) break;
    shape.push_back(length);
    inside.remove_prefix(static_cast<std::size_t>(stop - inside.data()));
    if (!inside.empty() && inside.front() != ',' && inside.front() != ' ') break;
  }
  refuse(path, "its .npy header has a shape that cannot be read");
}

}  // namespace

input_file::input_file(const std::string& path, const std::string& type) : path_(path) {
  file_.reset(std::fopen(path.c_str(), "rb"));
  if (!file_) refuse(path, std::strerror(errno));
  struct stat status {};
  if (fstat(fileno(file_.get()), &status) != 0) refuse(path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) refuse(path, "is no regular file");
  const auto file_size = static_cast<std::uint64_t>(status.st_size);

  std::array<char, 6> start{};
  const std::size_t got = std::fread(start.data(), 1, start.size(), file_.get());
  if (std::string_view(start.data(), got) == magic) {
    read_npy_header(type, file_size);
    return;
  }
  if (path.ends_with(".npy")) refuse(path, "is no .npy file: it does not start with \\x93NUMPY");
  std::rewind(file_.get());
  type_ = &scalar_type_named(type.empty() ? "f32" : type);
  if (file_size % type_->size != 0)
    refuse(path,
           "its " + std::to_string(file_size) + " bytes are no whole number of " + type_->name + " elements",
           "give the element type with --type");
  n_ = file_size / type_->size;
}

void input_file::read_npy_header(const std::string& asked_type, std::uint64_t file_size) {
  std::array<unsigned char, 2> version{};
  std::array<unsigned char, 4> length{};
  read(version.data(), version.size());
  if (version[0] < 1 || version[0] > 3)
    refuse(path_, ".npy format version " + std::to_string(version[0]) + " is not known");
  // The header's own length has 2 bytes in version 1, 4 in the later ones.
  const std::size_t length_bytes = version[0] == 1 ? 2 : 4;
  read(length.data(), length_bytes);
  std::uint32_t header_bytes = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) header_bytes |= std::uint32_t{length[i]} << (8 * i);
  const std::uint64_t data_at = magic.size() + version.size() + length_bytes + header_bytes;
  if (data_at > file_size) refuse(path_, "it ends inside its .npy header");
  std::string header(header_bytes, '\0');
  read(header.data(), header.size());

  const std::string_view dtype = value_of(header, "descr", path_);
  if (dtype.front() != '\'' && dtype.front() != '"')
    refuse(path_, "its elements are structures", "store one field by itself");
  const std::size_t end = dtype.find(dtype.front(), 1);
  if (end == std::string_view::npos) refuse(path_, "its .npy header has a type that cannot be read");
  type_ = &type_of_dtype(std::string(dtype.substr(1, end - 1)), path_);
  if (!asked_type.empty() && &scalar_type_named(asked_type) != type_)
    refuse(path_, "holds " + type_->name + ", not " + asked_type,
           "leave out --type: a .npy file says its own");

  n_ = 1;
  unsigned long_dimensions = 0;
  for (const std::uint64_t length_of_dimension : shape_of(value_of(header, "shape", path_), path_)) {
    if (__builtin_mul_overflow(n_, length_of_dimension, &n_))
      refuse(path_, "its shape has more than 2^64 elements");
    long_dimensions += length_of_dimension > 1 ? 1 : 0;
  }
  if (value_of(header, "fortran_order", path_).starts_with("True") && long_dimensions > 1)
    refuse(path_, "is in Fortran order, where elements do not lie in index order",
           "store it in C order: numpy.ascontiguousarray(a)");
  const std::uint64_t there = file_size - data_at;
  if (n_ > there / type_->size)
    refuse(path_, "is cut short: its header promises " + std::to_string(n_) + " elements of " +
                      std::to_string(type_->size) + " bytes, and " + std::to_string(there) + " bytes follow");
}

void input_file::read(void* into, std::size_t size) {
  if (std::fread(into, 1, size, file_.get()) != size)
    refuse(path_, std::ferror(file_.get()) != 0 ? std::strerror(errno) : "it ends too early");
}

}  // namespace clwave::tool
