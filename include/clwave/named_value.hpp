/// @file
/// Named values: numbers that the texts of operators and maps name, and that come anew with each call.
///
/// A named value is a plain value: threads may read one at the same time. No queue and no driver is asked, so
/// nothing is flushed, and all of it works in a child of fork() too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <clwave/element.hpp>
#include <clwave/export.hpp>

namespace clwave {

namespace detail {

inline constexpr std::size_t most_value_bytes = 32;

template <class T>
concept plain_number = std::is_arithmetic_v<T> && sizeof(T) <= 8;

template <class T>
concept value_number = has_one_meaning<T>::value &&
    (plain_number<T> || (element_type<T> && sizeof(T) <= most_value_bytes));

// A type that is stored in 16 bits and becomes a float where that is asked for: half, bfloat16.
template <class T>
concept stored_float = !std::is_convertible_v<T, float> && requires(const T& number) {
  static_cast<float>(number);
};

/// The number as a kernel is given it. No kernel takes a half as an argument, so it becomes the float that it
/// is worth.
template <value_number T>
auto as_argument(const T& number) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<typename whole_number<sizeof(T), std::is_signed_v<T>>::type>(
        number);  // long is long long
  else if constexpr (stored_float<T>)
    return static_cast<float>(number);
  else
    return number;
}

}  // namespace detail

/// A name, and a number for it: of a whole number's type, float, double, half (which texts see as a float),
/// or an OpenCL vector of numbers of at most 32 bytes (cl_float4).
class named_value {
 public:
  /// The name stands for this number in texts. It is copied; the name is checked by the call that gets it.
  template <detail::value_number T>
  named_value(std::string name, const T& number) : name_(std::move(name)) {
    const auto argument = detail::as_argument(number);
    static_assert(sizeof argument <= detail::most_value_bytes);
    type_ = &element_of<std::remove_cv_t<decltype(argument)>>();
    std::memcpy(bytes_.data(), &argument, sizeof argument);
  }

  /// The identifier in the texts.
  const std::string& name() const noexcept { return name_; }
  /// The type that the kernel's argument has: that of the number, float for half and bfloat16.
  const element& type() const noexcept { return *type_; }
  /// The number as the kernel gets it: as many bytes as its type has. They belong to this object.
  std::span<const unsigned char> bytes() const noexcept { return {bytes_.data(), type_->size}; }

 private:
  std::string name_;
  const element* type_;
  std::array<unsigned char, detail::most_value_bytes> bytes_ = {};
};

namespace detail {

// A value of a type that is said at run time, whose bytes lie at `number`. Throws bad_call for types that no
// value has.
CLWAVE_EXPORT named_value named_value_of(std::string name, const element& type, const void* number);

}  // namespace detail

}  // namespace clwave
