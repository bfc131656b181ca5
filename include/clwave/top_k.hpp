/// @file
/// top_k and segmented_top_k: the k largest or smallest elements of an input, or of each of many segments of
/// one, with their indices, in order.
///
/// They are the first k elements of a stable sort, in its order (sort.hpp): of equal elements the one with
/// the lowest index is first, -0 is below +0, and NaNs count as equal and as the largest number, so they come
/// last of the smallest elements and first of the largest. Each element keeps its bits. The result is the
/// same on every device and in every run; elements are put in order by their bits, so no device needs
/// doubles, halves or arithmetic of 64 bits for them.
///
/// Up to k = 2048 (1024 on devices with 32 KiB of local memory, where elements and indices have 16 bytes
/// together) the input is read once: samples of it give a bound that a few times k elements do not exceed;
/// one launch of all groups puts these on a list, and one group takes the k best of the list and sorts them.
/// Where the list turns out too short or too long, that group goes over the whole input instead; the samples
/// lie in all parts of the input at places that no simple pattern has, which makes that as unlikely for any
/// input as for a random one. No host is asked in between. Larger k sort all elements, and so do GPUs where
/// that is sooner: few elements that one launch brings to their ranks (sort.hpp), and up to 2^20 of at most 4
/// bytes where k is above 1024. Kernels: cl_kernels/primitives/top_k.cl. Floyd and Rivest, "Expected Time
/// Bounds for Selection", 1975, for bounds by samples.
///
/// Of segments, a GPU's group sorts neighbouring ones in local memory at once, as many as a tile of it holds
/// (4096 elements of 4 bytes, fewer of larger ones), and stores the first k of each. Longer segments are
/// sorted in tiles, of which the first k are merged in passes: as many launches as the whole input would
/// take, which end at once where no segment is as long. A CPU's core takes segments one by one. Kernels:
/// those of segmented_sort (segmented_sort.hpp), cl_kernels/primitives/segmented_sort*.cl.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be in-order
/// or out-of-order, with profiling or without. checked_segmented_top_k flushes its queue and waits; no other
/// call here blocks or flushes a queue. A child of fork() is refused. In full: event.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/options.hpp>
#include <clwave/sort.hpp>  // what indices can be
#include <clwave/view.hpp>

namespace clwave {

/// The options of top_k and segmented_top_k.
struct top_k_options {
  bool descending = true;  ///< the largest ones, the largest first; false: the smallest, the smallest first
  wait_list after = {};    ///< what comes before: launch_options
  bool with_event = true;  ///< whether an event is made: launch_options
  workspace_view workspace = {};  ///< memory to work in: launch_options
};

static_assert(call_options<top_k_options>);

namespace detail {

// The numbers of a call beside the profile's. Every public call has these; tests take others, which few
// elements are many for.
struct top_k_sizes {
  std::uint64_t most_of_one_group = 1 << 14;  // elements that a GPU's group goes over in one launch
  std::uint64_t most_of_one_core = 1 << 15;   // elements that a CPU's core goes over in one launch
  std::uint64_t most_sorted = 1 << 20;        // elements that a GPU may sort where their best are fewer
  std::uint64_t first_sample = 1 << 13;
  std::uint64_t elements_of_sample = 1 << 8;  // of the input for each of the second sample
  std::uint64_t most_second_sample = 1 << 22;
  double capacity_factor = 1;  // of the list
};

}  // namespace detail

/// A top_k, whose types are said at run time: what the call takes, and what plan() is asked, then without
/// buffers. Refers to all types.
struct top_k_problem {
  any_view in;                     ///< the elements
  any_view values;                 ///< the best ones, of the elements' type
  any_view indices;                ///< where they lie, of 32 or 64 bits without a sign
  std::uint64_t k = 0;             ///< how many elements are taken
  bool descending = true;          ///< the largest ones, the largest first; false: the smallest
  detail::top_k_sizes sizes = {};  ///< the library's own; others are for tests alone
};

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const top_k_problem& asked, const plan_target& on);

/// Takes the k best elements, of types that are said at run time. Does not block: returns the event of its
/// last command, started after `options.after`. Throws clwave::error: bad_call before anything is enqueued
/// (types or sizes that do not go together, overlaps that are not allowed, a view past its buffer, an object
/// of another context), build, out_of_memory.
CLWAVE_EXPORT event top_k(cl_command_queue queue, const top_k_problem& asked,
                          const launch_options& options = {});

