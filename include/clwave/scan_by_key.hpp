/// @file
/// Scans by key: running folds of the values of each run of equal neighbouring keys, with the bits of
/// inclusive_scan and exclusive_scan of each run alone.
///
/// A run is a stretch of neighbouring keys that are equal, as unique finds them (select.hpp). Each run's
/// values are scanned in the scan order (scan.hpp), counted from the run's begin, so that its results have
/// the bits of inclusive_scan or exclusive_scan of these values alone on every device, whatever runs stand
/// beside it and wherever it lies. Keys that are equal but not neighbours are of different runs: sort them
/// first. Where you have the runs' offsets already, segmented_scan.hpp needs no keys.
///
/// On a GPU one launch does all where there are no more values than all groups take at a time and groups can
/// send messages to each other: each finds the runs that begin in its part, and tells of them. Else one
/// leaves a bit for each key, set where a run begins, and runs are scanned by these bits as segments are
/// (segmented_scan.hpp), by one launch, or by two from 16385 values on (8193 where a result
/// has 8 bytes). On a CPU, and on a GPU where values have more than 16 bytes or results more than 8, the
/// offsets of all runs go to the workspace first, by one launch where groups can send messages to each other
/// while they run (NVIDIA and AMD, devices with OpenCL 2 atomics) and one before it that clears the messages,
/// else by three, which read keys twice. No group relies on the progress of another. Kernels:
/// cl_kernels/primitives/scan_by_key.cl, segmented_scan_begins.cl, select.cl and segmented_scan.cl. For the
/// single pass over the keys: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled
/// Look-back", 2016.
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

/// A scan by key, whose types are said at run time: what the call takes, and what plan() is asked, then
/// without buffers. Refers to all that is pointed to.
struct scan_by_key_problem {
  any_view keys;                 ///< a run is a stretch of equal neighbours here
  any_view values;               ///< as many as keys
  any_view out;                  ///< as many results; their type is what is accumulated in
  const op* fold = &plus;        ///< the operator
  const map* apply = &identity;  ///< what is applied to each value before
  const op* same = nullptr;      ///< when two neighbouring keys are equal; null: ==
  bool exclusive = false;        ///< of the values before each place
  const void* start = nullptr;   ///< a value of out's type before each run's first; plans do not read it
  std::optional<detail::scan_sizes> sizes = {};  ///< without: those of out's type
};

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const scan_by_key_problem& asked, const plan_target& on);

/// Scans the values of each run of equal neighbouring keys, of types that are said at run time. Does not
/// block: returns the event of its last command, started after `options.after`. Throws clwave::error:
/// bad_call before anything is enqueued (types or sizes that do not go together, overlaps that are not
/// allowed, a view past its buffer, an object of another context), build, out_of_memory. In full:
/// transform_inclusive_scan_by_key.
CLWAVE_EXPORT event scan_by_key(cl_command_queue queue, const scan_by_key_problem& asked,
                                const launch_options& options = {});

namespace detail {

template <class Queue, viewable Keys, viewable Values, viewable Out>
event scan_by_key(const Queue& queue, const Keys& keys, const Values& values, const Out& out, const op& fold,
                  const map& apply, const op* same, scan_kind kind,
                  const scan_options<viewed<Out>>& options) {
  return scan_by_key(handle_of<cl_command_queue>(queue),
                     scan_by_key_problem{.keys = erase(keys),
                                         .values = erase(values),
                                         .out = erase_output(out),
                                         .fold = &fold,
                                         .apply = &apply,
                                         .same = same,
                                         .exclusive = kind == scan_kind::exclusive,
                                         .start = options.start ? &*options.start : nullptr},
                     launch_of(options));
}

}  // namespace detail

/// Sets each element of `out` to the fold of apply(x) over the elements x of `values` from the begin of its
/// run up to its place, accumulated in out's type. A run is a stretch of equal neighbours in `keys`. A start
/// value stands before the first value of each run. Keys, values and results are equally many; the keys may
/// be a counted view (any_view.hpp), with as many values and results as it has at most. `out` lies apart from
/// `values` or exactly in their place, element for element, and overlaps the keys nowhere; any other overlap
/// is refused. Keys and values may overlap each other. In a map's text `i` is the value's place in its run.
/// Neighbouring keys are equal where a == b (a NaN is a run of its own); structures need a text, which the
/// other overload takes.
///
/// Does not block: returns the event of its last command, started after `options.after`. No elements: nothing
/// is launched. The results are the same on every device and in every run. A group that has waited too long
/// for another does its work, so that a text that compares keys may see a pair more than once, as map and
/// operator may see an element: texts must be pure.
///
/// Workspace, pooled and reused, or `options.workspace`: 4 KiB and at most 0.3 bytes for each value, or
/// where the runs' offsets are kept there, of which there may be as many as values, 4.3 bytes. More of the
/// latter where a device has less than 48 KiB of local memory.
///
/// Takes every type and operator that inclusive_scan takes, keys of any type of up to 128 bytes, and up to
/// 2^31 elements. Throws clwave::error: bad_call before anything is enqueued (types the operator does not
/// take, keys, values and results that are not equally many, more elements, views that overlap, a view past
/// its buffer or not aligned to its type, a buffer or an event of another context), build (with the
/// compiler's lines), out_of_memory.
///
///     // How far along its own path each step leads.
///     clwave::transform_inclusive_scan_by_key(queue, paths, steps, along, clwave::plus, clwave::abs);
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument Out,
          operator_argument Op = op, map_argument Map = map>
