// What the tests compare with: the fold order as a plain loop on the host, random data with the values
// that break things, and comparison by bits. Knows neither OpenCL nor doctest.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/reduce.hpp>

namespace reference {

// ------------------------------------------------------------------------------------ the fold order

// One level of the fold: the results of all tiles of n values, where value_at(i) gives value i.
template <class Acc, class ValueAt, class Combine>
std::vector<Acc> fold_tiles(std::size_t n, const ValueAt& value_at, const Combine& combine, bool contiguous,
                            clwave::detail::fold_sizes sizes) {
  const std::size_t run = sizes.tile / sizes.accumulators;
  std::vector<Acc> results;
  for (std::size_t first = 0; first < n; first += sizes.tile) {
    const std::size_t count = std::min(sizes.tile, n - first);

    // Each accumulator takes its elements in rising order; one that gets none stays missing.
    std::vector<std::optional<Acc>> row(sizes.accumulators);
    for (std::size_t i = 0; i < count; ++i) {
      std::optional<Acc>& accumulator = row[contiguous ? i / run : i % sizes.accumulators];
      const Acc value = value_at(first + i);
      accumulator = accumulator ? combine(*accumulator, value) : value;
    }

    // Adjacent pairs, then pairs of pairs. A missing one contributes nothing.
    while (row.size() > 1) {
      std::vector<std::optional<Acc>> pairs(row.size() / 2);
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        const std::optional<Acc>& left = row[2 * k];
        const std::optional<Acc>& right = row[2 * k + 1];
        pairs[k] = left && right ? combine(*left, *right) : left ? left : right;
      }
      row = std::move(pairs);
    }
    results.push_back(*row[0]);
  }
  return results;
}

// The fold of n >= 1 elements in the order that include/clwave/reduce.hpp promises. lift(i) gives element
// i as an accumulator, combine(a, b) joins two, a from before b. `contiguous` is the order of an
// operator marked non-commutative. Does not make a NaN canonical: see canonical() below.
template <class Acc, class Lift, class Combine>
Acc fold_reference(std::size_t n, Lift lift, Combine combine, bool contiguous,
                   clwave::detail::fold_sizes sizes = {}) {
  if (n == 0) {
    std::fputs("fold_reference: no elements have no fold\n", stderr);
    std::abort();
  }
  std::vector<Acc> results = fold_tiles<Acc>(n, lift, combine, contiguous, sizes);
  while (results.size() > 1) {
    results = fold_tiles<Acc>(
        results.size(), [&](std::size_t i) { return results[i]; }, combine, contiguous, sizes);
  }
  return results[0];
}

// ------------------------------------------------------------------------------------------ operators

// What the host computes an element in: a 16-bit whole number in std::uint16_t, every other one as it is.
template <class T>
using host_of = std::conditional_t<std::is_same_v<T, clwave::u16>, std::uint16_t, T>;

template <class T>
inline constexpr bool is_whole = std::is_integral_v<host_of<T>>;

// clwave's min and max of floats: a NaN wins, -0 is below +0.
template <class T>
T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return a;
    if (b != b) return b;
    if (a == b) return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}

template <class T>
T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return a;
    if (b != b) return b;
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a > b ? a : b;
}

// Sums and products that wrap. Through 64 bits: two 16-bit factors would overflow the int they become.
template <class T>
T wrapping_plus(T a, T b) {
  if constexpr (is_whole<T>)
    return static_cast<host_of<T>>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return a + b;
}

template <class T>
T wrapping_times(T a, T b) {
  if constexpr (is_whole<T>)
    return static_cast<host_of<T>>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else
    return a * b;
}

// A result as clwave returns it: every NaN is the one quiet NaN. Other types are as they are.
inline float canonical(float x) { return x != x ? std::bit_cast<float>(0x7fc00000u) : x; }
inline double canonical(double x) { return x != x ? std::bit_cast<double>(std::uint64_t{0x7ff8} << 48) : x; }
template <class T>
  requires(is_whole<T> || std::is_aggregate_v<T>)
T canonical(T x) { return x; }
inline cl_float4 canonical(cl_float4 x) {
  for (float& component : x.s) component = canonical(component);
  return x;
}
template <class T>
clwave::indexed<T> canonical(const clwave::indexed<T>& x) {
  return {canonical(x.value), x.index};
}

// The reference fold of n elements from `first`, converted to Acc.
template <class Acc, class T, class Combine>
Acc host_fold(const std::vector<T>& values, std::size_t first, std::size_t n, Combine combine,
              bool contiguous = false) {
  return fold_reference<Acc>(
      n, [&](std::size_t i) { return static_cast<Acc>(values[first + i]); }, combine, contiguous);
}

// ------------------------------------------------------------------------------------------------ bits

// Equal in every bit. Not for structures with padding: compare their members.
template <class T>
  requires std::is_trivially_copyable_v<T>
bool same_bits(const T& a, const T& b) { return std::memcmp(&a, &b, sizeof(T)) == 0; }

template <class T>
bool same_bits(const clwave::indexed<T>& a, const clwave::indexed<T>& b) {
  return same_bits(a.value, b.value) && a.index == b.index;
}

// The bytes as one hexadecimal number, and for numbers also the value: "0x3f800000 (1)".
template <class T>
std::string show_bits(const T& value) {
  std::array<unsigned char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &value, sizeof(T));
  std::string text = "0x";
  for (std::size_t i = sizeof(T); i-- > 0;) {
    constexpr char digits[] = "0123456789abcdef";
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  if constexpr (std::is_arithmetic_v<host_of<T>>) {
    char number[64];
    std::snprintf(number, sizeof number, " (%.17g)", static_cast<double>(value));
    text += number;
  }
  return text;
}

