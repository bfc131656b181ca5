/// @file
/// How sorts by an operator of yours are done (sort.hpp: `options.less`), and their plans. What has a number
/// to sort by is sorted faster by that.
///
/// An operator says of two keys whether the first comes before the second; it should be a strict weak
/// ordering, as C++'s sorts ask for. Then the result depends on nothing but the input: it is the same on
/// every device and in every run, bit for bit. If it is none, the result still is a permutation: every key
/// comes out once, with its value, and nothing else is read or written. Which permutation that is differs
/// between devices, and it may leave keys unsorted that the operator does order.
///
/// `a < b` is no strict weak ordering of floats among which there is a NaN: NaN is equal to every number by
/// it, and these are not equal to each other. An order for NaN is yours to write, such as this one, which has
/// all NaNs last:
///
///     {.name = "less, NaN last", .source = "isnan(b) ? !isnan(a) : a < b"}
///
/// `sort` by numbers (sort.hpp) has such an order by itself.
///
/// A merge sort. A GPU sorts tiles (3840 keys of 4 bytes, fewer of larger ones) in local memory, in one
/// launch; two launches more for each pass merge pairs of runs by merge path, until one is left: 2^26 keys of
/// 4 bytes take 15 passes, each of which reads and stores all once. A CPU sorts tiles that its caches hold,
/// and its cores share the passes. Kernels: cl_kernels/primitives/merge_sort.cl. Green, McColl and Bader,
/// "GPU Merge Path: A GPU Merging Algorithm", 2012.
///
/// A problem is a value: threads may read one at the same time. No queue and no driver is asked, so nothing
/// is flushed, and it works in a child of fork() too.
#pragma once

#include <cstdint>
#include <optional>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/export.hpp>
#include <clwave/op.hpp>

namespace clwave {

/// A sort by an operator to plan. Refers to all that is pointed to.
struct merge_sort_problem {
  any_view keys;                            ///< type and place of the keys
  std::optional<any_view> keys_out = {};    ///< of the sorted keys; nothing: an argsort
  std::optional<any_view> values = {};      ///< of the values, where the keys have some
  std::optional<any_view> values_out = {};  ///< of the sorted values, or of the indices of an argsort
  std::uint64_t n = 0;                      ///< keys
  const op* less = nullptr;                 ///< the operator
};

/// What a call would do (plan.hpp). Throws as the call itself would.
CLWAVE_EXPORT call_plan plan(const merge_sort_problem& asked, const plan_target& on);

}  // namespace clwave
