/// @file
/// Histograms over ranks: how many elements of one array, whose shards lie with several processes, fall into
/// each of some bins.
///
/// Each rank (ranks.hpp) has shards of whole pixels, and room for all counts in its host's memory. All ranks
/// make the same call, and all get the counts of all elements: those of one call on one device
/// (histogram.hpp), whole numbers, which add up in any order.
///
/// How. Each device of a rank counts its shard, and the device of the longest one adds the counts up. The
/// counts go up the tree of ranks, are added up on the way, and those of all come down. Kernels:
/// cl_kernels/primitives/histogram.cl, cl_kernels/primitives/reduce_columns.cl.
///
/// Cost. A rank sends and gets at most 20 messages a call, however many ranks there are, of which the largest
/// have all counts.
///
/// Blocking. A call returns when the rank has the counts. It gives commands to the queues of the rank's own
/// shards alone, flushes them, and waits for what they wait for.
///
/// Threads. A ranks object serves one call at a time; calls of several threads take objects of their own.
///
/// Errors. What goes wrong on one rank is thrown on all ranks, with the rank's number, which counts from 0;
/// so is a call that differs between ranks in the bins, the channels or the types. After a message that did
/// not come the object takes no further call. The counts are written when all has gone well on the way to the
/// first rank and back; else they are as they were.
///
/// Memory. On each device the counts of each of its shards, and what a histogram takes there; on the device
/// of the longest shard the counts of all of the rank's shards and once more, in a buffer of the call's own,
/// and on the host twice. All else is pooled and reused.
#pragma once

#include <cstddef>
#include <ranges>
#include <span>

#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/histogram.hpp>
#include <clwave/host_array_histogram.hpp>
#include <clwave/ranks.hpp>
#include <clwave/sharded.hpp>
#include <clwave/sharded_histogram.hpp>

namespace clwave {

namespace detail {

// A histogram of the shards of several ranks, without its types.
struct ranks_histogram_problem {
  std::span<const erased_shard> in;
  // The call on one device: its input has the elements of the rank's shards, and no buffer; nor have the
  // counts, which are as many as there is room for.
  histogram_problem whole;
  void* counts;
  const wait_list* after = nullptr;  // what the host waits for
};

CLWAVE_EXPORT void histogram_ranks(ranks& over, const ranks_histogram_problem& call);

template <class T, class Counts>
ranks_histogram_problem call_over_ranks(const sharded<T>& in, Counts& counts,
                                        const histogram_options& options) {
  return {.in = in.erased(),
          .whole = {.in = all_of_shards(in),
                    .counts = {element_of<std::ranges::range_value_t<Counts>>(), std::ranges::size(counts)},
                    .channels = options.channels},
          .counts = std::ranges::data(counts),
          .after = &options.after};
}

}  // namespace detail

/// Sets the counts of even bins, over all elements of all ranks: counts[c * bins + k] is how many elements of
/// channel c fall into bin k of counts.size() / channels bins, 1 to 2^24, of one width from bins.lo to before
/// bins.hi. Counts are exact and replace what was there. To be called by all ranks, each with its shards and
/// with `counts` in its host's memory: a vector, an array or a span of std::uint32_t or std::uint64_t. The
/// channels alternate over a rank's elements, which begin with the first one. Blocks until the counts are
/// there. Without elements all counts become 0; a rank without any takes a shard, too. Each rank's host waits
/// for its own events `options.after`, of any contexts, before the rank begins.
///
/// Throws clwave::error on all ranks where one has an error: bad_call before anything is enqueued (no shards,
/// elements that are no numbers, bounds that are not finite or do not rise, counts that are no multiple of
/// the channels, a part of a pixel, calls that differ), build, out_of_memory, device_lost, and driver where a
/// message does not come.
///
///     std::vector<std::uint64_t> counts(256);
///     clwave::histogram(all, pixels, counts, clwave::even{0, 256});  // pixels: this rank's shards
template <class T, detail::counts_on_host Counts>
void histogram(ranks& over, const sharded<T>& in, Counts&& counts, const even& bins,
               const histogram_options& options = {}) {
  auto call = detail::call_over_ranks(in, counts, options);
  call.whole.bounds = bins;
  detail::histogram_ranks(over, call);
}

/// Sets counts[c * bins + k], in each rank's host memory, to how many elements of channel c of all ranks lie
/// from edges[k] to before edges[k + 1]. Edges are numbers of any type in the host's memory, one more than
/// bins, rise or stay the same, and all ranks give the same ones. To be called by all ranks, each with its
/// shards. Blocks until the counts are there. Throws clwave::error on all ranks where one has an error:
/// bad_call before anything is enqueued (no shards, edges that fall or are NaN, too few counts, a part of a
/// pixel, calls that differ), build, out_of_memory, device_lost, and driver where a message does not come.
///
///     clwave::histogram(all, ages, counts, std::array{0, 18, 65, 120});
template <class T, detail::counts_on_host Counts, detail::edges_on_host Edges>
void histogram(ranks& over, const sharded<T>& in, Counts&& counts, const Edges& edges,
               const histogram_options& options = {}) {
  auto call = detail::call_over_ranks(in, counts, options);
  call.whole.host = host_edges{std::ranges::data(edges), std::ranges::size(edges),
                               &element_of<std::ranges::range_value_t<const Edges>>()};
  detail::histogram_ranks(over, call);
}

}  // namespace clwave
