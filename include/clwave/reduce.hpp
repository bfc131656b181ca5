/// @file
/// reduce: folds n elements into one, with the same bits on every device.
///
/// The order of combination is fixed by n alone. For a commutative operator: tiles of fold_tile
/// elements; in a tile, element i goes to accumulator i mod fold_accumulators, each taking its elements
/// in rising order; the accumulators combine as a tree of adjacent pairs; the tile results are folded
/// the same way until one is left. For an operator marked non-commutative, accumulator j of a tile
/// takes its contiguous run of fold_tile / fold_accumulators elements instead. Nothing depends on the
/// device, its profile, the group count or the load width, so a float sum has the same bits wherever
/// it is taken (exception: a device that flushes denormals says so in its facts). A result that is NaN
/// is the canonical quiet NaN. FP_CONTRACT is off and no fast-math option is passed. Kernel:
/// cl_kernels/primitives/reduce.cl. For the ideas of exchanging values between lanes and of the last group
/// that combines what all groups left: "GPU optimisation techniques", chapter 4, 2016.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be
/// in-order or out-of-order, with profiling or without. A call that returns a value flushes its queue and
/// waits; a call that returns an event or a future flushes nothing, and the future's get() flushes that
/// queue. No call flushes another queue. A child of fork() is refused. In full: event.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/future.hpp>
#include <clwave/lazy_view.hpp>
#include <clwave/op.hpp>
#include <clwave/options.hpp>
#include <clwave/view.hpp>

namespace clwave {

/// How many elements a tile of the fold order has. This and fold_accumulators are part of the contract: they
/// never change between releases that promise the same bits. Measured on an H200 and on PoCL:
/// tools/results/fold-order.md.
inline constexpr std::size_t fold_tile = 8192;
/// How many accumulators the elements of a tile go to.
inline constexpr std::size_t fold_accumulators = 1024;

/// An element and where it stood. Same layout on the device.
template <class T>
struct indexed {
  T value;              ///< the element; float for half and bfloat16
  std::uint64_t index;  ///< from 0 on, in elements of the input, of its row, column or segment
};

namespace detail {

// The sizes that the order of combination goes by. Every public call has these; tests take small ones, which
// need few elements for many levels of results.
struct fold_sizes {
  std::size_t tile = fold_tile;
  std::size_t accumulators = fold_accumulators;
};

}  // namespace detail

/// A reduction, whose types are said at run time: what the call takes, and what plan() is asked, then without
/// buffers. Refers to all that is pointed to.
struct reduce_problem {
  any_view in;                           ///< the elements, or x of two inputs
  const element* accumulator = nullptr;  ///< the type of the result
  const op* fold = &plus;                ///< the operator
  const map* apply = &identity;          ///< what is applied to each element before
  std::optional<any_view> in2 = {};      ///< y of two inputs, of x's type and length
  /// Where the result goes on the device, of the accumulator's type; nothing: to the host.
  std::optional<any_view> out = {};
  detail::fold_sizes sizes = {};  ///< the fold order's own; another one is for tests alone
  /// The type whose identity is the value of no elements on the host; null: the accumulator's.
  const element* nothing = nullptr;
  /// For a piece of a longer input, as sharded.hpp cuts one, in plans alone: the index of its first element
  /// there, a multiple of fold_tile. The call then stops at the results of the piece's tiles, which go to
  /// `out`, one each.
  std::optional<std::uint64_t> piece_at = {};
  /// A value of the accumulator's type on the host, combined before the first element; null: none. Plans read
  /// it, too.
  const void* start = nullptr;
  /// The map is a predicate, and what is folded of an element is 1 where its value is other than 0, else 0.
  bool counts = false;
};

/// The options of reductions whose result is of type T.
template <class T>
struct reduce_options {
  /// Combined before the first element: the result is fold(start, the fold of the elements), and of no
  /// elements `start` itself, so that an operator needs no identity. One combination more than without it, by
  /// the same operator. Not with clwave's own logical operators and not with argmin and argmax, which are
  /// refused with bad_call.
  std::optional<T> start = {};
  wait_list after = {};           ///< what comes before: launch_options
  bool with_event = true;         ///< whether an event is made: launch_options
  workspace_view workspace = {};  ///< memory to work in: launch_options
};

static_assert(call_options<reduce_options<float>>);

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const reduce_problem& asked, const plan_target& on);

