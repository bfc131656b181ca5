/// @file
/// Segmented scans: running folds of each of many stretches of one input, given by offsets on the device,
/// with the bits of inclusive_scan and exclusive_scan of each segment alone.
///
/// Segment s is in[offsets[s]] to in[offsets[s + 1] - 1]; each is scanned in the scan order (scan.hpp),
/// counted from its own begin, so that its results have the bits of inclusive_scan or exclusive_scan of the
/// segment alone on every device, whatever segments stand beside it and wherever it lies. The work is shared
/// out by elements and segments together: millions of empty and short segments and a few huge ones in one
/// call keep all of a device busy.
///
/// Two launches: the first looks at the offsets and folds tiles of segments of more than 16384 elements (8192
/// where a result has 8 bytes), which are read twice; all other elements are read once, or by a CPU and where
/// results are larger than 8 bytes twice from its caches. On a GPU segments of 16 to 239 elements on average
/// are told by a bit of each element instead, which the first launch leaves; neighbouring elements are then
/// scanned whatever segments they belong to, and tiles of long segments are folded by one launch more. Of so
/// few elements that all groups run at a time these tell each other what blocks of 1024 (512) fold to
/// instead, where they can; one that has waited too long folds the block itself, so that map and operator may
/// see an element more than once: texts must be pure. Kernels: cl_kernels/primitives/segmented_scan.cl and
/// segmented_scan_begins.cl. The idea of the shares: Merrill and Garland, "Merge-based Parallel Sparse
/// Matrix-Vector Multiplication", 2016.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be in-order
/// or out-of-order, with profiling or without; a call flushes neither it nor any other, and does not block. A
/// child of fork() is refused. In full: event.hpp.
#pragma once

#include <cstdint>
#include <optional>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/op.hpp>
#include <clwave/options.hpp>
#include <clwave/scan.hpp>
#include <clwave/view.hpp>

namespace clwave {

/// A scan of segments, whose types are said at run time: what the call takes, and what plan() is asked, then
/// without buffers. Refers to all that is pointed to.
struct segmented_scan_problem {
  any_view in;                       ///< the elements of all segments
  any_view offsets;                  ///< u64 or u32, one more than there are segments, or may be
  any_view out;                      ///< as many results; their type is what is accumulated in
  std::optional<any_view> bad = {};  ///< u64, the number of bad segments; nothing: they are not counted
  std::uint64_t segments = 0;        ///< one less than there are offsets; calls find it by these
  const op* fold = &plus;            ///< the operator
  const map* apply = &identity;      ///< what is applied to each element before
  bool exclusive = false;            ///< of the elements before each place
  const void* start = nullptr;  ///< a value of out's type before each segment's first; plans do not read it
  std::optional<detail::scan_sizes> sizes = {};  ///< without: those of out's type
};

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const segmented_scan_problem& asked, const plan_target& on);

/// Scans each segment, of types that are said at run time. Does not block: returns the event of its last
/// command, started after `options.after`. Throws clwave::error: bad_call before anything is enqueued (types
/// or sizes that do not go together, overlaps that are not allowed, a view past its buffer, an object of
/// another context), build, out_of_memory. In full: transform_segmented_inclusive_scan.
CLWAVE_EXPORT event segmented_scan(cl_command_queue queue, const segmented_scan_problem& asked,
                                   const launch_options& options = {});

namespace detail {

template <viewable In, offset_range Offsets, viewable Out>
segmented_scan_problem segmented_scan_problem_of(const In& in, const Offsets& offsets, const Out& out,
                                                 const op& fold, const map& apply, scan_kind kind,
                                                 const scan_options<viewed<Out>>& options) {
  return {.in = erase(in),
          .offsets = erase_offsets(offsets),
          .out = erase_output(out),
          .fold = &fold,
          .apply = &apply,
          .exclusive = kind == scan_kind::exclusive,
          .start = options.start ? &*options.start : nullptr};
}

template <class Queue, class In, class Offsets, class Out>
event segmented_scan(const Queue& queue, const In& in, const Offsets& offsets, const Out& out, const op& fold,
                     const map& apply, scan_kind kind, const scan_options<viewed<Out>>& options) {
  return segmented_scan(handle_of<cl_command_queue>(queue),
                        segmented_scan_problem_of(in, offsets, out, fold, apply, kind, options),
                        launch_of(options));
}

/// Scans segments, and counts the bad ones in `bad`.
template <class Queue, class In, class Offsets, class Out, class Bad>
event segmented_scan(const Queue& queue, const In& in, const Offsets& offsets, const Out& out, const Bad& bad,
                     const op& fold, const map& apply, scan_kind kind,
                     const scan_options<viewed<Out>>& options) {
  segmented_scan_problem problem = segmented_scan_problem_of(in, offsets, out, fold, apply, kind, options);
  problem.bad = erase_output(bad);
  return segmented_scan(handle_of<cl_command_queue>(queue), problem, launch_of(options));
}

}  // namespace detail

