/// @file
/// Bounds: where each of many needles belongs in a sorted range.
///
/// The range is in the order of numbers, as `sort` leaves it (sort.hpp: NaNs last, -0 before +0; descending,
/// or by some bits, where the call says so), or in the order of an operator of yours, which says of two
/// elements whether the first comes before the second. A result depends on nothing but range and needle: it
/// is the same on every device and in every run. Where the range is not sorted it is some number from 0 to
/// the range's length, and nothing outside is read.
///
/// A binary search for each needle, several at a time, in one launch. Needles that are sorted themselves are
/// found fastest: neighbours read the same elements. No workspace. Kernels: cl_kernels/primitives/bounds.cl.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be in-order
/// or out-of-order, with profiling or without; a call flushes neither it nor any other, and does not block. A
/// child of fork() is refused. In full: event.hpp.
#pragma once

#include <cstdint>
#include <type_traits>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/op.hpp>
#include <clwave/options.hpp>
#include <clwave/sort_order.hpp>  // IWYU pragma: export
#include <clwave/view.hpp>

namespace clwave {

/// A search, whose types are said at run time: what the call takes, and what plan() is asked, then without
/// buffers. Refers to all that is pointed to.
struct bounds_problem {
  any_view in;               ///< the range
  any_view needles;          ///< of the range's type
  any_view out;              ///< one result for each needle, of 32 or 64 bits without a sign
  sort_order order = {};     ///< of numbers
  const op* less = nullptr;  ///< the operator of the order; null: numbers
  bool upper = false;        ///< upper bounds
};

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const bounds_problem& asked, const plan_target& on);

/// Writes to `out` how many elements of the range `in` come before each needle, or with `upper` how many do
/// not come behind it, of types that are said at run time. Does not block: returns the event of its last
/// command, started after `options.after`. Throws clwave::error: bad_call before anything is enqueued (types
/// or sizes that do not go together, overlaps that are not allowed, a view past its buffer, an object of
/// another context), build, out_of_memory. In full: lower_bound and upper_bound.
CLWAVE_EXPORT event bounds(cl_command_queue queue, const bounds_problem& asked,
                           const launch_options& options = {});

namespace detail {

template <viewable In, viewable Needles, indices_of_keys Out>
bounds_problem bounds_problem_of(const In& in, const Needles& needles, const Out& out,
                                 const ordered_options& options, bool upper) {
  static_assert(std::is_same_v<viewed<In>, viewed<Needles>>, "needles have the type of the range");
  return {.in = erase(in),
          .needles = erase(needles),
          .out = erase_output(out),
          .order = order_of(options),
          .less = less_of(options),
          .upper = upper};
}

}  // namespace detail

/// Writes to `out`, for each needle, how many elements of `in` come before it: the first place at which it
/// could be inserted. `in` is in the order that `sort` with the order of these options leaves. There are as
/// many results as needles, of 32 bits, or of 64, which a range of 2^32 elements or more needs; `out` may go
/// on, and what follows is not written. `in` and `needles` may overlap, `out` neither of them. By
/// `options.less` elements have any type of up to 128 bytes, structures included.
///
/// Does not block: returns the event of its command, started after `options.after`. No needles: nothing is
/// launched. Throws clwave::error: bad_call before anything is enqueued (elements that are no numbers where
/// no operator orders them, bits that they have not, an output that is too short or overlaps, a view past its
/// buffer or not aligned to its type, a buffer or an event of another context), build (with the compiler's
/// lines), out_of_memory.
///
///     clwave::lower_bound(queue, sorted, needles, places);  // places: a view of std::uint32_t
///     clwave::lower_bound(queue, sorted, needles, places,
///                         {.less = {.name = "by key", .source = "a.key < b.key"}});
template <queue_like Queue, view_argument In, view_argument Needles, detail::indices_of_keys Out>
event lower_bound(const Queue& queue, const In& in, const Needles& needles, const Out& out,
                  const ordered_options& options = {}) {
  return bounds(handle_of<cl_command_queue>(queue),
                detail::bounds_problem_of(in, needles, out, options, /*upper=*/false),
                detail::launch_of(options));
}

/// Writes to `out`, for each needle, how many elements of `in` do not come behind it: the last place at which
/// it could be inserted. From the lower to the upper bound lie the elements that are equal to the needle.
/// `in` is in the order that `sort` with the order of these options leaves. There are as many results as
/// needles, of 32 bits, or of 64, which a range of 2^32 elements or more needs. `in` and `needles` may
/// overlap, `out` neither of them. Does not block: returns the event of its last command, started after
/// `options.after`. No workspace. Throws clwave::error: bad_call before anything is enqueued (elements that
/// nothing orders, bits that they have not, an output that is too short or overlaps, a view past its buffer
/// or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::upper_bound(queue, sorted, needles, places, {.descending = true});
template <queue_like Queue, view_argument In, view_argument Needles, detail::indices_of_keys Out>
event upper_bound(const Queue& queue, const In& in, const Needles& needles, const Out& out,
                  const ordered_options& options = {}) {
  return bounds(handle_of<cl_command_queue>(queue),
                detail::bounds_problem_of(in, needles, out, options, /*upper=*/true),
                detail::launch_of(options));
}

}  // namespace clwave
