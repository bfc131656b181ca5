// The encodings of text that .npy headers come in: Latin-1, and UTF-8, which the tool works with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace clwave::tool {

// Adds a character to UTF-8. False for what is none: a half of a UTF-16 pair, or beyond U+10FFFF.
bool append_utf8(std::string& text, std::uint32_t character);

// The text where it is UTF-8 throughout: in shortest form, of characters that there are.
bool is_utf8(std::string_view text);

std::string utf8_of_latin1(std::string_view text);
// Of UTF-8; nothing where a character is beyond Latin-1.
std::optional<std::string> latin1_of_utf8(std::string_view text);

// UTF-8 for a line on the screen: control characters, which a name in a file may have, as \x1b.
std::string on_one_line(std::string_view text);

}  // namespace clwave::tool
