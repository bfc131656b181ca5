/// @file
/// count_if, minmax and mean_and_variance: reductions to a count, to both ends of the order, and to mean and
/// variance, each in one pass over the input.
///
/// Each is a reduction (reduce.hpp) by an operator and a map of the library's own, in the fold order, so two
/// runs and two devices have the same bits. The moments of two sets are put together by the pairwise update
/// of Chan, Golub and LeVeque ("Updating Formulae and a Pairwise Algorithm for Computing Sample Variances",
/// 1979), which loses nothing where the mean is far from 0. Its products and sums are not fused. OpenCL lets
/// devices round a division of floats differently, so this one is made of products and fused products, which
/// all devices round alike; of counts below 2^24 - 1 it is the correctly rounded quotient. That of doubles is
/// the device's, which OpenCL has rounded correctly.
///
/// minmax and mean_and_variance of rows, columns and segments: reduce_rows.hpp, reduce_columns.hpp,
/// segmented_reduce.hpp. Kernel: cl_kernels/primitives/reduce.cl.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be
/// in-order or out-of-order, with profiling or without. A call that returns a value flushes its queue and
/// waits; a call that returns an event or a future flushes nothing, and the future's get() flushes that
/// queue. No call flushes another queue. A child of fork() is refused. In full: event.hpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/future.hpp>
#include <clwave/op.hpp>
#include <clwave/options.hpp>
#include <clwave/reduce.hpp>
#include <clwave/view.hpp>

namespace clwave {

/// The least and the greatest of some elements. Same layout on the device.
template <class T>
struct min_and_max {
  T min;  ///< the least; NaN where there is a NaN
  T max;  ///< the greatest; NaN where there is a NaN
};

/// How many elements there are, their mean, and how far they are from it. Same layout on the device, where
/// texts see x.n, x.mean and x.squares.
template <class T>
struct moments {
  std::uint64_t n;  ///< how many elements there are
  T mean;           ///< their mean; of no elements 0
  T squares;        ///< the sum of the squares of their distances from the mean

  /// The variance of the elements themselves: squares / n, NaN of no elements.
  T variance() const { return squares / static_cast<T>(n); }
  /// The variance of what the elements are a sample of: squares / (n - 1). NaN of fewer than two elements.
  T sample_variance() const { return n == 0 ? squares / static_cast<T>(n) : squares / static_cast<T>(n - 1); }
};

namespace detail {

// The structures on the device, the operators that put two of them together, and the maps that make one of an
// element. `value` is a number; of moments float or double.
CLWAVE_EXPORT element min_and_max_element(const element& value);
CLWAVE_EXPORT op minmax_op(const element& value);
CLWAVE_EXPORT map minmax_map(const element& value);
CLWAVE_EXPORT element moments_element(const element& value);
CLWAVE_EXPORT op moments_op(const element& value);
CLWAVE_EXPORT map moments_map(const element& value);

// A number of 8 to 64 bits.
template <class T>
concept measured = std::is_same_v<T, half> || std::is_same_v<T, bfloat16> || std::is_same_v<T, u16> ||
    (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);

template <measured T>
const op& minmax_fold() {
  static const op& fold = *never_destroyed(minmax_op(element_of<widened<T>>()));
  return fold;
}
template <measured T>
const map& minmax_lift() {
  static const map& lift = *never_destroyed(minmax_map(element_of<widened<T>>()));
  return lift;
}
template <class T>
const op& moments_fold() {
  static const op& fold = *never_destroyed(moments_op(element_of<T>()));
  return fold;
}
template <class T>
const map& moments_lift() {
  static const map& lift = *never_destroyed(moments_map(element_of<T>()));
  return lift;
}

// What moments of elements of type T are of, where the call names no type.
template <class Acc, class T>
using moments_of = std::conditional_t<
    !std::is_void_v<Acc>, Acc,
    std::conditional_t<(sizeof(T) > 4 || (std::is_integral_v<T> && sizeof(T) == 4)), double, float>>;

template <class T>
struct is_moments : std::false_type {};
template <class T>
struct is_moments<moments<T>> : std::true_type {
  using of = T;
};

template <class T>
struct is_min_and_max : std::false_type {};
template <class T>
struct is_min_and_max<min_and_max<T>> : std::true_type {};

template <reducible In>
reduce_problem count_problem_of(const In& in, const map& predicate) {
  reduce_problem problem = reduce_problem_of(in, element_of<std::uint64_t>(), plus, predicate);
  problem.counts = true;
  return problem;
}

}  // namespace detail

/// Results of minmax may stay on the device.
template <class T>
struct element_traits<min_and_max<T>> {
  /// Its description. Of min_and_max<half> and min_and_max<bfloat16> there is none.
  static const element& describe() {
    static_assert(std::is_same_v<T, detail::widened<T>>,
                  "a half and a bfloat16 are compared in float: write clwave::min_and_max<float>");
    static const element& e = *detail::never_destroyed(detail::min_and_max_element(element_of<T>()));
    return e;
  }
};

/// Results of mean_and_variance may stay on the device.
template <class T>
struct element_traits<moments<T>> {
  /// Its description, of float and double.
  static const element& describe() {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                  "a mean is of float or of double: write clwave::moments<float>");
    static const element& e = *detail::never_destroyed(detail::moments_element(element_of<T>()));
    return e;
  }
};

