// Reads .npy headers (format versions 1 to 3) and the elements after them.
#include "files/input_file.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <clwave/error.hpp>

#include "files/encodings.hpp"
#include "files/npy_header.hpp"
#include "shared/words.hpp"
#include "system/system.hpp"

namespace clwave::tool {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read as they are: little-endian");

constexpr std::string_view magic = "\x93NUMPY";

[[noreturn]] void refuse_file(const std::string& path, const std::string& message, std::string advice = {}) {
  throw error(failure::bad_call, path + ": " + message, CL_SUCCESS, {.advice = std::move(advice)});
}

// The element type of what stands behind a dtype's order: of "f4"; null where there is none.
const element* element_of_kind(std::string_view kind) {
  struct known {
    std::string_view kind, name;
  };
  // A bool is a byte that is 0 or 1. NumPy has no bfloat16: those who add one (ml_dtypes, JAX) write it so.
  constexpr known all[] = {{"f2", "f16"}, {"f4", "f32"}, {"f8", "f64"},  {"i1", "i8"},    {"i2", "i16"},
                           {"i4", "i32"}, {"i8", "i64"}, {"u1", "u8"},   {"u2", "u16"},   {"u4", "u32"},
                           {"u8", "u64"}, {"b1", "u8"},  {"c8", "cf32"}, {"c16", "cf64"}, {"V2", "bf16"}};
  for (const known& each : all) {
    if (kind == each.kind) return find_element(each.name);
  }
  return nullptr;
}

const element& type_of_dtype(const std::string& dtype) {
  if (const element* type = element_of_dtype(dtype)) return *type;
  const std::string kind = dtype.empty() ? "" : dtype.substr(1);
  if (element_of_kind(kind) != nullptr && dtype.front() == '>')
    throw wrong_content("its elements (" + dtype + ") are big-endian",
                        "store it little-endian: a.astype('<" + kind + "')");
  throw wrong_content("its element type '" + dtype + "' is not one clwave takes",
                      "it takes integers of 8 to 64 bits, floats of 16, 32 and 64 bits, bfloat16 (<V2), "
                      "complex numbers and bool");
}

// Files that hold something other than elements in a row, by their first bytes. Long enough, all of them,
// that raw elements do not begin so by chance.
struct container {
  std::string_view start;
  std::string_view name;
  std::size_t at = 0;
};
using namespace std::string_view_literals;  // some have zeros in them
constexpr container containers[] = {
    {"PK\3\4"sv, "a zip archive (.npz, .pt, .zip)"},
    {"PK\5\6"sv, "an empty zip archive (.npz, .zip)"},
    {"PK\7\x8"sv, "a part of a zip archive"},
    {"\x1f\x8b\x8"sv, "compressed by gzip"},
    {"BZh"sv, "compressed by bzip2"},
    {"\xfd\x37zXZ\0"sv, "compressed by xz"},
    {"(\xb5/\xfd"sv, "compressed by zstd"},
    {"\x4\"M\x18"sv, "compressed by lz4"},
    {"7z\xbc\xaf\x27\x1c"sv, "a 7z archive"},
    {"Rar!\x1a\x7"sv, "a rar archive"},
    {"ustar"sv, "a tar archive", 257},
    {"\x89HDF\r\n\x1a\n"sv, "an HDF5 file"},
    {"CDF\1"sv, "a NetCDF file"},
    {"CDF\2"sv, "a NetCDF file"},
    {"CDF\5"sv, "a NetCDF file"},
    {"PAR1"sv, "a Parquet file"},
    {"ARROW1"sv, "an Arrow file"},
    {"FEA1"sv, "a Feather file"},
    {"ORC\xa"sv, "an ORC file"},
    {"Obj\1"sv, "an Avro file"},
    {"SIMPLE  ="sv, "a FITS file"},
    {"MATLAB 5.0"sv, "a MATLAB file"},
    {"SQLite format 3\0"sv, "an SQLite database"},
    {"GGUF"sv, "a GGUF file"},
    {"\x80\3c"sv, "a Python pickle"},
    {"\x80\4\x95"sv, "a Python pickle"},
    {"\x80\5\x95"sv, "a Python pickle"},
    {"\x89PNG\r\n\x1a\n"sv, "a PNG picture"},
    {"\xff\xd8\xff\xdb"sv, "a JPEG picture"},
    {"\xff\xd8\xff\xe0"sv, "a JPEG picture"},
    {"\xff\xd8\xff\xe1"sv, "a JPEG picture"},
    {"GIF8"sv, "a GIF picture"},
    {"II*\0"sv, "a TIFF picture"},
    {"MM\0*"sv, "a TIFF picture"},
    {"RIFF"sv, "a RIFF file (.wav, .webp)"},
    {"%PDF-"sv, "a PDF document"},
    {"\x7f"
     "ELF"sv,
     "a program or library (ELF)"},
};

std::string_view container_of(std::string_view start) {
  for (const container& each : containers) {
    if (start.size() >= each.at && start.substr(each.at).starts_with(each.start)) return each.name;
  }
  return {};
}

void check_record(const std::string& name, std::uint64_t n_bytes, input_file::as elements) {
  constexpr std::uint64_t most_bytes = 128;
  if (n_bytes == 0 || (n_bytes > most_bytes && elements != input_file::as::wide_records))
    throw wrong_content("a " + name + " of it has " + std::to_string(n_bytes) + " bytes",
                        "what is sorted by --key has 1 to " + std::to_string(most_bytes) +
                            (n_bytes == 0 ? "" : ", and with --indices any number"));
}

}  // namespace

