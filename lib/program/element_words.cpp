// Element types in OpenCL C's words.
#include "program/element_words.hpp"

#include <clwave/error.hpp>

#include "program/user_text.hpp"

namespace clwave {

std::string scalar_name(const element& e) {
  return e.opencl_name.substr(0, e.opencl_name.find_first_of("0123456789"));
}

std::string stored_name(const element& e) { return is_half(e) ? "ushort" : name_in_source(e); }

std::string loaded_name(const element& e) { return is_half(e) ? "float" : name_in_source(e); }

std::string read_name(const element& e) { return is_half(e) ? "half_as_float" : "AS_IT_IS"; }

std::string write_name(const element& e) { return is_half(e) ? "float_as_half" : "AS_IT_IS"; }

std::string convert_name(const element& e) {
  if (is_integer(e)) return "to_integer";
  return is_number(e) ? "convert_" + loaded_name(e) : std::string("AS_IT_IS");
}

std::string unsigned_name(const element& e, unsigned components) {
  return (scalar_bytes(e) == 8 ? "ulong" : "uint") +
         (components > 1 ? std::to_string(components) : std::string());
}

std::string bits_of(std::uint64_t n_bytes) {
  switch (n_bytes) {
    case 1:
      return "uchar";
    case 2:
      return "ushort";
    case 4:
      return "uint";
    case 8:
      return "uint2";
    case 16:
      return "uint4";
    case 32:
      return "uint8";
    default:
      throw error(failure::internal, "no access has " + std::to_string(n_bytes) + " bytes");
  }
}

void add_word(program_spec& spec, std::string name, std::string text) {
  spec.words.emplace_back(std::move(name), std::move(text));
}

void add_types(program_spec& spec, std::span<const element* const> all) {
  check_elements(spec.primitive, all);  // where a program is made, and not in each call
  for (const element* e : all) {
    if (!e->declaration.empty()) spec.declarations.push_back({"type " + e->name, e->declaration, false});
  }
}

}  // namespace clwave
