/// @file
/// host_array: an array in the host's memory, or one that a function of yours reads from a file, and
/// reductions of it on one or several devices, however little of it a device can hold: with the bits of one
/// call on one device of the whole array. Its scans: host_array_scan.hpp; histograms:
/// host_array_histogram.hpp.
///
/// Pieces of the array stream through the devices. Each is copied into page-locked memory, from there to a
/// device, and folded there, while the next ones are on their way. A device that is done with a piece takes
/// the next, so that of several devices each folds as much as it is fast. No buffer is larger than a piece or
/// than the results of all tiles, so that neither a device's memory nor its largest buffer
/// (CL_DEVICE_MAX_MEM_ALLOC_SIZE) limits the array. For one that fits and is used again, a buffer and the
/// calls of reduce.hpp are faster: what limits here is the way to the device.
///
/// Same bits. The order in which a reduction combines elements is fixed by their number alone (reduce.hpp),
/// and so is the result here: how many devices there are, and which folds what, changes no bit. A device that
/// flushes denormals, which its facts say, may change bits.
///
/// How. A piece has whole tiles of fold_tile elements, some 8 MiB of them, and less of a small array. A
/// device leaves one result for each tile of a piece, which goes back to the host; the results of all tiles
/// are folded on the device of the first queue, as a single call would. argmin and argmax then take the one
/// tile that has the result once more. Kernels: cl_kernels/primitives/reduce.cl.
///
/// Blocking. Every reduction here returns a value. Kernels go to the queues that were given, the way to a
/// device to a queue of the library's own there; both are flushed, and the call waits for its own
/// commands. On an in-order queue they come behind what it holds; on an out-of-order queue they start at
/// once.
///
/// Memory. On each device up to 12 pieces and the results of their tiles, from what is kept for workspace
/// (cache.hpp); as much page-locked memory of the host, which is kept for later calls (cache.hpp); and one
/// result for each tile of the array, on the host and on the device of the first queue. Memory that you say
/// is page-locked, and on a CPU any, is not copied on the host: there 3 pieces are in flight, and page-locked
/// memory is taken for the results of their tiles alone.
///
/// Threads. The call makes threads of its own, up to 12 for each queue and as many as the machine runs at
/// once, which copy or read; they end before it returns. Where the system gives fewer, fewer work. Any
/// threads may make calls at the same time, with the same arrays and queues. Queues may be in-order or
/// out-of-order, with profiling or without. A child of fork() is refused. In full: event.hpp.
///
/// Errors. The queues are checked, and programs built, before anything is read or enqueued. What a check, a
/// compiler or a device says is thrown with the queue's number, counted from 1, and its device; what your
/// function throws is thrown as it is. Where something goes wrong in the middle, no further piece is begun,
/// and the call throws when those in flight have ended, the first error that came.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/export.hpp>
#include <clwave/handle.hpp>
#include <clwave/op.hpp>
#include <clwave/opencl.hpp>
#include <clwave/options.hpp>
#include <clwave/reduce.hpp>
#include <clwave/sharded.hpp>

namespace clwave {

/// What the pages of an array in the host's memory are.
enum class host_pages {
  pageable,    ///< as every allocation's: what a device is to get is copied to page-locked memory first
  page_locked  ///< those of a mapped buffer of CL_MEM_ALLOC_HOST_PTR: devices read them as they are
};

namespace detail {

// An array outside of all devices, without its type.
struct host_elements {
  std::uint64_t n = 0;
  const element* type = nullptr;
  const void* memory = nullptr;  // null: `read` gives the elements
  host_pages pages = host_pages::pageable;
  std::function<void(std::uint64_t first, std::size_t n, void* into)> read = {};
};

// How an array streams. Public calls leave it to the library; tests take small pieces.
struct stream_sizes {
  std::uint64_t piece = 0;  // elements, a multiple of a tile; 0: by the array's size
  unsigned at_once = 0;     // pieces in flight on each device; 0: by what the machine runs at once
  // Whether memory is copied on the host where it need not be.
  bool always_copies = false;
};

// A reduction of such arrays, without its types. `y` is null where there is one input; `folded` is the type
// of a tile's result.
struct host_reduce_problem {
  std::span<const cl_command_queue> queues;
  const host_elements* x;
  const host_elements* y;
  const element* accumulator;
  const element* folded;
  const op* fold;
  const map* apply;
  fold_sizes sizes = {};
  stream_sizes streaming = {};
  const element* nothing = nullptr;  // whose identity is that of no elements; null: the accumulator
  bool counts = false;               // the map is a predicate: elements that fit are counted
};

CLWAVE_EXPORT void reduce_host_array(const host_reduce_problem& call, void* result);

}  // namespace detail

/// The queues whose devices fold an array together: of any devices, contexts and drivers, several of one
/// device as well. Owns none of them; they must live until the calls have returned. To make or copy a list
/// asks no queue.
///
///     float s = clwave::reduce({queue_a, queue_b}, clwave::host_array(numbers));
class queues {
 public:
  /// One queue of a list in braces.
  struct item {
    /// The queue that any wrapper's object stands for.
    template <queue_like Queue>
    item(const Queue& queue)  // NOLINT(google-explicit-constructor): a list of queues has queues
        : handle(handle_of<cl_command_queue>(queue)) {}
    cl_command_queue handle;  ///< not retained
  };

