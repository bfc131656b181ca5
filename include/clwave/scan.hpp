/// @file
/// Scans: running folds. Each result is the fold of all elements up to its place, with the same bits on every
/// device, and for sums of non-negative floats never less than the result before it.
///
/// The order of combination is fixed by an element's place alone. Elements are cut into runs of 4 (of 2 where
/// a result has 8 bytes), strips of 16 runs, blocks of 16 strips, tiles of 16 blocks (16384 elements, or
/// 8192) and stretches of 64 tiles (2^20, or 2^19). With folds from the left at every level, the result of
/// element i is
///
///     P + (B + (S + (Q + (R + s))))
///
/// where s folds its run up to it, R the earlier runs of its strip, Q the earlier strips of its block, S the
/// earlier blocks of its tile, B the earlier tiles of its stretch, and P the start value and all earlier
/// stretches. Terms that have nothing in them drop out: no identity is ever folded in. `a` always stands
/// before `b`, so operators need not commute. From this order follows, for any operator:
///
/// - the bits do not depend on the device, its profile, the group size, or on how many launches did it;
/// - exclusive results are the inclusive ones one place later, bit for bit;
/// - an array cut at multiples of 2^20 elements, each piece started with the last result of the one before,
///
///     has the results of one call (sharded_scan.hpp does it on several devices, wherever the array is cut);
///
/// - where the operator rounds monotonically (sums of floats do), results of non-negative floats never fall.
///
/// The last result and `reduce` of the same floats may differ in bits: each has an order of its own. A
/// result that is NaN is the canonical quiet NaN. FP_CONTRACT is off and no fast-math option is passed.
/// Kernels: cl_kernels/primitives/scan.cl.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be
/// in-order or out-of-order, with profiling or without; a call flushes neither it nor any other. A child of
/// fork() is refused. In full: event.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/op.hpp>
#include <clwave/options.hpp>
#include <clwave/view.hpp>

namespace clwave {

/// The options of scans whose results are of type T.
template <element_type T>
struct scan_options {
  /// Stands before the first element. Without it an inclusive scan starts with its first element, and an
  /// exclusive one with the operator's identity.
  std::optional<T> start = {};
  wait_list after = {};           ///< what comes before: launch_options
  bool with_event = true;         ///< whether an event is made: launch_options
  workspace_view workspace = {};  ///< memory to work in: launch_options
};

static_assert(call_options<scan_options<float>>);

namespace detail {

// The numbers of the scan order, each of units of the one before. Every public call has those of its
// results' size; tests take small ones, which need few elements for many levels.
struct scan_sizes {
  unsigned run = 4;      // elements
  unsigned runs = 16;    // of a strip
  unsigned strips = 16;  // of a block
  unsigned blocks = 16;  // of a tile
  unsigned tiles = 64;   // of a stretch

  std::uint64_t tile() const { return std::uint64_t{run} * runs * strips * blocks; }

  // A run is what one access of 16 bytes takes, so that neighbouring work-items take neighbouring bytes.
  static constexpr scan_sizes of_results_of(std::size_t bytes) { return {.run = bytes == 8 ? 2u : 4u}; }
};

// The four launches by which an array in pieces is scanned, in this order:
// - folds: each tile of a piece is folded to one value;
// - tiles: the exclusive prefix of each tile within its stretch;
// - stretches: the exclusive prefix of each stretch;
// - results: the scan itself, from these prefixes.
// If the pieces are shards (sharded_scan.hpp, ranks_scan.hpp), one device of a process runs the second and
// the third step for all of them. If they stream (host_array_scan.hpp), each device runs all four for its
// own.
enum class scan_step : unsigned char { folds, tiles, stretches, results };

// A piece of a longer input. It has whole tiles, and for the steps `tiles` and `stretches` whole stretches;
// only the input's last tile and stretch may be short. Between the steps, one value for each tile and one for
// each stretch lie in memory, from the offsets below on, in results. One more value lies behind those of the
// stretches: the exclusive prefix of the piece before the step `stretches`, and that of the next piece after
// it. The input's first piece has no prefix there.
struct scan_piece {
  scan_step step = scan_step::folds;
  std::uint64_t at = 0;            // the index of its first element in the whole input
  std::uint64_t whole = 0;         // elements of that
  std::uint64_t tiles_at = 0;      // where the value of its first tile lies
  std::uint64_t stretches_at = 0;  // and that of the first stretch that it has a tile of
};

}  // namespace detail

/// A scan, whose types are said at run time: what the call takes, and what plan() is asked, then without
/// buffers. Refers to all that is pointed to.
struct scan_problem {
  any_view in;                   ///< the elements
  any_view out;                  ///< as many results; their type is what is accumulated in
  const op* fold = &plus;        ///< the operator
  const map* apply = &identity;  ///< what is applied to each element before
  bool exclusive = false;        ///< of the elements before each place
  const void* start = nullptr;   ///< a value of out's type before the first; plans do not read it
  bool in_place = false;  ///< in plans: the results take the elements' place; calls find it by the views
  std::optional<detail::scan_sizes> sizes = {};  ///< without: those of out's type
  /// For one step of a scan of a piece of a longer input, as sharded_scan.hpp cuts one: for plans alone.
  std::optional<detail::scan_piece> piece = {};
};

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const scan_problem& asked, const plan_target& on);