const element* element_of_dtype(const std::string& dtype) {
  if (dtype.empty()) return nullptr;
  const char order = dtype.front();
  const element* type = element_of_kind(std::string_view(dtype).substr(1));
  if (type == nullptr) return nullptr;
  const bool is_little = order == '<' || order == '=';
  return is_little || (type->size == 1 && (order == '|' || order == '>')) ? type : nullptr;
}

const char* const help_of_file =
    "A .npy file, or raw little-endian elements (--type); - for what comes from standard input";

input_file::input_file(const std::string& given_path, const std::string& type, as elements)
    : path_(given_path == "-" ? "standard input" : given_path), file_(-1) {
  const std::string& path = path_;
  // Looked at before it is opened, which has effects on some devices; and not waited for, should a pipe come
  // into its place meanwhile.
  const auto n_bytes_of = [&](const std::optional<file_facts>& facts) {
    if (!facts) refuse_file(path, std::strerror(errno));
    if (!facts->kind.empty()) refuse_file(path, "is " + facts->kind, "write the elements to a file first");
    return facts->n_bytes;
  };
  if (given_path == "-") {
    if (is_terminal(0)) refuse_file(path, "is a terminal", "give a file, or the output of a program");
    file_ = kept_standard_input();
  } else {
    n_bytes_of(facts_of_file(path));
    file_ = open_to_read(path);
  }
  if (!file_) refuse_file(path, std::strerror(errno));
  const std::uint64_t file_size = n_bytes_of(facts_of_file(file_));

  std::string start(512, '\0');
  const std::ptrdiff_t got = read_start(file_, start.data(), start.size());
  if (got < 0) refuse_file(path, std::strerror(errno));
  start.resize(static_cast<std::size_t>(got));
  if (file_size == 0 && !start.empty())
    refuse_file(path, "does not say its size: the system makes it up as it is read",
                "copy what it holds to a file first");
  if (!start.starts_with(magic)) {
    if (path.ends_with(".npy")) refuse_file(path, "is no .npy file: it does not start with \\x93NUMPY");
    take_raw(type, file_size, start);
    return;
  }
  try {
    read_npy_header(type, file_size, elements);
  } catch (const wrong_content& e) {
    refuse_file(path, e.what(), e.advice);
  }
}

void input_file::take_raw(const std::string& asked_type, std::uint64_t file_size, const std::string& start) {
  const std::string_view container = container_of(start);
  if (!asked_type.empty()) type_ = &scalar_type_named(asked_type);
  if (!container.empty() && asked_type != "u8")
    refuse_file(path_, "is " + std::string(container) + ", not elements in a row",
                "take out the array and store it as .npy; its bytes as they are: --type u8");
  if (type_ == nullptr)
    refuse_file(path_, "is no .npy file, so its element type is not known",
                "give the type of its raw elements, e.g. --type f32");
  if (file_size % type_->size != 0)
    refuse_file(
        path_,
        "its " + std::to_string(file_size) + " bytes are no whole number of " + type_->name + " elements",
        "give their type with --type");
  n_ = file_size / type_->size;
  shape_ = {n_};
}

// The type of records of so many bytes, from their fields.
void input_file::take_records(const std::string& name, std::uint64_t n_bytes) {
  // Words as large as fields allow, wherever these lie.
  std::uint64_t places = 8;
  for (const npy_field& each : fields_) places |= each.at | each.n_bytes;
  word_bytes_ = static_cast<unsigned>(places & (~places + 1));
  const std::string word = word_bytes_ == 8   ? "ulong"
                           : word_bytes_ == 4 ? "uint"
                           : word_bytes_ == 2 ? "ushort"
                                              : "uchar";
  record_ = std::make_unique<const element>(element{
      .name = name,
      .opencl_name = "record",
      .size = static_cast<std::size_t>(n_bytes),
      .kind = element_kind::structure,
      .declaration =
          "typedef struct { " + word + " words[" + std::to_string(n_bytes / word_bytes_) + "]; } record;"});
  type_ = record_.get();
}

// Rows of a matrix of numbers, each with the number of its column as its name.
void input_file::take_rows(const std::string& dtype, as elements) {
  const std::uint64_t size = type_->size, columns = shape_[1];
  std::uint64_t n_bytes = 0;
  if (__builtin_mul_overflow(columns, size, &n_bytes)) n_bytes = ~std::uint64_t{0};
  check_record("row", n_bytes, elements);
  constexpr std::uint64_t most_columns = 65536;  // each of which gets a name
  if (columns > most_columns)
    throw wrong_content("a row of it has " + std::to_string(columns) + " columns",
                        "rows are sorted that have at most " + std::to_string(most_columns));
  for (std::uint64_t k = 0; k < columns; ++k)
    fields_.push_back({.name = std::to_string(k), .dtype = dtype, .at = k * size, .n_bytes = size});
  take_records("row", n_bytes);
  n_ = shape_[0];
}

