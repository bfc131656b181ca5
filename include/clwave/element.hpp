// Element types: what a C++ type is called on a device, how large it is there, and what it holds.
//
// Threads may call these functions, and read one element, at the same time. No queue and no driver is
// asked, so nothing is flushed, and all of it works in a child of fork() too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <CL/cl.h>

#include <clwave/export.hpp>
#include <clwave/lifetime.hpp>

namespace clwave {

// A 16-bit IEEE float as it is stored. Arithmetic is done in float: kernels convert on load.
struct half {
  std::uint16_t bits = 0;

  half() = default;
  CLWAVE_EXPORT explicit half(float value) noexcept;  // rounds to nearest even; overflow gives infinity
  CLWAVE_EXPORT explicit operator float() const noexcept;
};

// A 16-bit whole number. std::uint16_t is the same C++ type as OpenCL's cl_half, so nobody can tell from it
// whether an array holds whole numbers or 16-bit floats, and a sum of floats read as whole numbers is wrong
// without a word. That is why std::uint16_t is no element type: whole numbers are u16 and floats are half.
// The memory of a std::uint16_t array is that of a u16 array. On the host a u16 counts and compares as its
// number.
struct u16 {
  std::uint16_t value = 0;

  u16() = default;
  constexpr u16(std::uint16_t number) noexcept : value(number) {}      // NOLINT(google-explicit-constructor)
  constexpr operator std::uint16_t() const noexcept { return value; }  // NOLINT(google-explicit-constructor)
};
static_assert(sizeof(u16) == 2 && std::is_trivially_copyable_v<u16> && std::is_standard_layout_v<u16>);
static_assert(alignof(u16) == 2);

enum class element_kind { signed_integer, unsigned_integer, floating, half_storage, structure, opaque };

// An element type at run time. `components` > 1 is an OpenCL vector (float4), taken component-wise.
struct element {
  std::string name;         // for people and caches: "f32", "u8", "f32x4", a structure's own name
  std::string opencl_name;  // "float", "uchar", "float4", "point"
  std::size_t size = 0;     // bytes, the same on host and device
  element_kind kind = element_kind::opaque;
  unsigned components = 1;
  std::string declaration;  // OpenCL C text that must precede the kernel, "" for built-in types

  bool is_scalar_arithmetic() const {
    return components == 1 && kind != element_kind::structure && kind != element_kind::opaque;
  }
};

// Describes T. Specialised for the built-in types here, for your own by CLWAVE_STRUCTURE or by hand.
template <class T>
struct element_traits;

namespace detail {
CLWAVE_EXPORT element make_element(std::string_view name, std::string_view opencl_name, std::size_t size,
                                   element_kind kind, unsigned components, std::string_view declaration = {});

// Instantiated for every type that elements are said to have: the one place that refuses std::uint16_t.
template <class T>
struct has_one_meaning : std::true_type {
  static_assert(!std::is_same_v<std::remove_cv_t<T>, std::uint16_t>,
                "std::uint16_t is also cl_half: write clwave::half for 16-bit floats, "
                "clwave::u16 for 16-bit whole numbers");
};
}  // namespace detail

template <class T>
concept element_type = std::is_trivially_copyable_v<T> && requires {
  { element_traits<T>::describe() } -> std::convertible_to<const element&>;
};

template <element_type T>
const element& element_of() {
  return element_traits<T>::describe();
}

// The built-in type of that name: "f32", "i64", "u8", "f16", "f32x4", and "float", "long" likewise.
// nullptr if there is none.
CLWAVE_EXPORT const element* find_element(std::string_view name);

#define CLWAVE_DETAIL_ELEMENT(type, name, opencl_name, kind, components)                          \
  template <>                                                                                     \
  struct element_traits<type> {                                                                   \
    static const element& describe() {                                                            \
      static const element& e = *detail::never_destroyed(                                         \
          detail::make_element(name, opencl_name, sizeof(type), element_kind::kind, components)); \
      return e;                                                                                   \
    }                                                                                             \
  }
CLWAVE_DETAIL_ELEMENT(std::int8_t, "i8", "char", signed_integer, 1);
CLWAVE_DETAIL_ELEMENT(std::int16_t, "i16", "short", signed_integer, 1);
CLWAVE_DETAIL_ELEMENT(std::int32_t, "i32", "int", signed_integer, 1);
CLWAVE_DETAIL_ELEMENT(std::int64_t, "i64", "long", signed_integer, 1);
CLWAVE_DETAIL_ELEMENT(std::uint8_t, "u8", "uchar", unsigned_integer, 1);
CLWAVE_DETAIL_ELEMENT(u16, "u16", "ushort", unsigned_integer, 1);
CLWAVE_DETAIL_ELEMENT(std::uint32_t, "u32", "uint", unsigned_integer, 1);
CLWAVE_DETAIL_ELEMENT(std::uint64_t, "u64", "ulong", unsigned_integer, 1);
CLWAVE_DETAIL_ELEMENT(float, "f32", "float", floating, 1);
CLWAVE_DETAIL_ELEMENT(double, "f64", "double", floating, 1);
CLWAVE_DETAIL_ELEMENT(half, "f16", "half", half_storage, 1);
CLWAVE_DETAIL_ELEMENT(cl_float2, "f32x2", "float2", floating, 2);
CLWAVE_DETAIL_ELEMENT(cl_float4, "f32x4", "float4", floating, 4);
CLWAVE_DETAIL_ELEMENT(cl_double2, "f64x2", "double2", floating, 2);
CLWAVE_DETAIL_ELEMENT(cl_double4, "f64x4", "double4", floating, 4);
CLWAVE_DETAIL_ELEMENT(cl_int2, "i32x2", "int2", signed_integer, 2);
CLWAVE_DETAIL_ELEMENT(cl_int4, "i32x4", "int4", signed_integer, 4);
CLWAVE_DETAIL_ELEMENT(cl_uint2, "u32x2", "uint2", unsigned_integer, 2);
CLWAVE_DETAIL_ELEMENT(cl_uint4, "u32x4", "uint4", unsigned_integer, 4);
#undef CLWAVE_DETAIL_ELEMENT

// An element type by its concept, so that a call which names it says what to write instead.
template <class T>
  requires std::is_same_v<std::remove_cv_t<T>, std::uint16_t>
struct element_traits<T> {
  static const element& describe() {
    static_assert(detail::has_one_meaning<T>::value);
    return element_traits<u16>::describe();
  }
};

}  // namespace clwave

// Registers a structure of your own: its C++ type, its name on the device, and its OpenCL C text. At
// global scope. Size and layout must be the same on both sides; the device's size is checked when
// the first program with it is built. At most 128 bytes. The name is an identifier, and means one type in
// a call.
//
//   struct point { float x, y, z; };
//   CLWAVE_STRUCTURE(point, "point", "typedef struct { float x, y, z; } point;")
#define CLWAVE_STRUCTURE(type, opencl_name, text)                                                            \
  template <>                                                                                                \
  struct clwave::element_traits<type> {                                                                      \
    static const ::clwave::element& describe() {                                                             \
      static_assert(sizeof(type) <= 128, "an element has at most 128 bytes");                                \
      static const ::clwave::element& e = *::clwave::detail::never_destroyed(::clwave::detail::make_element( \
          opencl_name, opencl_name, sizeof(type), ::clwave::element_kind::structure, 1, text));              \
      return e;                                                                                              \
    }                                                                                                        \
  };