/// Sets the first element of `out` to the fold of all elements after the map, of types that are said at run
/// time. Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (types or sizes that do not go together, no elements
/// and neither an identity nor a start value, overlaps that are not allowed, a view past its buffer, an
/// object of another context), build, out_of_memory. In full: transform_reduce.
CLWAVE_EXPORT event reduce(cl_command_queue queue, const reduce_problem& asked,
                           const launch_options& options = {});

/// The fold of all elements after the map, of types that are said at run time, into memory of the host that
/// has room for a value of the accumulator's type. The problem's `out` is not looked at. Blocks until the
/// results are there; starts after `options.after`, or else after all that the queue held. Throws
/// clwave::error: bad_call before anything is enqueued (types or sizes that do not go together, overlaps that
/// are not allowed, a view past its buffer, an object of another context), build, out_of_memory, device_lost.
CLWAVE_EXPORT void reduce(cl_command_queue queue, const reduce_problem& asked, void* result,
                          const launch_options& options = {});

namespace detail {

/// argmin and argmax: the structure of an indexed value on the device.
CLWAVE_EXPORT element indexed_element(const element& value);

CLWAVE_EXPORT future_handle reduce_to_future(cl_command_queue queue, const reduce_problem& asked,
                                             const launch_options& options);

/// What is only stored in 16 bits is computed with in float.
template <class T>
using widened = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, T>;

/// What a value is accumulated in where the call names no type: integers of 8 and 16 bits have 32 there, so
/// that 1000 of them can be added up.
template <class T>
struct promoted {
  using type = widened<T>;
};
template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) < 4)
struct promoted<T> {
  using type = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
};
template <>
struct promoted<u16> {
  using type = std::uint32_t;
};

template <class Acc, class T>
using accumulator_of = typename std::conditional_t<std::is_void_v<Acc>, promoted<std::remove_const_t<T>>,
                                                   std::type_identity<Acc>>::type;

/// The type whose identity is the value of no elements, where that is not the accumulator.
template <class Acc, class T>
const element* nothing_of() {
  using A = accumulator_of<Acc, T>;
  if constexpr (std::is_void_v<Acc> && !std::is_same_v<A, widened<std::remove_const_t<T>>>)
    return &element_of<std::remove_const_t<T>>();
  else
    return nullptr;
}

}  // namespace detail

/// An indexed element is an element itself, so that results of argmin and argmax may stay on the device.
template <class T>
struct element_traits<indexed<T>> {
  /// Its description. Of indexed<half> and indexed<bfloat16> there is none.
  static const element& describe() {
    static_assert(std::is_same_v<T, detail::widened<T>>,
                  "a half and a bfloat16 are compared in float: write clwave::indexed<float>");
    static const element& e = *detail::never_destroyed(detail::indexed_element(element_of<T>()));
    return e;
  }
};

/// Two inputs side by side, for a map of x and y. Lengths must be equal (else the call throws bad_call).
template <class T>
struct zipped {
  using value_type = T;  ///< the type of both inputs' elements
  view<const T> x;       ///< what texts see as x
  view<const T> y;       ///< what texts see as y

  /// What calls of several zipped inputs take (lazy_view.hpp).
  operator zipped_sources() const {  // NOLINT(google-explicit-constructor): two are several
    return {{detail::source_of(x), detail::source_of(y)}};
  }
};

/// Two inputs of the same type for transform_reduce. Owns nothing, as views.
template <view_argument X, view_argument Y>
  requires(std::is_same_v<viewed<X>, viewed<Y>> && !detail::is_lazy<X>::value && !detail::is_lazy<Y>::value)
