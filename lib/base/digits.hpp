// Digits and the whole numbers that they write, whatever the locale.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace clwave::detail {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number that a text is and has nothing else in; nothing for a sign, too.
inline std::optional<unsigned> number_of(std::string_view digits, int base = 10) {
  unsigned value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, failed] = std::from_chars(digits.data(), end, value, base);
  if (failed != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace clwave::detail
