// What the tests of histograms share: bins by exact numbers of any length, and calls held against them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/histogram.hpp>

#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"

namespace testing {

// A whole number of 2304 bits, in two's complement: any double or number of 64 bits is one of 2^-1100, times
// what has 32 bits, too.
class exact_number {
 public:
  exact_number() = default;
  template <class T>
  explicit exact_number(T value) {
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
      *this = exact_number(static_cast<double>(static_cast<float>(value)));
    } else if constexpr (std::is_same_v<T, u16>) {
      set(value.value, 0);
    } else if constexpr (std::is_floating_point_v<T>) {
      int exponent = 0;
      const double fraction = std::frexp(std::fabs(static_cast<double>(value)), &exponent);
      set(static_cast<u64>(std::ldexp(fraction, 53)), exponent - 53);
      if (value < 0) negate();
    } else if constexpr (std::is_signed_v<T>) {
      set(value < 0 ? 0 - static_cast<u64>(value) : static_cast<u64>(value), 0);
      if (value < 0) negate();
    } else {
      set(static_cast<u64>(value), 0);
    }
  }

  bool is_negative() const { return words_.back() >> 31 != 0; }
  exact_number times(u32 factor) const {
    exact_number product;
    u64 carry = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      carry += u64{words_[w]} * factor;
      product.words_[w] = static_cast<u32>(carry);
      carry >>= 32;
    }
    return product;  // of negative ones, too: it wraps
  }
  friend exact_number operator+(const exact_number& a, const exact_number& b) {
    exact_number sum;
    u64 carry = 0;
    for (std::size_t w = 0; w < a.words_.size(); ++w) {
      carry += u64{a.words_[w]} + b.words_[w];
      sum.words_[w] = static_cast<u32>(carry);
      carry >>= 32;
    }
    return sum;
  }
  friend exact_number operator-(const exact_number& a, exact_number b) {
    b.negate();
    return a + b;
  }
  friend bool operator<(const exact_number& a, const exact_number& b) { return (a - b).is_negative(); }

 private:
  void negate() {
    u64 carry = 1;
    for (u32& word : words_) {
      carry += static_cast<u32>(~word);
      word = static_cast<u32>(carry);
      carry >>= 32;
    }
  }
  // digits * 2^exponent.
  void set(u64 digits, int exponent) {
    const int at = exponent + 1100;
    for (int bit = 0; bit < 64; ++bit) {
      if (digits >> bit & 1) words_.at((at + bit) / 32) |= 1u << (at + bit) % 32;
    }
  }
  std::array<u32, 72> words_ = {};
};

template <class T>
long double as_long_double(T value) {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)
    return static_cast<float>(value);
  else if constexpr (std::is_same_v<T, u16>)
    return value.value;
  else
    return static_cast<long double>(value);
}

// The bin of a value; nothing where it is in none. Bounds are of any type.
template <class T, class Lo, class Hi>
std::optional<std::size_t> bin_of(T value, Lo lo, Hi hi, std::size_t bins) {
  const long double number = as_long_double(value), lowest = as_long_double(lo), behind = as_long_double(hi);
  if (!std::isfinite(number)) return std::nullopt;
  // Where long doubles hold all numbers, differences are rounded once: the guess is off by less than 2^-36
  // bins.
  if constexpr (std::numeric_limits<long double>::digits >= 64) {
    if (number < lowest || !(number < behind)) return std::nullopt;
    const long double place = (number - lowest) / (behind - lowest) * static_cast<long double>(bins);
    const long double part = place - std::floor(place);
    if (part > 0x1p-30L && part < 1 - 0x1p-30L) return static_cast<std::size_t>(place);
  }
  const exact_number x(value), from(lo), to(hi);
  if (x < from || !(x < to)) return std::nullopt;
  // A guess, and from there by exact edges.
  const long double share = (number - lowest) / (behind - lowest);
  const long double guess = std::floor(share * static_cast<long double>(bins));
  auto bin = static_cast<std::size_t>(std::clamp<long double>(guess, 0, static_cast<long double>(bins - 1)));
  const auto count = static_cast<u32>(bins);
  const exact_number scaled = x.times(count);
  const auto below_edge = [&](std::size_t k) {
    const auto edge = static_cast<u32>(k);
    return scaled < from.times(count - edge) + to.times(edge);
  };
  while (bin > 0 && below_edge(bin)) --bin;
  while (bin + 1 < bins && !below_edge(bin + 1)) ++bin;
  return bin;
}

// The counts of all channels, by a function that gives a value's bin.
template <class Count, class T, class Bin>
std::vector<Count> counted(const std::vector<T>& values, std::size_t bins, unsigned channels,
                           const Bin& bin) {
  std::vector<Count> counts(bins * channels);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const std::optional<std::size_t> k = bin(values[i])) ++counts.at(i % channels * bins + *k);
  }
  return counts;
}