zipped<viewed<X>> zip(const X& x, const Y& y) { return {x, y}; }

/// What can be reduced: a view, a range, or two of them zipped.
template <class In>
concept reducible = view_argument<In> || std::is_same_v<In, zipped<typename In::value_type>>;

namespace detail {

template <reducible In>
reduce_problem reduce_problem_of(const In& in, const element& accumulator, const op& fold, const map& apply,
                                 const element* nothing = nullptr) {
  reduce_problem problem{
      .in = {}, .accumulator = &accumulator, .fold = &fold, .apply = &apply, .nothing = nothing};
  if constexpr (viewable<In>) {
    problem.in = erase(in);
  } else {
    problem.in = erase(in.x);
    problem.in2 = erase(in.y);
  }
  return problem;
}

// The options of a reduction to a value.
template <class Acc, class In>
using options_for = reduce_options<accumulator_of<Acc, typename In::value_type>>;

// Refers to the value in the options.
template <class T>
reduce_problem started(reduce_problem problem, const reduce_options<T>& options) {
  if (options.start) problem.start = &*options.start;
  return problem;
}

template <class T>
launch_options launch_of(const reduce_options<T>& options) {
  return {.after = options.after, .with_event = options.with_event, .workspace = options.workspace};
}

}  // namespace detail

/// The fold of apply(x) over all elements x (of apply(x, y) over zipped ones), accumulated in Acc. Without
/// Acc that is the element's type, but float for half and bfloat16, and of integers of 8 and 16 bits the one
/// of 32 bits with their sign. Blocks until the value is there. An empty input gives the operator's identity,
/// of such an integer the one of its own type; it waits for nothing and launches nothing (for your own
/// operator with an identity that is no plain number, one work-item evaluates it). `options.start`, where it
/// is given, is combined first (reduce_options). The kernel starts after
/// `options.after`; without that it starts after all that the queue held when the call was made, on an
/// out-of-order queue too. `in` may start at any element; every size is 64-bit. Workspace: at most two Acc
/// per 8192 elements plus 4 KiB, pooled and reused, or `options.workspace`. Integers wrap. Throws
/// clwave::error: bad_call before anything is enqueued (types the operator does not take, a view past its
/// buffer, a buffer of another context, an event of another context), build, out_of_memory, device_lost (also
/// where an event in `options.after` ended in an error).
///
///     float norm2 = clwave::transform_reduce(queue, floats, clwave::plus, clwave::square);
///     clwave::map above{.name = "above", .source = "x > 0.5f ? 1u : 0u"};
///     auto count = clwave::transform_reduce<std::uint64_t>(queue, floats, clwave::plus, above);
///     clwave::map gap{.name = "gap", .source = "fabs(x - y)"};
///     float total = clwave::transform_reduce(queue, floats, clwave::plus, clwave::abs, {.start = before});
///     float worst = clwave::transform_reduce(queue, clwave::zip(a, b), clwave::max, gap);
template <class Acc = void, queue_like Queue, reducible In, operator_argument Op = op, map_argument Map = map>
auto transform_reduce(const Queue& queue, const In& in, const Op& fold, const Map& apply,
                      const detail::options_for<Acc, In>& options = {})
    -> detail::accumulator_of<Acc, typename In::value_type> {
  using T = typename In::value_type;
  using A = detail::accumulator_of<Acc, T>;
  A result;
  reduce(
      handle_of<cl_command_queue>(queue),
      detail::started(
          detail::reduce_problem_of(in, element_of<A>(), fold, apply, detail::nothing_of<Acc, T>()), options),
      static_cast<void*>(&result), detail::launch_of(options));
  return result;
}

