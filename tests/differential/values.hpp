// What the differential fuzzer's inputs hold.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "families/ordered_keys.hpp"
#include "families/reductions.hpp"
#include "families/selections.hpp"
#include "harness/conversions.hpp"
#include "session.hpp"

// What is composed in order, and shows where it was not: products of 2 x 2 matrices, and a text by its ends.
struct df_matrix {
  std::uint32_t a, b, c, d;
};
CLWAVE_STRUCTURE(df_matrix, "df_matrix", "typedef struct { uint a, b, c, d; } df_matrix;")
struct df_text {
  std::uint32_t first, last, length;
};
CLWAVE_STRUCTURE(df_text, "df_text", "typedef struct { uint first, last, length; } df_text;")
// A structure of which one member alone is a double.
struct df_weighted {
  double w;
  float v, u;
};
CLWAVE_STRUCTURE(df_weighted, "df_weighted", "typedef struct { double w; float v, u; } df_weighted;")
// Keys with what tells where they come from.
struct df_pair {
  std::uint32_t key, index;
};
CLWAVE_STRUCTURE(df_pair, "df_pair", "typedef struct { uint key, index; } df_pair;")
struct df_float_pair {
  float key;
  std::uint32_t index;
};
CLWAVE_STRUCTURE(df_float_pair, "df_float_pair", "typedef struct { float key; uint index; } df_float_pair;")
struct df_triple {
  std::uint32_t index, key, more;
};
CLWAVE_STRUCTURE(df_triple, "df_triple", "typedef struct { uint index, key, more; } df_triple;")

namespace differential {

using clwave::bfloat16;
using clwave::half;
using clwave::u16;

template <class T>
inline constexpr bool is_stored = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
template <class T>
inline constexpr bool is_real = std::is_floating_point_v<T> || is_stored<T>;
template <class T>
inline constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

// What a text, and the host, compute in.
template <class T>
auto number(const T& x) {
  if constexpr (is_stored<T>)
    return static_cast<float>(x);
  else if constexpr (std::is_same_v<T, u16>)
    return x.value;
  else
    return x;
}
template <class T>
using number_of = decltype(number(std::declval<T>()));

// The bfloat16 nearest to a number, which is rounded once.
inline bfloat16 nearest_bfloat16(long double x) {
  const long double step = std::ldexp(1.0L, std::max(x == 0 ? -126 : std::ilogb(x), -126) - 7);
  return bfloat16(static_cast<float>(std::copysign(std::nearbyint(x / step) * step, x)));
}

// A 16-bit float of a number, which is rounded once.
template <class R, class N>
R stored_of(N x) {
  if constexpr (std::is_same_v<N, float>)
    return R(x);
  else if (!std::isfinite(static_cast<double>(x)))
    return R(static_cast<float>(x));
  else if constexpr (std::is_same_v<R, bfloat16>)
    return nearest_bfloat16(x);
  else
    return testing::nearest_half(static_cast<double>(x));
}

// Elements of any type, of a kind that is drawn: finite numbers, hostile ones, few values, or none but one.
template <class T>
std::vector<T> draw_values(session& s, std::size_t n) {
  std::vector<T> values(n);
  if constexpr (std::is_same_v<T, bool>) {
    return values;  // held as bytes: see draw_bools
  } else if constexpr (std::is_same_v<T, df_weighted>) {
    for (T& each : values)
      each = {reference::random_value<double>(s.random), reference::random_value<float>(s.random),
              reference::random_value<float>(s.random)};
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    for (T& each : values)
      each = {reference::random_value<float>(s.random), reference::random_value<float>(s.random)};
  } else if constexpr (std::is_same_v<T, df_text>) {
    for (T& each : values)
      each = {static_cast<std::uint32_t>(s.random()), static_cast<std::uint32_t>(s.random()),
              static_cast<std::uint32_t>(s.below(9))};
  } else if constexpr (std::is_integral_v<T> || is_real<T> || std::is_same_v<T, u16>) {
    const std::size_t kind = s.below(6);
    if (kind == 0) return testing::any_keys<T>(s.random, n);
    const auto spice = static_cast<reference::spice>(s.below(4));
    if (kind < 4) {
      for (T& each : values) each = reference::random_value<T>(s.random, spice);
      return values;
    }
    // Few values, in runs.
    std::vector<T> few(kind == 4 ? 1 + s.below(7) : 1);
    for (T& each : few) each = reference::random_value<T>(s.random, spice);
    const std::size_t longest = s.flip() ? 1 : 1 + s.below(300);
    for (std::size_t k = 0; k < n;) {
      const T& one = few[s.below(few.size())];
      for (std::size_t run = 1 + s.below(longest); run > 0 && k < n; --run) values[k++] = one;
    }
  } else {
    values = testing::values_of<T>(s.random, n);
  }
  return values;
}

// Small whole numbers, whose sums and products are exact.
template <class T>
std::vector<T> draw_small(session& s, std::size_t n, unsigned most) {
  std::vector<T> values(n);
  for (T& each : values) {
    const int x = static_cast<int>(s.below(2 * most + 1)) - static_cast<int>(most);
    if constexpr (is_stored<T>)
      each = T(static_cast<float>(x));
    else
      each = static_cast<T>(x);
  }
  return values;
}

// Offsets of segments over n elements: many of some kind, now and then some that are bad.
template <class Offset>
std::vector<Offset> draw_offsets(session& s, std::size_t n, bool may_be_bad) {
  std::vector<Offset> offsets;
  std::size_t at = s.one_in(4) ? s.below(n + 1) : 0;
  const std::size_t kind = s.below(5);
  const std::size_t segments = s.one_in(10) ? 0 : 1 + s.below(kind == 0 ? 5 : 400);
  offsets.push_back(static_cast<Offset>(at));
  for (std::size_t k = 0; k < segments; ++k) {
    const std::size_t left = n - std::min(n, at);
    std::size_t length = 0;
    switch (kind) {
      case 0:
        length = s.below(left + 1);
        break;
      case 1:
        length = s.below(4);
        break;
      case 2:
        length = s.below(100);
        break;
      case 3:
        length = s.one_in(20) ? s.below(left + 1) : s.below(12);
        break;
      default:
        length = s.one_in(3) ? 0 : 30 + s.below(230);
    }
    at += std::min(length, left);
    offsets.push_back(static_cast<Offset>(at));
  }
  if (s.flip()) offsets.back() = static_cast<Offset>(n);
  if (may_be_bad && s.one_in(5)) {  // ends past the input
    offsets.back() = static_cast<Offset>(n + 1 + s.below(50));
    if (s.flip()) offsets.push_back(static_cast<Offset>(offsets.back() + s.below(9)));
  }
  if (may_be_bad && s.one_in(8)) {  // falls
    const std::size_t k = s.below(offsets.size());
    offsets[k] = static_cast<Offset>(s.below(n + 9));
  }
  return offsets;
}

template <class T>
bytes bytes_of(const std::vector<T>& values) {
  const auto* first = reinterpret_cast<const unsigned char*>(values.data());
  return {first, first + values.size() * sizeof(T)};
}

// The same elements, in some order.
template <class T>
bool is_permutation_by_bits(std::vector<T> a, std::vector<T> b) {
  const auto sorted = [](std::vector<T>& of) {
    std::vector<std::string> all;
    all.reserve(of.size());
    for (const T& each : of) all.emplace_back(reinterpret_cast<const char*>(&each), sizeof(T));
    std::sort(all.begin(), all.end());
    return all;
  };
  return sorted(a) == sorted(b);
}

}  // namespace differential
