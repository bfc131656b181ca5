/// @file
/// Histograms of a host_array: how many elements of an array that no device need hold fall into each of some
/// bins, on one or several devices.
///
/// Pieces of the array, some 8 MiB each, stream through the devices: each is copied into page-locked memory,
/// from there to a device, and counted there while the next ones are on their way. The counts are those of
/// one call on one device (histogram.hpp): whole numbers, which add up in any order.
///
/// How. A piece has whole pixels. Its device counts its elements, and adds the counts to those of the pieces
/// that came the same way before. When there are no more pieces, these sums go back to the host, which adds
/// them up. Kernels: cl_kernels/primitives/histogram.cl, cl_kernels/primitives/transform.cl.
///
/// Blocking. The calls return when the counts are there. Kernels go to the queues that were given, the way to
/// a device to a queue of the library's own there; both are flushed, and the call waits for its own commands.
/// On an in-order queue they come behind what it holds; on an out-of-order queue they start at once.
///
/// Memory. On each device up to 12 pieces, the counts twice for each, and what a histogram takes there, from
/// what is kept for workspace (cache.hpp); on the host the counts once for each, and as much page-locked
/// memory as of the pieces, where the array's is not page-locked. Where a piece and its counts are larger
/// than some 16 MiB, there are fewer pieces, down to 3.
///
/// Threads. The call makes threads of its own, up to 12 for each queue and as many as the machine runs at
/// once, which copy or read; they end before it returns. Any threads may make calls at the same time, with
/// the same arrays and queues. A child of fork() is refused. In full: event.hpp.
///
/// Errors. The queues are checked, and programs built, before anything is read or enqueued. What a check, a
/// compiler or a device says is thrown with the queue's number, counted from 1, and its device; what your
/// function throws is thrown as it is. Where something goes wrong in the middle, what the counts hold is not
/// known.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>

#include <clwave/element.hpp>
#include <clwave/export.hpp>
#include <clwave/histogram.hpp>
#include <clwave/host_array.hpp>
#include <clwave/opencl.hpp>

namespace clwave {

namespace detail {

// A histogram of such an array, without its types.
struct host_histogram_problem {
  std::span<const cl_command_queue> queues;
  const host_elements* in;
  void* counts;
  std::uint64_t n_counts;
  const element* count_type;
  std::optional<even> bins = {};         // or
  std::optional<host_edges> edges = {};  // between them
  unsigned channels = 1;
  stream_sizes streaming = {};  // its pieces: multiples of a pixel
};

CLWAVE_EXPORT void histogram_host_array(const host_histogram_problem& call);

/// What counts in the host's memory can be.
template <class Counts>
concept counts_on_host = std::ranges::contiguous_range<Counts> && std::ranges::sized_range<Counts> &&
    (std::same_as<std::ranges::range_reference_t<Counts>, std::uint32_t&> ||
     std::same_as<std::ranges::range_reference_t<Counts>,
                  std::uint64_t&>)&&std::ranges::borrowed_range<Counts>;

template <class T, class Counts>
host_histogram_problem streamed_histogram(const queues& over, const host_array<T>& in, Counts& counts,
                                          const histogram_options& options) {
  return {.queues = over.handles(),
          .in = &in.erased(),
          .counts = std::ranges::data(counts),
          .n_counts = std::ranges::size(counts),
          .count_type = &element_of<std::ranges::range_value_t<Counts>>(),
          .channels = options.channels};
}

}  // namespace detail

/// Sets the counts of even bins, over all elements of `in`, on the devices of all queues:
/// counts[c * bins + k] is how many elements of channel c fall into bin k of counts.size() / channels bins, 1
/// to 2^24, of one width from bins.lo to before bins.hi. Counts are exact and replace what was there.
/// `counts` lie in the host's memory, apart from the elements: a vector, an array or a span of std::uint32_t
/// or std::uint64_t. Blocks until they are there. Without elements all counts become 0.
///
/// Throws clwave::error: bad_call before anything is read or enqueued (no queues, a queue that is none,
/// elements that are no numbers, bounds that are not finite or do not rise, counts or elements that are no
/// multiple of the channels), build, out_of_memory, device_lost.
///
///     std::vector<std::uint64_t> counts(3 * 256);
///     clwave::histogram(queue, clwave::host_array(pixels), counts, clwave::even{0, 256}, {.channels = 3});
template <class T, detail::counts_on_host Counts>
void histogram(const queues& over, const host_array<T>& in, Counts&& counts, const even& bins,
               const histogram_options& options = {}) {
  auto call = detail::streamed_histogram(over, in, counts, options);
  call.bins = bins;
  options.after.wait();
  detail::histogram_host_array(call);
}

/// Sets counts[c * bins + k], in the host's memory, to how many elements of channel c lie from edges[k] to
/// before edges[k + 1], on the devices of all queues. Edges are numbers of any type in the host's memory, one
/// more than bins, rise or stay the same, and are copied to each device. Blocks until the counts are there.
/// Throws clwave::error: bad_call before anything is read or enqueued (no queues, edges that fall or are NaN,
/// too few counts, elements that are no multiple of the channels), build, out_of_memory, device_lost.
///
///     clwave::histogram({queue_a, queue_b}, clwave::host_array(ages), counts, std::array{0, 18, 65, 120});
template <class T, detail::counts_on_host Counts, detail::edges_on_host Edges>
void histogram(const queues& over, const host_array<T>& in, Counts&& counts, const Edges& edges,
               const histogram_options& options = {}) {
  auto call = detail::streamed_histogram(over, in, counts, options);
  call.edges = host_edges{std::ranges::data(edges), std::ranges::size(edges),
                          &element_of<std::ranges::range_value_t<const Edges>>()};
  options.after.wait();
  detail::histogram_host_array(call);
}

}  // namespace clwave
