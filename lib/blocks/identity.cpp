// Identities of operators.
#include "blocks/identity.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <limits>
#include <system_error>
#include <type_traits>

#include "call/call.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

template <class T>
std::vector<unsigned char> value_bytes(T value) {
  std::vector<unsigned char> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// The bytes of one scalar from what it is worth: 0, 1, the least, the greatest, or all ones.
enum class landmark { zero, one, least, greatest, all_ones };

template <class T>
std::vector<unsigned char> landmark_bytes(landmark which) {
  using limits = std::numeric_limits<T>;
  switch (which) {
    case landmark::one:
      return value_bytes(T(1));
    case landmark::least:
      return value_bytes(static_cast<T>(limits::has_infinity ? -limits::infinity() : limits::lowest()));
    case landmark::greatest:
      return value_bytes(static_cast<T>(limits::has_infinity ? limits::infinity() : limits::max()));
    case landmark::all_ones:
      return std::vector<unsigned char>(sizeof(T), 0xff);
    case landmark::zero:
      break;
  }
  return value_bytes(T(0));
}

// A plain decimal number as the device's compiler would read it. Anything else (octal, hexadecimal, a suffix
// that changes the type) is left to that compiler.
template <class T>
std::optional<std::vector<unsigned char>> number_bytes(std::string_view text) {
  const auto parse = [text](auto value) -> std::optional<decltype(value)> {
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  };
  if constexpr (std::is_integral_v<T>) {
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    if (digits.starts_with('0') && digits != "0") return std::nullopt;
    const std::optional<T> value = parse(T{});
    return value ? std::optional(value_bytes(*value)) : std::nullopt;
  } else {
    const bool number = text.find_first_not_of("+-.0123456789eE") == std::string_view::npos;
    const std::optional<T> value = number ? parse(T{}) : std::nullopt;
    return value ? std::optional(value_bytes(*value)) : std::nullopt;
  }
}

}  // namespace

std::optional<std::vector<unsigned char>> identity_of(std::string_view primitive, const op& fold,
                                                      const element& acc) {
  landmark which = landmark::zero;
  switch (fold.kind) {
    case op_kind::argmin:
    case op_kind::argmax:
      refuse(primitive, fold.name + " of no elements has no value");
    case op_kind::multiplies:
    case op_kind::logical_and:
      which = landmark::one;
      break;
    case op_kind::min:
      which = landmark::greatest;
      break;
    case op_kind::max:
      which = landmark::least;
      break;
    case op_kind::bit_and:
      which = landmark::all_ones;
      break;
    case op_kind::user:
      if (fold.identity.empty())
        refuse(primitive, "the operator " + fold.name + " has no identity, which is the value of no elements",
               "give .identity, or a start value, or no empty input");
      if (!acc.is_scalar_arithmetic() || is_bool(acc)) return std::nullopt;
      return with_scalar(acc.opencl_name,
                         [&](auto zero) { return number_bytes<decltype(zero)>(fold.identity); });
    default:
      break;
  }
  if (is_bool(acc)) return value_bytes(!(which == landmark::zero || which == landmark::least));
  const auto one =
      with_scalar(scalar_name(acc), [&](auto zero) { return landmark_bytes<decltype(zero)>(which); });
  std::vector<unsigned char> all;
  for (unsigned c = 0; c < acc.components; ++c) all.insert(all.end(), one.begin(), one.end());
  if (is_complex(acc)) std::fill(all.begin() + static_cast<std::ptrdiff_t>(one.size()), all.end(), 0);
  return all;
}

}  // namespace clwave::detail
