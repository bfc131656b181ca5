/// @file
/// Scans of a host_array: running folds of an array that no device need hold, into memory of the host or
/// through a function of yours, on one or several devices, with the bits of one call on one device.
///
/// Pieces of the array stream through the devices, each while the next ones are on their way. Each element
/// goes to a device once, and each result comes back once; where they do not lie in page-locked memory, both
/// are copied on the host on their way.
///
/// Same bits. The order of a scan is fixed by an element's place alone (scan.hpp), and so are the results
/// here: how many devices there are, and which scans what, changes no bit, for any operator. A device that
/// flushes denormals, which its facts say, may change bits (reproducibility.md).
///
/// How. A piece has whole stretches of 64 tiles (a tile: 16384 elements, or 8192 where a result has 8 bytes),
/// one or some of them. Its device folds its tiles, and finds what stands before each in its stretch. There
/// the piece stays until what stands before its first stretch is known: one value, which comes from the
/// device of the piece before it, by way of the host. Then the device finds what stands before each stretch,
/// gives on one value for the next piece, and writes the results. Kernels: cl_kernels/primitives/scan.cl.
///
/// Time. Elements on their way to a device and results on their way back use both directions of the bus at
/// once. The pieces' second halves come one after the other, but for them only one value a stretch is folded;
/// all else of several pieces is done at the same time. A device that is much slower than the others holds
/// these up where they wait for what stands before their pieces.
///
/// Blocking. The calls return when all results are there or, where a function writes them, when that has
/// returned for all pieces. Kernels go to the queues that were given, the way to a device and back to two
/// queues of the library's own there; all are flushed, and the call waits for its own commands. On an
/// in-order queue they come behind what it holds; on an out-of-order queue they start at once.
///
/// Memory. On each device up to 12 pieces with their results, and one value for each of their tiles and
/// stretches, from what is kept for workspace (cache.hpp); as much page-locked memory of the host as of them
/// is copied there. Pieces are fewer, down to 3, where they are larger than some 16 MiB with their results.
///
/// Threads. The call makes threads of its own, which copy, read or write and end before it returns. Any
/// threads may make calls at the same time, with the same queues. A child of fork() is refused. A function
/// that reads or writes is called by several of them at once, for different pieces. It must not wait until
/// others of the call's pieces are read or written.
///
/// Errors. The queues are checked, and programs built, before anything is read or enqueued. What a check, a
/// compiler or a device says is thrown with the queue's number, counted from 1, and its device; what your
/// functions throw is thrown as it is. Where something goes wrong in the middle, what the output holds is not
/// known, and in place the input may be lost.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include <clwave/element.hpp>
#include <clwave/export.hpp>
#include <clwave/host_array.hpp>
#include <clwave/op.hpp>
#include <clwave/opencl.hpp>
#include <clwave/scan.hpp>

namespace clwave {

namespace detail {

// Where results go outside of all devices, without their type.
struct host_results {
  std::uint64_t n = 0;
  const element* type = nullptr;
  void* memory = nullptr;  // null: `write` takes the results
  host_pages pages = host_pages::pageable;
  std::function<void(std::uint64_t first, std::size_t n, const void* from)> write = {};
};

// A scan of such an array, without its types.
struct host_scan_problem {
  std::span<const cl_command_queue> queues;
  const host_elements* in;
  const host_results* out;
  const op* fold;
  const map* apply;
  bool exclusive;
  const void* start;                     // a value of out's type, or null
  std::optional<scan_sizes> sizes = {};  // without: those of out's type
  stream_sizes streaming = {};           // its pieces: multiples of a stretch
};

CLWAVE_EXPORT void scan_host_array(const host_scan_problem& call);

}  // namespace detail

/// Where results of type T go outside of all devices: to memory of the host, or to a function that writes
/// them. Refers to the memory, which must live until the calls that write it have returned; owns the
/// function.
///
///     std::vector<double> sums(numbers.size());
///     clwave::inclusive_scan(queue, clwave::host_array(numbers), clwave::host_output(sums));
///
///     clwave::host_output<double> file(n, [&](std::uint64_t first, std::span<const double> results) {
///       write_to(place, first, results);  // called by several threads at once
///     });
template <class T>
class host_output {
  static_assert(!std::is_const_v<T>, "write host_output<T>: results are written");
  static_assert(detail::has_one_meaning<T>::value);