/// Sets the first element of `out`, on the device, to the fold of apply(x) over all elements x of `in` (of
/// apply(x, y) over zipped ones), accumulated in out's type; of no elements to the operator's identity, or
/// with `options.start` to that. `out` may not overlap an input. Does not block: returns the event of its
/// last command, started after `options.after`. The same bits on every device. Workspace: at most two results
/// per 8192 elements plus 4 KiB, pooled and reused, or `options.workspace`. Throws clwave::error: bad_call
/// before anything is enqueued (types the operator does not take, views that overlap or end past their
/// buffers, an object of another context), build, out_of_memory.
template <queue_like Queue, reducible In, view_argument Out, operator_argument Op = op,
          map_argument Map = map>
event transform_reduce(const Queue& queue, const In& in, const Out& out, const Op& fold, const Map& apply,
                       const reduce_options<viewed<Out>>& options = {}) {
  reduce_problem problem = detail::reduce_problem_of(in, element_of<viewed<Out>>(), fold, apply);
  problem.out = detail::erase_output(out);
  return reduce(handle_of<cl_command_queue>(queue), detail::started(problem, options),
                detail::launch_of(options));
}

/// The fold of apply(x) over all elements x of `in` (of apply(x, y) over zipped ones), accumulated in Acc
/// (without it in the element's type, with float for half and bfloat16, and 32 bits for integers of 8 and
/// 16), as a future (future.hpp). Does not block: the kernels start after `options.after`, and where that is
/// empty when the queue lets them, which is at once on an out-of-order queue. Its plan is that of a result on
/// the device. The value has the bits that transform_reduce gives. An empty input gives a future of
/// `options.start` or of the operator's identity, which is done unless one work-item has to evaluate an
/// identity of yours. Workspace: at most two Acc per 8192 elements plus 4 KiB, pooled and reused, or
/// `options.workspace`. Throws clwave::error: bad_call before anything is enqueued (types the operator does
/// not take, an empty input where there is no identity, a view past its buffer, an object of another
/// context), build, out_of_memory.
///
///     clwave::future<float> norm2 =
///         clwave::transform_reduce_async(queue, floats, clwave::plus, clwave::square);
template <class Acc = void, queue_like Queue, reducible In, operator_argument Op = op, map_argument Map = map>
auto transform_reduce_async(const Queue& queue, const In& in, const Op& fold, const Map& apply,
                            const detail::options_for<Acc, In>& options = {})
    -> future<detail::accumulator_of<Acc, typename In::value_type>> {
  using T = typename In::value_type;
  using A = detail::accumulator_of<Acc, T>;
  return future<A>(detail::reduce_to_future(
      handle_of<cl_command_queue>(queue),
      detail::started(
          detail::reduce_problem_of(in, element_of<A>(), fold, apply, detail::nothing_of<Acc, T>()), options),
      detail::launch_of(options)));
}

/// The fold of all elements, accumulated in Acc: without it in the element's type, with float for half and
/// bfloat16, and 32 bits for integers of 8 and 16. Blocks until the value is there, which has the same bits
/// on every device. Of no elements the operator's identity, or `options.start`. Workspace: at most two Acc
/// per 8192 elements plus 4 KiB, pooled and reused, or `options.workspace`. Throws clwave::error: bad_call
/// before anything is enqueued (types the operator does not take, no elements and no identity, a view past
/// its buffer, an object of another context), build, out_of_memory, device_lost.
///
///     float s = clwave::reduce(queue, clwave::view<float>{buffer, n});
///     double d = clwave::reduce<double>(queue, floats);              // accumulates in double
///     float m = clwave::reduce(queue, floats, clwave::max);
///     float l = clwave::reduce(queue, floats, clwave::min, {.after = {written}});
///     std::uint32_t t = clwave::reduce(queue, bytes);                // accumulates in 32 bits
template <class Acc = void, queue_like Queue, view_argument In, operator_argument Op = op>
auto reduce(const Queue& queue, const In& in, const Op& fold,
            const detail::options_for<Acc, In>& options = {}) {
  return transform_reduce<Acc>(queue, in, fold, identity, options);
}
/// The sum of all elements, accumulated in Acc (without it in the element's type, with float for half and
/// bfloat16, and 32 bits for integers of 8 and 16); 0 of no elements. Blocks until the value is there, which
/// has the same bits on every device. Throws clwave::error: bad_call before anything is enqueued (bool
/// without a wider Acc, a view past its buffer, an object of another context), build, out_of_memory,
/// device_lost.
///
///     float s = clwave::reduce(queue, floats, {.after = {written}});
template <class Acc = void, queue_like Queue, view_argument In>
auto reduce(const Queue& queue, const In& in, const detail::options_for<Acc, In>& options = {}) {
  return transform_reduce<Acc>(queue, in, plus, identity, options);
}

