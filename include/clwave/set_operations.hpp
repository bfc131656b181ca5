/// @file
/// Set operations: the union, the intersection, the difference and the symmetric difference of two sorted
/// ranges, and how many elements they have.
///
/// The ranges are multisets, as in the C++ standard: of an element that is `m` times in the first range and
/// `k` times in the second, the union has max(m, k), the intersection min(m, k), the difference max(m - k, 0)
/// and the symmetric difference |m - k|. Elements are equal where neither comes before the other. The
/// intersection has the first ones of the first range; the difference its last ones; the union all of the
/// first range, then the last ones of the second; the symmetric difference the last ones of the range that
/// has more. All stand in the order of the ranges.
///
/// The ranges are in one order: that of numbers, as `sort` leaves them (sort.hpp: NaNs last and all equal, -0
/// before +0; descending, or by some bits, where the call says so), or the order of an operator of yours,
/// which says of two elements whether the first comes before the second. The results and the count are exact
/// and depend on nothing but the input: the same on every device and in every run.
///
/// Ranges that are not sorted do no harm, nor does an operator that is no strict weak ordering (such as `a <
/// b` where there are NaNs; sort.hpp has an order for these): no element of the input is taken twice,
/// the count is how many were written, or would have been where the output is too short, and nothing outside
/// is read or written. Which elements these are then differs between devices (checked_merge in merge.hpp
/// finds out whether ranges are sorted). An intersection may then have as many elements as the first range.
///
/// Each element is read once and each result stored once: on a GPU one launch finds where tiles of the merged
/// ranges begin, and a second one makes them, where groups can send messages to each other while they run;
/// else there are four launches, and elements are read twice. A CPU takes one launch, or three. No group
/// relies on the progress of another: one that has waited too long does the missing work itself. Kernels:
/// cl_kernels/primitives/set_operations.cl. Green, McColl and Bader, "GPU Merge Path: A GPU Merging
/// Algorithm", 2012; for the single pass: Merrill and Garland, "Single-pass Parallel Prefix Scan with
/// Decoupled Look-back", 2016.
///
/// Either range may be a counted view (any_view.hpp), the results of another set operation, say.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be in-order
/// or out-of-order, with profiling or without. A call that returns a count flushes its queue and waits; a
/// call that returns an event flushes nothing. No call flushes another queue. A child of fork() is refused.
/// In full: event.hpp.
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

/// Which elements of two sorted ranges belong in the result.
enum class set_kind {
  set_union,            ///< all of the first range, and what the second has more of
  intersection,         ///< what both have
  difference,           ///< what the first range has more of
  symmetric_difference  ///< what one of them has more of
};

/// A set operation, whose types are said at run time: what the call takes, and what plan() is asked, then
/// without buffers. Refers to all that is pointed to.
struct set_problem {
  set_kind kind = set_kind::set_union;  ///< which one
  any_view a;                           ///< the first range
  any_view b;                           ///< the second range, of the first one's type
  any_view out;                         ///< its elements are the room for the result, in plans, too
  sort_order order = {};                ///< of numbers
  const op* less = nullptr;             ///< the operator of the order; null: numbers
  any_view count = {};  ///< one number of 64 bits without a sign: how many elements the result has
};

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const set_problem& asked, const plan_target& on);

/// set_union, set_intersection, set_difference or set_symmetric_difference, of types that are said at run
/// time. The count goes to the problem's `count`. Does not block: returns the event of its last command,
/// started after `options.after`. Throws clwave::error: bad_call before anything is enqueued (types or sizes
/// that do not go together, overlaps that are not allowed, a view past its buffer, an object of another
/// context), build, out_of_memory. In full: set_union.
CLWAVE_EXPORT event set_operation(cl_command_queue queue, const set_problem& asked,
                                  const launch_options& options = {});

/// A set operation of types that are said at run time, which returns the count; the problem's `count` is not
/// looked at. Blocks until the results are there; starts after `options.after`, or else after all that the
/// queue held. Throws clwave::error: bad_call before anything is enqueued (types or sizes that do not go
/// together, overlaps that are not allowed, a view past its buffer, an object of another context), build,
/// out_of_memory, device_lost.
CLWAVE_EXPORT std::uint64_t set_operation_to_host(cl_command_queue queue, const set_problem& asked,
                                                  const launch_options& options = {});

namespace detail {

template <viewable A, viewable B, viewable Out>
set_problem set_problem_of(set_kind kind, const A& a, const B& b, const Out& out,
                           const ordered_options& options) {
  static_assert(std::is_same_v<viewed<A>, viewed<Out>> && std::is_same_v<viewed<B>, viewed<Out>>,
                "both ranges and the result are of one type");
  return {.kind = kind,
          .a = erase(a),
          .b = erase(b),
          .out = erase_output(out),
          .order = order_of(options),
          .less = less_of(options)};
}

template <counted Count>
event set_to_buffer(cl_command_queue queue, set_problem problem, const Count& count,
                    const ordered_options& options) {
  problem.count = erase_output(count);
  return set_operation(queue, problem, launch_of(options));
}

}  // namespace detail

