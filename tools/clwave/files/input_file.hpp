// Elements in a file: NumPy's .npy, or raw bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clwave/element.hpp>

#include "base/user_files.hpp"
#include "files/npy_header.hpp"

namespace clwave::tool {

class input_file {
 public:
  // Opens `path`, or takes all of standard input where that is "-"; a .npy is known by its first bytes.
  // `type` is the element type of a raw file, which must be given, and is checked against a .npy, which says
  // its own. A file of a known format that holds something other than its elements in a row (an archive, a
  // compressed file, ...) is taken only as u8: as its bytes. Of records, elements may be structures of
  // numbers, and are the rows of a matrix, of at most 128 bytes unless they are wide. Numbers in any order
  // may lie as in Fortran; others are refused then. Throws clwave::error (bad_call) for what cannot be read,
  // with the reason.
  enum class as { numbers, any_order, records, wide_records };
  input_file(const std::string& path, const std::string& type, as elements = as::numbers);

  const std::string& path() const { return path_; }
  const element& type() const { return *type_; }
  // Of records: those of each, whose type has them in `words` of so many bytes. A row's have numbers as their
  // names.
  const std::vector<npy_field>& fields() const { return fields_; }
  unsigned word_bytes() const { return word_bytes_; }
  // Of a .npy its type as its header has it.
  const std::string& descr() const { return descr_; }
  std::uint64_t n() const { return n_; }
  // Of a .npy its lengths, the slowest first; of a raw file one, of all its elements.
  const std::vector<std::uint64_t>& shape() const { return shape_; }
  // Whether elements of several dimensions lie as in Fortran, the first index the fastest.
  bool is_fortran() const { return is_fortran_; }
  std::uint64_t bytes() const { return n_ * type_->size; }

  // The next `size` bytes of elements. Throws clwave::error (bad_call) if the file has no more.
  void read(void* into, std::size_t size);
  // `size` bytes of elements from that byte of them on. Threads may do so at the same time; read() then goes
  // on nowhere. Throws as read() does.
  void read_at(std::uint64_t at, void* into, std::size_t size) const;

 private:
  void read_npy_header(const std::string& asked_type, std::uint64_t file_size, as elements);
  void take_records(const std::string& name, std::uint64_t n_bytes);
  void take_rows(const std::string& dtype, as);
  void take_raw(const std::string& asked_type, std::uint64_t file_size, const std::string& start);

  std::string path_;
  detail::file_descriptor file_;
  const element* type_ = nullptr;
  std::unique_ptr<const element> record_;
  std::vector<npy_field> fields_;
  unsigned word_bytes_ = 0;
  std::string descr_;
  std::uint64_t n_ = 0;
  std::uint64_t data_at_ = 0;  // where in the file the elements begin, in bytes
  std::vector<std::uint64_t> shape_;
  bool is_fortran_ = false;
};

// What --help says of the word for such a file.
extern const char* const help_of_file;

// The element type of a dtype such as "<f4"; null where there is none.
const element* element_of_dtype(const std::string& dtype);

}  // namespace clwave::tool
