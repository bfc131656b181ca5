// What the folds of the differential fuzzer share: their types, and arguments of the extremes.
#pragma once

#include "operators.hpp"
#include "session.hpp"
#include "values.hpp"

namespace differential {

using reference::canonical;
template <class T>
T canonical_of(const T& x) {
  if constexpr (std::is_floating_point_v<T>)
    return reference::canonical(x);
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return {reference::canonical(x.real()), reference::canonical(x.imag())};
  else
    return x;
}

// An element's type and that of its fold.
template <class T, class A>
struct folded {
  using element = T;
  using accumulator = A;
};
template <class T>
using folded_alone = folded<T, T>;

using fold_types =
    types<folded<float, float>, folded<float, float>, folded<float, double>, folded<double, double>,
          folded<half, float>, folded<bfloat16, float>, folded<std::int32_t, std::int32_t>,
          folded<std::uint32_t, std::uint32_t>, folded<std::uint8_t, std::uint32_t>,
          folded<std::int64_t, std::int64_t>, folded<std::int8_t, std::int8_t>, folded<affine, affine>,
          folded<df_matrix, df_matrix>, folded<df_text, df_text>, folded<df_weighted, df_weighted>>;
// Of double elements into float, by maps that give floats.
using narrowing_types = types<folded<double, float>>;

template <class Pair>
std::string describe(const std::string& call, const clwave::op& fold, const clwave::map& apply) {
  return call + " of " + name_of<typename Pair::element>() + " into " +
         name_of<typename Pair::accumulator>() + " by '" + fold.name + "'" +
         (fold.commutative ? "" : " (ordered)") +
         (apply.kind == clwave::map_kind::identity ? std::string() : " of '" + apply.name + "'");
}

// The extreme of n elements and its index, as argmin.hpp says it: a NaN beats all, the first of equals wins.
template <class N, class At>
clwave::indexed<N> extreme(std::size_t n, const At& at, bool least) {
  clwave::indexed<N> best{at(0), 0};
  for (std::size_t i = 1; i < n; ++i) {
    const N x = at(i);
    if (best.value != best.value) break;
    if (x != x || (least ? x < best.value : x > best.value)) best = {x, i};
  }
  best.value = canonical_of(best.value);
  return best;
}

// Results of argmin and argmax as they lie in buffers: a structure with padding, of which only members count.
template <class N>
std::function<std::string(const std::vector<clwave::indexed<N>>&)> judge_extremes(
    std::vector<clwave::indexed<N>> right, std::vector<bool> known) {
  return [right = std::move(right), known = std::move(known)](const std::vector<clwave::indexed<N>>& got) {
    for (std::size_t k = 0; k < right.size(); ++k) {
      if (!known[k] || reference::same_bits(got[k], right[k])) continue;
      return "result " + std::to_string(k) + " is " + reference::show_bits(got[k].value) + " at " +
             std::to_string(got[k].index) + " instead of " + reference::show_bits(right[k].value) + " at " +
             std::to_string(right[k].index);
    }
    return std::string();
  };
}

}  // namespace differential
