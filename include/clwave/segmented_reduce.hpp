/// @file
/// Segments: folds each of many stretches of one input, given by offsets on the device, with reduce's bits.
///
/// Segment s is in[offsets[s]] to in[offsets[s + 1] - 1]; each folds in reduce's own order of its own length
/// (reduce.hpp), so that its result has the bits of `reduce` of the segment alone on every device, whatever
/// segments stand beside it and wherever it lies. The work is shared out by elements and segments together:
/// millions of empty and short segments and a few huge ones in one call keep all of a device busy. One
/// launch; two where a segment may have more than 8192 elements, or where bad ones are counted. Kernels:
/// cl_kernels/primitives/segmented_reduce.cl. The idea of the shares: Merrill and Garland, "Merge-based
/// Parallel Sparse Matrix-Vector Multiplication", 2016.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be in-order
/// or out-of-order, with profiling or without. checked_segmented_reduce flushes its queue and waits; no other
/// call here blocks or flushes a queue. A child of fork() is refused. In full: event.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/op.hpp>
#include <clwave/options.hpp>
#include <clwave/reduce.hpp>
#include <clwave/statistics.hpp>
#include <clwave/view.hpp>

namespace clwave {

/// A reduction of segments, whose types are said at run time: what the call takes, and what plan() is asked,
/// then without buffers. Refers to all that is pointed to.
struct segmented_reduce_problem {
  any_view in;                       ///< the elements of all segments
  any_view offsets;                  ///< u64 or u32, one more than there are segments, or may be
  any_view out;                      ///< each segment's result; their type is what is accumulated in
  std::optional<any_view> bad = {};  ///< u64, the number of bad segments; nothing: they are not counted
  std::uint64_t segments = 0;        ///< one less than there are offsets; calls find it by these
  const op* fold = &plus;            ///< the operator
  const map* apply = &identity;      ///< what is applied to each element before
  detail::fold_sizes sizes = {};     ///< the fold order's own; another one is for tests alone
};

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const segmented_reduce_problem& asked, const plan_target& on);

/// Folds each segment into one element, of types that are said at run time. Does not block: returns the event
/// of its last command, started after `options.after`. Throws clwave::error: bad_call before anything is
/// enqueued (types or sizes that do not go together, overlaps that are not allowed, a view past its buffer,
/// an object of another context), build, out_of_memory. In full: transform_segmented_reduce.
CLWAVE_EXPORT event segmented_reduce(cl_command_queue queue, const segmented_reduce_problem& asked,
                                     const launch_options& options = {});

/// Folds each segment into one element, of types that are said at run time, and throws bad_call, with their
/// number, where segments are bad. The problem's `bad` is not looked at. Blocks until the results are there;
/// starts after `options.after`, or else after all that the queue held. Throws clwave::error: bad_call before
/// anything is enqueued (types or sizes that do not go together, overlaps that are not allowed, a view past
/// its buffer, an object of another context), build, out_of_memory, device_lost.
CLWAVE_EXPORT void checked_segmented_reduce(cl_command_queue queue, const segmented_reduce_problem& asked,
                                            const launch_options& options = {});

namespace detail {

template <viewable In, offset_range Offsets, viewable Out>
segmented_reduce_problem segmented_reduce_problem_of(const In& in, const Offsets& offsets, const Out& out,
                                                     const op& fold, const map& apply) {
  return {.in = erase(in),
          .offsets = erase_offsets(offsets),
          .out = erase_output(out),
          .fold = &fold,
          .apply = &apply};
}

}  // namespace detail

/// Sets out[s] to the fold of apply(x) over the elements x of segment s, accumulated in out's type, for each
/// of the offsets.size() - 1 segments. Offsets are std::uint64_t or std::uint32_t; they may begin past 0 and
/// end before in.size(), and what no segment has is not read. `out` may go on, and what follows is not
/// written. `in` and `offsets` may overlap, `out` neither of them. In a map's text `i` is the element's place
/// in its segment. With offsets.first_segments(count) the device counts the segments (counted_segments):
/// `out` has room for all that there may be, and may not overlap the count.
///
/// A segment without elements gives the operator's identity. Offsets are checked on the device, and nothing
/// outside `in` is ever read. A segment is bad, and is not folded,
/// - where it ends before it begins, or ends past `in`;
/// - where any segment of the call ends before it begins: all that have more than 8192 elements;
/// - where it has no elements and the operator no identity (argmin, argmax, or your own with none).
/// Its result is the identity, or where there is none, out[s] stays as it is. All others are as they should
/// be.
///
/// Does not block: returns the event of its last command, started after `options.after`. No segments: nothing
/// is launched. Workspace: none where `in` has at most 8192 elements and bad segments are not counted; else
/// at most two results and 100 bytes for each 8192 elements, where each segment counts as 16 elements more,
/// and 4 KiB, pooled and reused, or `options.workspace`.
///
/// Takes every type and operator that reduce takes, of one input, up to 2^31 segments, and inputs of up to
/// 2^43 elements. Throws clwave::error: bad_call before anything is enqueued (types the operator does not
/// take, no offsets, a view too short, views that overlap, a buffer or an event of another context), build
/// (with the compiler's lines), out_of_memory.
///
///     // Rows of a sparse matrix: the largest magnitude of each.
///     clwave::transform_segmented_reduce(queue, values, row_starts, largest, clwave::max, clwave::abs);
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out,
          operator_argument Op = op, map_argument Map = map>
