// How an element type is stored in memory, loaded from it, computed with and stored again, in OpenCL C's
// words: the one place that decides it for all kernels.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <clwave/element.hpp>

#include "program/program.hpp"

namespace clwave {

inline bool is_integer(const element& e) {
  return e.kind == element_kind::signed_integer || e.kind == element_kind::unsigned_integer;
}
inline bool is_float(const element& e) { return e.kind == element_kind::floating; }
// Stored in 16 bits; arithmetic sees a float.
inline bool is_half(const element& e) { return e.kind == element_kind::half_storage; }
// A number, or a vector of numbers: what conversions are defined for.
inline bool is_number(const element& e) {
  return e.kind != element_kind::structure && e.kind != element_kind::opaque;
}

// "float" of "float4".
std::string scalar_name(const element& e);
inline std::uint64_t scalar_bytes(const element& e) { return e.size / e.components; }

// Calls f with a value of the C++ type of a scalar element.
template <class F>
auto with_scalar(const std::string& name, F f) {
  if (name == "char") return f(std::int8_t{});
  if (name == "short") return f(std::int16_t{});
  if (name == "int") return f(std::int32_t{});
  if (name == "long") return f(std::int64_t{});
  if (name == "uchar") return f(std::uint8_t{});
  if (name == "ushort") return f(std::uint16_t{});
  if (name == "uint") return f(std::uint32_t{});
  if (name == "ulong") return f(std::uint64_t{});
  if (name == "double") return f(double{});
  return f(float{});
}

// The type that it has in memory, and the one that arithmetic sees.
std::string stored_name(const element& e);
std::string loaded_name(const element& e);
// The functions between the two.
std::string read_name(const element& e);
std::string write_name(const element& e);
// The function that makes one of another number: floats into integers saturate
// (cl_kernels/blocks/convert.cl), integers wrap. A structure is taken as it is.
std::string convert_name(const element& e);
// "uint4": what integers of the type are added and multiplied in, so that they wrap. Narrow ones go by uint,
// for a product of two ushort would overflow the int they are promoted to.
std::string unsigned_name(const element& e, unsigned components);

// OpenCL's type for that many bytes in one access: 1 to 32.
std::string bits_of(std::uint64_t n_bytes);

// Adds a word of the option line.
void add_word(program_spec& spec, std::string name, std::string text = "1");

// Adds the declarations of types that have some. Throws bad_call where types of one name differ.
void add_types(program_spec& spec, std::span<const element* const> all);

}  // namespace clwave