event transform_inclusive_scan_by_key(const Queue& queue, const Keys& keys, const Values& values,
                                      const Out& out, const Op& fold, const Map& apply,
                                      const scan_options<viewed<Out>>& options = {}) {
  return detail::scan_by_key(queue, keys, values, out, fold, apply, nullptr, detail::scan_kind::inclusive,
                             options);
}
/// Sets each element of `out` to the fold of apply(x) over the elements x of `values` from the begin of its
/// run up to its place. A run is a stretch of neighbouring keys; two neighbours `a` and `b` are equal where
/// the text of `same` is true, an operator of yours, which must be pure. A start value stands before the
/// first value of each run. Keys, values and results are equally many; `out` lies apart from `values` or
/// exactly in their place. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (types the operator does not
/// take, different lengths, views that overlap, a view past its buffer or misaligned, an object of another
/// context), build, out_of_memory.
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument Out,
          operator_argument Op = op, map_argument Map = map, operator_argument Same = op>
event transform_inclusive_scan_by_key(const Queue& queue, const Keys& keys, const Values& values,
                                      const Out& out, const Op& fold, const Map& apply, const Same& same,
                                      const scan_options<viewed<Out>>& options = {}) {
  return detail::scan_by_key(queue, keys, values, out, fold, apply, &same, detail::scan_kind::inclusive,
                             options);
}

/// Sets each element of `out` to the fold of apply(x) over the elements x of `values` from the begin of its
/// run to before its place, accumulated in out's type: the first result of each run is `options.start`, or
/// without that the operator's identity. A run is a stretch of equal neighbours in `keys`, where a == b.
/// Keys, values and results are equally many; `out` lies apart from `values` or exactly in their place, and
/// overlaps the keys nowhere. Does not block: returns the event of its last command, started after
/// `options.after`. Workspace, pooled and reused, or `options.workspace`: 4 KiB and at most 0.3 bytes for
/// each value, or where the runs' offsets are kept there 4.3 bytes. Throws clwave::error: bad_call before
/// anything is enqueued (neither a start nor an identity, types the operator does not take, different
/// lengths, more than 2^31 elements, views that overlap, a view past its buffer or misaligned, an object of
/// another context), build, out_of_memory.
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument Out,
          operator_argument Op = op, map_argument Map = map>
event transform_exclusive_scan_by_key(const Queue& queue, const Keys& keys, const Values& values,
                                      const Out& out, const Op& fold, const Map& apply,
                                      const scan_options<viewed<Out>>& options = {}) {
  return detail::scan_by_key(queue, keys, values, out, fold, apply, nullptr, detail::scan_kind::exclusive,
                             options);
}
/// Sets each element of `out` to the fold of apply(x) over the elements x of `values` from the begin of its
/// run to before its place: the first result of each run is `options.start`, or without that the operator's
/// identity. Two neighbouring keys `a` and `b` are equal where the text of `same` is true, an operator of
/// yours, which must be pure. Keys, values and results are equally many; `out` lies apart from `values` or
/// exactly in their place. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (neither a start nor an
/// identity, types the operator does not take, different lengths, views that overlap, a view past its buffer
/// or misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument Out,
          operator_argument Op = op, map_argument Map = map, operator_argument Same = op>
event transform_exclusive_scan_by_key(const Queue& queue, const Keys& keys, const Values& values,
                                      const Out& out, const Op& fold, const Map& apply, const Same& same,
                                      const scan_options<viewed<Out>>& options = {}) {
  return detail::scan_by_key(queue, keys, values, out, fold, apply, &same, detail::scan_kind::exclusive,
                             options);
}

/// Sets each element of `out` to the fold of the elements of `values` from the begin of its run up to its
/// place, accumulated in out's type. A run is a stretch of equal neighbours in `keys`, where a == b; a start
/// value stands before the first value of each. Keys, values and results are equally many; `out` lies apart
/// from `values` or exactly in their place, and overlaps the keys nowhere. The same bits on every device.
/// Does not block: returns the event of its last command, started after `options.after`. Workspace, pooled
/// and reused, or `options.workspace`: 4 KiB and at most 0.3 bytes for each value, or where the runs' offsets
/// are kept there 4.3 bytes. Throws clwave::error: bad_call before anything is enqueued (types the operator
/// does not take, different lengths, more than 2^31 elements, views that overlap, a view past its buffer or
/// misaligned, an object of another context), build, out_of_memory.
///
///     clwave::inclusive_scan_by_key(queue, keys, x, sums);
///     // keys a a b a and x 1 2 3 4 give sums 1 3 3 4
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument Out,
          operator_argument Op = op>
