/// @file
/// Merges: two sorted ranges into one, of keys alone or of keys with values. Both are stable.
///
/// The ranges are in one order: that of numbers, as `sort` leaves them (sort.hpp: NaNs last, -0 before +0;
/// descending, or by some bits, where the call says so), or the order of an operator of yours, which says of
/// two elements whether the first comes before the second. Of elements of which neither does, those of the
/// first range come first, and in each range they keep their order. So the result depends on nothing but the
/// input: it is the same on every device and in every run, bit for bit.
///
/// Each element is read once and stored once. On a GPU one launch finds where tiles of the result (3840
/// elements of 4 bytes) begin in both ranges, and a second one merges them in local memory; one tile takes
/// one launch. A CPU's cores make a share of the result each, in one launch. Kernels:
/// cl_kernels/primitives/merge.cl. Green, McColl and Bader, "GPU Merge Path: A GPU Merging Algorithm", 2012.
///
/// Ranges that are not sorted lose nothing, nor does an operator that is no strict weak ordering (such as
/// `a < b` where there are NaNs; sort.hpp has an order for these): the result has every element of both
/// ranges once, with its value, and nothing outside is read or written. In which order they come then differs
/// between devices. A call can count where neighbours stand in the wrong order, which reads both ranges once
/// more.
///
/// Either range may be a counted view (any_view.hpp); of merge_by_key the keys are, and the values are views
/// of as many as there may be. Everything then goes by the whole views, and the result has as many elements
/// as both numbers say; of ranges that are not sorted it may have another order than a call of such views.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be in-order
/// or out-of-order, with profiling or without. checked_merge and checked_merge_by_key flush their queue and
/// wait; no other call here blocks or flushes a queue. A child of fork() is refused. In full: event.hpp.
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
#include <clwave/sort_order.hpp>  // IWYU pragma: export
#include <clwave/view.hpp>

namespace clwave {

/// A merge, whose types are said at run time: what the call takes, and what plan() is asked, then without
/// buffers. Refers to all that is pointed to. Values go with both ranges and have an output, or there are
/// none.
struct merge_problem {
  any_view a;                               ///< the first range
  any_view b;                               ///< the second range, of the first one's type
  any_view out;                             ///< of their type, as long as both or longer
  std::optional<any_view> a_values = {};    ///< of the first range: as many as it has elements
  std::optional<any_view> b_values = {};    ///< of the second range, of one type with the first one's
  std::optional<any_view> values_out = {};  ///< of the values' type, as long as both or longer
  sort_order order = {};                    ///< of numbers
  const op* less = nullptr;                 ///< the operator of the order; null: numbers
  /// One number of 64 bits without a sign: how often an element comes before the one in front of it. Nothing:
  /// they are not counted.
  std::optional<any_view> descents = {};
};

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const merge_problem& asked, const plan_target& on);

/// Merges two sorted ranges, with their values or without, of types that are said at run time. Does not
/// block: returns the event of its last command, started after `options.after`. Throws clwave::error:
/// bad_call before anything is enqueued (types or sizes that do not go together, overlaps that are not
/// allowed, a view past its buffer, an object of another context), build, out_of_memory.
CLWAVE_EXPORT event merge(cl_command_queue queue, const merge_problem& asked,
                          const launch_options& options = {});

/// Merges two ranges, with their values or without, of types that are said at run time, and throws bad_call,
/// with the number of descents, where one is not sorted. The problem's `descents` is not looked at. Blocks
/// until the results are there; starts after `options.after`, or else after all that the queue held. Throws
/// clwave::error: bad_call before anything is enqueued (types or sizes that do not go together, overlaps that
/// are not allowed, a view past its buffer, an object of another context), build, out_of_memory, device_lost.
CLWAVE_EXPORT void checked_merge(cl_command_queue queue, const merge_problem& asked,
                                 const launch_options& options = {});