/// Sets each element of `out` that lies in a segment to the fold of apply(x) over the elements x of `in` from
/// that segment's begin up to its place, accumulated in out's type. A start value stands before the first
/// element of each segment. `out` is as long as `in`; elements that lie in no segment stay as they are.
/// Offsets are std::uint64_t or std::uint32_t, one more than there are segments; they may begin past 0 and
/// end before in.size(), and what no segment has is not read. `out` lies apart from `in` or exactly in its
/// place, element for element, and overlaps the offsets nowhere; any other overlap is refused. In a map's
/// text `i` is the element's place in its segment. With offsets.first_segments(count) the device counts the
/// segments (counted_segments), and `out` may not overlap the count either.
///
/// Offsets are checked on the device, and nothing outside `in` is ever read, nor outside `out` written. A
/// segment is bad where it ends before it begins, or ends past `in`; it has no results. Where any segment of
/// the call ends before it begins, the call writes no results at all. A segment without elements is not bad.
///
/// Does not block: returns the event of its last command, started after `options.after`. No segments, or no
/// elements: nothing is launched. Workspace: one result for each 16384 elements (8192 where a result has 8
/// bytes) and 4 KiB, and where bits tell segments at most 0.2 bytes for each element, pooled and reused, or
/// `options.workspace`.
///
/// Takes every type and operator that inclusive_scan takes, up to 2^31 segments, and inputs of up to 2^40
/// elements. Throws clwave::error: bad_call before anything is enqueued (types the operator does not take, no
/// offsets, different lengths of `in` and `out`, views that overlap, a view past its buffer, a buffer or an
/// event of another context), build (with the compiler's lines), out_of_memory.
///
///     // How far along its own path each step leads.
///     clwave::transform_segmented_inclusive_scan(queue, steps, starts, along, clwave::plus, clwave::abs);
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out,
          operator_argument Op = op, map_argument Map = map>
event transform_segmented_inclusive_scan(const Queue& queue, const In& in, const Offsets& offsets,
                                         const Out& out, const Op& fold, const Map& apply,
                                         const scan_options<viewed<Out>>& options = {}) {
  return detail::segmented_scan(queue, in, offsets, out, fold, apply, detail::scan_kind::inclusive, options);
}

/// Sets each element of `out` that lies in a segment to the fold of apply(x) over the elements x of `in` from
/// that segment's begin up to its place, accumulated in out's type. Sets the first element of `bad`, on the
/// device, to how many segments end before they begin or past `in`. These have no results, and where any ends
/// before it begins, the call writes none. `out` is as long as `in`, and lies apart from it or exactly in its
/// place. Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (types the operator does not take, no offsets, views
/// that are too short or overlap, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out,
          detail::counted Bad, operator_argument Op = op, map_argument Map = map>
event transform_segmented_inclusive_scan(const Queue& queue, const In& in, const Offsets& offsets,
                                         const Out& out, const Bad& bad, const Op& fold, const Map& apply,
                                         const scan_options<viewed<Out>>& options = {}) {
  return detail::segmented_scan(queue, in, offsets, out, bad, fold, apply, detail::scan_kind::inclusive,
                                options);
}

/// Sets each element of `out` that lies in a segment to the fold of apply(x) over the elements x of `in` from
/// that segment's begin to before its place, accumulated in out's type: the first result of each segment is
/// `options.start`, or without that the operator's identity. Segment s is in[offsets[s]] to
/// in[offsets[s + 1] - 1]. `out` is as long as `in`, and lies apart from it or exactly in its place; elements
/// that lie in no segment stay as they are. A segment that ends before it begins or past `in` has no results,
/// and where any ends before it begins, the call writes none. Does not block: returns the event of its last
/// command, started after `options.after`. Workspace: one result for each 16384 elements (8192 where a result
/// has 8 bytes) and 4 KiB, and where bits tell segments at most 0.2 bytes for each element, pooled and
/// reused, or `options.workspace`. Throws clwave::error: bad_call before anything is enqueued (neither a
/// start nor an identity, types the operator does not take, no offsets, views that are too short or overlap,
/// an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out,
          operator_argument Op = op, map_argument Map = map>