  queues() = default;
  /// `{a, b}`.
  queues(std::initializer_list<item> all) {
    for (const item& each : all) add(each);
  }
  /// A single one.
  template <queue_like Queue>
  queues(const Queue& only) {  // NOLINT(google-explicit-constructor): one queue is a list of queues
    add(only);
  }

  /// One more.
  queues& add(item next) {
    handles_.push_back(next.handle);
    return *this;
  }
  /// All of them, in order.
  std::span<const cl_command_queue> handles() const noexcept { return handles_; }

 private:
  std::vector<cl_command_queue> handles_;
};

/// An array of T outside of all devices: in memory of the host, or where a function reads it from. Refers to
/// the memory, which must live, and not change, until the calls on the array have returned; owns the
/// function. 16-bit elements are half or u16.
///
///     std::vector<float> numbers = ...;
///     float s = clwave::reduce(queue, clwave::host_array(numbers));
///
///     clwave::host_array<double> samples(n, [&](std::uint64_t first, std::span<double> into) {
///       read_from(file, first, into);     // called by several threads at once
///     });
///     double most = clwave::reduce(queue, samples, clwave::max);
template <class T>
class host_array {
  static_assert(!std::is_const_v<T>, "write host_array<T>: its elements are only read");
  static_assert(detail::has_one_meaning<T>::value);

 public:
  using value_type = T;  ///< the type of an element

  /// Elements that lie in memory: a vector, an array, a span. A temporary that owns its elements does not
  /// compile.
  template <std::ranges::contiguous_range Range>
    requires(std::ranges::sized_range<Range>&& std::ranges::borrowed_range<Range>&&
                 std::same_as<std::remove_cv_t<std::ranges::range_value_t<Range>>, T>)
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): a host_array is no range itself
  explicit host_array(Range&& elements, host_pages pages = host_pages::pageable)
      : erased_{.n = std::ranges::size(elements),
                .type = &element_of<T>(),
                .memory = std::ranges::data(elements),
                .pages = pages} {}
  /// n elements that `read(first, into)` writes: into.size() of them from element `first` on, a piece of the
  /// array each time. Several threads call it at the same time, for different pieces; it may block, and what
  /// it throws is thrown by the call. argmin and argmax read some elements twice, which must be the same.
  template <std::invocable<std::uint64_t, std::span<T>> Read>
  host_array(std::uint64_t n, Read read)
      : erased_{.n = n,
                .type = &element_of<T>(),
                .read = [read = std::move(read)](std::uint64_t first, std::size_t count, void* into) {
                  read(first, std::span<T>(static_cast<T*>(into), count));
                }} {}

  /// How many elements there are.
  std::uint64_t size() const noexcept { return erased_.n; }
  /// The array without its type.
  const detail::host_elements& erased() const noexcept { return erased_; }

 private:
  detail::host_elements erased_;
};

/// An array of what a range has.
template <class Range>
host_array(Range&&, host_pages = host_pages::pageable)
    -> host_array<std::remove_cv_t<std::ranges::range_value_t<Range>>>;

/// Two arrays of one length (else the call throws bad_call), for a map of x and y.
template <class T>
struct zipped_host_arrays {
  using value_type = T;  ///< the type of both arrays' elements
  host_array<T> x;       ///< what texts see as x
  host_array<T> y;       ///< what texts see as y
};

/// Two arrays of the same type for transform_reduce.
template <class T>
zipped_host_arrays<T> zip(host_array<T> x, host_array<T> y) {
  return {std::move(x), std::move(y)};
}

namespace detail {

template <class Acc, class T>
auto reduce_streamed(const queues& over, const host_array<T>& x, const std::type_identity_t<host_array<T>>* y,
                     const op& fold, const map& apply, const launch_options& options, bool counts = false) {
  using A = accumulator_of<Acc, T>;
  options.after.wait();
  A result;
  reduce_host_array({.queues = over.handles(),
                     .x = &x.erased(),
                     .y = y == nullptr ? nullptr : &y->erased(),
                     .accumulator = &element_of<A>(),
                     .folded = &folded_of<A>(),
                     .fold = &fold,
                     .apply = &apply,
                     .nothing = nothing_of<Acc, T>(),
                     .counts = counts},
                    &result);
  return result;
}

}  // namespace detail