/// Sets each element of `out` to the fold of all elements up to its place, or of those before it, of types
/// that are said at run time. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (types or sizes that do not go
/// together, overlaps that are not allowed, a view past its buffer, an object of another context), build,
/// out_of_memory. In full: transform_inclusive_scan.
CLWAVE_EXPORT event scan(cl_command_queue queue, const scan_problem& asked,
                         const launch_options& options = {});

namespace detail {

enum class scan_kind { inclusive, exclusive };

template <class Queue, class In, class Out>
event scan(const Queue& queue, const In& in, const Out& out, const op& fold, const map& apply, scan_kind kind,
           const scan_options<viewed<Out>>& options) {
  return scan(handle_of<cl_command_queue>(queue),
              scan_problem{.in = erase(in),
                           .out = erase_output(out),
                           .fold = &fold,
                           .apply = &apply,
                           .exclusive = kind == scan_kind::exclusive,
                           .start = options.start ? &*options.start : nullptr},
              launch_of(options));
}

}  // namespace detail

/// Sets each element of `out` to the fold of apply(x) over all elements x of `in` up to its place,
/// accumulated in out's type. `out` is as long as `in`, and either lies apart from it or exactly in its
/// place, element for element; any other overlap is refused. Does not block: returns the event of its last
/// command, started after `options.after`. No elements: nothing is launched.
///
/// Reads each element once and writes each result once where groups can send messages to each other while
/// they run (NVIDIA and AMD, devices with OpenCL 2 atomics); elsewhere, and in place with a text of yours,
/// elements are read twice, by three launches. No group relies on the progress of another: one that has
/// waited too long does the missing work itself, so `apply` and the operator may see an element more than
/// once. Workspace: at most 64 bytes for each 16384 elements and 4 KiB, pooled and reused; structures larger
/// than 28 bytes take 2 bytes for each of theirs.
///
/// Takes every type and operator that reduce takes, but argmin and argmax; the accumulator is out's type, and
/// no half. Throws clwave::error: bad_call before anything is enqueued (types the operator does not take,
/// different lengths, views that overlap, a view past its buffer, a buffer or an event of another context),
/// build (with the compiler's lines), out_of_memory.
///
///     clwave::transform_inclusive_scan(queue, floats, above, clwave::plus,
///                                      {.name = "above", .source = "x > 0.5f ? 1u : 0u"});
template <queue_like Queue, view_argument In, view_argument Out, operator_argument Op = op,
          map_argument Map = map>
event transform_inclusive_scan(const Queue& queue, const In& in, const Out& out, const Op& fold,
                               const Map& apply, const scan_options<viewed<Out>>& options = {}) {
  return detail::scan(queue, in, out, fold, apply, detail::scan_kind::inclusive, options);
}
/// Replaces each element of `x` by the fold of apply(x) over all elements up to its place, accumulated in its
/// own type. A start value stands before the first element. Does not block: returns the event of its last
/// command, started after `options.after`. No elements: nothing is launched. Workspace: at most 64 bytes for
/// each 16384 elements and 4 KiB, pooled and reused, or `options.workspace`; structures larger than 28 bytes
/// take 2 bytes for each of theirs. Throws clwave::error: bad_call before anything is enqueued (types the
/// operator does not take, a view past its buffer, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument X, operator_argument Op = op, map_argument Map = map>
event transform_inclusive_scan(const Queue& queue, const X& x, const Op& fold, const Map& apply,
                               const scan_options<viewed<X>>& options = {}) {
  return detail::scan(queue, x, x, fold, apply, detail::scan_kind::inclusive, options);
}