namespace detail {

template <viewable A, viewable B, viewable Out>
merge_problem merge_problem_of(const A& a, const B& b, const Out& out, const ordered_options& options) {
  static_assert(std::is_same_v<viewed<A>, viewed<Out>> && std::is_same_v<viewed<B>, viewed<Out>>,
                "both ranges and what they are merged into are of one type");
  return {.a = erase(a),
          .b = erase(b),
          .out = erase_output(out),
          .order = order_of(options),
          .less = less_of(options)};
}

template <viewable AKeys, viewable AValues, viewable BKeys, viewable BValues, viewable KeysOut,
          viewable ValuesOut>
merge_problem merge_by_key_problem_of(const AKeys& a_keys, const AValues& a_values, const BKeys& b_keys,
                                      const BValues& b_values, const KeysOut& keys_out,
                                      const ValuesOut& values_out, const ordered_options& options) {
  static_assert(std::is_same_v<viewed<AValues>, viewed<ValuesOut>> &&
                    std::is_same_v<viewed<BValues>, viewed<ValuesOut>>,
                "the values of both ranges and what they are merged into are of one type");
  merge_problem problem = merge_problem_of(a_keys, b_keys, keys_out, options);
  problem.a_values = erase(a_values);
  problem.b_values = erase(b_values);
  problem.values_out = erase_output(values_out);
  return problem;
}

template <counted Descents>
merge_problem counting_descents(merge_problem problem, const Descents& descents) {
  problem.descents = erase_output(descents);
  return problem;
}

}  // namespace detail

/// Merges `a` and `b`, each in the order that `sort` with the order of these options leaves, into `out`,
/// which has room for both or more; behind them nothing is touched. `a` and `b` may overlap, `out` neither of
/// them. By `options.less` elements have any type of up to 128 bytes, structures included; tiles have fewer
/// elements where these are larger.
///
/// Does not block: returns the event of its last command, started after `options.after`. No elements: nothing
/// is launched, and the event ends with what the call had to wait for (event.hpp). Workspace, pooled and
/// reused, or `options.workspace`: of a GPU 8 bytes for each tile and 512 bytes; none on a CPU. Throws
/// clwave::error: bad_call before anything is enqueued (elements that are no numbers where no operator orders
/// them, bits that they have not, an output that is too short or overlaps, a view past its buffer or not
/// aligned to its type, a buffer or an event of another context), build (with the compiler's lines),
/// out_of_memory.
///
///     clwave::merge(queue, a, b, merged, {.descending = true, .after = {ready}});
///     clwave::merge(queue, a, b, merged, {.less = {.name = "by key", .source = "a.key < b.key"}});
template <queue_like Queue, view_argument A, view_argument B, view_argument Out>
event merge(const Queue& queue, const A& a, const B& b, const Out& out, const ordered_options& options = {}) {
  return merge(handle_of<cl_command_queue>(queue), detail::merge_problem_of(a, b, out, options),
               detail::launch_of(options));
}

/// Merges `a` and `b` into `out`, stably, and writes to the first element of `descents`, on the device, how
/// often in `a` and `b` an element comes before the one in front of it: 0 where both are sorted. `out` and
/// `descents` overlap nothing. Does not block: returns the event of its last command, started after
/// `options.after`. Workspace, pooled and reused, or `options.workspace`: of a GPU 8 bytes for each tile and
/// 512 bytes, and 8 for each group that counts descents. Throws clwave::error: bad_call before anything is
/// enqueued (elements that nothing orders, bits that they have not, an output that is too short or overlaps,
/// a view past its buffer or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::merge(queue, a, b, merged, descents);  // descents: a view of one std::uint64_t
template <queue_like Queue, view_argument A, view_argument B, view_argument Out, detail::counted Descents>
event merge(const Queue& queue, const A& a, const B& b, const Out& out, const Descents& descents,
            const ordered_options& options = {}) {
  return merge(handle_of<cl_command_queue>(queue),
               detail::counting_descents(detail::merge_problem_of(a, b, out, options), descents),
               detail::launch_of(options));
}

