// The orders of the differential fuzzer's sorts and merges: those of numbers, and operators, of which some
// contradict themselves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "session.hpp"
#include "values.hpp"

#include "families/sorted_ranges.hpp"

namespace differential {

using clwave::sort_order;

template <class T>
sort_order draw_order(session& s) {
  constexpr unsigned width = sizeof(T) * 8;
  sort_order order{.descending = s.flip()};
  if (s.one_in(3)) {
    order.first_bit = static_cast<unsigned>(s.below(width + 1));
    if (s.flip())
      order.last_bit = order.first_bit + static_cast<unsigned>(s.below(width - order.first_bit + 1));
  }
  return order;
}

inline std::string text_of(const sort_order& order) {
  return std::string(order.descending ? ", descending" : "") +
         (order.first_bit != 0 || order.last_bit
              ? ", bits " + std::to_string(order.first_bit) + " to " +
                    (order.last_bit ? std::to_string(*order.last_bit) : std::string("the last"))
              : std::string());
}

// An operator, with the same on the host where it is a strict weak ordering; without it, the operator
// contradicts itself.
template <class T>
struct comparison {
  clwave::op text;
  std::function<bool(const T&, const T&)> host;
  bool is_order() const { return static_cast<bool>(host); }
};

template <class T>
comparison<T> draw_comparison(session& s, bool contradicts) {
  using clwave::op;
  std::vector<comparison<T>> orders, others;
  // `k` of a and b is what numbers are compared by.
  const std::string a = std::is_class_v<T> ? "a.key" : "a", b = std::is_class_v<T> ? "b.key" : "b";
  const auto key = [](const T& x) {
    if constexpr (std::is_class_v<T>)
      return x.key;
    else
      return x;
  };
  using K = decltype(key(std::declval<T>()));
  constexpr bool real = std::is_floating_point_v<K>;
  const std::string bits_a = real ? (sizeof(K) == 8 ? "as_ulong(" : "as_uint(") + a + ")" : "(ulong)" + a;
  const std::string bits_b = real ? (sizeof(K) == 8 ? "as_ulong(" : "as_uint(") + b + ")" : "(ulong)" + b;
  if constexpr (!real) {
    orders.push_back({op{.name = "rises", .source = a + " < " + b},
                      [key](const T& x, const T& y) { return key(x) < key(y); }});
    orders.push_back({op{.name = "falls", .source = a + " > " + b},
                      [key](const T& x, const T& y) { return key(x) > key(y); }});
    orders.push_back({op{.name = "by few", .source = "(" + a + " & 7) < (" + b + " & 7)"},
                      [key](const T& x, const T& y) { return (key(x) & 7) < (key(y) & 7); }});
    orders.push_back({op{.name = "all equal", .source = "0"}, [](const T&, const T&) { return false; }});
    orders.push_back({op{.name = "above a value",
                         .source = "(" + a + " > least) < (" + b + " > least)",
                         .values = {{"least", std::int32_t{20}}}},
                      [key](const T& x, const T& y) {
                        return (key(x) > static_cast<K>(20)) < (key(y) > static_cast<K>(20));
                      }});
  } else {
    orders.push_back(
        {op{.name = "NaN last", .source = "isnan(" + b + ") ? !isnan(" + a + ") : " + a + " < " + b},
         [key](const T& x, const T& y) {
           const K p = key(x), q = key(y);
           return q != q ? p == p : p < q;
         }});
  }
  others.push_back({op{.name = "rises, NaNs too", .source = a + " < " + b}, {}});
  others.push_back({op{.name = "not above", .source = a + " <= " + b}, {}});
  others.push_back({op{.name = "always", .source = "1"}, {}});
  others.push_back({op{.name = "other", .source = a + " != " + b}, {}});
  others.push_back({op{.name = "equal", .source = a + " == " + b}, {}});
  others.push_back({op{.name = "hashes",
                       .source = "df_hash(" + bits_a + ") < df_hash(" + bits_b + " ^ 5)",
                       .declarations = "uint df_hash(ulong v) { return (uint)(v ^ v >> 32) * 2654435761u; }"},
                    {}});
  others.push_back(
      {op{.name = "rock, paper, scissors", .source = "(" + bits_a + " - " + bits_b + ") % 3 == 1"}, {}});
  others.push_back({op{.name = "parity", .source = "((" + bits_a + " ^ " + bits_b + ") & 1) != 0"}, {}});
  others.push_back({op{.name = "not near", .source = bits_a + " + 3 < " + bits_b}, {}});
  others.push_back(
      {op{.name = "of different bits", .source = "(" + bits_a + " & 12) < (" + bits_b + " & 3)"}, {}});
  others.push_back(
      {op{.name = "wraps", .source = "(int)((uint)" + bits_a + " - (uint)" + bits_b + ") < 0"}, {}});
  others.push_back({op{.name = "never the other way", .source = "!(" + b + " < " + a + ")"}, {}});
  return contradicts ? s.one_of(others) : s.one_of(orders);
}

// Elements in any order, of which many are equal; each tells where it comes from where it has room for that.
template <class T>
std::vector<T> draw_sortable(session& s, std::size_t n) {
  std::vector<T> x(n);
  const std::size_t few = s.flip() ? 1 + s.below(40) : 1000000;
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_class_v<T>) {
      if constexpr (std::is_floating_point_v<decltype(x[i].key)>)
        x[i].key = s.one_in(5) ? testing::quiet_nan<float>(s.below(9)) : static_cast<float>(s.below(few));
      else
        x[i].key = static_cast<decltype(x[i].key)>(s.below(few));
      x[i].index = static_cast<std::uint32_t>(i);
    } else if constexpr (std::is_floating_point_v<T>) {
      x[i] = s.one_in(5) ? testing::quiet_nan<T>(s.below(9)) : static_cast<T>(s.below(few));
    } else {
      x[i] = static_cast<T>(s.below(few));
    }
  }
  return x;
}

template <class T, class Less>
std::vector<std::uint32_t> sorted_by(const std::vector<T>& x, std::size_t begin, std::size_t end,
                                     const Less& less) {
  std::vector<std::uint32_t> places(end - begin);
  std::iota(places.begin(), places.end(), static_cast<std::uint32_t>(begin));
  std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return less(x[a], x[b]); });
  return places;
}

}  // namespace differential