/// Writes the union of `a` and `b` to the front of `out`, and how many elements it has to the first element
/// of `count`, on the device. Both ranges are in the order that `sort` with the order of these options
/// leaves. By `options.less` elements have any type of up to 128 bytes, structures included.
///
/// `out` may be too short for all: elements past its end are not written, and the count still says how many
/// there would be. What lies behind the result is not touched. `a` and `b` may overlap; `out` and `count`
/// overlap nothing. Does not block: returns the event of its last command, started after `options.after`. No
/// elements: the count becomes 0. Workspace, pooled and reused, or `options.workspace`: of a GPU 32 bytes for
/// each tile (3840 elements of 4 bytes; as many bytes where elements are larger), 8 more from 2^31 elements
/// on; of a CPU 8 bytes for each of its tiles; and 4 KiB. Throws clwave::error: bad_call before anything is
/// enqueued (elements that are no numbers where no operator orders them, bits that they have not, views that
/// overlap, a view past its buffer or not aligned to its type, a buffer or an event of another context),
/// build (with the compiler's lines), out_of_memory.
///
///     clwave::set_union(queue, a, b, all, count);                      // count: a view of one std::uint64_t
///     const std::uint64_t n = clwave::set_union(queue, a, b, all);     // blocks
///     clwave::set_union(queue, a, b, all, count, {.less = {.name = "by key", .source = "a.key < b.key"}});
template <queue_like Queue, view_argument A, view_argument B, view_argument Out, detail::counted Count>
event set_union(const Queue& queue, const A& a, const B& b, const Out& out, const Count& count,
                const ordered_options& options = {}) {
  return detail::set_to_buffer(handle_of<cl_command_queue>(queue),
                               detail::set_problem_of(set_kind::set_union, a, b, out, options), count,
                               options);
}
/// Writes the union of `a` and `b` to the front of `out`, and returns how many elements it has. Both ranges
/// are in the order of numbers, as `sort` leaves them, or of `options.less`. What does not fit in `out` is
/// not written, and still counted. `out` overlaps nothing. Blocks until the results are there; starts after
/// `options.after`, or else after all that the queue held. Throws clwave::error: bad_call before anything is
/// enqueued (elements that nothing orders, bits that they have not, views that overlap, a view past its
/// buffer or misaligned, an object of another context), build, out_of_memory, device_lost.
template <queue_like Queue, view_argument A, view_argument B, view_argument Out>
std::uint64_t set_union(const Queue& queue, const A& a, const B& b, const Out& out,
                        const ordered_options& options = {}) {
  return set_operation_to_host(handle_of<cl_command_queue>(queue),
                               detail::set_problem_of(set_kind::set_union, a, b, out, options),
                               detail::launch_of(options));
}

/// Writes the intersection of `a` and `b`, of an element that is m and k times in them min(m, k), to the
/// front of `out`, and how many elements it has to the first element of `count`, on the device. Both ranges
/// are in the order of numbers, as `sort` leaves them, or of `options.less`. What does not fit in `out` is
/// not written, and still counted. `out` and `count` overlap nothing. Does not block: returns the event of
/// its last command, started after `options.after`. Workspace, pooled and reused, or `options.workspace`: of
/// a GPU at most 40 bytes for each tile (3840 elements of 4 bytes), of a CPU 8, and 4 KiB. Throws
/// clwave::error: bad_call before anything is enqueued (elements that nothing orders, bits that they have
/// not, views that overlap, a view past its buffer or misaligned, an object of another context), build,
/// out_of_memory.
///
///     clwave::set_intersection(queue, a, b, common, count);
template <queue_like Queue, view_argument A, view_argument B, view_argument Out, detail::counted Count>
event set_intersection(const Queue& queue, const A& a, const B& b, const Out& out, const Count& count,
                       const ordered_options& options = {}) {
  return detail::set_to_buffer(handle_of<cl_command_queue>(queue),
                               detail::set_problem_of(set_kind::intersection, a, b, out, options), count,
                               options);
}
/// Writes the intersection of `a` and `b` to the front of `out`, and returns how many elements it has. Both
/// ranges are in the order of numbers, as `sort` leaves them, or of `options.less`. What does not fit in
/// `out` is not written, and still counted. `out` overlaps nothing. Blocks until the results are there;
/// starts after `options.after`, or else after all that the queue held. Throws clwave::error: bad_call before
/// anything is enqueued (elements that nothing orders, bits that they have not, views that overlap, a view
/// past its buffer or misaligned, an object of another context), build, out_of_memory, device_lost.
template <queue_like Queue, view_argument A, view_argument B, view_argument Out>
std::uint64_t set_intersection(const Queue& queue, const A& a, const B& b, const Out& out,
                               const ordered_options& options = {}) {
  return set_operation_to_host(handle_of<cl_command_queue>(queue),
                               detail::set_problem_of(set_kind::intersection, a, b, out, options),
                               detail::launch_of(options));
}