void input_file::read_npy_header(const std::string& asked_type, std::uint64_t file_size, as elements) {
  std::array<char, magic.size()> name{};
  std::array<unsigned char, 2> version{};
  std::array<unsigned char, 4> length{};
  read(name.data(), name.size());
  read(version.data(), version.size());
  if (version[0] < 1 || version[0] > 3 || version[1] != 0)
    throw wrong_content(".npy format version " + std::to_string(version[0]) + "." +
                        std::to_string(version[1]) + " is not known");
  // The header's own length has 2 bytes in version 1, 4 in the later ones.
  const std::size_t length_bytes = version[0] == 1 ? 2 : 4;
  read(length.data(), length_bytes);
  std::uint32_t header_bytes = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) header_bytes |= std::uint32_t{length[i]} << (8 * i);
  const std::uint64_t data_at = magic.size() + version.size() + length_bytes + header_bytes;
  // Version 1 can have no longer one; later versions are for structures of many fields.
  constexpr std::uint32_t most_header_bytes = 65535;
  if (header_bytes > most_header_bytes)
    throw wrong_content("its .npy header claims " + std::to_string(header_bytes) + " bytes, more than the " +
                        std::to_string(most_header_bytes) + " that a header of scalars can need");
  if (data_at > file_size) throw wrong_content("ends inside its .npy header");
  std::string text(header_bytes, '\0');
  read(text.data(), text.size());

  // Version 3 was made for names that Latin-1 does not have.
  if (version[0] == 3 && !is_utf8(text)) throw wrong_content("its .npy header is not in UTF-8");
  npy_header header = parse_npy_header(version[0] == 3 ? text : utf8_of_latin1(text));
  descr_ = header.descr;
  const bool of_records = elements == as::records || elements == as::wide_records;
  if (!header.fields.empty()) {
    if (!of_records)
      throw wrong_content("its elements are structures",
                          "store one field by itself: numpy.save(file, a['field']); clwave sort takes them, "
                          "with --key");
    const npy_field& last = header.fields.back();
    check_record("structure", last.at + last.n_bytes, elements);
    fields_ = std::move(header.fields);
    take_records("structure", fields_.back().at + fields_.back().n_bytes);
  } else {
    type_ = &type_of_dtype(header.dtype);
  }
  if (!asked_type.empty() && &scalar_type_named(asked_type) != type_)
    throw wrong_content("holds " + type_->name + ", not " + asked_type,
                        "leave out --type: a .npy file says its own");

  n_ = 1;
  unsigned long_dimensions = 0;
  for (const std::uint64_t length_of_dimension : header.shape) {
    if (__builtin_mul_overflow(n_, length_of_dimension, &n_))
      throw wrong_content("its shape has more than 2^64 elements");
    long_dimensions += length_of_dimension > 1 ? 1 : 0;
  }
  is_fortran_ = header.fortran_order && long_dimensions > 1;
  if (is_fortran_ && elements != as::any_order)
    throw wrong_content("is in Fortran order, where elements do not lie in index order",
                        "store it in C order: numpy.ascontiguousarray(a)");
  shape_ = header.shape;
  data_at_ = data_at;
  const std::uint64_t there = file_size - data_at;
  if (n_ > there / type_->size)
    throw wrong_content("is cut short: its header promises " + std::to_string(n_) + " elements of " +
                        std::to_string(type_->size) + " bytes, and " + std::to_string(there) +
                        " bytes follow");
  if (of_records && fields_.empty() && shape_.size() == 2) take_rows(header.dtype, elements);
}

namespace {

// Calls `move(into, size)` until all bytes are there.
template <class Move>
void read_all(const std::string& path, void* into, std::size_t size, const Move& move) {
  auto* next = static_cast<char*>(into);
  while (size > 0) {
    const std::ptrdiff_t got = move(next, size);
    if (got <= 0) refuse_file(path, got < 0 ? std::strerror(errno) : "it ends too early");
    next += got;
    size -= static_cast<std::size_t>(got);
  }
}

}  // namespace

void input_file::read(void* into, std::size_t size) {
  read_all(path_, into, size, [&](void* next, std::size_t left) { return file_.read_some(next, left); });
}

void input_file::read_at(std::uint64_t at, void* into, std::size_t size) const {
  std::uint64_t place = data_at_ + at;
  read_all(path_, into, size, [&](void* next, std::size_t left) {
    const std::ptrdiff_t got = read_some_at(file_, place, next, left);
    place += got > 0 ? static_cast<std::uint64_t>(got) : 0;
    return got;
  });
}

}  // namespace clwave::tool