event transform_segmented_reduce(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                                 const Op& fold, const Map& apply, const launch_options& options = {}) {
  return segmented_reduce(handle_of<cl_command_queue>(queue),
                          detail::segmented_reduce_problem_of(in, offsets, out, fold, apply), options);
}

/// Sets out[s] to the fold of apply(x) over the elements x of segment s, accumulated in out's type, and the
/// first element of `bad`, on the device, to how many segments are bad: those that are not folded, whose
/// results are the identity or stay as they are. Segment s is in[offsets[s]] to in[offsets[s + 1] - 1]. `out`
/// and `bad` overlap nothing. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (types the operator does not
/// take, no offsets, views that are too short or overlap, an object of another context), build,
/// out_of_memory.
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out,
          detail::counted Bad, operator_argument Op = op, map_argument Map = map>
event transform_segmented_reduce(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                                 const Bad& bad, const Op& fold, const Map& apply,
                                 const launch_options& options = {}) {
  segmented_reduce_problem problem = detail::segmented_reduce_problem_of(in, offsets, out, fold, apply);
  problem.bad = detail::erase_output(bad);
  return segmented_reduce(handle_of<cl_command_queue>(queue), problem, options);
}

/// Sets out[s] to the fold of the elements of segment s, accumulated in out's type, of a segment without
/// elements to the operator's identity. Segment s is in[offsets[s]] to in[offsets[s + 1] - 1]. Offsets are
/// std::uint64_t or std::uint32_t, and checked on the device: a segment that ends before it begins or past
/// `in` is not folded. The same bits on every device. Does not block: returns the event of its last command,
/// started after `options.after`. Workspace: at most two results and 100 bytes for each 8192 elements, where
/// each segment counts as 16 elements more, and 4 KiB, pooled and reused, or `options.workspace`; none up to
/// 8192 elements. Throws clwave::error: bad_call before anything is enqueued (types the operator does not
/// take, no offsets, views that are too short or overlap, an object of another context), build,
/// out_of_memory.
///
///     clwave::segmented_reduce(queue, x, offsets, sums);
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out,
          operator_argument Op = op>
event segmented_reduce(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                       const Op& fold, const launch_options& options = {}) {
  return transform_segmented_reduce(queue, in, offsets, out, fold, identity, options);
}
/// Sets out[s] to the sum of the elements of segment s, accumulated in out's type. Segment s is
/// in[offsets[s]] to in[offsets[s + 1] - 1]. Does not block: returns the event of its last command, started
/// after `options.after`. Throws clwave::error: bad_call before anything is enqueued (types that have no sum,
/// no offsets, views that are too short or overlap, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out>
event segmented_reduce(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                       const launch_options& options = {}) {
  return transform_segmented_reduce(queue, in, offsets, out, plus, identity, options);
}
/// Sets out[s] to the fold of the elements of segment s, accumulated in out's type, and the first element of
/// `bad`, on the device, to how many segments are bad, which are not folded. Segment s is in[offsets[s]] to
/// in[offsets[s + 1] - 1]. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (types the operator does not
/// take, no offsets, views that are too short or overlap, an object of another context), build,
/// out_of_memory.
///
///     clwave::segmented_reduce(queue, x, offsets, sums, bad, clwave::plus);  // bad: a view of one uint64_t
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out,
          detail::counted Bad, operator_argument Op = op>
event segmented_reduce(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                       const Bad& bad, const Op& fold, const launch_options& options = {}) {
  return transform_segmented_reduce(queue, in, offsets, out, bad, fold, identity, options);
}
/// Sets out[s] to the sum of the elements of segment s, accumulated in out's type, and the first element of
/// `bad`, on the device, to how many segments are bad, which are not folded. Does not block: returns the
/// event of its last command, started after `options.after`. Throws clwave::error: bad_call before anything
/// is enqueued (types that have no sum, no offsets, views that are too short or overlap, an object of another
/// context), build, out_of_memory.
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out,
          detail::counted Bad>
event segmented_reduce(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                       const Bad& bad, const launch_options& options = {}) {
  return transform_segmented_reduce(queue, in, offsets, out, bad, plus, identity, options);
}

/// Sets out[s] to the fold of apply(x) over the elements x of segment s, accumulated in out's type. Segment s
/// is in[offsets[s]] to in[offsets[s + 1] - 1]. Blocks until the results are there; starts after
/// `options.after`, or else after all that the queue held. Throws clwave::error: bad_call, with their number,
/// where segments are bad (they end before they begin or past `in`, or are empty where there is no identity);
/// `out` then is as it is without this check. Also bad_call before anything is enqueued (types the operator
/// does not take, no offsets, views that are too short or overlap, an object of another context), build,
/// out_of_memory, device_lost.
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out,
          operator_argument Op = op, map_argument Map = map>
