// The built-in element types, and half.
#include <clwave/element.hpp>

#include <bit>

namespace clwave {

half::half(float value) noexcept {
  const auto word = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint32_t>((word >> 16) & 0x8000u);
  const std::uint32_t magnitude = word & 0x7fffffffu;
  std::uint32_t result = 0;
  if (magnitude > 0x7f800000u) {
    result = 0x7e00u;  // a NaN stays a NaN, quiet
  } else if (magnitude >= 0x477ff000u) {
    result = 0x7c00u;  // 65520 and above round to infinity
  } else if (magnitude >= 0x38800000u) {
    // Normal: drop 13 bits of the fraction, ties to even, and move the exponent from bias 127 to 15.
    result = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
  } else if (magnitude > 0x33000000u) {
    // Denormal: shift the fraction with its leading one into place, ties to even.
    const std::uint32_t shift = 126u - (magnitude >> 23);
    const std::uint32_t fraction = (magnitude & 0x7fffffu) | 0x800000u;
    const std::uint32_t half_unit = 1u << (shift - 1);
    result = (fraction + half_unit - 1u + ((fraction >> shift) & 1u)) >> shift;
  }
  bits = static_cast<std::uint16_t>(sign | result);
}

half::operator float() const noexcept {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  const std::uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (fraction << 13));
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -magnitude : magnitude;
}

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
