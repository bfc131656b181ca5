/// @file
/// Sorts of segments: each of many stretches of one input, given by offsets on the device, keys alone or with
/// values. All are stable.
///
/// Segment s is in[offsets[s]] to in[offsets[s + 1] - 1]; each is sorted as sort.hpp would sort it alone, so
/// the result is the same on every device and in every run. The work is shared out by elements and segments
/// together: millions of empty and short segments and a few huge ones in one call keep all of a device busy.
///
/// An operator that is no strict weak ordering, such as `a < b` where there are NaNs, loses nothing: every
/// key of a segment comes out in it once, with its value, in an order that then differs between devices.
/// Segments whose keys the operator does order are sorted all the same. sort.hpp has an order for NaN.
///
/// Sorts by comparison. A first launch looks at all offsets. In the second, a GPU's group takes neighbouring
/// segments as many as a tile of local memory holds (4096 keys of 4 bytes, fewer of larger ones), and sorts
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

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/options.hpp>
#include <clwave/sort.hpp>        // IWYU pragma: export
#include <clwave/sort_order.hpp>  // IWYU pragma: export
#include <clwave/view.hpp>

namespace clwave {

/// Sorts each segment, keys alone or with values, of types that are said at run time, and throws bad_call,
/// with their number, where segments are bad. The problem's `bad` is not looked at. Blocks until the results
/// are there; starts after `options.after`, or else after all that the queue held. Throws clwave::error:
/// bad_call before anything is enqueued (types or sizes that do not go together, overlaps that are not
/// allowed, a view past its buffer, an object of another context), build, out_of_memory, device_lost.
CLWAVE_EXPORT void checked_segmented_sort(cl_command_queue queue, const sort_problem& asked,
                                          const launch_options& options = {});

namespace detail {

template <offset_range Offsets>
sort_problem in_segments(sort_problem asked, const Offsets& offsets) {
  asked.offsets = erase_offsets(offsets);
  return asked;
}

template <offset_range Offsets, counted Bad>
sort_problem in_segments(sort_problem asked, const Offsets& offsets, const Bad& bad) {
  asked.offsets = erase_offsets(offsets);
  asked.bad = erase_output(bad);
  return asked;
}

}  // namespace detail

/// Sorts the keys of each of the offsets.size() - 1 segments of `in` to the same places of `out`, which is as
/// long or longer; where no segment is, nothing is touched. Elements are put in the order of numbers (NaNs
/// last, -0 before +0), of `options.less`, or of the keys that `options.keys` make of them, whose texts see
/// an element's index in `in` and are evaluated for elements of no segment, too. Segment s is in[offsets[s]]
/// to in[offsets[s + 1] - 1]. Offsets are std::uint64_t or std::uint32_t; they may begin past 0 and end
/// before in.size(). `out` lies apart from `in` or exactly in its place, element for element; any other
/// overlap is refused, and the offsets overlap no output. With offsets.first_segments(count) the device
/// counts the segments (counted_segments), and no output may overlap the count either.
///
/// Offsets are checked on the device, and nothing outside `in` is ever read. A segment is bad where it ends
/// before it begins, or ends past `in`. Where any ends before it begins, no result is written at all; else
/// all segments but the bad ones are sorted.
///
/// Does not block: returns the event of its last command, started after `options.after`. No segments: nothing
/// is launched. `out` is read, too. Workspace, pooled and reused, or `options.workspace`: the bytes of `in`
/// and 512, of a GPU without the former where one tile holds all of `in`. By keys of texts twice the bytes of
/// the keys, all of the size of the largest one, twice those of indices of 32 bits (64 from 2^32 elements
/// on), and 1024; in place the bytes of the elements, too. Takes up to 2^31 segments and 2^40 elements.
/// Throws clwave::error: bad_call before anything is enqueued (elements that are no numbers where nothing
/// else orders them, bits that a key has not, more than one kind of order, more than 8 keys, no offsets, an
/// output that is too short or overlaps, a view past its buffer or misaligned, an object of another context),
/// build (with the compiler's lines), out_of_memory.
///
///     clwave::segmented_sort(queue, x, offsets, sorted);
///     clwave::segmented_sort(queue, particles, offsets, sorted,
///                            {.keys = clwave::by<float>({.name = "mass", .source = "x.mass"})});
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out>
event segmented_sort(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                     const sort_options& options = {}) {
  return sort(handle_of<cl_command_queue>(queue),
              detail::in_segments(detail::sort_problem_of(in, out, options), offsets),
              detail::launch_of(options));
}
/// Sorts the elements of each segment of `x` where they are, stably; elements of no segment stay. Segment s
/// is in[offsets[s]] to in[offsets[s + 1] - 1]. A segment that ends before it begins or past `x` is not
/// sorted, and where any ends before it begins, none is. Does not block: returns the event of its last
/// command, started after `options.after`. Workspace, pooled and reused, or `options.workspace`: the bytes of
/// `x` and 512; by keys of texts twice the bytes of the keys and of an index for each element, the bytes of
/// the elements, and 1024. Throws clwave::error: bad_call before anything is enqueued (elements that nothing
/// orders, bits that a key has not, no offsets, a view past its buffer or misaligned, an object of another
/// context), build, out_of_memory.
///
///     clwave::segmented_sort(queue, x, offsets, {.descending = true});
template <queue_like Queue, view_argument X, detail::offset_range Offsets>
event segmented_sort(const Queue& queue, const X& x, const Offsets& offsets,
                     const sort_options& options = {}) {
  return segmented_sort(queue, x, offsets, x, options);
}
/// Sorts the elements of each segment of `in`, stably, to the same places of `out`. Sets the first element of
/// `bad`, on the device, to how many segments end before they begin or past `in`. These are not sorted, and
/// where any ends before it begins, no result is written. `bad` overlaps nothing. Does not block: returns the
/// event of its last command, started after `options.after`. Throws clwave::error: bad_call before anything
/// is enqueued (elements that nothing orders, bits that a key has not, no offsets, views that are too short
/// or overlap, an object of another context), build, out_of_memory.
///
///     clwave::segmented_sort(queue, x, offsets, sorted, bad);  // bad: a view of one std::uint64_t
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out,
          detail::counted Bad>
event segmented_sort(const Queue& queue, const In& in, const Offsets& offsets, const Out& out, const Bad& bad,
                     const sort_options& options = {}) {
  return sort(handle_of<cl_command_queue>(queue),
              detail::in_segments(detail::sort_problem_of(in, out, options), offsets, bad),
              detail::launch_of(options));
}
/// Sorts the elements of each segment of `in`, stably, to the same places of `out`. Blocks until the results
/// are there; starts after `options.after`, or else after all that the queue held. Throws clwave::error:
/// bad_call, with their number, where segments are bad (they end before they begin or past `in`); `out` then
/// is as it is without this check. Also bad_call before anything is enqueued (elements that nothing orders,
/// bits that a key has not, no offsets, views that are too short or overlap, an object of another context),
/// build, out_of_memory, device_lost.
///
///     clwave::checked_segmented_sort(queue, x, offsets, sorted);
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Out>
void checked_segmented_sort(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                            const sort_options& options = {}) {
  checked_segmented_sort(handle_of<cl_command_queue>(queue),
                         detail::in_segments(detail::sort_problem_of(in, out, options), offsets),
                         detail::launch_of(options));
}

/// Sorts the keys of each segment, and brings each value to the place of its key. Values have any element
/// type of up to 128 bytes and are as many as the keys. Keys and values may each be sorted in place, both or
/// one. Workspace, pooled and reused, or `options.workspace`: the bytes of the keys and of the values and
/// 512, of a GPU 512 where one tile holds all keys; by keys of texts twice the bytes of the keys and of an
/// index for each element, 1024, and in place the bytes of the elements or values. Segment s has the keys
/// from keys[offsets[s]] to keys[offsets[s + 1] - 1]; a segment that ends before it begins or past `keys` is
/// not sorted, and where any ends before it begins, no result is written. Does not block: returns the event
/// of its last command, started after `options.after`. Throws clwave::error: bad_call before anything is
/// enqueued (keys that nothing orders, bits that a key has not, values that are not as many, no offsets,
/// views that are too short or overlap, an object of another context), build, out_of_memory.
///
///     clwave::segmented_sort_by_key(queue, keys, points, offsets, keys_out, points_out);
template <queue_like Queue, view_argument Keys, view_argument Values, detail::offset_range Offsets,
          view_argument KeysOut, view_argument ValuesOut>
event segmented_sort_by_key(const Queue& queue, const Keys& keys, const Values& values,
                            const Offsets& offsets, const KeysOut& keys_out, const ValuesOut& values_out,
                            const sort_options& options = {}) {
  return sort(
      handle_of<cl_command_queue>(queue),
      detail::in_segments(detail::sort_problem_of(keys, values, keys_out, values_out, options), offsets),
      detail::launch_of(options));
}
/// Sorts the keys of each segment where they are, stably, and brings each value to the place of its key. Keys
/// and values are equally many. A segment that ends before it begins or past `keys` is not sorted, and where
/// any ends before it begins, none is. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (keys that nothing orders,
/// bits that a key has not, values that are not as many, no offsets, views that are too short or overlap, an
/// object of another context), build, out_of_memory.
template <queue_like Queue, view_argument Keys, view_argument Values, detail::offset_range Offsets>
event segmented_sort_by_key(const Queue& queue, const Keys& keys, const Values& values,
                            const Offsets& offsets, const sort_options& options = {}) {
  return segmented_sort_by_key(queue, keys, values, offsets, keys, values, options);
}
/// Sorts the keys of each segment, stably, and brings each value to the place of its key. Sets the first
/// element of `bad`, on the device, to how many segments end before they begin or past `keys`; these are not
/// sorted, and where any ends before it begins, no result is written. Does not block: returns the event of
/// its last command, started after `options.after`. Throws clwave::error: bad_call before anything is
/// enqueued (keys that nothing orders, values that are not as many, no offsets, views that are too short or
/// overlap, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument Keys, view_argument Values, detail::offset_range Offsets,
          view_argument KeysOut, view_argument ValuesOut, detail::counted Bad>
event segmented_sort_by_key(const Queue& queue, const Keys& keys, const Values& values,
                            const Offsets& offsets, const KeysOut& keys_out, const ValuesOut& values_out,
                            const Bad& bad, const sort_options& options = {}) {
  return sort(
      handle_of<cl_command_queue>(queue),
      detail::in_segments(detail::sort_problem_of(keys, values, keys_out, values_out, options), offsets, bad),
      detail::launch_of(options));
}
/// Sorts the keys of each segment, stably, and brings each value to the place of its key. Blocks until the
/// results are there; starts after `options.after`, or else after all that the queue held. Throws
/// clwave::error: bad_call, with their number, where segments are bad (they end before they begin or past
/// `keys`); the outputs then are as they are without this check. Also bad_call before anything is enqueued
/// (keys that nothing orders, values that are not as many, no offsets, views that are too short or overlap,
/// an object of another context), build, out_of_memory, device_lost.
template <queue_like Queue, view_argument Keys, view_argument Values, detail::offset_range Offsets,
          view_argument KeysOut, view_argument ValuesOut>
void checked_segmented_sort_by_key(const Queue& queue, const Keys& keys, const Values& values,
                                   const Offsets& offsets, const KeysOut& keys_out,
                                   const ValuesOut& values_out, const sort_options& options = {}) {
  checked_segmented_sort(
      handle_of<cl_command_queue>(queue),
      detail::in_segments(detail::sort_problem_of(keys, values, keys_out, values_out, options), offsets),
      detail::launch_of(options));
}

}  // namespace clwave