 public:
  using value_type = T;  ///< the type of a result

  /// Results that are to lie in memory: a vector, an array, a span. A temporary that owns its elements does
  /// not compile, nor do const elements.
  template <std::ranges::contiguous_range Range>
    requires(std::ranges::sized_range<Range>&& std::ranges::borrowed_range<Range>&&
                 std::same_as<std::remove_reference_t<std::ranges::range_reference_t<Range>>, T>)
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): a host_output is no range itself
  explicit host_output(Range&& results, host_pages pages = host_pages::pageable)
      : erased_{.n = std::ranges::size(results),
                .type = &element_of<T>(),
                .memory = std::ranges::data(results),
                .pages = pages} {}
  /// n results, which `write(first, results)` takes: those of a piece from result `first` on, each once. The
  /// pieces come in any order. Several threads call it at the same time, for different pieces; it may block,
  /// and what it throws is thrown by the call.
  template <std::invocable<std::uint64_t, std::span<const T>> Write>
  host_output(std::uint64_t n, Write write)
      : erased_{
            .n = n,
            .type = &element_of<T>(),
            .write = [write = std::move(write)](std::uint64_t first, std::size_t count, const void* from) {
              write(first, std::span<const T>(static_cast<const T*>(from), count));
            }} {}

  /// How many results there are room for.
  std::uint64_t size() const noexcept { return erased_.n; }
  /// The output without its type.
  const detail::host_results& erased() const noexcept { return erased_; }

 private:
  detail::host_results erased_;
};

/// Where results go that a range has room for.
template <class Range>
host_output(Range&&, host_pages = host_pages::pageable)
    -> host_output<std::remove_reference_t<std::ranges::range_reference_t<Range>>>;

namespace detail {

template <class T, class Acc>
void scan_streamed(const queues& over, const host_array<T>& in, const host_output<Acc>& out, const op& fold,
                   const map& apply, scan_kind kind, const scan_options<Acc>& options) {
  options.after.wait();
  scan_host_array({.queues = over.handles(),
                   .in = &in.erased(),
                   .out = &out.erased(),
                   .fold = &fold,
                   .apply = &apply,
                   .exclusive = kind == scan_kind::exclusive,
                   .start = options.start ? &*options.start : nullptr});
}

}  // namespace detail

/// Sets each result of `out` to the fold of apply(x) over all elements x of `in` up to its place, accumulated
/// in out's type, on the devices of all queues. `out` is as long as `in`. In memory it lies apart from it or
/// exactly in its place, element for element; any other overlap is refused. Blocks until all results are
/// there, which have the bits of transform_inclusive_scan of the whole array on one device. A map's index `i`
/// is that in the whole array.
///
/// Takes every type and operator that a scan on one device takes. A start value stands before the array's
/// first element. Without elements nothing is written. The host waits for the events `options.after`, of any
/// contexts, before it begins; the other options of a launch do not matter. Throws clwave::error: bad_call
/// before anything is read or enqueued (no queues, a queue that is none, different lengths, memory that
/// overlaps, types the operator or one of the devices does not take, 2^31 tiles or more), build,
/// out_of_memory, device_lost.
///
///     clwave::map above{.name = "above", .source = "x > 0.5f ? 1u : 0u"};
///     clwave::transform_inclusive_scan(queue, clwave::host_array(x), clwave::host_output(places),
///                                      clwave::plus, above);
template <class T, class Acc, operator_argument Op = op, map_argument Map = map>
void transform_inclusive_scan(const queues& over, const host_array<T>& in, const host_output<Acc>& out,
                              const Op& fold, const Map& apply, const scan_options<Acc>& options = {}) {
  detail::scan_streamed(over, in, out, fold, apply, detail::scan_kind::inclusive, options);
}