/// Writes the elements of `a` that `b` has not, of one that is m and k times in them max(m - k, 0), to the
/// front of `out`, and how many there are to the first element of `count`, on the device. Both ranges are in
/// the order of numbers, as `sort` leaves them, or of `options.less`. What does not fit in `out` is not
/// written, and still counted. `out` and `count` overlap nothing. Does not block: returns the event of its
/// last command, started after `options.after`. Workspace, pooled and reused, or `options.workspace`: of a
/// GPU at most 40 bytes for each tile (3840 elements of 4 bytes), of a CPU 8, and 4 KiB. Throws
/// clwave::error: bad_call before anything is enqueued (elements that nothing orders, bits that they have
/// not, views that overlap, a view past its buffer or misaligned, an object of another context), build,
/// out_of_memory.
///
///     clwave::set_difference(queue, a, b, rest, count, {.descending = true});
template <queue_like Queue, view_argument A, view_argument B, view_argument Out, detail::counted Count>
event set_difference(const Queue& queue, const A& a, const B& b, const Out& out, const Count& count,
                     const ordered_options& options = {}) {
  return detail::set_to_buffer(handle_of<cl_command_queue>(queue),
                               detail::set_problem_of(set_kind::difference, a, b, out, options), count,
                               options);
}
/// Writes the elements of `a` that `b` has not to the front of `out`, and returns how many there are. Both
/// ranges are in the order of numbers, as `sort` leaves them, or of `options.less`. What does not fit in
/// `out` is not written, and still counted. `out` overlaps nothing. Blocks until the results are there;
/// starts after `options.after`, or else after all that the queue held. Throws clwave::error: bad_call before
/// anything is enqueued (elements that nothing orders, bits that they have not, views that overlap, a view
/// past its buffer or misaligned, an object of another context), build, out_of_memory, device_lost.
template <queue_like Queue, view_argument A, view_argument B, view_argument Out>
std::uint64_t set_difference(const Queue& queue, const A& a, const B& b, const Out& out,
                             const ordered_options& options = {}) {
  return set_operation_to_host(handle_of<cl_command_queue>(queue),
                               detail::set_problem_of(set_kind::difference, a, b, out, options),
                               detail::launch_of(options));
}

/// Writes the elements that one of `a` and `b` has and the other has not, of one that is m and k times in
/// them |m - k|, to the front of `out`, and how many there are to the first element of `count`, on the
/// device. Both ranges are in the order of numbers, as `sort` leaves them, or of `options.less`. What does
/// not fit in `out` is not written, and still counted. `out` and `count` overlap nothing. Does not block:
/// returns the event of its last command, started after `options.after`. Workspace, pooled and reused, or
/// `options.workspace`: of a GPU at most 40 bytes for each tile (3840 elements of 4 bytes), of a CPU 8, and 4
/// KiB. Throws clwave::error: bad_call before anything is enqueued (elements that nothing orders, bits that
/// they have not, views that overlap, a view past its buffer or misaligned, an object of another context),
/// build, out_of_memory.
///
///     clwave::set_symmetric_difference(queue, a, b, changed, count);
template <queue_like Queue, view_argument A, view_argument B, view_argument Out, detail::counted Count>
event set_symmetric_difference(const Queue& queue, const A& a, const B& b, const Out& out, const Count& count,
                               const ordered_options& options = {}) {
  return detail::set_to_buffer(handle_of<cl_command_queue>(queue),
                               detail::set_problem_of(set_kind::symmetric_difference, a, b, out, options),
                               count, options);
}
/// Writes the elements that one of `a` and `b` has and the other has not to the front of `out`, and returns
/// how many there are. Both ranges are in the order of numbers, as `sort` leaves them, or of `options.less`.
/// What does not fit in `out` is not written, and still counted. `out` overlaps nothing. Blocks until the
/// results are there; starts after `options.after`, or else after all that the queue held. Throws
/// clwave::error: bad_call before anything is enqueued (elements that nothing orders, bits that they have
/// not, views that overlap, a view past its buffer or misaligned, an object of another context), build,
/// out_of_memory, device_lost.
template <queue_like Queue, view_argument A, view_argument B, view_argument Out>
std::uint64_t set_symmetric_difference(const Queue& queue, const A& a, const B& b, const Out& out,
                                       const ordered_options& options = {}) {
  return set_operation_to_host(handle_of<cl_command_queue>(queue),
                               detail::set_problem_of(set_kind::symmetric_difference, a, b, out, options),
                               detail::launch_of(options));
}

}  // namespace clwave
