/// @file
/// Histograms of sharded: how many elements of one array, which lies in shards on several devices, fall into
/// each of some bins.
///
/// The counts are those of one call on one device (histogram.hpp), wherever the array is cut: whole numbers,
/// which add up in any order.
///
/// How. Each device counts the elements of its shard. The counts of all shards go through page-locked host
/// memory to the device that is to have them, which adds them up. Of a pixel that a cut goes through, each
/// shard gives the channels that it has, and that device counts it. Nothing else leaves a device. Kernels:
/// cl_kernels/primitives/histogram.cl, cl_kernels/primitives/reduce_columns.cl.
///
/// Blocking. The calls return when the counts are there: they give commands to the queue of every shard and
/// to that of the counts, flush those queues, and wait for their own commands. The work on a shard starts
/// after the events given with it; without any, after all that its queue held when the call was made, on an
/// out-of-order queue too. The same holds of the counts and the events `after`, which say nothing of the
/// shards, as events of a shard say nothing of the counts.
///
/// Memory. On each device the counts of each of its shards, and what a histogram takes there; on the device
/// of the counts those of all shards; on the host those of shards of other queues. All of it is pooled and
/// reused.
///
/// Threads may count at the same time, the same array and others, on the same queues and others, as long as
/// none changes a shards object. Queues may be in-order or out-of-order, with profiling or without. A child
/// of fork() is refused. In full: event.hpp.
///
/// Errors. All shards and the counts are checked, and all programs built, before any work is enqueued. What a
/// check, a compiler or a device says of one shard is thrown with the shard's number, counted from 1, and its
/// device; what goes wrong with the counts, with their device. If a device fails in the middle, the call
/// waits until the commands that it gave to the others have ended, and then throws.
#pragma once

#include <cstddef>
#include <optional>
#include <ranges>
#include <span>

#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/handle.hpp>
#include <clwave/histogram.hpp>
#include <clwave/profile.hpp>
#include <clwave/sharded.hpp>
#include <clwave/view.hpp>

namespace clwave {

namespace detail {

// A histogram of shards, without its types.
struct sharded_histogram_problem {
  std::span<const erased_shard> in;
  cl_command_queue queue;  // of the counts
  // The call on one device: its input has the elements of all shards, and no buffer.
  histogram_problem whole;
  wait_list after = {};
  // The profile for each shard; empty in public calls, where each device has its own. Tests mix profiles.
  std::span<const profile_choice> rows = {};
};

CLWAVE_EXPORT void histogram_sharded(const sharded_histogram_problem& call);

template <class T>
any_view all_of_shards(const sharded<T>& in) {
  return {nullptr, static_cast<std::size_t>(in.size()), 0, &element_of<T>()};
}

}  // namespace detail

/// Sets the counts of even bins, over all elements of all shards of `in`: counts[c * bins + k] is how many
/// elements of channel c fall into bin k of counts.size() / channels bins, 1 to 2^24, of one width from
/// bins.lo to before bins.hi. Counts are exact and replace what was there; they are std::uint32_t or
/// std::uint64_t. `queue` is one of the device that is to have the counts, in the context of their buffer; no
/// shard need lie there. The channels alternate over the whole array, and a cut may go through a pixel. The
/// counts may not overlap any shard. Blocks until they are there; what writes them starts after the events
/// `options.after`.
///
/// Without elements all counts become 0; that takes a shard, too. Throws clwave::error: bad_call before
/// anything is enqueued (no shards, elements that are no numbers, bounds that are not finite or do not rise,
/// counts that are no multiple of the channels or overlap a shard, a queue that is none, a view past its
/// buffer or of another context than its queue), build, out_of_memory, device_lost.
///
///     clwave::histogram(queue, pixels, counts, clwave::even{0, 256}, {.channels = 3});  // pixels: shards
template <queue_like Queue, class T, detail::counts_of_bins Counts>
void histogram(const Queue& queue, const sharded<T>& in, const Counts& counts, const even& bins,
               const histogram_options& options = {}) {
  detail::histogram_sharded({.in = in.erased(),
                             .queue = handle_of<cl_command_queue>(queue),
                             .whole = {.in = detail::all_of_shards(in),
                                       .counts = detail::erase_output(counts),
                                       .bounds = bins,
                                       .channels = options.channels},
                             .after = options.after});
}

/// Sets counts[c * bins + k] to how many elements of channel c, over all shards of `in`, lie from edges[k] to
/// before edges[k + 1]. Edges are numbers of any type in the host's memory, one more than bins, rise or stay
/// the same, and are copied to each device. `queue` is one of the device that is to have the counts. Blocks
/// until they are there. Throws clwave::error: bad_call before anything is enqueued (no shards, edges that
/// fall or are NaN, too few counts, a queue that is none, a view past its buffer or of another context than
/// its queue), build, out_of_memory, device_lost.
///
///     clwave::histogram(queue, ages, counts, std::array{0, 18, 65, 120});  // ages: shards
template <queue_like Queue, class T, detail::counts_of_bins Counts, detail::edges_on_host Edges>
void histogram(const Queue& queue, const sharded<T>& in, const Counts& counts, const Edges& edges,
               const histogram_options& options = {}) {
  detail::histogram_sharded(
      {.in = in.erased(),
       .queue = handle_of<cl_command_queue>(queue),
       .whole = {.in = detail::all_of_shards(in),
                 .counts = detail::erase_output(counts),
                 .host = host_edges{std::ranges::data(edges), std::ranges::size(edges),
                                    &element_of<std::ranges::range_value_t<const Edges>>()},
                 .channels = options.channels},
       .after = options.after});
}

}  // namespace clwave
