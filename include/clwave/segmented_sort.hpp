/// @file
/// Sorts of segments: each of many stretches of one input, given by offsets on the device, keys alone or with
/// values. All are stable.
///
/// Segment s is in[offsets[s]] to in[offsets[s + 1] - 1]; each is sorted as sort.hpp or, by an operator,
/// merge_sort.hpp would sort it alone, so the result is the same on every device and in every run. The work
/// is shared out by elements and segments together: millions of empty and short segments and a few huge ones
/// in one call keep all of a device busy.
///
/// An operator that is no strict weak ordering, such as `a < b` where there are NaNs, loses nothing: every key
/// of a segment comes out in it once, with its value, in an order that then differs between devices. Segments
/// whose keys the operator does order are sorted all the same. merge_sort.hpp has an order for NaN.
///
/// Sorts by comparison. A first launch looks at all offsets. In the second, a GPU's group takes neighbouring
/// segments as many as a tile of local memory holds (2048 keys of 4 bytes, fewer of larger ones), and sorts
/// them at once; a CPU's core takes segments one by one. Segments that are longer are sorted in tiles, and
/// then merged in passes by merge path, for each of which there is one launch more: as many as the whole
/// input would take. They end at once where no segment is as long. Kernels:
/// cl_kernels/primitives/segmented_sort.cl. The ideas: Baxter, "Modern GPU", segmented sort, 2013; Merrill
/// and Garland, "Merge-based Parallel Sparse Matrix-Vector Multiplication", 2016 (the shares).
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be in-order
/// or out-of-order, with profiling or without. Those called checked_... flush their queue and wait; no other
/// call here blocks or flushes a queue. A child of fork() is refused. In full: event.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/op.hpp>
#include <clwave/options.hpp>
#include <clwave/question.hpp>
#include <clwave/sort_order.hpp>  // IWYU pragma: export
#include <clwave/view.hpp>