/// Sets each element of `out` to the fold of apply(x) over all elements x of `in` before its place,
/// accumulated in out's type: the first result is `options.start`, or without that the operator's identity.
/// `out` is as long as `in`, and either lies apart from it or exactly in its place. The same bits on every
/// device. Does not block: returns the event of its last command, started after `options.after`. Workspace:
/// at most 64 bytes for each 16384 elements and 4 KiB, pooled and reused, or `options.workspace`; structures
/// larger than 28 bytes take 2 bytes for each of theirs. Throws clwave::error: bad_call before anything is
/// enqueued (neither a start nor an identity, types the operator does not take, different lengths, views that
/// overlap, a view past its buffer, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In, view_argument Out, operator_argument Op = op,
          map_argument Map = map>
event transform_exclusive_scan(const Queue& queue, const In& in, const Out& out, const Op& fold,
                               const Map& apply, const scan_options<viewed<Out>>& options = {}) {
  return detail::scan(queue, in, out, fold, apply, detail::scan_kind::exclusive, options);
}
/// Replaces each element of `x` by the fold of apply(x) over all elements before its place, accumulated in
/// its own type: the first one becomes `options.start`, or without that the operator's identity. Does not
/// block: returns the event of its last command, started after `options.after`. Throws clwave::error:
/// bad_call before anything is enqueued (neither a start nor an identity, types the operator does not take, a
/// view past its buffer, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument X, operator_argument Op = op, map_argument Map = map>
event transform_exclusive_scan(const Queue& queue, const X& x, const Op& fold, const Map& apply,
                               const scan_options<viewed<X>>& options = {}) {
  return detail::scan(queue, x, x, fold, apply, detail::scan_kind::exclusive, options);
}

/// Sets each element of `out` to the fold of all elements of `in` up to its place, accumulated in out's type.
/// A start value stands before the first element. `out` is as long as `in`, and either lies apart from it or
/// exactly in its place. The same bits on every device. Does not block: returns the event of its last
/// command, started after `options.after`. No elements: nothing is launched. Workspace: at most 64 bytes for
/// each 16384 elements and 4 KiB, pooled and reused, or `options.workspace`; structures larger than 28 bytes
/// take 2 bytes for each of theirs. Throws clwave::error: bad_call before anything is enqueued (types the
/// operator does not take, different lengths, views that overlap, a view past its buffer, an object of
/// another context), build, out_of_memory.
///
///     clwave::inclusive_scan(queue, floats, running_max, clwave::max);
template <queue_like Queue, view_argument In, view_argument Out, operator_argument Op = op>
event inclusive_scan(const Queue& queue, const In& in, const Out& out, const Op& fold,
                     const scan_options<viewed<Out>>& options = {}) {
  return detail::scan(queue, in, out, fold, identity, detail::scan_kind::inclusive, options);
}
/// Sets each element of `out` to the sum of all elements of `in` up to its place, accumulated in out's type.
/// `out` is as long as `in`, and either lies apart from it or exactly in its place. Does not block: returns
/// the event of its last command, started after `options.after`. Throws clwave::error: bad_call before
/// anything is enqueued (types that have no sum, different lengths, views that overlap, a view past its
/// buffer, an object of another context), build, out_of_memory.
///
///     clwave::inclusive_scan(queue, counts, offsets, {.after = {e}});
template <queue_like Queue, view_argument In, view_argument Out>
event inclusive_scan(const Queue& queue, const In& in, const Out& out,
                     const scan_options<viewed<Out>>& options = {}) {
  return detail::scan(queue, in, out, plus, identity, detail::scan_kind::inclusive, options);
}
/// Replaces each element of `x` by the fold of all elements up to its place. Does not block: returns the
/// event of its last command, started after `options.after`. Throws clwave::error: bad_call before anything
/// is enqueued (types the operator does not take, a view past its buffer, an object of another context),
/// build, out_of_memory.
template <queue_like Queue, view_argument X, operator_argument Op = op>
event inclusive_scan(const Queue& queue, const X& x, const Op& fold,
                     const scan_options<viewed<X>>& options = {}) {
  return detail::scan(queue, x, x, fold, identity, detail::scan_kind::inclusive, options);
}
/// Replaces each element of `x` by the sum of all elements up to its place. Does not block: returns the event
/// of its last command, started after `options.after`. Throws clwave::error: bad_call before anything is
/// enqueued (types that have no sum, a view past its buffer, an object of another context), build,
/// out_of_memory.
///
///     clwave::inclusive_scan(queue, counts);
template <queue_like Queue, view_argument X>
event inclusive_scan(const Queue& queue, const X& x, const scan_options<viewed<X>>& options = {}) {
  return detail::scan(queue, x, x, plus, identity, detail::scan_kind::inclusive, options);
}

