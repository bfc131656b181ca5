// The operators and maps of the differential fuzzer, each with the same on the host.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <clwave/op.hpp>

#include "families/reductions.hpp"
#include "session.hpp"
#include "values.hpp"

namespace differential {

template <class A>
struct operation {
  clwave::op text;
  std::function<A(A, A)> host;
  std::optional<A> identity = {};
  bool of_truth = false;  // elements are taken as x != 0
};

// What a map makes of an element at an index.
template <class T, class A>
struct mapping {
  clwave::map text = clwave::identity;
  std::function<A(const T&, std::uint64_t)> host;
};

namespace detail {

inline df_matrix times(const df_matrix& x, const df_matrix& y) {
  return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}
// Of joined texts; one without a length is no text.
inline df_text joined(const df_text& x, const df_text& y) {
  return {x.length == 0 ? y.first : x.first, y.length == 0 ? x.last : y.last, x.length + y.length};
}
// Literals without a suffix are doubles, since one member is a double.
inline df_weighted weighed(const df_weighted& x, const df_weighted& y) {
  return {x.w * 0.7 + y.w * 0.3, static_cast<float>(x.v * 0.7 + y.v * 0.1),
          static_cast<float>(x.u * 0.1 + y.v * 0.9)};
}

// What an operator and a map may both declare.
inline constexpr const char* shared_declarations =
    "float df_mixed(float a, float b) { return a * 0.3 + b * 0.1; }\n"
    "float df_scaled(float x) { return x * 0.7; }";

template <class A>
std::vector<operation<A>> operations_of_numbers() {
  using clwave::op;
  std::vector<operation<A>> all;
  using limits = std::numeric_limits<A>;
  constexpr bool real = std::is_floating_point_v<A>;
  all.push_back({clwave::plus, reference::wrapping_plus<A>, A(0)});
  all.push_back({clwave::multiplies, reference::wrapping_times<A>, A(1)});
  all.push_back({clwave::min, reference::minimum<A>, real ? limits::infinity() : limits::max()});
  all.push_back({clwave::max, reference::maximum<A>, real ? -limits::infinity() : limits::lowest()});
  all.push_back({clwave::logical_and, reference::minimum<A>, A(1), true});
  all.push_back({clwave::logical_or, reference::maximum<A>, A(0), true});
  all.push_back({op{.name = "the later", .source = "b", .commutative = false}, [](A, A b) { return b; }});
  all.push_back({op{.name = "the earlier", .source = "a", .commutative = false}, [](A a, A) { return a; }});
  if constexpr (real) {
    const auto literals = [](A a, A b) {
      if constexpr (sizeof(A) == 4)
        return a * 0.7f + b * 0.9f;
      else
        return a * 0.7 + b * 0.9;
    };
    for (const bool commutes : {true, false}) {
      all.push_back(
          {op{.name = "literals", .source = "a * 0.7 + b * 0.9", .identity = "0", .commutative = commutes},
           literals, A(0)});
    }
    all.push_back({op{.name = "decay", .source = "0.5f * a + b", .identity = "0", .commutative = false},
                   [](A a, A b) { return A(0.5f) * a + b; }, A(0)});
    all.push_back({op{.name = "named",
                      .source = "a * w + b",
                      .identity = "0",
                      .commutative = false,
                      .values = {{"w", 0.3f}}},
                   [](A a, A b) { return a * A(0.3f) + b; }, A(0)});
    // Declarations are a text of their own, whose literals are floats.
    all.push_back({op{.name = "declared",
                      .source = "df_mixed(a, b)",
                      .identity = "0",
                      .commutative = false,
                      .declarations = shared_declarations},
                   [](A a, A b) { return A(static_cast<float>(a) * 0.3f + static_cast<float>(b) * 0.1f); },
                   A(0)});
    // Doubles, whatever the type is.
    all.push_back({op{.name = "names double", .source = "(double)a * 0.7 + b * 0.3", .identity = "0"},
                   [](A a, A b) { return static_cast<A>(static_cast<double>(a) * 0.7 + b * 0.3); }, A(0)});
    all.push_back({op{.name = "a value is double",
                      .source = "a * w + b * 0.3",
                      .identity = "0",
                      .values = {{"w", 0.7}}},
                   [](A a, A b) { return static_cast<A>(a * 0.7 + b * 0.3); }, A(0)});
  } else {
    all.push_back({clwave::bit_and, [](A a, A b) { return static_cast<A>(a & b); }, static_cast<A>(~A(0))});
    all.push_back({clwave::bit_or, [](A a, A b) { return static_cast<A>(a | b); }, A(0)});
    all.push_back({clwave::bit_xor, [](A a, A b) { return static_cast<A>(a ^ b); }, A(0)});
    for (const bool commutes : {true, false}) {
      all.push_back({op{.name = "digits",
                        .source = "(ulong)a * 3 + (ulong)b",
                        .identity = "0",
                        .commutative = commutes},
                     [](A a, A b) {
                       return static_cast<A>(static_cast<std::uint64_t>(a) * 3 +
                                             static_cast<std::uint64_t>(b));
                     },
                     A(0)});
    }
    all.push_back(
        {op{.name = "gap", .source = "a > b ? (ulong)a - (ulong)b : (ulong)b - (ulong)a", .identity = "0"},
         [](A a, A b) {
           const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
           return static_cast<A>(a > b ? x - y : y - x);
         },
         A(0)});
  }
  return all;
}

}  // namespace detail

template <class A>
operation<A> draw_operation(session& s) {
  using clwave::op;
  if constexpr (std::is_same_v<A, affine>) {
    return {testing::then, testing::compose, affine{1, 0}};
  } else if constexpr (std::is_same_v<A, df_matrix>) {
    return {
        op{.name = "times",
           .source = "(df_matrix){a.a * b.a + a.b * b.c, a.a * b.b + a.b * b.d, a.c * b.a + a.d * b.c, a.c "
                     "* b.b + a.d * b.d}",
           .identity = "(df_matrix){1, 0, 0, 1}",
           .commutative = false},
        detail::times, df_matrix{1, 0, 0, 1}};
  } else if constexpr (std::is_same_v<A, df_text>) {
    return {
        op{.name = "joined",
           .source = "(df_text){a.length == 0 ? b.first : a.first, b.length == 0 ? a.last : b.last, a.length "
                     "+ b.length}",
           .identity = "(df_text){0, 0, 0}",
           .commutative = false},
        detail::joined, df_text{0, 0, 0}};
  } else if constexpr (std::is_same_v<A, df_weighted>) {
    return {op{.name = "weighed",
               .source = "(df_weighted){a.w * 0.7 + b.w * 0.3, a.v * 0.7 + b.v * 0.1, a.u * 0.1 + b.v * 0.9}",
               .identity = "(df_weighted){0, 0, 0}",
               .commutative = s.flip()},
            detail::weighed, df_weighted{0, 0, 0}};
  } else {
    static const std::vector<operation<A>> all = detail::operations_of_numbers<A>();
    return s.one_of(all);
  }
}

// Of elements T, into results of A.
template <class T, class A>
mapping<T, A> draw_mapping(session& s, const operation<A>& fold) {
  using clwave::map;
  using N = number_of<T>;
  mapping<T, A> none;
  if constexpr (std::is_same_v<T, A> && !std::is_arithmetic_v<T>) {
    none.host = [](const T& x, std::uint64_t) { return x; };
    return none;
  } else {
    const bool of_truth = fold.of_truth;
    // As a text's value becomes an element of A; logical operators take whether it is other than 0 before
    // that.
    const auto put = [of_truth](auto x) -> A {
      if (of_truth) return static_cast<A>(x != 0 ? 1 : 0);
      return static_cast<A>(x);
    };
    none.host = [put](const T& x, std::uint64_t) { return put(number(x)); };
    std::vector<mapping<T, A>> all{none, none};
    if (!of_truth) {
      all.push_back({clwave::square, [](const T& x, std::uint64_t) {
                       return reference::wrapping_times<A>(static_cast<A>(number(x)),
                                                           static_cast<A>(number(x)));
                     }});
    }
    if constexpr (std::is_floating_point_v<N>) {
      // The literals' type goes by the text's own operands and result.
      using literal =
          std::conditional_t<std::is_same_v<N, double> || std::is_same_v<A, double>, double, float>;
      if constexpr (std::is_floating_point_v<A>) {
        all.push_back(
            {map{.name = "by literals", .source = "x * 0.1 + 0.7"}, [put](const T& x, std::uint64_t) {
               return put(number(x) * static_cast<literal>(0.1) + static_cast<literal>(0.7));
             }});
        all.push_back(
            {map{.name = "by index", .source = "x + (float)(i % 7)"},
             [put](const T& x, std::uint64_t i) { return put(number(x) + static_cast<float>(i % 7)); }});
        all.push_back(
            {map{.name = "declared", .source = "df_scaled(x)", .declarations = detail::shared_declarations},
             [put](const T& x, std::uint64_t) { return put(static_cast<float>(number(x)) * 0.7f); }});
        all.push_back({map{.name = "names double", .source = "(float)((double)x * 1.7)"},
                       [put](const T& x, std::uint64_t) {
                         return put(static_cast<float>(static_cast<double>(number(x)) * 1.7));
                       }});
        all.push_back({map{.name = "by a value", .source = "x * scale", .values = {{"scale", 0.3f}}},
                       [put](const T& x, std::uint64_t) { return put(number(x) * 0.3f); }});
      }
      all.push_back({map{.name = "positive", .source = "x > 0.25 ? 1 : 0"},
                     [put](const T& x, std::uint64_t) { return put(number(x) > N(0.25) ? 1 : 0); }});
    } else if constexpr (std::is_integral_v<N>) {
      if constexpr (std::is_integral_v<A>) {
        all.push_back(
            {map{.name = "by index", .source = "(ulong)x ^ (i & 7)"}, [put](const T& x, std::uint64_t i) {
               return put(static_cast<std::uint64_t>(number(x)) ^ (i & 7));
             }});
        all.push_back({map{.name = "masked", .source = "x & mask", .values = {{"mask", std::uint32_t{0x5b}}}},
                       [put](const T& x, std::uint64_t) { return put(number(x) & std::uint32_t{0x5b}); }});
      }
      all.push_back({map{.name = "odd", .source = "x & 1"},
                     [put](const T& x, std::uint64_t) { return put(number(x) & 1); }});
    }
    return s.one_of(all);
  }
}

}  // namespace differential