/// Writes the k best elements to `values` and where in the input they lie to `indices`, best first. Indices
/// have 32 bits, or 64 from 2^32 elements on. Both outputs have k elements, or more, which are not written;
/// neither may overlap the other or the input. The input may be a counted view (any_view.hpp): where it has
/// fewer than k elements when the call runs, so many are written.
///
/// Does not block: returns the event of its last command, started after `options.after`. k = 0: nothing is
/// launched, and the event ends with what the call had to wait for (event.hpp). Workspace, pooled and reused,
/// or `options.workspace`: for small k some 20,000 to 100,000 elements and indices, or a few times k of both
/// where that is more; where all are sorted, twice the bytes of the elements and of an index for each, and of
/// a GPU 1 KiB for each tile. Throws clwave::error: bad_call before anything is enqueued (k above the number
/// of elements, elements that have no order, such as vectors and structures, outputs that are too short or
/// overlap, a view past its buffer or not aligned to its type, a buffer or an event of another context),
/// build (with the compiler's lines), out_of_memory.
///
///     clwave::top_k(queue, scores, best, places, 10);
///     clwave::top_k(queue, distances, nearest, places, 100, {.descending = false, .after = {ready}});
template <queue_like Queue, view_argument In, view_argument Values, detail::indices_of_keys Indices>
event top_k(const Queue& queue, const In& in, const Values& values, const Indices& indices, std::uint64_t k,
            const top_k_options& options = {}) {
  static_assert(std::is_same_v<viewed<In>, viewed<Values>>, "the best elements have the elements' type");
  return top_k(handle_of<cl_command_queue>(queue),
               {.in = detail::erase(in),
                .values = detail::erase_output(values),
                .indices = detail::erase_output(indices),
                .k = k,
                .descending = options.descending},
               detail::launch_of(options));
}

/// A segmented_top_k, whose types are said at run time: what the call takes, and what plan() is asked, then
/// without buffers. Refers to all types.
struct segmented_top_k_problem {
  any_view in;                       ///< the elements of all segments
  any_view offsets;                  ///< u64 or u32, one more than there are segments, or may be
  any_view values;                   ///< the best ones of each segment, of the elements' type
  any_view indices;                  ///< where they lie, of 32 or 64 bits without a sign
  std::uint64_t k = 0;               ///< how many elements of each segment are taken
  bool descending = true;            ///< the largest ones, the largest first; false: the smallest
  std::optional<any_view> bad = {};  ///< u64, the number of bad segments; nothing: they are not counted
};

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const segmented_top_k_problem& asked, const plan_target& on);

/// Takes the k best elements of each segment, of types that are said at run time. Does not block: returns the
/// event of its last command, started after `options.after`. Throws clwave::error: bad_call before anything
/// is enqueued (types or sizes that do not go together, overlaps that are not allowed, a view past its
/// buffer, an object of another context), build, out_of_memory.
CLWAVE_EXPORT event segmented_top_k(cl_command_queue queue, const segmented_top_k_problem& asked,
                                    const launch_options& options = {});

/// Takes the k best elements of each segment, of types that are said at run time, and throws bad_call, with
/// their number, where segments are bad. The problem's `bad` is not looked at. Blocks until the results are
/// there; starts after `options.after`, or else after all that the queue held. Throws clwave::error: bad_call
/// before anything is enqueued (types or sizes that do not go together, overlaps that are not allowed, a view
/// past its buffer, an object of another context), build, out_of_memory, device_lost.
CLWAVE_EXPORT void checked_segmented_top_k(cl_command_queue queue, const segmented_top_k_problem& asked,
                                           const launch_options& options = {});

namespace detail {

template <viewable In, offset_range Offsets, viewable Values, indices_of_keys Indices>
segmented_top_k_problem segmented_top_k_problem_of(const In& in, const Offsets& offsets, const Values& values,
                                                   const Indices& indices, std::uint64_t k, bool descending) {
  static_assert(std::is_same_v<viewed<In>, viewed<Values>>, "the best elements have the elements' type");
  return {.in = erase(in),
          .offsets = erase_offsets(offsets),
          .values = erase_output(values),
          .indices = erase_output(indices),
          .k = k,
          .descending = descending};
}

}  // namespace detail