/// Sets the first element of `out`, on the device, to the fold of all elements of `in`, accumulated in out's
/// type; of no elements to the operator's identity, or with `options.start` to that. `out` may not overlap
/// `in`. Does not block: returns the event of its last command, started after `options.after`. The same bits
/// on every device. Throws clwave::error: bad_call before anything is enqueued (types the operator does not
/// take, views that overlap or end past their buffers, an object of another context), build, out_of_memory.
///
///     clwave::event e = clwave::reduce(queue, floats, clwave::view<double>{buffer, 1}, clwave::max);
template <queue_like Queue, view_argument In, view_argument Out, operator_argument Op = op>
event reduce(const Queue& queue, const In& in, const Out& out, const Op& fold,
             const reduce_options<viewed<Out>>& options = {}) {
  return transform_reduce(queue, in, out, fold, identity, options);
}
/// Sets the first element of `out`, on the device, to the sum of all elements of `in`, accumulated in out's
/// type. `out` may not overlap `in`. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued, build, out_of_memory.
///
///     clwave::event e = clwave::reduce(queue, floats, clwave::view<double>{buffer, 1}, {.after =
///     {written}});
template <queue_like Queue, view_argument In, view_argument Out>
event reduce(const Queue& queue, const In& in, const Out& out,
             const reduce_options<viewed<Out>>& options = {}) {
  return transform_reduce(queue, in, out, plus, identity, options);
}

/// The fold of all elements, accumulated in Acc (without it in the element's type, with float for half and
/// bfloat16, and 32 bits for integers of 8 and 16), as a future (future.hpp). Does not block. The value has
/// the bits that reduce gives; of no elements it is the operator's identity, or `options.start`. Throws
/// clwave::error: bad_call before anything is enqueued (types the operator does not take, no elements and no
/// identity, a view past its buffer, an object of another context), build, out_of_memory.
///
///     clwave::future<float> s = clwave::reduce_async(queue, floats);
///     clwave::future<float> m = clwave::reduce_async(queue, floats, clwave::max, {.after = {written}});
///     float share = m.get() / s.get();   // both run while the host does something else
template <class Acc = void, queue_like Queue, view_argument In, operator_argument Op = op>
auto reduce_async(const Queue& queue, const In& in, const Op& fold,
                  const detail::options_for<Acc, In>& options = {}) {
  return transform_reduce_async<Acc>(queue, in, fold, identity, options);
}
/// The sum of all elements, accumulated in Acc (without it in the element's type, with float for half and
/// bfloat16, and 32 bits for integers of 8 and 16), as a future (future.hpp). Does not block. Throws
/// clwave::error: bad_call before anything is enqueued, build, out_of_memory.
template <class Acc = void, queue_like Queue, view_argument In>
auto reduce_async(const Queue& queue, const In& in, const detail::options_for<Acc, In>& options = {}) {
  return transform_reduce_async<Acc>(queue, in, plus, identity, options);
}

