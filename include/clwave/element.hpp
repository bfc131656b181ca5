/// @file
/// Element types: what a C++ type is called on a device, how large it is there, and what it holds.
///
/// | C++ type                                          | name       | in OpenCL C texts   |
/// |---------------------------------------------------|------------|---------------------|
/// | std::int8_t to std::int64_t, std::uint8_t to      | i8 to i64, | char to long,       |
/// | std::uint64_t (16 bits without a sign: u16),      | u8 to u64  | uchar to ulong      |
/// | char, long, long long and the unsigned ones       |            |                     |
/// | float, double                                     | f32, f64   | float, double       |
/// | half, bfloat16                                    | f16, bf16  | float               |
/// | std::complex<float>, std::complex<double>         | cf32, cf64 | float2, double2     |
/// | bool                                              | bool       | uchar, 0 or 1       |
/// | std::byte                                         | byte       | uchar               |
/// | cl_float4 and all vectors of 2, 4, 8 and 16 such  | f32x4 ...  | float4 ...          |
/// | structures of your own (CLWAVE_STRUCTURE)         |            | the structure       |
///
/// char has the sign that the compiler gives it; long has 4 or 8 bytes. cl_float3 and its like are other
/// names of the vectors of 4, and the fourth component is taken like any other. An input may be of const
/// elements.
///
/// Complex numbers: a sum is taken in both parts. A product is {a.x * b.x - a.y * b.y, a.x * b.y + a.y *
/// b.x}: four products, a difference and a sum, each rounded, nothing fused, and nothing saved of an infinity
/// that meets a NaN. A text of your own sees a float2, whose * goes component by component: write a product
/// out.
///
/// A bool in memory that is neither 0 nor 1 counts as true, a bool that is written is 0 or 1. std::byte has
/// no arithmetic: it is copied, filled and combined by bit operators.
///
/// Threads may call these functions, and read one element, at the same time. No queue and no driver is
/// asked, so nothing is flushed, and all of it works in a child of fork() too.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <clwave/export.hpp>
#include <clwave/lifetime.hpp>
#include <clwave/opencl.hpp>

namespace clwave {

/// A 16-bit IEEE float as it is stored. Arithmetic is done in float: kernels convert on load.
struct half {
  std::uint16_t bits = 0;  ///< sign, 5 bits of exponent, 10 of fraction

  half() = default;
  CLWAVE_EXPORT explicit half(float value) noexcept;  ///< rounds to nearest even; overflow gives infinity
  CLWAVE_EXPORT explicit operator float() const noexcept;  ///< exact
};

/// The upper 16 bits of a float as they are stored: a float's range, and 8 bits of precision. Arithmetic is
/// done in float: kernels convert on load.
struct bfloat16 {
  std::uint16_t bits = 0;  ///< sign, 8 bits of exponent, 7 of fraction

  bfloat16() = default;
  CLWAVE_EXPORT explicit bfloat16(float value) noexcept;   ///< rounds to nearest even; a NaN is kept
  CLWAVE_EXPORT explicit operator float() const noexcept;  ///< exact
};

/// A 16-bit whole number. std::uint16_t is the same C++ type as OpenCL's cl_half, so nobody can tell from it
/// whether an array holds whole numbers or 16-bit floats, and a sum of floats read as whole numbers is wrong
/// without a word. That is why std::uint16_t is no element type: whole numbers are u16 and floats are half.
/// The memory of a std::uint16_t array is that of a u16 array. On the host a u16 counts and compares as its
/// number.
struct u16 {
  std::uint16_t value = 0;  ///< the number

  u16() = default;
  /// Any number of 16 bits is one.
  constexpr u16(std::uint16_t number) noexcept : value(number) {}  // NOLINT(google-explicit-constructor)
  /// Becomes its number wherever one is asked for.
  constexpr operator std::uint16_t() const noexcept { return value; }  // NOLINT(google-explicit-constructor)
};
static_assert(sizeof(u16) == 2 && std::is_trivially_copyable_v<u16> && std::is_standard_layout_v<u16>);
static_assert(alignof(u16) == 2);

/// What an element holds, which decides the operators and conversions it takes.
enum class element_kind {
  signed_integer,    ///< two's complement, of 8 to 64 bits
  unsigned_integer,  ///< of 8 to 64 bits
  floating,          ///< a float or a double
  half_storage,      ///< 16 bits that arithmetic sees as a float
  structure,         ///< one of your own: moved, and combined by texts of yours
  opaque,            ///< bytes that are moved alone
  bfloat16_storage,  ///< the upper 16 bits of a float, which arithmetic sees as a float
  boolean,           ///< 8 bits: 0 is false, all else true
  complex,           ///< a real part, then an imaginary one
  byte               ///< bits without arithmetic
};

/// An element type at run time. `components` > 1 is an OpenCL vector (float4), taken component-wise, or a
/// complex number, which has 2.
struct element {
  std::string name;         ///< for people and caches: "f32", "u8", "f32x4", a structure's own name
  std::string opencl_name;  ///< "float", "uchar", "float4", "point"; "bfloat16", "byte", no types there
  std::size_t size = 0;     ///< bytes, the same on host and device
  element_kind kind = element_kind::opaque;  ///< of a vector that of its components
  unsigned components = 1;                   ///< 2, 4, 8 or 16 of a vector, 2 of a complex number, else 1
  std::string declaration;  ///< OpenCL C text that must precede the kernel, "" for built-in types