/// Merges `a` and `b` into `out`, stably, and checks that both are sorted. Blocks until the results are
/// there; starts after `options.after`, or else after all that the queue held. Throws clwave::error:
/// bad_call, with the number of descents, where `a` or `b` is not sorted; `out` then is as it is without this
/// check. Also bad_call before anything is enqueued (elements that nothing orders, an output that is too
/// short or overlaps, a view past its buffer or misaligned, an object of another context), build,
/// out_of_memory, device_lost.
///
///     clwave::checked_merge(queue, a, b, merged);
template <queue_like Queue, view_argument A, view_argument B, view_argument Out>
void checked_merge(const Queue& queue, const A& a, const B& b, const Out& out,
                   const ordered_options& options = {}) {
  checked_merge(handle_of<cl_command_queue>(queue), detail::merge_problem_of(a, b, out, options),
                detail::launch_of(options));
}

/// Merges keys, and brings each value to the place of its key. Values have any element type of up to 128
/// bytes, structures included, and are as many as the keys of their range. Both ranges of keys are in the
/// order that `sort` with the order of these options leaves. Outputs have room for both ranges or more, and
/// overlap nothing. Does not block: returns the event of its last command, started after `options.after`.
/// Workspace, pooled and reused, or `options.workspace`: of a GPU 8 bytes for each tile and 512 bytes; none
/// on a CPU. Throws clwave::error: bad_call before anything is enqueued (keys that nothing orders, bits that
/// they have not, values that are not as many, an output that is too short or overlaps, a view past its
/// buffer or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::merge_by_key(queue, a, a_points, b, b_points, keys, points);
template <queue_like Queue, view_argument AKeys, view_argument AValues, view_argument BKeys,
          view_argument BValues, view_argument KeysOut, view_argument ValuesOut>
event merge_by_key(const Queue& queue, const AKeys& a_keys, const AValues& a_values, const BKeys& b_keys,
                   const BValues& b_values, const KeysOut& keys_out, const ValuesOut& values_out,
                   const ordered_options& options = {}) {
  return merge(
      handle_of<cl_command_queue>(queue),
      detail::merge_by_key_problem_of(a_keys, a_values, b_keys, b_values, keys_out, values_out, options),
      detail::launch_of(options));
}
/// Merges keys and their values, and writes to the first element of `descents`, on the device, how often a
/// key comes before the one in front of it: 0 where both ranges are sorted. Outputs and `descents` overlap
/// nothing. Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (keys that nothing orders, values that are not as
/// many, an output that is too short or overlaps, a view past its buffer or misaligned, an object of another
/// context), build, out_of_memory.
template <queue_like Queue, view_argument AKeys, view_argument AValues, view_argument BKeys,
          view_argument BValues, view_argument KeysOut, view_argument ValuesOut, detail::counted Descents>
event merge_by_key(const Queue& queue, const AKeys& a_keys, const AValues& a_values, const BKeys& b_keys,
                   const BValues& b_values, const KeysOut& keys_out, const ValuesOut& values_out,
                   const Descents& descents, const ordered_options& options = {}) {
  return merge(handle_of<cl_command_queue>(queue),
               detail::counting_descents(detail::merge_by_key_problem_of(a_keys, a_values, b_keys, b_values,
                                                                         keys_out, values_out, options),
                                         descents),
               detail::launch_of(options));
}

/// Merges keys and their values, and checks that both ranges of keys are sorted. Blocks until the results are
/// there; starts after `options.after`, or else after all that the queue held. Throws clwave::error:
/// bad_call, with the number of descents, where one is not; the outputs then are as they are without this
/// check. Also bad_call before anything is enqueued (keys that nothing orders, values that are not as many,
/// an output that is too short or overlaps, a view past its buffer or misaligned, an object of another
/// context), build, out_of_memory, device_lost.
template <queue_like Queue, view_argument AKeys, view_argument AValues, view_argument BKeys,
          view_argument BValues, view_argument KeysOut, view_argument ValuesOut>
void checked_merge_by_key(const Queue& queue, const AKeys& a_keys, const AValues& a_values,
                          const BKeys& b_keys, const BValues& b_values, const KeysOut& keys_out,
                          const ValuesOut& values_out, const ordered_options& options = {}) {
  checked_merge(
      handle_of<cl_command_queue>(queue),
      detail::merge_by_key_problem_of(a_keys, a_values, b_keys, b_values, keys_out, values_out, options),
      detail::launch_of(options));
}

}  // namespace clwave
