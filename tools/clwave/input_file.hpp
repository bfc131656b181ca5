// Elements in a file: NumPy's .npy, or raw bytes.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include <clwave/element.hpp>

namespace clwave::tool {

class input_file {
 public:
  // Opens `path`; a .npy is known by its first bytes. `type` is the element type of a raw file, and is
  // checked against a .npy; empty: f32, or what the .npy says. Throws clwave::error (bad_call) for what
  // cannot be read, with the reason.
  input_file(const std::string& path, const std::string& type);

  const std::string& path() const { return path_; }
  const element& type() const { return *type_; }
  std::uint64_t n() const { return n_; }
  std::uint64_t bytes() const { return n_ * type_->size; }

  // The next `size` bytes of elements. Throws clwave::error (bad_call) if the file has no more.
  void read(void* into, std::size_t size);

 private:
  void read_npy_header(const std::string& asked_type, std::uint64_t file_size);

  struct closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, closer> file_;
  const element* type_ = nullptr;
  std::uint64_t n_ = 0;
};

}  // namespace clwave::tool
