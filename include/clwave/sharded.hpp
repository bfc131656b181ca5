/// @file
/// sharded: one array that lies in shards on several devices, and reductions of it with the bits of one call
/// on one device.
///
/// A sharded<T> names consecutive shards of one array: each is a queue and a view. The shards may have any
/// lengths, also 0, and lie on any mix of devices, contexts and drivers: GPU with GPU, GPU with CPU, several
/// buffers on one device. Scans of sharded: sharded_scan.hpp; histograms: sharded_histogram.hpp.
///
/// Same bits. The order in which a reduction combines elements is fixed by their number alone (reduce.hpp),
/// and so is the result here: where the array is cut, and which devices fold what, changes no bit. A device
/// that flushes denormals, which its facts say, may change bits.
///
/// How. Each device folds the tiles of fold_tile elements that lie whole in its shard to one result each. A
/// tile that is cut (of split()'s shards none is) is put together from fewer than fold_tile elements of each
/// shard; no more of a shard leaves its device. Results of tiles go through page-locked host memory to the
/// device that has the most elements, which folds them as a single call would. Sums of numbers of 4 or 8
/// bytes (plus, behind any map) the host folds: there each device first folds whole tiles of results, too,
/// and waits for no other one. Kernels: cl_kernels/primitives/reduce.cl.
///
/// Blocking. Every reduction here returns a value: it gives commands to the queue of every shard, flushes
/// those queues, and waits for its own commands. The work on a shard starts after the events given with the
/// shard; without any, after all that its queue held when the call was made, on an out-of-order queue too. Of
/// two arrays (zip) the events of one say nothing of the other: where its shard has none, that waits for all
/// that the queue held.
///
/// Memory. On each device one result for each of its tiles, and what it has of cut tiles; on the device that
/// folds them one for each tile of the array, and the cut tiles; as much on the host as goes from device to
/// device. All of it is pooled and reused. What the host may do with a shard's buffer does not matter
/// (CL_MEM_HOST_NO_ACCESS): it reads memory of the library's alone.
///
/// Threads may reduce at the same time, the same shards and others, on the same queues and others, as long as
/// none changes a shards object. Queues may be in-order or out-of-order, with profiling or without. A child
/// of fork() is refused. In full: event.hpp.
///
/// Errors. All shards are checked, and all programs built, before any work is enqueued on any of them. What a
/// check, a compiler or a device says of one shard is thrown with the shard's number, counted from 1, and its
/// device. If a device fails in the middle, the call waits until the commands that it gave to the others have
/// ended, and then throws; a shard that still waits for an event of yours is waited for as well.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/handle.hpp>
#include <clwave/op.hpp>
#include <clwave/opencl.hpp>
#include <clwave/options.hpp>
#include <clwave/profile.hpp>
#include <clwave/reduce.hpp>
#include <clwave/view.hpp>

namespace clwave {

namespace detail {

// A shard without its type.
struct erased_shard {
  cl_command_queue queue;
  any_view elements;
  wait_list after;
  bool is_const = false;  // the view's elements may not be written
};

// A reduction of shards, without its types. `y` is empty where there is one input; `folded` is the type of a
// tile's result.
struct sharded_reduce_problem {
  std::span<const erased_shard> x;
  std::span<const erased_shard> y;
  const element* accumulator;
  const element* folded;
  const op* fold;
  const map* apply;
  fold_sizes sizes = {};
  // The profile for each shard. In public calls it is empty, and each device has its own;
  // tests mix profiles on one device.
  std::span<const profile_choice> rows = {};
  // What the host waits for before it begins; null: nothing.
  const wait_list* after = nullptr;
  const element* nothing = nullptr;  // whose identity is that of no elements; null: the accumulator
  // Where these are some of a call's sharded: how many come before, and how many there are. Errors number
  // them so.
  std::size_t before = 0, of = 0;
  bool counts = false;  // the map is a predicate: elements that fit are counted
};

CLWAVE_EXPORT void reduce_sharded(const sharded_reduce_problem& call, void* result);

}  // namespace detail

/// Consecutive shards of one array of T, in their order. Owns neither queues nor buffers, which must live
/// until the calls on the shards have returned; owns references to the events that shards wait for. To make
/// or copy one asks no queue.
///
///     const clwave::sharded<float> x{{queue_a, first_half}, {queue_b, second_half}};
///     float s = clwave::reduce(x);              // the bits of clwave::reduce(queue, whole)
///     auto least = clwave::argmin(x);           // the index is that in the whole array
template <class T>
class sharded {
  static_assert(!std::is_const_v<T>, "write sharded<T>: its shards may be views of const elements");

 public:
  using value_type = T;  ///< the type of an element

  /// One shard: the elements, a queue of the device that works on them, in the context of their buffer, and
  /// the events of that context that come before.
  struct shard {
    /// Views of T and of const T, and what becomes one. Views of other types, counted and lazy ones do not
    /// compile.
    template <queue_like Queue, viewable Elements>
      requires(std::same_as<viewed<Elements>, T> && !detail::is_counted<Elements>::value &&
               !detail::is_lazy<Elements>::value)
    shard(const Queue& queue, const Elements& elements, wait_list after = {})
        : erased{handle_of<cl_command_queue>(queue), detail::erase(elements), std::move(after),
                 std::is_const_v<typename Elements::value_type>} {}
    detail::erased_shard erased;  ///< the shard, without its element type
  };

