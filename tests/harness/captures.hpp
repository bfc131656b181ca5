// What a test says of several values where a check fails.
#pragma once

#include <string>

#include <doctest/doctest.h>

namespace testing {

template <class... Values>
std::string listed_values(const Values&... values) {
  std::string all;
  ((all += (all.empty() ? "" : ", ") + std::string(doctest::toString(values).c_str())), ...);
  return all;
}

}  // namespace testing

// CAPTURE of several: "n, offset := 5, 3".
#define CAPTURES(...) INFO(#__VA_ARGS__ " := ", ::testing::listed_values(__VA_ARGS__))