/// Sets each element of `out` to the fold of all elements of `in` before its place, accumulated in out's
/// type: the first result is `options.start`, or without that the operator's identity. `out` is as long as
/// `in`, and either lies apart from it or exactly in its place. The same bits on every device. Does not
/// block: returns the event of its last command, started after `options.after`. Workspace: at most 64 bytes
/// for each 16384 elements and 4 KiB, pooled and reused, or `options.workspace`; structures larger than 28
/// bytes take 2 bytes for each of theirs. Throws clwave::error: bad_call before anything is enqueued (neither
/// a start nor an identity, types the operator does not take, different lengths, views that overlap, a view
/// past its buffer, an object of another context), build, out_of_memory.
///
///     clwave::exclusive_scan(queue, counts, offsets, clwave::plus, {.start = 100u, .after = {e}});
template <queue_like Queue, view_argument In, view_argument Out, operator_argument Op = op>
event exclusive_scan(const Queue& queue, const In& in, const Out& out, const Op& fold,
                     const scan_options<viewed<Out>>& options = {}) {
  return detail::scan(queue, in, out, fold, identity, detail::scan_kind::exclusive, options);
}
/// Sets each element of `out` to the sum of all elements of `in` before its place, accumulated in out's type:
/// the first result is `options.start`, or without that 0. `out` is as long as `in`, and either lies apart
/// from it or exactly in its place. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (types that have no sum,
/// different lengths, views that overlap, a view past its buffer, an object of another context), build,
/// out_of_memory.
///
///     clwave::exclusive_scan(queue, counts, offsets);
template <queue_like Queue, view_argument In, view_argument Out>
event exclusive_scan(const Queue& queue, const In& in, const Out& out,
                     const scan_options<viewed<Out>>& options = {}) {
  return detail::scan(queue, in, out, plus, identity, detail::scan_kind::exclusive, options);
}
/// Replaces each element of `x` by the fold of all elements before its place: the first one becomes
/// `options.start`, or without that the operator's identity. Does not block: returns the event of its last
/// command, started after `options.after`. Throws clwave::error: bad_call before anything is enqueued
/// (neither a start nor an identity, types the operator does not take, a view past its buffer, an object of
/// another context), build, out_of_memory.
template <queue_like Queue, view_argument X, operator_argument Op = op>
event exclusive_scan(const Queue& queue, const X& x, const Op& fold,
                     const scan_options<viewed<X>>& options = {}) {
  return detail::scan(queue, x, x, fold, identity, detail::scan_kind::exclusive, options);
}
/// Replaces each element of `x` by the sum of all elements before its place: the first one becomes
/// `options.start`, or without that 0. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (types that have no sum, a
/// view past its buffer, an object of another context), build, out_of_memory.
///
///     clwave::exclusive_scan(queue, counts);
template <queue_like Queue, view_argument X>
event exclusive_scan(const Queue& queue, const X& x, const scan_options<viewed<X>>& options = {}) {
  return detail::scan(queue, x, x, plus, identity, detail::scan_kind::exclusive, options);
}

}  // namespace clwave
