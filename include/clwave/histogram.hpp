/// @file
/// Histograms: how many elements of an input fall into each of some bins.
///
/// Bin k has the elements from edge k to before edge k + 1; elements outside all bins, and NaNs, count
/// nowhere. Even bins have the edges lo + k (hi - lo) / bins, taken as exact numbers: nothing is rounded, and
/// each element counts as the exact number that it is. So the counts are the same on every device and in
/// every run, also of elements that lie on an edge, and no device needs doubles or arithmetic of 64-bit
/// floats for them. -0 counts as 0.
///
/// Where bins are few (up to 8192 for all channels together), groups count in local memory, each in several
/// copies of the counters, and the last group or a second launch sums what they counted. Where they are more,
/// one launch clears the results, and groups count in these, after joining equal neighbours and holding back
/// the bins that they see often: an input of one value is no slower than another. A CPU's cores count in
/// memory of their own. Even bins of floats that are a power of two wide are found without a look at edges;
/// other elements near an edge are compared with it as exact numbers. Kernels:
/// cl_kernels/primitives/histogram.cl.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be in-order
/// or out-of-order, with profiling or without. A call flushes neither it nor any other. A child of fork() is
/// refused. In full: event.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/named_value.hpp>
#include <clwave/options.hpp>
#include <clwave/view.hpp>

namespace clwave {

/// A bound of bins: a number that is kept as it is, whether it comes as a float, a double or a whole number
/// of up to 64 bits.
class bound {
 public:
  bound() = default;  ///< 0
  /// The number itself.
  template <detail::plain_number T>
  bound(T number)  // NOLINT(google-explicit-constructor): even{0, 256}
      : bound(made(number)) {}
  /// The number that a half or a bfloat16 stores.
  template <detail::stored_float T>
  bound(T number)  // NOLINT(google-explicit-constructor)
      : bound(made(static_cast<float>(number))) {}
  /// The number that a u16 holds.
  bound(u16 number) : bound(made(number.value)) {}  // NOLINT(google-explicit-constructor)

  /// False for infinities and NaN, which the calls that get them refuse.
  bool is_finite() const noexcept { return kind_ == kind::finite; }
  /// True for NaN.
  bool is_nan() const noexcept { return kind_ == kind::nan; }
  /// Whether it is below 0.
  bool is_negative() const noexcept { return negative_; }
  /// Its value is digits() * 2^exponent(), or the negative of that; the highest bit of digits() is set unless
  /// it is 0.
  std::uint64_t digits() const noexcept { return digits_; }
  /// The power of two in its value, digits() * 2^exponent().
  int exponent() const noexcept { return exponent_; }

 private:
  enum class kind : unsigned char {
    finite,    ///< a number
    infinite,  ///< of either sign
    nan,       ///< no number
  };

  template <class T>
  static bound made(T number) {
    if constexpr (std::is_floating_point_v<T>)
      return of(static_cast<double>(number));
    else if constexpr (std::is_signed_v<T>)
      return of(number < 0,
                number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number));
    else
      return of(false, static_cast<std::uint64_t>(number));
  }
  CLWAVE_EXPORT static bound of(double number);
  CLWAVE_EXPORT static bound of(bool negative, std::uint64_t magnitude);

  std::uint64_t digits_ = 0;
  int exponent_ = 0;
  bool negative_ = false;
  kind kind_ = kind::finite;
};

/// Bins of one width, as many as there are counts: the first begins at `lo`, the last ends before `hi`.
struct even {
  bound lo;  ///< the first edge
  bound hi;  ///< the last edge; larger than lo
};

/// The options of histograms.
struct histogram_options {
  /// 1 to 4: elements lie as the channels of pixels do, one after the other, and each channel has its own
  /// counts.
  unsigned channels = 1;
  wait_list after = {};           ///< what comes before: launch_options
  bool with_event = true;         ///< whether an event is made: launch_options
  workspace_view workspace = {};  ///< memory to work in: launch_options
};

static_assert(call_options<histogram_options>);

/// Edges of bins in the host's memory: numbers of any type.
struct host_edges {
  const void* first = nullptr;    ///< they lie there, side by side
  std::size_t n = 0;              ///< one more than bins
  const element* type = nullptr;  ///< of an edge
};

/// A histogram, whose types are said at run time: what the call takes, and what plan() is asked, then without
/// buffers. One of `bounds`, `edges` and `host` says what the bins are. Refers to all that is pointed to.
struct histogram_problem {
  any_view in;  ///< the elements, of all channels together
  /// One for each bin and channel, of 32 or 64 bits without a sign. Their number says how many even bins
  /// there are; where edges say it, there may be more counts, in plans also fewer.
  any_view counts;
  std::optional<even> bounds = {};      ///< of even bins, which are as many as a channel has counts
  std::optional<any_view> edges = {};   ///< on the device, of the elements' type: one more than bins
  std::optional<host_edges> host = {};  ///< edges on the host
  unsigned channels = 1;                ///< 1 to 4: histogram_options
  /// For plans: of the edges on the device, those that elements reach, where others lie behind them; nothing:
  /// all of them. Calls find it out.
  std::optional<std::uint64_t> reached = {};
  bool wide_counts = false;  ///< counts may pass 2^32 where they would not; for tests alone
};

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const histogram_problem& asked, const plan_target& on);