/// Sets each result of `out` to the fold of apply(x) over all elements x of `in` before its place,
/// accumulated in out's type, on the devices of all queues: the first result is `options.start`, or without
/// that the operator's identity. `out` is as long as `in`, and in memory lies apart from it or exactly in its
/// place. Blocks until all results are there, which have the bits of transform_exclusive_scan of the whole
/// array on one device. Throws clwave::error: bad_call before anything is read or enqueued (neither a start
/// nor an identity, no queues, a queue that is none, types the operator or one of the devices does not take,
/// different lengths, memory that overlaps), build, out_of_memory, device_lost.
template <class T, class Acc, operator_argument Op = op, map_argument Map = map>
void transform_exclusive_scan(const queues& over, const host_array<T>& in, const host_output<Acc>& out,
                              const Op& fold, const Map& apply, const scan_options<Acc>& options = {}) {
  detail::scan_streamed(over, in, out, fold, apply, detail::scan_kind::exclusive, options);
}

/// Sets each result of `out` to the fold of all elements of `in` up to its place, accumulated in out's type,
/// on the devices of all queues. `out` is as long as `in`, and in memory lies apart from it or exactly in its
/// place. Blocks until all results are there, which have the bits of inclusive_scan of the whole array on one
/// device. Throws clwave::error: bad_call before anything is read or enqueued (no queues, a queue that is
/// none, types the operator or one of the devices does not take, different lengths, memory that overlaps),
/// build, out_of_memory, device_lost.
///
///     clwave::inclusive_scan(queue, clwave::host_array(x), clwave::host_output(x));  // in place
///     clwave::inclusive_scan({queue_a, queue_b}, clwave::host_array(x), clwave::host_output(sums));
template <class T, class Acc, operator_argument Op = op>
void inclusive_scan(const queues& over, const host_array<T>& in, const host_output<Acc>& out, const Op& fold,
                    const scan_options<Acc>& options = {}) {
  detail::scan_streamed(over, in, out, fold, identity, detail::scan_kind::inclusive, options);
}
/// Sets each result of `out` to the sum of all elements of `in` up to its place, on the devices of all
/// queues. `out` is as long as `in`, and in memory lies apart from it or exactly in its place. Blocks until
/// all results are there. Throws clwave::error: bad_call before anything is read or enqueued (no queues, a
/// queue that is none, types the operator or one of the devices does not take, different lengths, memory that
/// overlaps), build, out_of_memory, device_lost.
template <class T, class Acc>
void inclusive_scan(const queues& over, const host_array<T>& in, const host_output<Acc>& out,
                    const scan_options<Acc>& options = {}) {
  detail::scan_streamed(over, in, out, plus, identity, detail::scan_kind::inclusive, options);
}

/// Sets each result of `out` to the fold of all elements of `in` before its place, accumulated in out's type,
/// on the devices of all queues: the first result is `options.start`, or without that the operator's
/// identity. `out` is as long as `in`, and in memory lies apart from it or exactly in its place. Blocks until
/// all results are there, which have the bits of exclusive_scan of the whole array on one device. Throws
/// clwave::error: bad_call before anything is read or enqueued (neither a start nor an identity, no queues, a
/// queue that is none, types the operator or one of the devices does not take, different lengths, memory that
/// overlaps), build, out_of_memory, device_lost.
///
///     clwave::exclusive_scan(queue, clwave::host_array(counts), clwave::host_output(offsets));
template <class T, class Acc, operator_argument Op = op>
void exclusive_scan(const queues& over, const host_array<T>& in, const host_output<Acc>& out, const Op& fold,
                    const scan_options<Acc>& options = {}) {
  detail::scan_streamed(over, in, out, fold, identity, detail::scan_kind::exclusive, options);
}
/// Sets each result of `out` to the sum of all elements of `in` before its place, on the devices of all
/// queues: the first result is `options.start`, or without that 0. `out` is as long as `in`, and in memory
/// lies apart from it or exactly in its place. Blocks until all results are there. Throws clwave::error:
/// bad_call before anything is read or enqueued (no queues, a queue that is none, types the operator or one
/// of the devices does not take, different lengths, memory that overlaps), build, out_of_memory, device_lost.
template <class T, class Acc>
void exclusive_scan(const queues& over, const host_array<T>& in, const host_output<Acc>& out,
                    const scan_options<Acc>& options = {}) {
  detail::scan_streamed(over, in, out, plus, identity, detail::scan_kind::exclusive, options);
}

}  // namespace clwave
