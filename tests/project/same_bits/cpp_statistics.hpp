// Counts, both ends, moments and searches from C++.
#pragma once

#include "calls.h"

#include <string>
#include <type_traits>

#include <clwave/reduce_columns.hpp>
#include <clwave/reduce_rows.hpp>
#include <clwave/search.hpp>
#include <clwave/segmented_reduce.hpp>
#include <clwave/statistics.hpp>

#include "cpp_operands.hpp"

// The bytes of an output as structures.
template <class S>
clwave::view<S> structures(const call& of) {
  return {of.out[0].buffer, static_cast<std::size_t>(of.out[0].n_bytes / sizeof(S))};
}

template <class T, class S>
void statistics_of_parts(const call& one, bool ends) {
  const clwave::matrices size{.rows = number(&one, "rows"), .columns = number(&one, "columns")};
  const auto x = in<T>(one, 0);
  const auto to = structures<S>(one);
  const std::string name = one.name;
  if constexpr (clwave::detail::is_moments<S>::value) {
    if (name == "mean_and_variance_rows")
      clwave::mean_and_variance_rows(queue, x, to, size);
    else if (name == "mean_and_variance_columns")
      clwave::mean_and_variance_columns(queue, x, to, size);
    else
      clwave::segmented_mean_and_variance(queue, x, in<std::uint32_t>(one, 1), to);
  } else if (ends) {
    if (name == "minmax_rows")
      clwave::minmax_rows(queue, x, to, size);
    else if (name == "minmax_columns")
      clwave::minmax_columns(queue, x, to, size);
    else
      clwave::segmented_minmax(queue, x, in<std::uint32_t>(one, 1), to);
  }
}

inline void counts(const call& one, const texts& with) {
  for_element(one.in[0].type, [&](auto of) {
    using T = typename decltype(of)::type;
    const auto x = in<T>(one, 0);
    const std::uint64_t n = std::string(one.name) == "count_two"
                                ? clwave::count_if(queue, clwave::zip(x, in<T>(one, 1)), with.predicate)
                                : clwave::count_if(queue, x, with.predicate);
    give(&one.out[0], &n);
  });
}

inline void statistics(const call& one, const texts& with) {
  const std::string name = one.name;
  if (name.starts_with("count")) return counts(one, with);
  for_number(one.in[0].type, [&](auto of) {
    using T = typename decltype(of)::type;
    if (name == "minmax") {
      const auto made = clwave::minmax(queue, in<T>(one, 0));
      give(&one.out[0], &made.min);
      give(&one.out[1], &made.max);
    } else if (name.find("minmax") != std::string::npos) {
      statistics_of_parts<T, clwave::min_and_max<clwave::detail::widened<T>>>(one, true);
    } else {
      for_type<float, double>(field(&one, "computed_in"), [&](auto computed) {
        using A = typename decltype(computed)::type;
        if (name == "mean_and_variance") {
          const auto made = clwave::mean_and_variance<A>(queue, in<T>(one, 0));
          give(&one.out[0], &made.n);
          give(&one.out[1], &made.mean);
          give(&one.out[2], &made.squares);
        } else {
          statistics_of_parts<T, clwave::moments<A>>(one, false);
        }
      });
    }
  });
}

inline void searches(const call& one, const texts& with) {
  for_element(one.in[0].type, [&](auto of) {
    using T = typename decltype(of)::type;
    const auto x = in<T>(one, 0);
    const std::string name = one.name;
    if (name == "find_if" || name == "mismatch") {
      std::uint64_t at = 0;
      if (name == "find_if") {
        at = clwave::find_if(queue, x, with.predicate);
      } else if constexpr (std::is_same_v<T, sample>) {
        at = clwave::mismatch(queue, x, in<T>(one, 1), *with.same);
      } else {
        at = with.same ? clwave::mismatch(queue, x, in<T>(one, 1), *with.same)
                       : clwave::mismatch(queue, x, in<T>(one, 1));
      }
      give(&one.out[0], &at);
      return;
    }
    bool is = false;
    if (name == "any_of") {
      is = clwave::any_of(queue, x, with.predicate);
    } else if (name == "all_of") {
      is = clwave::all_of(queue, x, with.predicate);
    } else if (name == "none_of") {
      is = clwave::none_of(queue, x, with.predicate);
    } else if (name == "is_sorted") {
      is = clwave::is_sorted(queue, x, order<clwave::ordered_options>(one, with));
    } else if constexpr (std::is_same_v<T, sample>) {
      is = clwave::equal(queue, x, in<T>(one, 1), *with.same);
    } else {
      is = with.same ? clwave::equal(queue, x, in<T>(one, 1), *with.same)
                     : clwave::equal(queue, x, in<T>(one, 1));
    }
    give(&one.out[0], &is);
  });
}