/// Counts the elements that fall into each bin, of types that are said at run time. Does not block: returns
/// the event of its last command, started after `options.after`. Throws clwave::error: bad_call before
/// anything is enqueued (types or sizes that do not go together, overlaps that are not allowed, a view past
/// its buffer, an object of another context), build, out_of_memory.
CLWAVE_EXPORT event histogram(cl_command_queue queue, const histogram_problem& asked,
                              const launch_options& options = {});

namespace detail {

/// What counts can be.
template <class Counts>
concept counts_of_bins = viewable<Counts> &&
    (std::is_same_v<viewed<Counts>, std::uint32_t> || std::is_same_v<viewed<Counts>, std::uint64_t>);

/// std::vector, std::array, std::span: numbers side by side in the host's memory.
template <class Edges>
concept edges_on_host = !viewable<Edges> && std::ranges::contiguous_range<const Edges> &&
                        element_type<std::ranges::range_value_t<const Edges>>;

}  // namespace detail

/// Sets the counts of even bins: of bin k of channel c it is counts[c * bins + k], and there are
/// counts.size() / channels bins, 1 to 2^24. What the counts hold before does not matter: nothing is added to
/// it. Without elements all counts become 0.
///
/// Elements are integers, floats, halves, bfloat16 or bool; counts have 32 bits, or 64, which they must have
/// where a channel has 2^32 elements or more. The channels' elements alternate, beginning with those of
/// channel 0, and are as many. The counts may not overlap the input, which may be a counted view
/// (any_view.hpp): of its elements those are counted that every channel has.
///
/// Does not block: returns the event of its last command, started after `options.after`. Workspace, pooled
/// and reused, or `options.workspace`: 256 bytes, and 4 (of a CPU to 16) for each count
/// and group that counts on its own, at most 64 MiB; none where counts are counted in the results. Throws
/// clwave::error: bad_call before anything is enqueued (elements that are no numbers, bounds that are not
/// finite or do not rise, too many bins, counts or elements that are no multiple of the channels, views past
/// their buffers or not aligned to their types, views that overlap, a buffer or an event of another context),
/// build (with the compiler's lines), out_of_memory.
///
///     clwave::histogram(queue, pixels, counts, clwave::even{0, 256}, {.channels = 3});
///     clwave::histogram(queue, x, counts, clwave::even{-1.0, 1.0}, {.after = {ready}});
template <queue_like Queue, view_argument In, detail::counts_of_bins Counts>
event histogram(const Queue& queue, const In& in, const Counts& counts, const even& bins,
                const histogram_options& options = {}) {
  return histogram(handle_of<cl_command_queue>(queue),
                   {.in = detail::erase(in),
                    .counts = detail::erase_output(counts),
                    .bounds = bins,
                    .channels = options.channels},
                   detail::launch_of(options));
}

/// Sets counts[c * bins + k] to how many elements of channel c lie from edges[k] to before edges[k + 1]; what
/// the counts hold before does not matter. Edges are numbers of any type, and need not be ones that an
/// element can be: they are compared as exact numbers. They rise or stay the same, where the bin between has
/// nothing; infinities may be among them. They are copied before the call returns, into a buffer of the
/// call's own; those of the elements' type are quickest. There are one more of them than bins, and as many
/// counts as bins for each channel, or more, which are not written. Does not block: returns the event of its
/// last command, started after `options.after`. Workspace, pooled and reused, or `options.workspace`: 256
/// bytes, and 4 (of a CPU to 16) for each count and group that counts on its own, at most 64 MiB. Throws
/// clwave::error: bad_call before anything is enqueued (edges that fall or are NaN, elements that are no
/// numbers, too few counts, elements that are no multiple of the channels, views that overlap, a view past
/// its buffer or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::histogram(queue, ages, counts, std::array{0, 18, 65, 120});
template <queue_like Queue, view_argument In, detail::counts_of_bins Counts, detail::edges_on_host Edges>
event histogram(const Queue& queue, const In& in, const Counts& counts, const Edges& edges,
                const histogram_options& options = {}) {
  return histogram(handle_of<cl_command_queue>(queue),
                   {.in = detail::erase(in),
                    .counts = detail::erase_output(counts),
                    .host = host_edges{std::ranges::data(edges), std::ranges::size(edges),
                                       &element_of<std::ranges::range_value_t<const Edges>>()},
                    .channels = options.channels},
                   detail::launch_of(options));
}

/// Sets counts[c * bins + k] to how many elements of channel c lie from edges[k] to before edges[k + 1], of
/// edges on the device, of the elements' type, one more than bins. The call does not look at them: where they
/// fall or are NaN, no count can be relied on, but nothing is read or written outside the views. They may
/// overlap the input, not the counts. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (elements that are no numbers,
/// too few counts, elements that are no multiple of the channels, views that overlap, a view past its buffer
/// or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::histogram(queue, x, counts, quantiles);  // quantiles: a view of one float more than counts
template <queue_like Queue, view_argument In, detail::counts_of_bins Counts, viewable Edges>
event histogram(const Queue& queue, const In& in, const Counts& counts, const Edges& edges,
                const histogram_options& options = {}) {
  static_assert(std::is_same_v<viewed<In>, viewed<Edges>>, "edges on the device have the elements' type");
  return histogram(handle_of<cl_command_queue>(queue),
                   {.in = detail::erase(in),
                    .counts = detail::erase_output(counts),
                    .edges = detail::erase(edges),
                    .channels = options.channels},
                   detail::launch_of(options));
}

}  // namespace clwave