void checked_segmented_reduce(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                              const Op& fold, const Map& apply, const launch_options& options = {}) {
  checked_segmented_reduce(handle_of<cl_command_queue>(queue),
                           detail::segmented_reduce_problem_of(in, offsets, out, fold, apply), options);
}
/// Sets out[s] to the fold of the elements of segment s, accumulated in out's type. Blocks until the results
/// are there; starts after `options.after`, or else after all that the queue held. Throws clwave::error:
/// bad_call, with their number, where segments are bad; `out` then is as it is without this check. Also
/// bad_call before anything is enqueued (types the operator does not take, no offsets, views that are too
/// short or overlap, an object of another context), build, out_of_memory, device_lost.
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out,
          operator_argument Op = op>
void checked_segmented_reduce(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                              const Op& fold, const launch_options& options = {}) {
  checked_segmented_reduce(queue, in, offsets, out, fold, identity, options);
}
/// Sets out[s] to the sum of the elements of segment s, accumulated in out's type. Blocks until the results
/// are there; starts after `options.after`, or else after all that the queue held. Throws clwave::error:
/// bad_call, with their number, where segments are bad; `out` then is as it is without this check. Also
/// bad_call before anything is enqueued (no offsets, views that are too short or overlap, an object of
/// another context), build, out_of_memory, device_lost.
///
///     clwave::checked_segmented_reduce(queue, x, offsets, sums);
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out>
void checked_segmented_reduce(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                              const launch_options& options = {}) {
  checked_segmented_reduce(queue, in, offsets, out, plus, identity, options);
}

/// The smallest element of each segment and its place in the segment: the first one on ties, and a NaN is
/// smaller than everything. `out` has elements of clwave::indexed<T>, of clwave::indexed<float> for half and
/// bfloat16. Scalars only. out[s] of a segment without elements stays as it is. Does not block: returns the
/// event of its last command, started after `options.after`. Throws clwave::error: bad_call before anything
/// is enqueued (elements that are no scalars, no offsets, views that are too short or overlap, an object of
/// another context), build, out_of_memory.
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out>
event segmented_argmin(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                       const launch_options& options = {}) {
  return segmented_reduce(queue, in, offsets, out, detail::argmin_op, options);
}

/// The largest element of each segment and its place in the segment: the first one on ties, and a NaN is
/// larger than everything. `out` has elements of clwave::indexed<T>, of clwave::indexed<float> for half and
/// bfloat16. Scalars only. out[s] of a segment without elements stays as it is. Does not block: returns the
/// event of its last command, started after `options.after`. Throws clwave::error: bad_call before anything
/// is enqueued (elements that are no scalars, no offsets, views that are too short or overlap, an object of
/// another context), build, out_of_memory.
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out>
event segmented_argmax(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                       const launch_options& options = {}) {
  return segmented_reduce(queue, in, offsets, out, detail::argmax_op, options);
}

/// The least and the greatest element of each segment: both are NaN where it has a NaN, and -0 is less than
/// +0. `out` has elements of clwave::min_and_max<T>, of clwave::min_and_max<float> for half and bfloat16.
/// Numbers only. Of a segment without elements min is the greatest number of the type (infinity), and max the
/// least. Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (no offsets, views that are too short or overlap, an
/// object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out>
event segmented_minmax(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                       const launch_options& options = {}) {
  using T = viewed<In>;
  static_assert(detail::measured<T>, "minmax takes numbers");
  static_assert(std::is_same_v<viewed<Out>, min_and_max<detail::widened<T>>>,
                "the output is of clwave::min_and_max<T>, for half and bfloat16 of float");
  return transform_segmented_reduce(queue, in, offsets, out, detail::minmax_fold<T>(),
                                    detail::minmax_lift<T>(), options);
}

/// The number of each segment's elements, their mean, and the sum of the squares of their distances from it.
/// `out` has elements of clwave::moments<float> or clwave::moments<double>, which say what they are computed
/// in. Numbers only. A segment without elements has a number, a mean and squares of 0. Does not block:
/// returns the event of its last command, started after `options.after`. Throws clwave::error: bad_call
/// before anything is enqueued (no offsets, views that are too short or overlap, an object of another
/// context), build, out_of_memory.
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out>
event segmented_mean_and_variance(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                                  const launch_options& options = {}) {
  static_assert(detail::measured<viewed<In>>, "mean_and_variance takes numbers");
  static_assert(detail::is_moments<viewed<Out>>::value, "the output is of clwave::moments<T>");
  using A = typename detail::is_moments<viewed<Out>>::of;
  return transform_segmented_reduce(queue, in, offsets, out, detail::moments_fold<A>(),
                                    detail::moments_lift<A>(), options);
}

}  // namespace clwave