event transform_segmented_exclusive_scan(const Queue& queue, const In& in, const Offsets& offsets,
                                         const Out& out, const Op& fold, const Map& apply,
                                         const scan_options<viewed<Out>>& options = {}) {
  return detail::segmented_scan(queue, in, offsets, out, fold, apply, detail::scan_kind::exclusive, options);
}
/// Sets each element of `out` that lies in a segment to the fold of apply(x) over the elements x of `in` from
/// that segment's begin to before its place: the first result of each segment is `options.start`, or without
/// that the operator's identity. Sets the first element of `bad`, on the device, to how many segments end
/// before they begin or past `in`. These have no results, and where any ends before it begins, the call
/// writes none. Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (neither a start nor an identity, types the operator
/// does not take, no offsets, views that are too short or overlap, an object of another context), build,
/// out_of_memory.
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out,
          detail::counted Bad, operator_argument Op = op, map_argument Map = map>
event transform_segmented_exclusive_scan(const Queue& queue, const In& in, const Offsets& offsets,
                                         const Out& out, const Bad& bad, const Op& fold, const Map& apply,
                                         const scan_options<viewed<Out>>& options = {}) {
  return detail::segmented_scan(queue, in, offsets, out, bad, fold, apply, detail::scan_kind::exclusive,
                                options);
}

/// Sets each element of `out` that lies in a segment to the fold of the elements of `in` from that segment's
/// begin up to its place, accumulated in out's type. Segment s is in[offsets[s]] to in[offsets[s + 1] - 1]. A
/// start value stands before the first element of each. `out` is as long as `in`, and lies apart from it or
/// exactly in its place; elements that lie in no segment stay as they are. A segment that ends before it
/// begins or past `in` has no results, and where any ends before it begins, the call writes none. The same
/// bits on every device. Does not block: returns the event of its last command, started after
/// `options.after`. Workspace: one result for each 16384 elements (8192 where a result has 8 bytes) and 4
/// KiB, and where bits tell segments at most 0.2 bytes for each element, pooled and reused, or
/// `options.workspace`. Throws clwave::error: bad_call before anything is enqueued (types the operator does
/// not take, no offsets, views that are too short or overlap, an object of another context), build,
/// out_of_memory.
///
///     clwave::segmented_inclusive_scan(queue, x, offsets, sums);
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out,
          operator_argument Op = op>
event segmented_inclusive_scan(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                               const Op& fold, const scan_options<viewed<Out>>& options = {}) {
  return detail::segmented_scan(queue, in, offsets, out, fold, identity, detail::scan_kind::inclusive,
                                options);
}
/// Sets each element of `out` that lies in a segment to the sum of the elements of `in` from that segment's
/// begin up to its place, accumulated in out's type. `out` is as long as `in`, and lies apart from it or
/// exactly in its place. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (types that have no sum, no
/// offsets, views that are too short or overlap, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out>
event segmented_inclusive_scan(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                               const scan_options<viewed<Out>>& options = {}) {
  return detail::segmented_scan(queue, in, offsets, out, plus, identity, detail::scan_kind::inclusive,
                                options);
}
/// Sets each element of `out` that lies in a segment to the fold of the elements of `in` from that segment's
/// begin up to its place. Sets the first element of `bad`, on the device, to how many segments end before
/// they begin or past `in`. These have no results, and where any ends before it begins, the call writes none.
/// Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (types the operator does not take, no offsets, views
/// that are too short or overlap, an object of another context), build, out_of_memory.
///
///     clwave::segmented_inclusive_scan(queue, x, offsets, sums, bad, clwave::plus);  // bad: one uint64_t
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out,
          detail::counted Bad, operator_argument Op = op>
