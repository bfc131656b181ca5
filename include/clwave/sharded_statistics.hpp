/// @file
/// count_if, minmax and mean_and_variance of arrays that lie in shards on several devices, in the host's
/// memory, or with several processes: the values of statistics.hpp, with the bits of one call on one device.
///
/// Each is a reduction by an operator and a map of the library's own, in the fold order (reduce.hpp), which
/// does not depend on how the array is cut. Kernel: cl_kernels/primitives/reduce.cl.
///
/// Blocking. Every call returns a value: it gives commands to the queues of the shards, or to those that are
/// named, flushes them, and waits for its own commands.
///
/// Memory. On each device one result for each tile of fold_tile elements; of a host_array up to 12 pieces of
/// some 8 MiB there and in page-locked memory of the host. All of it is pooled and reused.
///
/// Threads may call these functions at the same time, with the same arrays and queues; a ranks object serves
/// one call at a time. A child of fork() is refused. In full: event.hpp.
///
/// Errors. Arguments are checked, and programs built, before anything is read or enqueued. What is wrong with
/// one shard or queue, counted from 1, or with one rank, counted from 0, is thrown with its number.
#pragma once

#include <cstdint>

#include <clwave/element.hpp>
#include <clwave/host_array.hpp>
#include <clwave/op.hpp>
#include <clwave/options.hpp>
#include <clwave/ranks.hpp>
#include <clwave/sharded.hpp>
#include <clwave/statistics.hpp>