  /// True for one number, of 16 bits and bool included: what argmin and argmax take.
  bool is_scalar_arithmetic() const {
    return components == 1 && kind != element_kind::structure && kind != element_kind::opaque &&
           kind != element_kind::byte;
  }
};

/// Describes T. Specialised for the built-in types here, for your own by CLWAVE_STRUCTURE or by hand.
template <class T>
struct element_traits;

namespace detail {

CLWAVE_EXPORT element make_element(std::string_view name, std::string_view opencl_name, std::size_t size,
                                   element_kind kind, unsigned components, std::string_view declaration = {});

// Instantiated for every type that a view has: the one place that refuses std::uint16_t.
template <class T>
struct has_one_meaning : std::true_type {
  static_assert(!std::is_same_v<std::remove_cv_t<T>, std::uint16_t>,
                "std::uint16_t is also cl_half: write clwave::half for 16-bit floats, "
                "clwave::u16 for 16-bit whole numbers");
};

template <class T>
inline constexpr bool is_wide_complex = false;
template <>
inline constexpr bool is_wide_complex<std::complex<long double>> = true;

template <class T>
inline constexpr bool is_character = std::is_same_v<T, wchar_t> || std::is_same_v<T, char8_t> ||
                                     std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>;

/// cl_half2 and its like, which older OpenCL headers lack; vectors of whole numbers are elements.
template <class T>
concept vector_of_halves = requires(T vector) {
  { vector.s[0] } -> std::same_as<cl_half&>;
};

/// Whole numbers of a type that none of <cstdint>'s need be.
template <class T>
concept plain_integer = std::same_as<T, char> || std::same_as<T, long> || std::same_as<T, unsigned long> ||
    std::same_as<T, long long> || std::same_as<T, unsigned long long>;

template <std::size_t Size, bool Signed>
struct whole_number;
template <>
struct whole_number<1, true> : std::type_identity<std::int8_t> {};
template <>
struct whole_number<1, false> : std::type_identity<std::uint8_t> {};
template <>
struct whole_number<2, true> : std::type_identity<std::int16_t> {};
template <>
struct whole_number<2, false> : std::type_identity<u16> {};
template <>
struct whole_number<4, true> : std::type_identity<std::int32_t> {};
template <>
struct whole_number<4, false> : std::type_identity<std::uint32_t> {};
template <>
struct whole_number<8, true> : std::type_identity<std::int64_t> {};
template <>
struct whole_number<8, false> : std::type_identity<std::uint64_t> {};
}  // namespace detail

/// A whole number of another name is an element like the one of `<cstdint>` that has its size and sign.
template <detail::plain_integer T>
struct element_traits<T>
    : element_traits<typename detail::whole_number<sizeof(T), std::is_signed_v<T>>::type> {};

/// A type that buffers may hold: one of the table above, or a structure of yours that was described.
template <class T>
concept element_type = std::is_trivially_copyable_v<T> && requires {
  { element_traits<std::remove_cv_t<T>>::describe() } -> std::convertible_to<const element&>;
};

namespace detail {

// For a type that is no element: does not compile, and says what to do instead.
template <class T>
constexpr void refuse_element_type() {
  constexpr bool no = !std::is_same_v<T, T>;
  if constexpr (std::is_same_v<T, std::uint16_t>)
    static_assert(has_one_meaning<T>::value);
  else if constexpr (std::is_same_v<T, long double> || is_wide_complex<T>)
    static_assert(no, "no device computes in long double: convert the elements to double on the host");
  else if constexpr (std::is_pointer_v<T> || std::is_member_pointer_v<T> || std::is_reference_v<T>)
    static_assert(no,
                  "a pointer of the host means nothing on a device: store indices (std::uint32_t or "
                  "std::uint64_t) into a buffer instead");
  else if constexpr (vector_of_halves<T>)
    static_assert(
        no, "a vector of halves is no element: view its memory as clwave::half, one for each component");
  else if constexpr (is_character<T>)
    static_assert(no,
                  "this character type is no element: view its memory as std::uint8_t, clwave::u16 or "
                  "std::uint32_t");
  else if constexpr (std::is_enum_v<T>)
    static_assert(no, "an enumeration is no element: view its memory as its underlying type");
  else if constexpr (!std::is_trivially_copyable_v<T>)
    static_assert(no, "elements go to the device as their bytes: the type must be trivially copyable");
  else
    static_assert(no,
                  "no element type: describe a structure of your own with CLWAVE_STRUCTURE "
                  "(clwave/element.hpp), at global scope and before its first use");
}

}  // namespace detail

/// The description of T; that of const T is the same. For any other type it does not compile.
template <class T>
const element& element_of() {
  using plain = std::remove_cv_t<T>;
  if constexpr (!element_type<plain>) detail::refuse_element_type<plain>();
  return element_traits<plain>::describe();
}

/// The type of a view that was given none (any_view.hpp): it is named "no type" and has no bytes. It is there
/// from the first static initialiser to the end of the process.
CLWAVE_EXPORT const element& no_type() noexcept;

/// The built-in type of that name: "f32", "i64", "u8", "f16", "bf16", "cf32", "bool", "f32x4", or by OpenCL's
/// own names: "float", "long", "float4". nullptr if there is none.
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
CLWAVE_DETAIL_ELEMENT(bfloat16, "bf16", "bfloat16", bfloat16_storage, 1);
CLWAVE_DETAIL_ELEMENT(std::complex<float>, "cf32", "complex_float", complex, 2);
CLWAVE_DETAIL_ELEMENT(std::complex<double>, "cf64", "complex_double", complex, 2);
CLWAVE_DETAIL_ELEMENT(bool, "bool", "bool", boolean, 1);
CLWAVE_DETAIL_ELEMENT(std::byte, "byte", "byte", byte, 1);

// M(C++ type, name, OpenCL C's name, kind, components) for each vector of OpenCL C.
#define CLWAVE_DETAIL_VECTORS_OF(M, type, name, opencl_name, kind) \
  M(type##2, name "x2", opencl_name "2", kind, 2)                  \
  M(type##4, name "x4", opencl_name "4", kind, 4)                  \
  M(type##8, name "x8", opencl_name "8", kind, 8)                  \
  M(type##16, name "x16", opencl_name "16", kind, 16)
#define CLWAVE_DETAIL_VECTORS(M)                                            \
  CLWAVE_DETAIL_VECTORS_OF(M, cl_char, "i8", "char", signed_integer)        \
  CLWAVE_DETAIL_VECTORS_OF(M, cl_short, "i16", "short", signed_integer)     \
  CLWAVE_DETAIL_VECTORS_OF(M, cl_int, "i32", "int", signed_integer)         \
  CLWAVE_DETAIL_VECTORS_OF(M, cl_long, "i64", "long", signed_integer)       \
  CLWAVE_DETAIL_VECTORS_OF(M, cl_uchar, "u8", "uchar", unsigned_integer)    \
  CLWAVE_DETAIL_VECTORS_OF(M, cl_ushort, "u16", "ushort", unsigned_integer) \
  CLWAVE_DETAIL_VECTORS_OF(M, cl_uint, "u32", "uint", unsigned_integer)     \
  CLWAVE_DETAIL_VECTORS_OF(M, cl_ulong, "u64", "ulong", unsigned_integer)   \
  CLWAVE_DETAIL_VECTORS_OF(M, cl_float, "f32", "float", floating)           \
  CLWAVE_DETAIL_VECTORS_OF(M, cl_double, "f64", "double", floating)
#define CLWAVE_DETAIL_VECTOR(type, name, opencl_name, kind, components) \
  CLWAVE_DETAIL_ELEMENT(type, name, opencl_name, kind, components);
CLWAVE_DETAIL_VECTORS(CLWAVE_DETAIL_VECTOR)
#undef CLWAVE_DETAIL_VECTOR
#undef CLWAVE_DETAIL_ELEMENT

static_assert(sizeof(bool) == 1 && sizeof(bfloat16) == 2);
static_assert(std::is_trivially_copyable_v<std::complex<float>> &&
              std::is_trivially_copyable_v<std::complex<double>>);

}  // namespace clwave

/// Registers a structure of your own: its C++ type, its name on the device, and its OpenCL C text. At
/// global scope. Size and layout must be the same on both sides; the device's size is checked when
/// the first program with it is built. At most 128 bytes. The name is an identifier, and means one type in
/// a call.
///
///     struct point { float x, y, z; };
///     CLWAVE_STRUCTURE(point, "point", "typedef struct { float x, y, z; } point;")
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