event segmented_inclusive_scan(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                               const Bad& bad, const Op& fold,
                               const scan_options<viewed<Out>>& options = {}) {
  return detail::segmented_scan(queue, in, offsets, out, bad, fold, identity, detail::scan_kind::inclusive,
                                options);
}
/// Sets each element of `out` that lies in a segment to the sum of the elements of `in` from that segment's
/// begin up to its place. Sets the first element of `bad`, on the device, to how many segments end before
/// they begin or past `in`. These have no results. Does not block: returns the event of its last command,
/// started after `options.after`. Throws clwave::error: bad_call before anything is enqueued (types that have
/// no sum, no offsets, views that are too short or overlap, an object of another context), build,
/// out_of_memory.
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out,
          detail::counted Bad>
event segmented_inclusive_scan(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                               const Bad& bad, const scan_options<viewed<Out>>& options = {}) {
  return detail::segmented_scan(queue, in, offsets, out, bad, plus, identity, detail::scan_kind::inclusive,
                                options);
}

/// Sets each element of `out` that lies in a segment to the fold of the elements of `in` from that segment's
/// begin to before its place, accumulated in out's type: the first result of each segment is `options.start`,
/// or without that the operator's identity. Segment s is in[offsets[s]] to in[offsets[s + 1] - 1]. `out` is
/// as long as `in`, and lies apart from it or exactly in its place; elements that lie in no segment stay as
/// they are. A segment that ends before it begins or past `in` has no results, and where any ends before it
/// begins, the call writes none. Does not block: returns the event of its last command, started after
/// `options.after`. Workspace: one result for each 16384 elements (8192 where a result has 8 bytes) and 4
/// KiB, and where bits tell segments at most 0.2 bytes for each element, pooled and reused, or
/// `options.workspace`. Throws clwave::error: bad_call before anything is enqueued (neither a start nor an
/// identity, types the operator does not take, no offsets, views that are too short or overlap, an object of
/// another context), build, out_of_memory.
///
///     clwave::segmented_exclusive_scan(queue, counts, offsets, places, clwave::plus, {.start = 100u});
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out,
          operator_argument Op = op>
event segmented_exclusive_scan(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                               const Op& fold, const scan_options<viewed<Out>>& options = {}) {
  return detail::segmented_scan(queue, in, offsets, out, fold, identity, detail::scan_kind::exclusive,
                                options);
}
/// Sets each element of `out` that lies in a segment to the sum of the elements of `in` from that segment's
/// begin to before its place: the first result of each segment is `options.start`, or without that 0. `out`
/// is as long as `in`, and lies apart from it or exactly in its place. Does not block: returns the event of
/// its last command, started after `options.after`. Throws clwave::error: bad_call before anything is
/// enqueued (types that have no sum, no offsets, views that are too short or overlap, an object of another
/// context), build, out_of_memory.
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out>
event segmented_exclusive_scan(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                               const scan_options<viewed<Out>>& options = {}) {
  return detail::segmented_scan(queue, in, offsets, out, plus, identity, detail::scan_kind::exclusive,
                                options);
}
/// Sets each element of `out` that lies in a segment to the fold of the elements of `in` from that segment's
/// begin to before its place: the first result of each segment is `options.start`, or without that the
/// operator's identity. Sets the first element of `bad`, on the device, to how many segments end before they
/// begin or past `in`. These have no results, and where any ends before it begins, the call writes none. Does
/// not block: returns the event of its last command, started after `options.after`. Throws clwave::error:
/// bad_call before anything is enqueued (neither a start nor an identity, types the operator does not take,
/// no offsets, views that are too short or overlap, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out,
          detail::counted Bad, operator_argument Op = op>
event segmented_exclusive_scan(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                               const Bad& bad, const Op& fold,
                               const scan_options<viewed<Out>>& options = {}) {
  return detail::segmented_scan(queue, in, offsets, out, bad, fold, identity, detail::scan_kind::exclusive,
                                options);
}
/// Sets each element of `out` that lies in a segment to the sum of the elements of `in` from that segment's
/// begin to before its place: the first result of each segment is `options.start`, or without that 0. Sets
/// the first element of `bad`, on the device, to how many segments end before they begin or past `in`. These
/// have no results. Does not block: returns the event of its last command, started after `options.after`.
/// Throws clwave::error: bad_call before anything is enqueued (types that have no sum, no offsets, views that
/// are too short or overlap, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out,
          detail::counted Bad>
event segmented_exclusive_scan(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                               const Bad& bad, const scan_options<viewed<Out>>& options = {}) {
  return detail::segmented_scan(queue, in, offsets, out, bad, plus, identity, detail::scan_kind::exclusive,
                                options);
}

}  // namespace clwave