  sharded() = default;
  /// The shards in the order in which their elements follow one another.
  sharded(std::initializer_list<shard> shards) {
    for (const shard& each : shards) add(each);
  }

  /// One more shard, behind the others.
  sharded& add(shard next) {
    shards_.push_back(std::move(next.erased));
    return *this;
  }

  /// How many shards there are, empty ones included.
  std::size_t count() const noexcept { return shards_.size(); }
  /// How many elements the shards have together.
  std::uint64_t size() const noexcept {
    std::uint64_t n = 0;
    for (const detail::erased_shard& each : shards_) n += each.elements.n;
    return n;
  }
  /// The shards without their type.
  std::span<const detail::erased_shard> erased() const noexcept { return shards_; }

 private:
  std::vector<detail::erased_shard> shards_;
};

/// Two arrays that are cut alike, for a map of x and y: shard by shard the same length and the same queue
/// (else the call throws bad_call). Events that a shard of either has are waited for. Refers to both.
template <class T>
struct zipped_sharded {
  using value_type = T;  ///< the type of both arrays' elements
  const sharded<T>& x;   ///< what texts see as x
  const sharded<T>& y;   ///< what texts see as y
};

/// Two arrays of the same type for transform_reduce. Refers to both, which must live as long.
template <class T>
zipped_sharded<T> zip(const sharded<T>& x, const sharded<T>& y) {
  return {x, y};
}
template <class T>
zipped_sharded<T> zip(sharded<T>&& x, const sharded<T>& y) = delete;  // it would refer to what is gone
template <class T>
zipped_sharded<T> zip(const sharded<T>& x, sharded<T>&& y) = delete;
template <class T>
zipped_sharded<T> zip(sharded<T>&& x, sharded<T>&& y) = delete;

namespace detail {

template <class A>
const element& folded_of() {
  return element_of<A>();
}
// argmin and argmax fold values, and look up the index at the end.
template <class A>
  requires requires(A a) { a.index; } && std::same_as<A, indexed<decltype(A::value)>>
const element& folded_of() { return element_of<decltype(A::value)>(); }

// Refers to all that it is given. In is shards or two of them zipped.
template <class Acc, class In>
sharded_reduce_problem call_of_sharded(const In& in, const op& fold, const map& apply,
                                       const launch_options& options) {
  using T = typename In::value_type;
  using A = accumulator_of<Acc, T>;
  sharded_reduce_problem call{.x = {},
                              .y = {},
                              .accumulator = &element_of<A>(),
                              .folded = &folded_of<A>(),
                              .fold = &fold,
                              .apply = &apply,
                              .after = &options.after,
                              .nothing = nothing_of<Acc, T>()};
  if constexpr (requires { in.y; }) {
    // Without a second array there must be no first: sharded_reduce_problem says so.
    if (in.y.count() == 0) return call;
    call.x = in.x.erased();
    call.y = in.y.erased();
  } else {
    call.x = in.erased();
  }
  return call;
}

}  // namespace detail

/// The fold of apply(x) over all elements of all shards, accumulated in Acc (without it in the element's
/// type, with float for half and bfloat16, and 32 bits for integers of 8 and 16). Blocks until the value is
/// there, which has the bits of transform_reduce of the whole array on one device. A map's index `i` is that
/// in the whole array. Takes every operator, map and type that a reduction on one device takes. An empty
/// array gives the operator's identity, and takes a shard to know a device. The host waits for the events
/// `options.after`, of any contexts, before it begins; the other options of a launch do not matter. Throws
/// clwave::error: bad_call before anything is enqueued (no shards, a queue that is none, a view past its
/// buffer or of another context than its queue, types the operator or one of the devices does not take, more
/// than 2^44 elements), build, out_of_memory, device_lost.
///
///     float norm2 = clwave::transform_reduce(x, clwave::plus, clwave::square);
template <class Acc = void, class T, operator_argument Op = op, map_argument Map = map>
auto transform_reduce(const sharded<T>& in, const Op& fold, const Map& apply,
                      const launch_options& options = {}) -> detail::accumulator_of<Acc, T> {
  detail::accumulator_of<Acc, T> result;
  detail::reduce_sharded(detail::call_of_sharded<Acc>(in, fold, apply, options), &result);
  return result;
}

/// The fold of apply(x, y) over two arrays that are cut alike, shard by shard of one length and one queue,
/// accumulated in Acc. Blocks until the value is there, which has the bits of transform_reduce of the whole
/// arrays on one device. Throws clwave::error: bad_call before anything is enqueued (no shards, a queue that
/// is none, a view past its buffer or of another context than its queue, types the operator or one of the
/// devices does not take, arrays that are cut otherwise), build, out_of_memory, device_lost.
///
///     clwave::map gap{.name = "gap", .source = "fabs(x - y)"};
///     float worst = clwave::transform_reduce(clwave::zip(a, b), clwave::max, gap);
template <class Acc = void, class T, operator_argument Op = op, map_argument Map = map>
auto transform_reduce(const zipped_sharded<T>& in, const Op& fold, const Map& apply,
                      const launch_options& options = {}) -> detail::accumulator_of<Acc, T> {
  detail::accumulator_of<Acc, T> result;
  detail::reduce_sharded(detail::call_of_sharded<Acc>(in, fold, apply, options), &result);
  return result;
}

/// The fold of all elements of all shards, accumulated in Acc (without it in the element's type, with float
/// for half and bfloat16, and 32 bits for integers of 8 and 16). Blocks until the value is there, which has
/// the bits of reduce of the whole array on one device. Throws clwave::error: bad_call before anything is
/// enqueued (no shards, a queue that is none, a view past its buffer or of another context than its queue,
/// types the operator or one of the devices does not take, no elements where there is no identity), build,
/// out_of_memory, device_lost.
///
///     double d = clwave::reduce<double>(x, clwave::plus);     // accumulates in double
///     float m = clwave::reduce(x, clwave::max);
template <class Acc = void, class T, operator_argument Op = op>
auto reduce(const sharded<T>& in, const Op& fold, const launch_options& options = {}) {
  return transform_reduce<Acc>(in, fold, identity, options);
}
/// The sum of all elements of all shards. Blocks until the value is there, which has the bits of the sum of
/// the whole array on one device. Throws clwave::error: bad_call before anything is enqueued (no shards, a
/// queue that is none, a view past its buffer or of another context than its queue, types the operator or one
/// of the devices does not take), build, out_of_memory, device_lost.
///
///     float s = clwave::reduce(x);
template <class Acc = void, class T>
auto reduce(const sharded<T>& in, const launch_options& options = {}) {
  return transform_reduce<Acc>(in, plus, identity, options);
}

/// The scalar product: the sum of x * y, each product taken and added in Acc. Both arrays are cut alike.
/// Blocks until the value is there, which has the bits of dot of the whole arrays. Throws clwave::error:
/// bad_call before anything is enqueued (no shards, a queue that is none, a view past its buffer or of
/// another context than its queue, types the operator or one of the devices does not take, arrays that are
/// cut otherwise), build, out_of_memory, device_lost.
template <class Acc = void, class T>
auto dot(const sharded<T>& x, const sharded<T>& y, const launch_options& options = {}) {
  return transform_reduce<Acc>(zip(x, y), plus, product, options);
}

/// The smallest element and its index in the whole array: the first one on ties, whichever shards they lie
/// in. A NaN counts as smaller than everything, so the first NaN wins; -0 and +0 are equal. Scalars only.
/// Blocks until both are there: first the tile is found, then the place in it. Throws clwave::error: bad_call
/// before anything is enqueued (no elements, elements that are no scalars, a queue that is none, a view past
/// its buffer or of another context than its queue), build, out_of_memory, device_lost.
template <class T>
auto argmin(const sharded<T>& in, const launch_options& options = {}) {
  return reduce<indexed<detail::widened<T>>>(in, detail::argmin_op, options);
}

/// The largest element and its index in the whole array: the first one on ties. A NaN counts as larger than
/// everything, so the first NaN wins; -0 and +0 are equal. Scalars only. Blocks until both are there. Throws
/// clwave::error: bad_call before anything is enqueued (no elements, elements that are no scalars, a queue
/// that is none, a view past its buffer or of another context than its queue), build, out_of_memory,
/// device_lost.
template <class T>
auto argmax(const sharded<T>& in, const launch_options& options = {}) {
  return reduce<indexed<detail::widened<T>>>(in, detail::argmax_op, options);
}

/// Proposes how to cut n elements over devices: a length for each, in their order, which add up to n. Each is
/// of whole tiles (fold_tile elements) but for the last one that is not 0, so that no tile is cut. Lengths go
/// by the speed at which the devices read: what `clwave tune reduce` measured, where it has measured all of
/// them with the drivers that they have now; else what the drivers report, compute units times lanes times
/// clock, which orders GPUs of one make well and says little of others; else all devices count alike. Each of
/// the devices' facts is gathered once a process (facts_of). Blocks for nothing else. Throws bad_call where
/// there is no device or a null one.
///
///     const auto lengths = clwave::split(n, std::array{gpu_a, gpu_b});
CLWAVE_EXPORT std::vector<std::uint64_t> split(std::uint64_t n, std::span<const cl_device_id> devices);

/// Proposes how to cut n elements over devices by speeds of your own, in any unit: a length for each, in
/// their order, which add up to n, and of whole tiles (fold_tile elements) but for the last one that is not
/// 0. A device of speed 0 gets nothing. Asks no device. Throws bad_call where there is no speed, or one that
/// is negative, infinite or no number, or where all are 0.
///
///     const auto lengths = clwave::split(n, std::array{4300.0, 4300.0, 200.0});  // GB/s that you measured
CLWAVE_EXPORT std::vector<std::uint64_t> split(std::uint64_t n, std::span<const double> speeds);

}  // namespace clwave
