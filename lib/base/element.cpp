// The built-in element types, and the numbers of 16 bits.
#include <clwave/element.hpp>

#include <bit>
#include <cmath>
#include <new>

#include <CL/cl_half.h>

namespace clwave::detail {

element make_element(std::string_view name, std::string_view opencl_name, std::size_t size, element_kind kind,
                     unsigned components, std::string_view declaration) {
  return {std::string(name), std::string(opencl_name), size, kind, components, std::string(declaration)};
}

}  // namespace clwave::detail

namespace clwave {

const element& no_type() noexcept {
  // As short as they are, its names take no memory beside it, so that nothing here can fail.
  alignas(element) static unsigned char memory[sizeof(element)];
  static const element& none = *new (memory) element{.name = "no type", .opencl_name = {}, .declaration = {}};
  return none;
}

// A NaN becomes the one quiet NaN of its sign, as results have it; the header would keep its payload.
half::half(float value) noexcept
    : bits(std::isnan(value) ? static_cast<std::uint16_t>(std::signbit(value) ? 0xfe00u : 0x7e00u)
                             : cl_half_from_float(value, CL_HALF_RTE)) {}

half::operator float() const noexcept { return cl_half_to_float(bits); }

// As float_as_bfloat16 of cl_kernels/blocks/element.cl.
bfloat16::bfloat16(float value) noexcept {
  const auto whole = std::bit_cast<std::uint32_t>(value);
  bits = std::isnan(value) ? static_cast<std::uint16_t>((whole >> 16 & 0x8000u) | 0x7fc0u)
                           : static_cast<std::uint16_t>((whole + 0x7fffu + (whole >> 16 & 1u)) >> 16);
}

bfloat16::operator float() const noexcept { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

const element* find_element(std::string_view name) {
#define CLWAVE_ADDRESS(type, ...) &element_of<type>(),
  static const element* const all[] = {
      &element_of<std::int8_t>(),
      &element_of<std::int16_t>(),
      &element_of<std::int32_t>(),
      &element_of<std::int64_t>(),
      &element_of<std::uint8_t>(),
      &element_of<u16>(),
      &element_of<std::uint32_t>(),
      &element_of<std::uint64_t>(),
      &element_of<float>(),
      &element_of<double>(),
      &element_of<half>(),
      &element_of<bfloat16>(),
      &element_of<std::complex<float>>(),
      &element_of<std::complex<double>>(),
      &element_of<bool>(),
      &element_of<std::byte>(),
      CLWAVE_DETAIL_VECTORS(CLWAVE_ADDRESS)  // the last
  };
#undef CLWAVE_ADDRESS
  for (const element* e : all) {
    if (e->name == name || e->opencl_name == name) return e;
  }
  return nullptr;
}

}  // namespace clwave