/// Writes the k best elements of each of the offsets.size() - 1 segments of `in` to `values`, and where in
/// `in` they lie to `indices`, best first: those of segment s begin at values[s * k] and indices[s * k].
/// Segment s is in[offsets[s]] to in[offsets[s + 1] - 1]. Where a segment has fewer than k elements, it has
/// as many results, all of its elements in order, and what is left of its k places is not written. Elements
/// are numbers in sort's order: of equal elements the one with the lowest index is first, -0 is below +0, and
/// NaNs count as the largest number.
///
/// Both outputs have k elements for each segment, or more, which are not written. Neither may overlap the
/// other, the input or the offsets. Indices have 32 bits, or 64 from 2^32 elements on; they count from the
/// begin of `in`, not of the segment. Offsets are std::uint64_t or std::uint32_t; they may begin past 0 and
/// end before in.size(). With offsets.first_segments(count) the device counts the segments
/// (counted_segments): the outputs have room for all that there may be, and may not overlap the count.
///
/// Offsets are checked on the device, and nothing outside `in` is ever read. A segment is bad where it ends
/// before it begins, or ends past `in`. Where any ends before it begins, no result is written at all; else
/// all segments but the bad ones have their results.
///
/// Does not block: returns the event of its last command, started after `options.after`. No segments, or
/// k = 0: nothing is launched. Workspace, pooled and reused, or `options.workspace`: twice the bytes of `in`
/// and of an index for each element, and 1024; of a GPU half of that where two tiles hold all of `in`, and
/// 1024 bytes where one does. Takes up to 2^31 segments and 2^40 elements. Results are the same on every
/// device and in every run. Throws clwave::error: bad_call before anything is enqueued (elements that have no
/// order, such as vectors and structures, no offsets, outputs that are too short or overlap, a view past its
/// buffer or not aligned to its type, a buffer or an event of another context), build (with the compiler's
/// lines), out_of_memory.
///
///     // The 10 best scores of each query, and where they lie.
///     clwave::segmented_top_k(queue, scores, query_starts, best, places, 10);
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Values,
          detail::indices_of_keys Indices>
event segmented_top_k(const Queue& queue, const In& in, const Offsets& offsets, const Values& values,
                      const Indices& indices, std::uint64_t k, const top_k_options& options = {}) {
  return segmented_top_k(
      handle_of<cl_command_queue>(queue),
      detail::segmented_top_k_problem_of(in, offsets, values, indices, k, options.descending),
      detail::launch_of(options));
}

/// Writes the k best elements of each segment of `in` to `values`, and where in `in` they lie to `indices`,
/// from place s * k on. Sets the first element of `bad`, on the device, to how many segments end before they
/// begin or past `in`. These have no results, and where any ends before it begins, none is written. With k =
/// 0 segments are only counted. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (elements that have no order,
/// no offsets, views that are too short or overlap, an object of another context), build, out_of_memory.
///
///     clwave::segmented_top_k(queue, x, offsets, best, places, 10, bad);  // bad: a view of one uint64_t
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Values,
          detail::indices_of_keys Indices, detail::counted Bad>
event segmented_top_k(const Queue& queue, const In& in, const Offsets& offsets, const Values& values,
                      const Indices& indices, std::uint64_t k, const Bad& bad,
                      const top_k_options& options = {}) {
  segmented_top_k_problem problem =
      detail::segmented_top_k_problem_of(in, offsets, values, indices, k, options.descending);
  problem.bad = detail::erase_output(bad);
  return segmented_top_k(handle_of<cl_command_queue>(queue), problem, detail::launch_of(options));
}

/// Writes the k best elements of each segment of `in` to `values`, and where in `in` they lie to `indices`,
/// from place s * k on. Blocks until the results are there; starts after `options.after`, or else after all
/// that the queue held. Throws clwave::error: bad_call, with their number, where segments are bad (they end
/// before they begin or past `in`); the outputs then are as they are without this check. Also bad_call before
/// anything is enqueued (elements that have no order, no offsets, views that are too short or overlap, an
/// object of another context), build, out_of_memory, device_lost.
///
///     clwave::checked_segmented_top_k(queue, x, offsets, best, places, 10, {.descending = false});
template <queue_like Queue, view_argument In, detail::offset_range Offsets, view_argument Values,
          detail::indices_of_keys Indices>
void checked_segmented_top_k(const Queue& queue, const In& in, const Offsets& offsets, const Values& values,
                             const Indices& indices, std::uint64_t k, const top_k_options& options = {}) {
  checked_segmented_top_k(
      handle_of<cl_command_queue>(queue),
      detail::segmented_top_k_problem_of(in, offsets, values, indices, k, options.descending),
      detail::launch_of(options));
}

}  // namespace clwave