event inclusive_scan_by_key(const Queue& queue, const Keys& keys, const Values& values, const Out& out,
                            const Op& fold, const scan_options<viewed<Out>>& options = {}) {
  return detail::scan_by_key(queue, keys, values, out, fold, identity, nullptr, detail::scan_kind::inclusive,
                             options);
}
/// Sets each element of `out` to the sum of the elements of `values` from the begin of its run up to its
/// place, accumulated in out's type. Keys, values and results are equally many; `out` lies apart from
/// `values` or exactly in their place. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (types that have no sum,
/// different lengths, views that overlap, a view past its buffer or misaligned, an object of another
/// context), build, out_of_memory.
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument Out>
event inclusive_scan_by_key(const Queue& queue, const Keys& keys, const Values& values, const Out& out,
                            const scan_options<viewed<Out>>& options = {}) {
  return detail::scan_by_key(queue, keys, values, out, plus, identity, nullptr, detail::scan_kind::inclusive,
                             options);
}
/// Sets each element of `out` to the fold of the elements of `values` from the begin of its run up to its
/// place. Two neighbouring keys `a` and `b` are equal where the text of `same` is true, an operator of yours,
/// which must be pure. Keys, values and results are equally many; `out` lies apart from `values` or exactly
/// in their place. Does not block: returns the event of its last command, started after `options.after`.
/// Throws clwave::error: bad_call before anything is enqueued (types the operator does not take, different
/// lengths, views that overlap, a view past its buffer or misaligned, an object of another context), build,
/// out_of_memory.
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument Out,
          operator_argument Op = op, operator_argument Same = op>
event inclusive_scan_by_key(const Queue& queue, const Keys& keys, const Values& values, const Out& out,
                            const Op& fold, const Same& same, const scan_options<viewed<Out>>& options = {}) {
  return detail::scan_by_key(queue, keys, values, out, fold, identity, &same, detail::scan_kind::inclusive,
                             options);
}

/// Sets each element of `out` to the fold of the elements of `values` from the begin of its run to before its
/// place, accumulated in out's type: the first result of each run is `options.start`, or without that the
/// operator's identity. A run is a stretch of equal neighbours in `keys`, where a == b. Keys, values and
/// results are equally many; `out` lies apart from `values` or exactly in their place, and overlaps the keys
/// nowhere. Does not block: returns the event of its last command, started after `options.after`. Workspace,
/// pooled and reused, or `options.workspace`: 4 KiB and at most 0.3 bytes for each value, or where the runs'
/// offsets are kept there 4.3 bytes. Throws clwave::error: bad_call before anything is enqueued (neither a
/// start nor an identity, types the operator does not take, different lengths, more than 2^31 elements, views
/// that overlap, a view past its buffer or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::exclusive_scan_by_key(queue, rows, lengths, places, clwave::plus, {.start = 100u});
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument Out,
          operator_argument Op = op>
event exclusive_scan_by_key(const Queue& queue, const Keys& keys, const Values& values, const Out& out,
                            const Op& fold, const scan_options<viewed<Out>>& options = {}) {
  return detail::scan_by_key(queue, keys, values, out, fold, identity, nullptr, detail::scan_kind::exclusive,
                             options);
}
/// Sets each element of `out` to the sum of the elements of `values` from the begin of its run to before its
/// place: the first result of each run is `options.start`, or without that 0. Keys, values and results are
/// equally many; `out` lies apart from `values` or exactly in their place. Does not block: returns the event
/// of its last command, started after `options.after`. Throws clwave::error: bad_call before anything is
/// enqueued (types that have no sum, different lengths, views that overlap, a view past its buffer or
/// misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument Out>
event exclusive_scan_by_key(const Queue& queue, const Keys& keys, const Values& values, const Out& out,
                            const scan_options<viewed<Out>>& options = {}) {
  return detail::scan_by_key(queue, keys, values, out, plus, identity, nullptr, detail::scan_kind::exclusive,
                             options);
}
/// Sets each element of `out` to the fold of the elements of `values` from the begin of its run to before its
/// place: the first result of each run is `options.start`, or without that the operator's identity. Two
/// neighbouring keys `a` and `b` are equal where the text of `same` is true, an operator of yours, which must
/// be pure. Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (neither a start nor an identity, types the operator
/// does not take, different lengths, views that overlap, a view past its buffer or misaligned, an object of
/// another context), build, out_of_memory.
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument Out,
          operator_argument Op = op, operator_argument Same = op>
event exclusive_scan_by_key(const Queue& queue, const Keys& keys, const Values& values, const Out& out,
                            const Op& fold, const Same& same, const scan_options<viewed<Out>>& options = {}) {
  return detail::scan_by_key(queue, keys, values, out, fold, identity, &same, detail::scan_kind::exclusive,
                             options);
}

}  // namespace clwave
