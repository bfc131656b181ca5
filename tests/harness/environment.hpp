// Environment variables for one scope. Not while other threads read them.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace testing {

// Sets a variable, or with nothing unsets it, for as long as it lives.
class environment {
 public:
  environment(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    put(value);
  }
  ~environment() { put(before_); }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;

 private:
  void put(const std::optional<std::string>& value) {
#if defined(_WIN32)
    _putenv_s(name_, value.value_or("").c_str());  // an empty value unsets it
#else
    if (value) {
      setenv(name_, value->c_str(), 1);
    } else {
      unsetenv(name_);
    }
#endif
  }
  const char* name_;
  std::optional<std::string> before_;
};

// CLWAVE_PROFILE for as long as it lives; an empty name leaves the choice to the library. A check that fails
// under it says the row (main.cpp).
class forced_profile {
 public:
  explicit forced_profile(const std::string& name)
      : variable_("CLWAVE_PROFILE", name.empty() ? std::nullopt : std::optional(name)) {
    last() = name;
  }
  // The name that was given last.
  static std::string& last() {
    static std::string name;
    return name;
  }

 private:
  environment variable_;
};

}  // namespace testing