namespace clwave {

/// How many elements there are for which the predicate is other than 0, an expression in `x`, the element,
/// and if you like in `i` (ulong), its index in the whole array. Blocks until the value is there. Throws
/// clwave::error: bad_call before anything is enqueued (a predicate that is not your own, no shards, a queue
/// that is none, a view past its buffer or of another context than its queue), build, out_of_memory,
/// device_lost.
///
///     std::uint64_t n = clwave::count_if(x, {.name = "positive", .source = "x > 0"});  // x: shards
template <class T, map_argument Map = map>
std::uint64_t count_if(const sharded<T>& in, const Map& predicate, const launch_options& options = {}) {
  std::uint64_t result = 0;
  auto call = detail::call_of_sharded<std::uint64_t>(in, plus, predicate, options);
  call.counts = true;
  detail::reduce_sharded(call, &result);
  return result;
}
/// How many elements there are for which the predicate is other than 0 of an array in the host's memory, or
/// that a function reads, on the devices of all queues. Blocks until the value is there. Throws
/// clwave::error: bad_call before anything is read or enqueued (a predicate that is not your own, no queues),
/// build, out_of_memory, device_lost.
template <class T, map_argument Map = map>
std::uint64_t count_if(const queues& over, const host_array<T>& in, const Map& predicate,
                       const launch_options& options = {}) {
  return detail::reduce_streamed<std::uint64_t>(over, in, nullptr, plus, predicate, options, true);
}
/// For how many elements of all ranks the predicate is other than 0. To be called by all ranks, each with its
/// shards. Blocks until the value is there. Throws clwave::error on all ranks where one has an error:
/// bad_call before anything is enqueued (no shards, types the operator does not take, calls that differ),
/// build, out_of_memory, device_lost, and driver where a message does not come.
template <class T, map_argument Map = map>
std::uint64_t count_if(ranks& over, const sharded<T>& in, const Map& predicate,
                       const launch_options& options = {}) {
  std::uint64_t result = 0;
  auto call = detail::call_of_sharded<std::uint64_t>(in, plus, predicate, options);
  call.counts = true;
  detail::reduce_ranks(over, call, &result);
  return result;
}

/// The least and the greatest element, as minmax of the whole array on one device has them: a NaN anywhere
/// makes both the canonical NaN, and -0 is less than +0. Numbers of 1 to 8 bytes; those of half and bfloat16
/// are floats. Blocks until both are there. Throws clwave::error: bad_call before anything is enqueued (no
/// shards, a queue that is none, a view past its buffer or of another context than its queue), build,
/// out_of_memory, device_lost.
///
///     auto [least, greatest] = clwave::minmax(x);  // x: shards
template <class T>
auto minmax(const sharded<T>& in, const launch_options& options = {}) {
  static_assert(detail::measured<T>, "minmax takes numbers");
  return transform_reduce<min_and_max<detail::widened<T>>>(in, detail::minmax_fold<T>(),
                                                           detail::minmax_lift<T>(), options);
}
/// The least and the greatest element of an array in the host's memory, or that a function reads, on the
/// devices of all queues; both are NaN where there is a NaN. Blocks until both are there. Throws
/// clwave::error: bad_call before anything is read or enqueued (no queues), build, out_of_memory,
/// device_lost.
template <class T>
auto minmax(const queues& over, const host_array<T>& in, const launch_options& options = {}) {
  static_assert(detail::measured<T>, "minmax takes numbers");
  return transform_reduce<min_and_max<detail::widened<T>>>(over, in, detail::minmax_fold<T>(),
                                                           detail::minmax_lift<T>(), options);
}
/// The least and the greatest element of all ranks; both are NaN where there is a NaN. To be called by all
/// ranks, each with its shards. Blocks until both are there. Throws clwave::error on all ranks where one has
/// an error: bad_call before anything is enqueued (no shards, types the operator does not take, calls that
/// differ), build, out_of_memory, device_lost, and driver where a message does not come.
template <class T>
auto minmax(ranks& over, const sharded<T>& in, const launch_options& options = {}) {
  static_assert(detail::measured<T>, "minmax takes numbers");
  return transform_reduce<min_and_max<detail::widened<T>>>(over, in, detail::minmax_fold<T>(),
                                                           detail::minmax_lift<T>(), options);
}

/// How many elements there are, their mean and the sum of the squares of their distances from it, as
/// mean_and_variance of the whole array on one device has them; computed in Acc, without it in double for
/// double and for integers of 32 and 64 bits, else in float. Blocks until they are there. Throws
/// clwave::error: bad_call before anything is enqueued (no shards, doubles where a device has none, a queue
/// that is none, a view past its buffer or of another context than its queue), build, out_of_memory,
/// device_lost.
///
///     const clwave::moments<float> all = clwave::mean_and_variance(x);  // x: shards
template <class Acc = void, class T>
auto mean_and_variance(const sharded<T>& in, const launch_options& options = {}) {
  static_assert(detail::measured<T>, "mean_and_variance takes numbers");
  using A = detail::moments_of<Acc, T>;
  return transform_reduce<moments<A>>(in, detail::moments_fold<A>(), detail::moments_lift<A>(), options);
}
/// Number, mean and sum of squared distances from it of the elements of an array in the host's memory, or
/// that a function reads, computed in Acc on the devices of all queues. Blocks until they are there. Throws
/// clwave::error: bad_call before anything is read or enqueued (no queues, doubles where a device has none),
/// build, out_of_memory, device_lost.
template <class Acc = void, class T>
auto mean_and_variance(const queues& over, const host_array<T>& in, const launch_options& options = {}) {
  static_assert(detail::measured<T>, "mean_and_variance takes numbers");
  using A = detail::moments_of<Acc, T>;
  return transform_reduce<moments<A>>(over, in, detail::moments_fold<A>(), detail::moments_lift<A>(),
                                      options);
}
/// Number, mean and sum of squared distances from it of the elements of all ranks, computed in Acc. To be
/// called by all ranks, each with its shards. Blocks until they are there. Throws clwave::error on all ranks
/// where one has an error: bad_call before anything is enqueued (no shards, types the operator does not take,
/// calls that differ), build, out_of_memory, device_lost, and driver where a message does not come.
template <class Acc = void, class T>
auto mean_and_variance(ranks& over, const sharded<T>& in, const launch_options& options = {}) {
  static_assert(detail::measured<T>, "mean_and_variance takes numbers");
  using A = detail::moments_of<Acc, T>;
  return transform_reduce<moments<A>>(over, in, detail::moments_fold<A>(), detail::moments_lift<A>(),
                                      options);
}

}  // namespace clwave