namespace clwave {

namespace detail {

// One call, without its types.
struct segmented_sort_call {
  operand keys, offsets;
  std::optional<operand> keys_out, values = {}, values_out = {};
  sort_order order = {};
  const op* less = nullptr;  // null: numbers by `order`
  std::optional<operand> bad = {};
};

CLWAVE_EXPORT event segmented_sort(cl_command_queue queue, const segmented_sort_call& call,
                                   const launch_options& options);
CLWAVE_EXPORT void checked_segmented_sort(cl_command_queue queue, const segmented_sort_call& call,
                                          const launch_options& options);

template <viewable In, offset_range Offsets, viewable Out>
segmented_sort_call segmented_sort_call_of(const In& in, const Offsets& offsets, const Out& out,
                                           const sort_order& order, const op* less) {
  static_assert(std::is_same_v<viewed<In>, viewed<Out>>, "sorted keys have the type of the keys");
  return {.keys = erase(in),
          .offsets = erase(offsets),
          .keys_out = erase_output(out),
          .order = order,
          .less = less};
}

template <viewable Keys, viewable Values, offset_range Offsets, viewable KeysOut, viewable ValuesOut>
segmented_sort_call segmented_sort_by_key_call_of(const Keys& keys, const Values& values,
                                                  const Offsets& offsets, const KeysOut& keys_out,
                                                  const ValuesOut& values_out, const sort_order& order,
                                                  const op* less) {
  static_assert(std::is_same_v<viewed<Values>, viewed<ValuesOut>>,
                "sorted values have the type of the values");
  segmented_sort_call call = segmented_sort_call_of(keys, offsets, keys_out, order, less);
  call.values = erase(values);
  call.values_out = erase_output(values_out);
  return call;
}

template <counted Bad>
segmented_sort_call counting_bad(segmented_sort_call call, const Bad& bad) {
  call.bad = erase_output(bad);
  return call;
}

}  // namespace detail

/// Sorts the numbers of each of the offsets.size() - 1 segments of `in` by `order` (sort.hpp), to the same
/// places of `out`, which is as long or longer; where no segment is, nothing is touched. Offsets are
/// std::uint64_t or std::uint32_t; they may begin past 0 and end before in.size(). `out` lies apart from `in`
/// or exactly in its place, element for element; any other overlap is refused, and the offsets overlap no
/// output.
///
/// Offsets are checked on the device, and nothing outside `in` is ever read. A segment is bad where it ends
/// before it begins, or ends past `in`. Where any ends before it begins, no result is written at all; else
/// all segments but the bad ones are sorted.
///
/// Does not block: returns the event of its last command, started after `options.after`. No segments: nothing
/// is launched. `out` is read, too. Workspace, pooled and reused, or `options.workspace`: the bytes of `in`
/// and 512, of a GPU without the former where one tile holds all of `in`. Takes up to 2^31 segments and 2^40
/// elements. Throws clwave::error: bad_call before anything is enqueued (elements that are no numbers, bits
/// that they have not, no offsets, an output that is too short or overlaps, a view past its buffer or not
/// aligned to its type, a buffer or an event of another context), build (with the compiler's lines),
/// out_of_memory.
///
///     clwave::segmented_sort(queue, x, offsets, sorted);
///     clwave::segmented_sort(queue, x, offsets, x, {.descending = true});  // in place
template <queue_like Queue, viewable In, detail::offset_range Offsets, viewable Out>
event segmented_sort(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                     const sort_order& order = {}, const launch_options& options = {}) {
  return detail::segmented_sort(handle_of<cl_command_queue>(queue),
                                detail::segmented_sort_call_of(in, offsets, out, order, nullptr), options);
}
/// The same for keys of any type in the order of an operator (merge_sort.hpp). Does not block.
template <queue_like Queue, viewable In, detail::offset_range Offsets, viewable Out, detail::is_op Less = op>
event segmented_sort(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                     const Less& less, const launch_options& options = {}) {
  return detail::segmented_sort(handle_of<cl_command_queue>(queue),
                                detail::segmented_sort_call_of(in, offsets, out, {}, &less), options);
}
/// By numbers, and writes how many segments are bad to the first element of `bad`, on the device.
///
///     clwave::segmented_sort(queue, x, offsets, sorted, bad);  // bad: a view of one std::uint64_t
template <queue_like Queue, viewable In, detail::offset_range Offsets, viewable Out, detail::counted Bad>
event segmented_sort(const Queue& queue, const In& in, const Offsets& offsets, const Out& out, const Bad& bad,
                     const sort_order& order = {}, const launch_options& options = {}) {
  return detail::segmented_sort(
      handle_of<cl_command_queue>(queue),
      detail::counting_bad(detail::segmented_sort_call_of(in, offsets, out, order, nullptr), bad), options);
}
/// By an operator, and writes how many segments are bad.
template <queue_like Queue, viewable In, detail::offset_range Offsets, viewable Out, detail::counted Bad,
          detail::is_op Less = op>
event segmented_sort(const Queue& queue, const In& in, const Offsets& offsets, const Out& out, const Bad& bad,
                     const Less& less, const launch_options& options = {}) {
  return detail::segmented_sort(
      handle_of<cl_command_queue>(queue),
      detail::counting_bad(detail::segmented_sort_call_of(in, offsets, out, {}, &less), bad), options);
}

/// segmented_sort by numbers that blocks until the results are there, and throws bad_call, with their number,
/// where segments are bad; `out` then is as it is without this check. Starts after `options.after`; without
/// that after all that the queue held when the call was made, on an out-of-order queue too.
///
///     clwave::checked_segmented_sort(queue, x, offsets, sorted);
template <queue_like Queue, viewable In, detail::offset_range Offsets, viewable Out>
void checked_segmented_sort(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                            const sort_order& order = {}, const launch_options& options = {}) {
  detail::checked_segmented_sort(handle_of<cl_command_queue>(queue),
                                 detail::segmented_sort_call_of(in, offsets, out, order, nullptr), options);
}
/// The same by an operator. Blocks.
template <queue_like Queue, viewable In, detail::offset_range Offsets, viewable Out, detail::is_op Less = op>
void checked_segmented_sort(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                            const Less& less, const launch_options& options = {}) {
  detail::checked_segmented_sort(handle_of<cl_command_queue>(queue),
                                 detail::segmented_sort_call_of(in, offsets, out, {}, &less), options);
}

/// Sorts the keys of each segment, and brings each value to the place of its key. Values have any element
/// type of up to 128 bytes and are as many as the keys. Keys and values may each be sorted in place, both or
/// one. The workspace is that of keys alone, and the bytes of the values where the keys' are in it. Order,
/// bad segments and errors are those of segmented_sort. Does not block.
///
///     clwave::segmented_sort_by_key(queue, keys, points, offsets, keys_out, points_out);
template <queue_like Queue, viewable Keys, viewable Values, detail::offset_range Offsets, viewable KeysOut,
          viewable ValuesOut>
event segmented_sort_by_key(const Queue& queue, const Keys& keys, const Values& values,
                            const Offsets& offsets, const KeysOut& keys_out, const ValuesOut& values_out,
                            const sort_order& order = {}, const launch_options& options = {}) {
  return detail::segmented_sort(
      handle_of<cl_command_queue>(queue),
      detail::segmented_sort_by_key_call_of(keys, values, offsets, keys_out, values_out, order, nullptr),
      options);
}
/// The same in the order of an operator. Does not block.
template <queue_like Queue, viewable Keys, viewable Values, detail::offset_range Offsets, viewable KeysOut,
          viewable ValuesOut, detail::is_op Less = op>
event segmented_sort_by_key(const Queue& queue, const Keys& keys, const Values& values,
                            const Offsets& offsets, const KeysOut& keys_out, const ValuesOut& values_out,
                            const Less& less, const launch_options& options = {}) {
  return detail::segmented_sort(
      handle_of<cl_command_queue>(queue),
      detail::segmented_sort_by_key_call_of(keys, values, offsets, keys_out, values_out, {}, &less), options);
}
/// By numbers, and writes how many segments are bad to the first element of `bad`, on the device.
template <queue_like Queue, viewable Keys, viewable Values, detail::offset_range Offsets, viewable KeysOut,
          viewable ValuesOut, detail::counted Bad>
event segmented_sort_by_key(const Queue& queue, const Keys& keys, const Values& values,
                            const Offsets& offsets, const KeysOut& keys_out, const ValuesOut& values_out,
                            const Bad& bad, const sort_order& order = {},
                            const launch_options& options = {}) {
  return detail::segmented_sort(
      handle_of<cl_command_queue>(queue),
      detail::counting_bad(
          detail::segmented_sort_by_key_call_of(keys, values, offsets, keys_out, values_out, order, nullptr),
          bad),
      options);
}
/// By an operator, and writes how many segments are bad.
template <queue_like Queue, viewable Keys, viewable Values, detail::offset_range Offsets, viewable KeysOut,
          viewable ValuesOut, detail::counted Bad, detail::is_op Less = op>
event segmented_sort_by_key(const Queue& queue, const Keys& keys, const Values& values,
                            const Offsets& offsets, const KeysOut& keys_out, const ValuesOut& values_out,
                            const Bad& bad, const Less& less, const launch_options& options = {}) {
  return detail::segmented_sort(
      handle_of<cl_command_queue>(queue),
      detail::counting_bad(
          detail::segmented_sort_by_key_call_of(keys, values, offsets, keys_out, values_out, {}, &less), bad),
      options);
}

/// segmented_sort_by_key by numbers with the check of checked_segmented_sort. Blocks.
template <queue_like Queue, viewable Keys, viewable Values, detail::offset_range Offsets, viewable KeysOut,
          viewable ValuesOut>
void checked_segmented_sort_by_key(const Queue& queue, const Keys& keys, const Values& values,
                                   const Offsets& offsets, const KeysOut& keys_out,
                                   const ValuesOut& values_out, const sort_order& order = {},
                                   const launch_options& options = {}) {
  detail::checked_segmented_sort(
      handle_of<cl_command_queue>(queue),
      detail::segmented_sort_by_key_call_of(keys, values, offsets, keys_out, values_out, order, nullptr),
      options);
}
/// The same by an operator. Blocks.
template <queue_like Queue, viewable Keys, viewable Values, detail::offset_range Offsets, viewable KeysOut,
          viewable ValuesOut, detail::is_op Less = op>
void checked_segmented_sort_by_key(const Queue& queue, const Keys& keys, const Values& values,
                                   const Offsets& offsets, const KeysOut& keys_out,
                                   const ValuesOut& values_out, const Less& less,
                                   const launch_options& options = {}) {
  detail::checked_segmented_sort(
      handle_of<cl_command_queue>(queue),
      detail::segmented_sort_by_key_call_of(keys, values, offsets, keys_out, values_out, {}, &less), options);
}

/// A sort of segments to plan. Refers to all that is pointed to.
struct segmented_sort_question {
  asked_operand keys;                            ///< type and place of the keys
  asked_operand offsets;                         ///< of the offsets
  asked_operand keys_out;                        ///< of the sorted keys
  std::optional<asked_operand> values = {};      ///< of the values, where the keys have some
  std::optional<asked_operand> values_out = {};  ///< of the sorted values
  std::uint64_t n = 0;                           ///< keys
  std::uint64_t segments = 0;                    ///< one less than there are offsets
  sort_order order = {};                         ///< of numbers
  const op* less = nullptr;                      ///< the operator of the order; null: numbers
  bool counts_bad = false;                       ///< whether the number of bad segments is written
  std::uint64_t bad_offset = 0;                  ///< of it in its buffer, in elements
};

/// What a call would do (plan.hpp). Throws as the call itself would.
CLWAVE_EXPORT call_plan plan(const segmented_sort_question& asked, const plan_target& on);

}  // namespace clwave