/// The fold of apply(x) over all elements, accumulated in Acc (without it in the element's type, with float
/// for half and bfloat16, and 32 bits for integers of 8 and 16), on the devices of all queues. Blocks until
/// the value is there, which has the bits of transform_reduce of the whole array on one device. A map's index
/// `i` is that in the whole array. Takes every operator, map and type that a reduction on one device takes;
/// an empty array gives the operator's identity. The host waits for the events `options.after`, of any
/// contexts, before it begins; the other options of a launch do not matter. Throws clwave::error: bad_call
/// before anything is read or enqueued (no queues, a queue that is none, types the operator or one of the
/// devices does not take, more than 2^44 elements), build, out_of_memory, device_lost.
///
///     float norm2 = clwave::transform_reduce(queue, clwave::host_array(x), clwave::plus, clwave::square);
template <class Acc = void, class T, operator_argument Op = op, map_argument Map = map>
auto transform_reduce(const queues& over, const host_array<T>& in, const Op& fold, const Map& apply,
                      const launch_options& options = {}) {
  return detail::reduce_streamed<Acc>(over, in, nullptr, fold, apply, options);
}

/// The fold of apply(x, y) over two arrays of one length, accumulated in Acc (without it in the element's
/// type, with float for half and bfloat16, and 32 bits for integers of 8 and 16), on the devices of all
/// queues. Blocks until the value is there, which has the bits of transform_reduce of the whole arrays on one
/// device. Throws clwave::error: bad_call before anything is read or enqueued (no queues, a queue that is
/// none, types the operator or one of the devices does not take, arrays of different lengths), build,
/// out_of_memory, device_lost.
///
///     clwave::map gap{.name = "gap", .source = "fabs(x - y)"};
///     float worst = clwave::transform_reduce(queue, clwave::zip(a, b), clwave::max, gap);
template <class Acc = void, class T, operator_argument Op = op, map_argument Map = map>
auto transform_reduce(const queues& over, const zipped_host_arrays<T>& in, const Op& fold, const Map& apply,
                      const launch_options& options = {}) {
  return detail::reduce_streamed<Acc>(over, in.x, &in.y, fold, apply, options);
}

/// The fold of all elements, accumulated in Acc (without it in the element's type, with float for half and
/// bfloat16, and 32 bits for integers of 8 and 16), on the devices of all queues. Blocks until the value is
/// there, which has the bits of reduce of the whole array on one device. Throws clwave::error: bad_call
/// before anything is read or enqueued (no queues, a queue that is none, types the operator or one of the
/// devices does not take, no elements where there is no identity), build, out_of_memory, device_lost.
///
///     double d = clwave::reduce<double>({queue_a, queue_b}, clwave::host_array(x), clwave::max);
template <class Acc = void, class T, operator_argument Op = op>
auto reduce(const queues& over, const host_array<T>& in, const Op& fold, const launch_options& options = {}) {
  return transform_reduce<Acc>(over, in, fold, identity, options);
}
/// The sum of all elements, accumulated in Acc (without it in the element's type, with float for half and
/// bfloat16, and 32 bits for integers of 8 and 16), on the devices of all queues. Blocks until the value is
/// there. Throws clwave::error: bad_call before anything is read or enqueued (no queues, a queue that is
/// none, types the operator or one of the devices does not take), build, out_of_memory, device_lost.
///
///     float s = clwave::reduce(queue, clwave::host_array(x));
template <class Acc = void, class T>
auto reduce(const queues& over, const host_array<T>& in, const launch_options& options = {}) {
  return transform_reduce<Acc>(over, in, plus, identity, options);
}

/// The scalar product: the sum of x * y, each product taken and added in Acc. Blocks until the value is
/// there, which has the bits of dot of the whole arrays. Throws clwave::error: bad_call before anything is
/// read or enqueued (no queues, a queue that is none, types the operator or one of the devices does not take,
/// arrays of different lengths), build, out_of_memory, device_lost.
template <class Acc = void, class T>
auto dot(const queues& over, const host_array<T>& x, const host_array<T>& y,
         const launch_options& options = {}) {
  return transform_reduce<Acc>(over, zip(x, y), plus, product, options);
}

/// The smallest element and its index in the whole array: the first one on ties. A NaN counts as smaller than
/// everything, so the first NaN wins; -0 and +0 are equal. Scalars only. Blocks until both are there. Throws
/// clwave::error: bad_call before anything is read or enqueued (no elements, elements that are no scalars, no
/// queues), build, out_of_memory, device_lost.
template <class T>
auto argmin(const queues& over, const host_array<T>& in, const launch_options& options = {}) {
  return reduce<indexed<detail::widened<T>>>(over, in, detail::argmin_op, options);
}

/// The largest element and its index in the whole array: the first one on ties. A NaN counts as larger than
/// everything, so the first NaN wins; -0 and +0 are equal. Scalars only. Blocks until both are there. Throws
/// clwave::error: bad_call before anything is read or enqueued (no elements, elements that are no scalars, no
/// queues), build, out_of_memory, device_lost.
template <class T>
auto argmax(const queues& over, const host_array<T>& in, const launch_options& options = {}) {
  return reduce<indexed<detail::widened<T>>>(over, in, detail::argmax_op, options);
}

}  // namespace clwave
