// What calls that are refused say.
#pragma once

#include <string>
#include <string_view>

#include <clwave/error.hpp>

namespace testing {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// What a call says that is refused with bad_call; "" where it is done.
template <class F>
std::string refusal(F call) {
  try {
    call();
  } catch (const clwave::error& thrown) {
    if (thrown.kind() == clwave::failure::bad_call) return thrown.what();
    return std::string("another kind: ") + thrown.what() + thrown.details().log;
  }
  return "";
}

}  // namespace testing
