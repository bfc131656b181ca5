// Calls that fail, and what they say.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <clwave/error.hpp>

namespace testing {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The error that f throws. Fails if it throws none.
template <class F>
clwave::error error_of(const F& f) {
  try {
    f();
  } catch (const clwave::error& thrown) {
    return thrown;
  }
  FAIL("no error was thrown");
  return clwave::error(clwave::failure::internal, "");
}

// The failure that f throws, if it throws one.
template <class F>
std::optional<clwave::failure> failure_from(const F& f) {
  try {
    f();
  } catch (const clwave::error& thrown) {
    return thrown.kind();
  }
  return std::nullopt;
}

// Whether f throws bad_call.
template <class F>
bool refused(const F& f) {
  return failure_from(f) == clwave::failure::bad_call;
}

// What a call says that is refused with bad_call; "" where it is done.
template <class F>
std::string refusal(const F& call) {
  try {
    call();
  } catch (const clwave::error& thrown) {
    if (thrown.kind() == clwave::failure::bad_call) return thrown.what();
    return std::string("another kind: ") + thrown.what() + thrown.details().log;
  }
  return "";
}

// Fails unless f throws bad_call with `words` in its message.
template <class F>
void refuses(const char* words, const F& f) {
  CAPTURE(std::string(words));
  const clwave::error thrown = error_of(f);
  CAPTURE(std::string(thrown.what()));
  CHECK(thrown.kind() == clwave::failure::bad_call);
  CHECK(contains(thrown.what(), words));
}

}  // namespace testing