// How many counts differ, and one of them.
template <class Count>
std::string difference(const std::vector<Count>& found, const std::vector<Count>& right) {
  if (found.size() != right.size()) return "another number of counts";
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k] == right[k]) continue;
    if (wrong++ == 0)
      first = "count " + std::to_string(k) + " is " + std::to_string(found[k]) + " instead of " +
              std::to_string(right[k]);
  }
  return wrong == 0 ? "" : std::to_string(wrong) + " counts differ: " + first;
}

// Runs a histogram of the values from `offset` on, whose counts were anything before; `call` gets the input
// and the counts' views.
template <class Count, class T, class Call>
void check_counts(const fixture& on, const std::vector<T>& values, std::size_t offset,
                  const std::vector<Count>& right, const Call& call) {
  const cl::Buffer in = on.buffer_of(values);
  const guarded_buffer<Count> counts(on, right.size());
  call(view<const T>{in, values.size() - offset, offset}, counts.view());
  CHECK(difference(counts.read_guarded(), right) == "");
}

template <class Count = u32, class T, class Lo, class Hi>
void check_even(const fixture& on, const std::vector<T>& values, Lo lo, Hi hi, std::size_t bins,
                std::size_t offset = 0, unsigned channels = 1) {
  CAPTURES(element_of<T>().name, values.size(), offset, as_long_double(lo), as_long_double(hi), bins,
           channels, sizeof(Count));
  const std::vector<T> asked(values.begin() + static_cast<std::ptrdiff_t>(offset), values.end());
  check_counts(on, values, offset,
               counted<Count>(asked, bins, channels, [&](T x) { return bin_of(x, lo, hi, bins); }),
               [&](const auto& in, const auto& counts) {
                 clwave::histogram(on.queue, in, counts, clwave::even{lo, hi}, {.channels = channels}).wait();
               });
}

// Numbers from before `lo` to behind `hi`, and what floats have besides numbers.
template <class T>
std::vector<T> values_around(random_engine& random, std::size_t n, long double lo, long double hi) {
  using limits = std::numeric_limits<T>;
  std::vector<T> values(n);
  for (T& value : values) {
    const long double share = (static_cast<long double>(random() >> 11) * 0x1p-53L) * 1.2L - 0.1L;
    const long double x = lo + share * (hi - lo);
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
      value = T(static_cast<float>(x));
    } else if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(x);
    } else if constexpr (std::is_same_v<T, u16>) {
      value = static_cast<std::uint16_t>(std::clamp<long double>(std::floor(x), 0, 65535));
    } else {
      value = static_cast<T>(std::clamp<long double>(std::floor(x), limits::lowest(), limits::max()));
    }
    if (random.below(50) != 0) continue;
    if constexpr (std::is_same_v<T, half>) {
      const std::uint16_t special[] = {0, 0x8000, 0x7c00, 0xfc00, 0x7e01, 0xfe01, 1, 0x8001, 0x7bff};
      value.bits = special[random.below(9)];
    } else if constexpr (std::is_same_v<T, bfloat16>) {
      const std::uint16_t special[] = {0, 0x8000, 0x7f80, 0xff80, 0x7fc1, 0xffc1, 1, 0x8001, 0x7f7f};
      value.bits = special[random.below(9)];
    } else if constexpr (std::is_floating_point_v<T>) {
      const T special[] = {T(0),
                           -T(0),
                           limits::infinity(),
                           -limits::infinity(),
                           limits::quiet_NaN(),
                           -limits::quiet_NaN(),
                           limits::denorm_min(),
                           -limits::denorm_min(),
                           limits::max(),
                           limits::lowest(),
                           limits::min()};
      value = special[random.below(11)];
    } else {
      value = static_cast<T>(random());
    }
  }
  return values;
}

// The neighbours of a value in its type.
template <class T>
T next_to(T value, int steps) {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
    // Across 0 there is no step.
    value.bits = static_cast<std::uint16_t>(value.bits + steps);
    return value;
  } else if constexpr (std::is_floating_point_v<T>) {
    for (int k = 0; k < std::abs(steps); ++k)
      value = std::nextafter(
          value, steps > 0 ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity());
    return value;
  } else {
    return static_cast<T>(value + static_cast<T>(steps));
  }
}

// Values on the edges of even bins, as near as the type has them, and their neighbours.
template <class T>
std::vector<T> values_at_edges(random_engine& random, std::size_t n, long double lo, long double hi,
                               std::size_t bins) {
  using limits = std::numeric_limits<T>;
  std::vector<T> values(n);
  for (T& value : values) {
    const auto k = static_cast<long double>(random.below(bins + 1));
    const long double x = lo + k * ((hi - lo) / static_cast<long double>(bins));
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)
      value = T(static_cast<float>(x));
    else if constexpr (std::is_floating_point_v<T>)
      value = static_cast<T>(x);
    else if constexpr (std::is_same_v<T, u16>)
      value = static_cast<std::uint16_t>(std::clamp<long double>(std::floor(x), 0, 65535));
    else
      value = static_cast<T>(std::clamp<long double>(std::floor(x), limits::lowest(), limits::max()));
    value = next_to(value, static_cast<int>(random.below(5)) - 2);
  }
  return values;
}

}  // namespace testing