// ----------------------------------------------------------------------------------------- random data

// A random engine with a fresh seed each run; CLWAVE_TEST_SEED fixes it. A run of tests that fails shows
// note() (main.cpp); other programs are to.
class random_engine {
 public:
  using result_type = std::mt19937_64::result_type;

  random_engine() : seed_(chosen_seed()), engine_(seed_) {}
  explicit random_engine(std::uint64_t seed) : seed_(seed), engine_(seed) {}

  static constexpr result_type min() { return std::mt19937_64::min(); }
  static constexpr result_type max() { return std::mt19937_64::max(); }
  result_type operator()() { return engine_(); }

  // A number from 0 to n - 1.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  std::uint64_t seed() const { return seed_; }
  std::string note() const { return "to see this again: CLWAVE_TEST_SEED=" + std::to_string(seed_); }

 private:
  // One seed for the whole process, so that one variable brings back a run.
  static std::uint64_t chosen_seed() {
    static const std::uint64_t seed = [] {
      if (const char* fixed = std::getenv("CLWAVE_TEST_SEED")) return std::strtoull(fixed, nullptr, 0);
      std::random_device entropy;
      return static_cast<unsigned long long>(entropy()) << 32 | entropy();
    }();
    return seed;
  }

  std::uint64_t seed_;
  std::mt19937_64 engine_;
};

// What random floats hold. Each kind includes those before it.
enum class spice {
  ordinary,    // between -1 and 1, many exponents; sums stay far from overflow
  finite,      // also signed zeros, denormals, the least and greatest normals, about one in eight
  infinities,  // also infinities of both signs, about one in a thousand
  nans         // also quiet NaNs of either sign with payloads, about one in a thousand
};

namespace detail {

template <class T>
struct float_format;
template <>
struct float_format<float> {
  using bits = std::uint32_t;
  static constexpr unsigned fraction_bits = 23;
};
template <>
struct float_format<double> {
  using bits = std::uint64_t;
  static constexpr unsigned fraction_bits = 52;
};
template <>
struct float_format<clwave::half> {
  using bits = std::uint16_t;
  static constexpr unsigned fraction_bits = 10;
};
template <>
struct float_format<clwave::bfloat16> {
  using bits = std::uint16_t;
  static constexpr unsigned fraction_bits = 7;
};

}  // namespace detail

// One random value. Integers: any bits, sometimes the least, the greatest, 0, 1 or -1. Floats and halves:
// as `kind` says.
template <class T>
T random_value(random_engine& random, spice kind = spice::ordinary) {
  if constexpr (std::is_same_v<T, clwave::u16>) {
    return random_value<std::uint16_t>(random, kind);
  } else if constexpr (std::is_integral_v<T>) {
    if (random.below(16) == 0) {
      const std::array<T, 5> marks = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T(0),
                                      T(1), static_cast<T>(-1)};
      return marks[random.below(marks.size())];
    }
    return static_cast<T>(random());
  } else {
    using format = detail::float_format<T>;
    using bits = typename format::bits;
    constexpr unsigned width = 8 * sizeof(bits);
    constexpr unsigned exponent_bits = width - 1 - format::fraction_bits;
    constexpr auto fraction_mask = static_cast<bits>((std::uint64_t{1} << format::fraction_bits) - 1);
    constexpr auto exponent_max = (std::uint64_t{1} << exponent_bits) - 1;
    constexpr std::uint64_t bias = exponent_max / 2;

    const std::uint64_t sign = random() & 1;
    auto fraction = static_cast<std::uint64_t>(random()) & fraction_mask;
    std::uint64_t exponent = bias - 1 - random.below(std::min<std::size_t>(bias - 1, 12));
    if (kind >= spice::nans && random.below(1000) == 0) {
      exponent = exponent_max;
      fraction |= std::uint64_t{1} << (format::fraction_bits - 1);  // quiet, the rest is its payload
    } else if (kind >= spice::infinities && random.below(1000) == 0) {
      exponent = exponent_max;
      fraction = 0;
    } else if (kind >= spice::finite && random.below(8) == 0) {
      switch (random.below(4)) {
        case 0:
          exponent = fraction = 0;
          break;  // a zero
        case 1:
          exponent = 0;
          break;  // a denormal
        case 2:
          exponent = 1;
          fraction &= 1;
          break;  // the least normal, or next to it
        default:
          exponent = 2 * bias - 24;
          fraction = fraction_mask;
          break;  // large, without overflow
      }
    }
    const auto word = static_cast<bits>(sign << (width - 1) | exponent << format::fraction_bits | fraction);
    return std::bit_cast<T>(word);
  }
}

// n random bytes, from one engine for the whole process.
inline std::vector<unsigned char> random_bytes(std::size_t n) {
  static random_engine random;
  std::vector<unsigned char> bytes(n);
  for (std::size_t i = 0; i < n; i += 8) {
    const std::uint64_t word = random();
    std::memcpy(bytes.data() + i, &word, std::min<std::size_t>(8, n - i));
  }
  return bytes;
}

template <class T>
std::vector<T> random_values(random_engine& random, std::size_t n, spice kind = spice::ordinary) {
  std::vector<T> values(n);
  for (T& value : values) value = random_value<T>(random, kind);
  return values;
}

}  // namespace reference