// --------------------------------------------------------------------------------------------------- counts

/// How many elements there are for which the predicate is other than 0. The predicate is yours: an expression
/// in `x`, the element, and if you like in `i` (ulong), its index; of zipped inputs (reduce.hpp) in `x` and
/// `y`. Reads the whole input once. Blocks until the value is there; none of no elements. Starts after
/// `options.after`; without that after all that the queue held when the call was made, on an out-of-order
/// queue too. Workspace: at most 16 bytes per 8192 elements plus 4 KiB, pooled and reused, or
/// `options.workspace`. Throws clwave::error: bad_call before anything is enqueued (a predicate that is none
/// of your own, inputs of different lengths, a view past its buffer, a buffer or an event of another
/// context), build (with the compiler's lines), out_of_memory, device_lost.
///
///     std::uint64_t n = clwave::count_if(queue, x, {.name = "positive", .source = "x > 0"});
template <queue_like Queue, reducible In, map_argument Map = map>
std::uint64_t count_if(const Queue& queue, const In& in, const Map& predicate,
                       const launch_options& options = {}) {
  std::uint64_t result = 0;
  reduce(handle_of<cl_command_queue>(queue), detail::count_problem_of(in, predicate),
         static_cast<void*>(&result), options);
  return result;
}
/// Sets the first element of `count`, on the device, to how many elements there are for which the predicate
/// is other than 0. `count` may not overlap an input. Does not block: returns the event of its last command,
/// started after `options.after`. Throws clwave::error: bad_call before anything is enqueued (a predicate
/// that is not your own, inputs of different lengths, a view past its buffer or misaligned, an object of
/// another context), build, out_of_memory.
///
///     clwave::count_if(queue, x, count, {.name = "positive", .source = "x > 0"});  // count: a std::uint64_t
template <queue_like Queue, reducible In, detail::counted Count, map_argument Map = map>
event count_if(const Queue& queue, const In& in, const Count& count, const Map& predicate,
               const launch_options& options = {}) {
  reduce_problem problem = detail::count_problem_of(in, predicate);
  problem.out = detail::erase_output(count);
  return reduce(handle_of<cl_command_queue>(queue), problem, options);
}
/// How many elements there are for which the predicate is other than 0, as a future (future.hpp). Does not
/// block. Throws clwave::error: bad_call before anything is enqueued (a predicate that is not your own,
/// inputs of different lengths, a view past its buffer or misaligned, an object of another context), build,
/// out_of_memory.
template <queue_like Queue, reducible In, map_argument Map = map>
future<std::uint64_t> count_if_async(const Queue& queue, const In& in, const Map& predicate,
                                     const launch_options& options = {}) {
  return future<std::uint64_t>(detail::reduce_to_future(handle_of<cl_command_queue>(queue),
                                                        detail::count_problem_of(in, predicate), options));
}

// --------------------------------------------------------------------------------------------------- minmax

