// The header of a .npy file: a Python dictionary written out as text.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace clwave::tool {

struct npy_header {
  std::string dtype;  // "<f4"
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

// What is wrong with a file's content, as the end of a sentence that begins with its name.
struct wrong_content : std::runtime_error {
  explicit wrong_content(const std::string& what, std::string what_to_do = {})
      : std::runtime_error(what), advice(std::move(what_to_do)) {}
  std::string advice;
};

// Takes exactly the dictionaries that NumPy's format has: the keys descr, fortran_order and shape, each once,
// and nothing after the closing brace but blanks. Throws wrong_content for anything else.
npy_header parse_npy_header(std::string_view text);

}  // namespace clwave::tool
