// Latin-1 and UTF-8.
#include "files/encodings.hpp"

#include <array>
#include <cstdio>

namespace clwave::tool {
namespace {

// The first character of UTF-8, and how many bytes it has; none where these are no UTF-8.
struct decoded {
  std::uint32_t character = 0;
  std::size_t n_bytes = 0;
};
std::optional<decoded> first_of(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return decoded{first, 1};
  const std::size_t n_bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < n_bytes) return std::nullopt;
  std::uint32_t character = first & (0x7fu >> n_bytes);
  for (std::size_t k = 1; k < n_bytes; ++k) {
    const auto next = static_cast<unsigned char>(text[k]);
    if ((next & 0xc0) != 0x80) return std::nullopt;
    character = character << 6 | (next & 0x3f);
  }
  constexpr std::array<std::uint32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool half_of_pair = character >= 0xd800 && character <= 0xdfff;
  if (character < smallest[n_bytes] || half_of_pair || character > 0x10ffff) return std::nullopt;
  return decoded{character, n_bytes};
}

}  // namespace

bool append_utf8(std::string& text, std::uint32_t character) {
  if ((character >= 0xd800 && character <= 0xdfff) || character > 0x10ffff) return false;
  const auto rest = [&](unsigned shift) { text += static_cast<char>(0x80 | (character >> shift & 0x3f)); };
  if (character < 0x80) {
    text += static_cast<char>(character);
  } else if (character < 0x800) {
    text += static_cast<char>(0xc0 | character >> 6);
    rest(0);
  } else if (character < 0x10000) {
    text += static_cast<char>(0xe0 | character >> 12);
    rest(6);
    rest(0);
  } else {
    text += static_cast<char>(0xf0 | character >> 18);
    rest(12);
    rest(6);
    rest(0);
  }
  return true;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto first = first_of(text);
    if (!first) return false;
    text.remove_prefix(first->n_bytes);
  }
  return true;
}

std::string utf8_of_latin1(std::string_view text) {
  std::string wide;
  for (const char each : text) append_utf8(wide, static_cast<unsigned char>(each));
  return wide;
}

std::optional<std::string> latin1_of_utf8(std::string_view text) {
  std::string narrow;
  while (!text.empty()) {
    const auto first = first_of(text);
    if (!first || first->character > 0xff) return std::nullopt;
    narrow += static_cast<char>(first->character);
    text.remove_prefix(first->n_bytes);
  }
  return narrow;
}

std::string on_one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const auto first = first_of(text);
    const std::uint32_t character = first ? first->character : static_cast<unsigned char>(text.front());
    if (!first || character < ' ' || (character >= 0x7f && character < 0xa0)) {
      std::array<char, 8> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\x%02x", static_cast<unsigned>(character));
      line += escaped.data();
    } else {
      line += text.substr(0, first->n_bytes);
    }
    text.remove_prefix(first ? first->n_bytes : 1);
  }
  return line;
}

}  // namespace clwave::tool
