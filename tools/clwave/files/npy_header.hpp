// The header of a .npy file: a Python dictionary written out as text.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace clwave::tool {

// A field of structures, by its name; bytes between fields have none.
struct npy_field {
  std::string name;           // in UTF-8
  std::string dtype;          // "<f4"; "" of a structure, or of several numbers
  std::uint64_t at = 0;       // from the beginning of a structure, in bytes
  std::uint64_t n_bytes = 0;  // of all of it
};

struct npy_header {
  std::string descr;  // as it stands there: "'<f4'" or "[('x', '<f4'), ('y', '<f4')]"
  std::string dtype;  // "<f4"; "" of structures
  std::vector<npy_field> fields;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

// What is wrong with a file's content, as the end of a sentence that begins with its name.
struct wrong_content : std::runtime_error {
  explicit wrong_content(const std::string& what, std::string what_to_do = {})
      : std::runtime_error(what), advice(std::move(what_to_do)) {}
  std::string advice;
};

// Takes exactly the dictionaries that NumPy's format has, in UTF-8: the keys descr, fortran_order and shape,
// each once, and nothing after the closing brace but blanks. Throws wrong_content for anything else.
npy_header parse_npy_header(std::string_view text);

}  // namespace clwave::tool
