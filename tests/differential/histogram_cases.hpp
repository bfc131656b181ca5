// Bins of the differential fuzzer's histograms, with their elements and counts.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "session.hpp"
#include "values.hpp"

#include "../primitives/histogram/histograms.hpp"

namespace differential {

using bin_types =
    types<std::uint8_t, std::int16_t, std::int32_t, std::uint64_t, half, bfloat16, float, double>;

template <class T>
struct bin_case {
  bool even = true, on_device = false;
  std::size_t n = 1;
  number_of<T> lo = {}, hi = {};
  std::vector<T> edges;

  std::string name() const {
    return (even ? "even bins" : on_device ? "edges of the device" : "edges of the host");
  }
  clwave::even bounds() const { return {lo, hi}; }

  // Other bins of the same kind.
  bin_case another(session& s) const {
    bin_case c = *this;
    c.n = 1 + s.below(s.flip() ? 20 : s.flip() ? 300 : s.one_in(5) ? 20000 : 4096);
    if constexpr (std::is_integral_v<number_of<T>>) {
      const auto a = reference::random_value<T>(s.random), b = reference::random_value<T>(s.random);
      c.lo = std::min<number_of<T>>(a, b);
      c.hi = std::max<number_of<T>>(a, b);
      if (c.lo == c.hi || s.flip()) {
        c.lo = std::is_signed_v<T> ? static_cast<T>(-9) : 0;
        c.hi = static_cast<T>(100);
      }
    } else {
      c.lo = static_cast<number_of<T>>(s.below(9)) / 8 - 1;
      c.hi = c.lo + static_cast<number_of<T>>(1 + s.below(33)) / (s.flip() ? 7 : 8);
    }
    if (!even) {
      c.edges = testing::values_around<T>(s.random, c.n + 1, c.lo, c.hi);
      std::erase_if(c.edges, [](const T& x) { return number(x) != number(x); });
      while (c.edges.size() < 2) c.edges.push_back(T{});
      std::stable_sort(c.edges.begin(), c.edges.end(),
                       [](const T& x, const T& y) { return number(x) < number(y); });
      c.n = c.edges.size() - 1;
    }
    return c;
  }

  // Elements in the bins, on their edges and beside them.
  std::vector<T> values(session& s, std::size_t count) const {
    switch (s.below(4)) {
      case 0:
        return draw_values<T>(s, count);
      case 1:
        return testing::values_at_edges<T>(s.random, count, lo, hi, n);
      default:
        return testing::values_around<T>(s.random, count, lo, hi);
    }
  }

  std::optional<std::size_t> bin_of(const T& x) const {
    if (even) return testing::bin_of(x, lo, hi, n);
    const auto value = number(x);
    if (value != value) return std::nullopt;
    const auto at = std::upper_bound(edges.begin(), edges.end(), value,
                                     [](const auto& v, const T& edge) { return v < number(edge); });
    if (at == edges.begin() || at == edges.end()) return std::nullopt;
    return static_cast<std::size_t>(at - edges.begin() - 1);
  }

  template <class Count>
  std::vector<Count> counted(const std::vector<T>& x, unsigned channels) const {
    return testing::counted<Count>(x, n, channels, [this](const T& each) { return bin_of(each); });
  }
};

template <class T>
bin_case<T> draw_bins(session& s) {
  bin_case<T> c;
  c.even = s.flip();
  c.on_device = !c.even && s.flip();
  return c;
}

}  // namespace differential
