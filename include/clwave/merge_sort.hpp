/// @file
/// Sorts by a comparison of yours: keys of any type, keys with values, and the indices that sort them. All
/// are stable. What has a number to sort by is sorted faster by that (sort.hpp, key_sort.hpp).
///
/// An operator says of two keys whether the first comes before the second; it should be a strict weak
/// ordering, as C++'s sorts ask for. Then the result depends on nothing but the input: it is the same on every
/// device and in every run, bit for bit. If it is none, the result still is a permutation: every key comes out
/// once, with its value, and nothing else is read or written. Which permutation that is differs between
/// devices, and it may leave keys unsorted that the operator does order.
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
/// Threads may call these functions at the same time, on one queue or on several. The queue may be in-order
/// or out-of-order, with profiling or without. A call flushes neither it nor any other. A child of fork() is
/// refused. In full: event.hpp.
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
#include <clwave/view.hpp>

namespace clwave {

namespace detail {

// One call, without its types. Of an argsort there is no output of the keys, and the values are made.
struct merge_sort_call {
  operand keys;
  std::optional<operand> keys_out = {};
  std::optional<operand> values = {};
  std::optional<operand> values_out = {};
  const op* less = nullptr;
};

CLWAVE_EXPORT event merge_sort(cl_command_queue queue, const merge_sort_call& call,
                               const launch_options& options);

}  // namespace detail

/// Sorts the keys of `in` into `out`, which is as long or longer; behind the keys nothing is touched. `less`
/// is an operator whose text is true where `a` comes before `b`, false where they are equal. Of the operator,
/// name, source, declarations and values count. Keys have any element type of up to 128 bytes, structures,
/// vectors and complex numbers included. Either range lies apart from the other or exactly in its place,
/// element for element; any other overlap is refused.
///
/// Does not block: returns the event of its last command, started after `options.after`. No elements: nothing
/// is launched, and the event ends with what the call had to wait for (event.hpp). `out` is read, too.
/// Workspace, pooled and reused, or `options.workspace`: the bytes of the keys, and of a GPU 8 bytes for each
/// tile; none where one tile of a GPU holds all. Throws clwave::error: bad_call before anything is enqueued
/// (an output that is too short or overlaps, a view past its buffer or not aligned to its type, a buffer or
/// an event of another context), build (with the compiler's lines), out_of_memory.
///
///     clwave::sort(queue, points, sorted, {.name = "by x, then y",
///                                          .source = "a.x < b.x || (a.x == b.x && a.y < b.y)"});
///     // 128 bits, as a structure of two u64:
///     clwave::sort(queue, keys, keys,
///                  {.name = "wide", .source = "a.high < b.high || (a.high == b.high && a.low < b.low)"});
template <queue_like Queue, viewable In, viewable Out, detail::is_op Less = op>
event sort(const Queue& queue, const In& in, const Out& out, const Less& less,
           const launch_options& options = {}) {
  static_assert(std::is_same_v<viewed<In>, viewed<Out>>, "sorted keys have the type of the keys");
  return detail::merge_sort(handle_of<cl_command_queue>(queue),
                            {.keys = detail::erase(in), .keys_out = detail::erase_output(out), .less = &less},
                            options);
}

/// Sorts keys by an operator, and brings each value to the place of its key. Values have any element type of
/// up to 128 bytes and are as many as the keys. Keys and values may each be sorted in place, both or one. The
/// workspace is that of keys alone, and the bytes of the values. Order, overlap and errors are those of sort
/// by an operator. Does not block.
///
///     clwave::sort_by_key(queue, keys, points, keys_out, points_out,
///                         {.name = "by norm", .source = "dot(a, a) < dot(b, b)"});
template <queue_like Queue, viewable Keys, viewable Values, viewable KeysOut, viewable ValuesOut,
          detail::is_op Less = op>
event sort_by_key(const Queue& queue, const Keys& keys, const Values& values, const KeysOut& keys_out,
                  const ValuesOut& values_out, const Less& less, const launch_options& options = {}) {
  static_assert(std::is_same_v<viewed<Keys>, viewed<KeysOut>>, "sorted keys have the type of the keys");
  static_assert(std::is_same_v<viewed<Values>, viewed<ValuesOut>>,
                "sorted values have the type of the values");
  return detail::merge_sort(handle_of<cl_command_queue>(queue),
                            {.keys = detail::erase(keys),
                             .keys_out = detail::erase_output(keys_out),
                             .values = detail::erase(values),
                             .values_out = detail::erase_output(values_out),
                             .less = &less},
                            options);
}

/// Writes to `indices` where in `keys` the first key by an operator lies, then the next one, and so on;
/// equals in the order they have. Indices have 32 bits, or 64 from 2^32 keys on; there are as many as keys,
/// or more. The keys are only read, and may not overlap the indices. The workspace is twice the bytes of the
/// keys, and those of the indices. Errors are those of sort by an operator. Does not block.
///
///     clwave::argsort(queue, points, indices, {.name = "by x", .source = "a.x < b.x"});
template <queue_like Queue, viewable Keys, detail::indices_of_keys Indices, detail::is_op Less = op>
event argsort(const Queue& queue, const Keys& keys, const Indices& indices, const Less& less,
              const launch_options& options = {}) {
  return detail::merge_sort(
      handle_of<cl_command_queue>(queue),
      {.keys = detail::erase(keys), .values_out = detail::erase_output(indices), .less = &less}, options);
}

/// A sort by an operator to plan. Refers to all that is pointed to.
struct merge_sort_question {
  asked_operand keys;                            ///< type and place of the keys
  std::optional<asked_operand> keys_out = {};    ///< of the sorted keys; nothing: an argsort
  std::optional<asked_operand> values = {};      ///< of the values, where the keys have some
  std::optional<asked_operand> values_out = {};  ///< of the sorted values, or of the indices of an argsort
  std::uint64_t n = 0;                           ///< keys
  const op* less = nullptr;                      ///< the operator
};

/// What a call would do (plan.hpp). Throws as the call itself would.
CLWAVE_EXPORT call_plan plan(const merge_sort_question& asked, const plan_target& on);

}  // namespace clwave
