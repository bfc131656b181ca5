// How an element type is stored in memory, loaded from it, computed with and stored again, in OpenCL C's
// words: the one place that decides it for all kernels. The functions that are named here are in
// cl_kernels/blocks/element.cl and convert.cl.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <clwave/copy.hpp>
#include <clwave/element.hpp>

#include "program/program.hpp"

namespace clwave::detail {

inline bool is_integer(const element& e) {
  return e.kind == element_kind::signed_integer || e.kind == element_kind::unsigned_integer;
}
inline bool is_float(const element& e) { return e.kind == element_kind::floating; }
inline bool is_bool(const element& e) { return e.kind == element_kind::boolean; }
inline bool is_complex(const element& e) { return e.kind == element_kind::complex; }
inline bool is_byte(const element& e) { return e.kind == element_kind::byte; }
inline bool is_half(const element& e) { return e.kind == element_kind::half_storage; }
inline bool is_bfloat16(const element& e) { return e.kind == element_kind::bfloat16_storage; }
// Stored in 16 bits; arithmetic sees a float.
inline bool is_storage(const element& e) { return is_half(e) || is_bfloat16(e); }
inline bool is_structure(const element& e) {
  return e.kind == element_kind::structure || e.kind == element_kind::opaque;
}
// A number, or a vector of numbers: what arithmetic and conversions are defined for.
inline bool is_number(const element& e) { return !is_structure(e) && !is_byte(e); }

// Whether kernels see one type in both: structures by their names and sizes.
inline bool are_alike(const element& a, const element& b) {
  return a.opencl_name == b.opencl_name && a.size == b.size;
}

inline std::uint64_t scalar_bytes(const element& e) { return e.size / e.components; }
inline bool is_of_doubles(const element& e) { return (is_float(e) || is_complex(e)) && scalar_bytes(e) == 8; }

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
// Of one component: "float" of "float4".
std::string stored_scalar(const element& e);
std::string scalar_name(const element& e);
// The function that makes what arithmetic sees of what is stored.
std::string read_name(const element& e);
// "uint4": what integers of the type are added and multiplied in, so that they wrap. Narrow ones go by uint,
// because a product of two ushort would overflow the int they are promoted to.
std::string unsigned_name(const element& e, unsigned components);

// OpenCL's type for that many bytes in one access: 1 to 32.
std::string bits_of(std::uint64_t n_bytes);

// Adds a word of the option line.
void add_word(program_spec& spec, std::string name, std::string text = "1");

// Adds what the function needs that makes one of another number, and returns its name: floats into integers
// saturate, integers wrap. A structure is taken as it is.
std::string add_conversion(program_spec& spec, const element& to);
// The same of the function that makes what is stored of what arithmetic sees.
std::string add_write(program_spec& spec, const element& e, rounding round = rounding::natural);

// "_rte" and so on: how OpenCL C's functions are named that round so; "" for the natural rounding.
std::string_view rounding_suffix(rounding round);

// The bits of infinity, of numbers that have none 0.
std::string infinity_of(const element& key);

// Adds what a kernel must know to put elements in order by their bits: of numbers and bool, as KEY.
void add_key(program_spec& spec, const element& key);

// The files that a program's kernels are in, and what these use (cl_kernels/README.md). A file may be named
// more than once.
void add_modules(program_spec& spec, std::initializer_list<std::string_view> files);

// Adds the declarations of types that have some. Throws bad_call where types of one name differ.
void add_types(program_spec& spec, std::span<const element* const> all);

// Why elements of one type do not become elements of another without a text of the user; two empty texts
// where they do.
struct conversion_fault {
  std::string_view message, advice;
  explicit operator bool() const { return !message.empty(); }
};
conversion_fault fault_of_conversion(const element& from, const element& to);

}  // namespace clwave::detail