/// The scalar product: the sum of x * y, each product taken and added in Acc (without it in the element's
/// type, with float for half and bfloat16, and 32 bits for integers of 8 and 16). Blocks until the value is
/// there, which has the same bits on every device; 0 of no elements. Workspace: at most two Acc per 8192
/// elements plus 4 KiB, pooled and reused, or `options.workspace`. Throws clwave::error: bad_call before
/// anything is enqueued (different lengths, types that have no product, a view past its buffer, an object of
/// another context), build, out_of_memory, device_lost.
template <class Acc = void, queue_like Queue, view_argument In, view_argument In2>
auto dot(const Queue& queue, const In& x, const In2& y, const detail::options_for<Acc, In>& options = {}) {
  return transform_reduce<Acc>(queue, zip(x, y), plus, product, options);
}

/// The scalar product, the sum of x * y, each product taken and added in Acc (without it in the element's
/// type, with float for half and bfloat16, and 32 bits for integers of 8 and 16), as a future (future.hpp).
/// Does not block. Throws clwave::error: bad_call before anything is enqueued (different lengths, a view past
/// its buffer, an object of another context), build, out_of_memory.
template <class Acc = void, queue_like Queue, view_argument In, view_argument In2>
auto dot_async(const Queue& queue, const In& x, const In2& y,
               const detail::options_for<Acc, In>& options = {}) {
  return transform_reduce_async<Acc>(queue, zip(x, y), plus, product, options);
}

namespace detail {
inline const op& argmin_op =
    *never_destroyed(op{.name = "argmin", .source = {}, .identity = {}, .kind = op_kind::argmin});
inline const op& argmax_op =
    *never_destroyed(op{.name = "argmax", .source = {}, .identity = {}, .kind = op_kind::argmax});
}  // namespace detail

/// The smallest element and its index: the first one on ties. A NaN counts as smaller than everything, so the
/// first NaN wins; -0 and +0 are equal. Scalars only; the value is a float for half and bfloat16. Blocks
/// until the value is there. Throws clwave::error: bad_call before anything is enqueued (no elements,
/// elements that are no scalars, a view past its buffer, an object of another context), build, out_of_memory,
/// device_lost.
template <queue_like Queue, view_argument In>
auto argmin(const Queue& queue, const In& in, const launch_options& options = {}) {
  return reduce<indexed<detail::widened<viewed<In>>>>(queue, in, detail::argmin_op, options);
}

/// The smallest element and its index, the first one on ties, a NaN as smaller than everything, as a future
/// (future.hpp). Scalars only. Does not block. Throws clwave::error: bad_call before anything is enqueued (no
/// elements, elements that are no scalars, a view past its buffer, an object of another context), build,
/// out_of_memory.
template <queue_like Queue, view_argument In>
auto argmin_async(const Queue& queue, const In& in, const launch_options& options = {}) {
  return reduce_async<indexed<detail::widened<viewed<In>>>>(queue, in, detail::argmin_op, options);
}

/// The largest element and its index: the first one on ties. A NaN counts as larger than everything, so the
/// first NaN wins; -0 and +0 are equal. Scalars only; the value is a float for half and bfloat16. Blocks
/// until the value is there. Throws clwave::error: bad_call before anything is enqueued (no elements,
/// elements that are no scalars, a view past its buffer, an object of another context), build, out_of_memory,
/// device_lost.
template <queue_like Queue, view_argument In>
auto argmax(const Queue& queue, const In& in, const launch_options& options = {}) {
  return reduce<indexed<detail::widened<viewed<In>>>>(queue, in, detail::argmax_op, options);
}

/// The largest element and its index, the first one on ties, a NaN as larger than everything, as a future
/// (future.hpp). Scalars only. Does not block. Throws clwave::error: bad_call before anything is enqueued (no
/// elements, elements that are no scalars, a view past its buffer, an object of another context), build,
/// out_of_memory.
template <queue_like Queue, view_argument In>
auto argmax_async(const Queue& queue, const In& in, const launch_options& options = {}) {
  return reduce_async<indexed<detail::widened<viewed<In>>>>(queue, in, detail::argmax_op, options);
}

}  // namespace clwave
