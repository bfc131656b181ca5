// Elements in a file: NumPy's .npy, or raw bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <clwave/element.hpp>

#include "base/user_files.hpp"

namespace clwave::tool {

class input_file {
 public:
  // Opens `path`; a .npy is known by its first bytes. `type` is the element type of a raw file, which must be
  // given, and is checked against a .npy, which says its own. A file of a known format that holds something
  // other than its elements in a row (an archive, a compressed file, ...) is taken only as u8: as its bytes.
  // Throws clwave::error (bad_call) for what cannot be read, with the reason.
  input_file(const std::string& path, const std::string& type);

  const std::string& path() const { return path_; }
  const element& type() const { return *type_; }
  std::uint64_t n() const { return n_; }
  // Of a .npy its lengths, the slowest first; of a raw file one, of all its elements.
  const std::vector<std::uint64_t>& shape() const { return shape_; }
  std::uint64_t bytes() const { return n_ * type_->size; }

  // The next `size` bytes of elements. Throws clwave::error (bad_call) if the file has no more.
  void read(void* into, std::size_t size);
  // `size` bytes of elements from that byte of them on. Threads may do so at the same time; read() then goes
  // on nowhere. Throws as read() does.
  void read_at(std::uint64_t at, void* into, std::size_t size) const;

 private:
  void read_npy_header(const std::string& asked_type, std::uint64_t file_size);
  void take_raw(const std::string& asked_type, std::uint64_t file_size, const std::string& start);

  std::string path_;
  detail::file_descriptor file_;
  const element* type_ = nullptr;
  std::uint64_t n_ = 0;
  std::uint64_t data_at_ = 0;  // where in the file the elements begin, in bytes
  std::vector<std::uint64_t> shape_;
};

}  // namespace clwave::tool
