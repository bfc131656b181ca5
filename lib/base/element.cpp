// The built-in element types, and half.
#include <clwave/element.hpp>

#include <cmath>

#include <CL/cl_half.h>

namespace clwave {

// A NaN becomes the one quiet NaN of its sign, as results have it; the header would keep its payload.
half::half(float value) noexcept
    : bits(std::isnan(value) ? static_cast<std::uint16_t>(std::signbit(value) ? 0xfe00u : 0x7e00u)
                             : cl_half_from_float(value, CL_HALF_RTE)) {}

half::operator float() const noexcept { return cl_half_to_float(bits); }

namespace detail {

element make_element(std::string_view name, std::string_view opencl_name, std::size_t size, element_kind kind,
                     unsigned components, std::string_view declaration) {
  return {std::string(name), std::string(opencl_name), size, kind, components, std::string(declaration)};
}

}  // namespace detail

const element* find_element(std::string_view name) {
  static const element* const all[] = {
      &element_of<std::int8_t>(),   &element_of<std::int16_t>(),  &element_of<std::int32_t>(),
      &element_of<std::int64_t>(),  &element_of<std::uint8_t>(),  &element_of<u16>(),
      &element_of<std::uint32_t>(), &element_of<std::uint64_t>(), &element_of<float>(),
      &element_of<double>(),        &element_of<half>(),          &element_of<cl_float2>(),
      &element_of<cl_float4>(),     &element_of<cl_double2>(),    &element_of<cl_double4>(),
      &element_of<cl_int2>(),       &element_of<cl_int4>(),       &element_of<cl_uint2>(),
      &element_of<cl_uint4>()};
  for (const element* e : all) {
    if (e->name == name || e->opencl_name == name) return e;
  }
  return nullptr;
}

}  // namespace clwave