/// The least and the greatest element, in one pass. For floats they are those of clwave::min and clwave::max:
/// a NaN anywhere makes both the canonical NaN, and -0 is less than +0. Numbers of 1 to 8 bytes; those of
/// half and bfloat16 are floats. Of no elements min is the greatest number of the type (infinity) and max the
/// least. Blocks until the value is there; starts after `options.after`, or else after all that the queue
/// held. Workspace: at most two results per 8192 elements plus 4 KiB, pooled and reused, or
/// `options.workspace`. Throws clwave::error: bad_call before anything is enqueued (a view past its buffer or
/// misaligned, an object of another context), build, out_of_memory, device_lost.
///
///     auto [least, greatest] = clwave::minmax(queue, x);
template <queue_like Queue, view_argument In>
auto minmax(const Queue& queue, const In& in, const launch_options& options = {}) {
  using T = viewed<In>;
  static_assert(detail::measured<T>, "minmax takes numbers");
  return transform_reduce<min_and_max<detail::widened<T>>>(queue, in, detail::minmax_fold<T>(),
                                                           detail::minmax_lift<T>(), options);
}
/// Sets the first element of `out`, on the device, a clwave::min_and_max<T>, for half and bfloat16 of float,
/// to the least and the greatest element. `out` may not overlap `in`. Does not block: returns the event of
/// its last command, started after `options.after`. Throws clwave::error: bad_call before anything is
/// enqueued (views that overlap, a view past its buffer or misaligned, an object of another context), build,
/// out_of_memory.
template <queue_like Queue, view_argument In, view_argument Out>
event minmax(const Queue& queue, const In& in, const Out& out, const launch_options& options = {}) {
  using T = viewed<In>;
  static_assert(detail::measured<T>, "minmax takes numbers");
  static_assert(std::is_same_v<viewed<Out>, min_and_max<detail::widened<T>>>,
                "the output is of clwave::min_and_max<T>, for half and bfloat16 of float");
  return transform_reduce(queue, in, out, detail::minmax_fold<T>(), detail::minmax_lift<T>(), options);
}
/// The least and the greatest element, both NaN where there is a NaN, as a future (future.hpp). Does not
/// block. Throws clwave::error: bad_call before anything is enqueued (a view past its buffer or misaligned,
/// an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In>
auto minmax_async(const Queue& queue, const In& in, const launch_options& options = {}) {
  using T = viewed<In>;
  static_assert(detail::measured<T>, "minmax takes numbers");
  return transform_reduce_async<min_and_max<detail::widened<T>>>(queue, in, detail::minmax_fold<T>(),
                                                                 detail::minmax_lift<T>(), options);
}

// ---------------------------------------------------------------------------------------- mean and variance

/// How many elements there are, their mean and the sum of the squares of their distances from it, of which
/// moments::variance makes the variance; in one pass. Each element is converted to Acc first, float or
/// double. Without Acc that is double for double and for integers of 32 and 64 bits, else float; a device
/// without doubles refuses these integers, and takes them as mean_and_variance<float>. A NaN or an infinity
/// anywhere makes mean or squares the canonical NaN, or an infinity; so do elements that are further apart
/// than the largest number of Acc, and squares of distances that are larger than it. Blocks until the value
/// is there; starts after `options.after`, or else after all that the queue held. Workspace: at most two
/// results per 8192 elements plus 4 KiB, pooled and reused, or `options.workspace`. Throws clwave::error:
/// bad_call before anything is enqueued (doubles where the device has none, a view past its buffer or
/// misaligned, an object of another context), build, out_of_memory, device_lost.
///
///     const clwave::moments<float> all = clwave::mean_and_variance(queue, x);
///     const float deviation = std::sqrt(all.variance());
template <class Acc = void, queue_like Queue, view_argument In>
auto mean_and_variance(const Queue& queue, const In& in, const launch_options& options = {}) {
  static_assert(detail::measured<viewed<In>>, "mean_and_variance takes numbers");
  using A = detail::moments_of<Acc, viewed<In>>;
  return transform_reduce<moments<A>>(queue, in, detail::moments_fold<A>(), detail::moments_lift<A>(),
                                      options);
}
/// Sets the first element of `out`, on the device, a clwave::moments<float> or clwave::moments<double>, which
/// says what it is computed in, to how many elements there are, their mean and the sum of the squares of
/// their distances from it. `out` may not overlap `in`. Does not block: returns the event of its last
/// command, started after `options.after`. Throws clwave::error: bad_call before anything is enqueued
/// (doubles where the device has none, views that overlap, a view past its buffer or misaligned, an object of
/// another context), build, out_of_memory.
template <queue_like Queue, view_argument In, view_argument Out>
event mean_and_variance(const Queue& queue, const In& in, const Out& out,
                        const launch_options& options = {}) {
  static_assert(detail::measured<viewed<In>>, "mean_and_variance takes numbers");
  static_assert(detail::is_moments<viewed<Out>>::value, "the output is of clwave::moments<T>");
  using A = typename detail::is_moments<viewed<Out>>::of;
  return transform_reduce(queue, in, out, detail::moments_fold<A>(), detail::moments_lift<A>(), options);
}
/// How many elements there are, their mean and the sum of the squares of their distances from it, computed in
/// Acc (without it in double for double and for integers of 32 and 64 bits, else in float), as a future
/// (future.hpp). Does not block. Throws clwave::error: bad_call before anything is enqueued (doubles where
/// the device has none, a view past its buffer or misaligned, an object of another context), build,
/// out_of_memory.
template <class Acc = void, queue_like Queue, view_argument In>
auto mean_and_variance_async(const Queue& queue, const In& in, const launch_options& options = {}) {
  static_assert(detail::measured<viewed<In>>, "mean_and_variance takes numbers");
  using A = detail::moments_of<Acc, viewed<In>>;
  return transform_reduce_async<moments<A>>(queue, in, detail::moments_fold<A>(), detail::moments_lift<A>(),
                                            options);
}

}  // namespace clwave
