// Calls of sorts, alike in one order, by an operator and by keys of texts: against their plans, and with
// checked offsets.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <clwave/segmented_sort.hpp>
#include <clwave/sort.hpp>

#include "harness/calls.hpp"
#include "harness/parts.hpp"
#include "harness/plans.hpp"

namespace testing {

// Sorts n random elements, with values or without, in place or not, or finds their indices. `asked` is the
// problem with its order alone, `order` what calls are given of that; `what` names it.
template <class T>
void compare_any_sort(call_comparer& r, const std::string& what, std::size_t n, clwave::sort_problem asked,
                      const clwave::sort_options& order, bool says_in_place = true) {
  const std::size_t keys = r.offset(), values = r.offset(), out = r.offset(), values_out = r.offset();
  const bool argsort = r.coin(), in_place = r.coin(), carries = r.coin();
  asked.keys = {element_of<T>(), n, keys};
  r.compare_call(
      what + " of " + std::to_string(n) + " " + element_of<T>().name,
      [&] {
        clwave::sort_problem problem = asked;
        if (argsort) {
          problem.values_out = {element_of<u32>(), 0, values_out};
          return plan(problem, r.target());
        }
        if (says_in_place) problem.keys_in_place = in_place;
        problem.keys_out = in_place ? problem.keys : any_view{element_of<T>(), 0, out};
        if (carries) {
          problem.values = {element_of<float>(), 0, values};
          problem.values_out = {element_of<float>(), 0, values_out};
        }
        return plan(problem, r.target());
      },
      [&] {
        const auto k = r.in<T>(0, n, keys);
        const auto to = in_place ? k : r.in<T>(2, n, out);
        if (argsort)
          clwave::argsort(r.queue(), k, r.in<u32>(3, n, values_out), order);
        else if (carries)
          clwave::sort_by_key(r.queue(), k, r.in<float>(1, n, values), to, r.in<float>(3, n, values_out),
                              order);
        else
          clwave::sort(r.queue(), k, to, order);
      });
}

// Sorts of segments that check their offsets, of which those that rise are good ones. one(options) and
// two(options) give what the one of elements and the one with values are given beside these.
template <class One, class Two>
std::vector<count_call> checked_segmented_sorts(const std::string& behind, const One& one, const Two& two) {
  constexpr std::size_t n = 5000, segments = 60;
  using uses::both, uses::in;
  const call_operand offsets{.n = segments + 1, .rises = true};
  const auto offsets_in = [](const cl::Buffer& b, bool empty) {
    return view<u32>{b, empty ? 1 : segments + 1};
  };
  return {{"checked_segmented_sort" + behind,
           {{n, in}, offsets, {n, both}},
           [=](const queue& q, const buffers& b, bool empty, const launch_options& options) {
             clwave::checked_segmented_sort(q, view<u32>{b[0], n}, offsets_in(b[1], empty),
                                            view<u32>{b[2], n}, one(options));
             return 0;
           }},
          {"checked_segmented_sort_by_key" + behind,
           {{n, in}, {n, in}, offsets, {n, both}, {n, both}},
           [=](const queue& q, const buffers& b, bool empty, const launch_options& options) {
             clwave::checked_segmented_sort_by_key(q, view<u32>{b[0], n}, view<u32>{b[1], n},
                                                   offsets_in(b[2], empty), view<u32>{b[3], n},
                                                   view<u32>{b[4], n}, two(options));
             return 0;
           }}};
}

}  // namespace testing
