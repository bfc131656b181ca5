// Random elements of every type, and what the tests of element types share.
#pragma once

#include <complex>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "harness/devices.hpp"

namespace testing {

// What the tests name without saying where it is from.

// Calls f in the rows that differ in their code, with whether the row is the device's own: a program for
// another takes a CPU's compiler seconds.
template <class F>
void in_rows(F f) {
  for (const char* row : {"", "sm_90"}) {
    CAPTURE(row);
    const forced_profile forced(row);
    f(*row == '\0');
  }
}

template <class T>
struct complex_part {};
template <class P>
struct complex_part<std::complex<P>> {
  using type = P;
};

// Random elements of any type.
template <class T>
std::vector<T> random_elements(reference::random_engine& random, std::size_t n) {
  std::vector<T> values(n);
  for (T& value : values) {
    if constexpr (requires { typename complex_part<T>::type; }) {
      using P = typename complex_part<T>::type;
      value = {reference::random_value<P>(random), reference::random_value<P>(random)};
    } else if constexpr (std::is_same_v<T, bfloat16> || std::is_arithmetic_v<T>) {
      value = reference::random_value<T>(random);
    } else {
      unsigned char bytes[sizeof(T)];
      for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
      std::memcpy(&value, bytes, sizeof(T));
    }
  }
  return values;
}

// The product that element.hpp promises. The host must not fuse it either.
template <class P>
std::complex<P> times(std::complex<P> a, std::complex<P> b) {
  const volatile P rr = a.real() * b.real(), ii = a.imag() * b.imag();
  const volatile P ri = a.real() * b.imag(), ir = a.imag() * b.real();
  return {rr - ii, ri + ir};
}

}  // namespace testing
