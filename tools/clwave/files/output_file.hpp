// Results in a file, as NumPy's .npy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <clwave/element.hpp>

#include "base/user_files.hpp"

namespace clwave::tool {

// A .npy that comes to be whole or not at all: elements go to a file beside it, which takes the name when all
// have been written, and is removed where an error or a signal comes before. What stood there is replaced
// then, and so may be the file they were made of. A symbolic link stays, and what it leads to is replaced.
class output_file {
 public:
  // Throws clwave::error (bad_call) where no file of `n` elements of `type` can be made there, and for a type
  // that NumPy does not have.
  output_file(const std::string& path, const element& type, std::uint64_t n);
  // The same of a type and lengths as a header has them (npy_header.hpp).
  output_file(const std::string& path, const std::string& descr, const std::vector<std::uint64_t>& shape);
  ~output_file();  // without finish() nothing is left
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  // The next bytes of elements. Throws clwave::error (bad_call) where they cannot be written.
  void write(const void* from, std::size_t size);
  // Bytes of elements from that byte of them on. Threads may do so at the same time, in any order, for
  // different places; write() then goes on nowhere. Throws as write() does.
  void write_at(std::uint64_t at, const void* from, std::size_t size) const;
  void finish();

 private:
  void remove();

  std::string path_, target_, partial_;  // as it was given; beyond links; until all is there
  detail::file_descriptor file_;
  std::uint64_t data_at_ = 0;  // where in the file the elements begin, in bytes
  bool finished_ = false;
};

// The dtype of an element type, such as "<f4"; "" where NumPy has none.
std::string dtype_of(const element& type);

}  // namespace clwave::tool
