/// @file
/// ranks: one array whose shards lie with several processes, and reductions of it with the bits of one call
/// on one device. Scans of it: ranks_scan.hpp.
///
/// Each process, a rank, has a sharded<T> (sharded.hpp), on devices of its own: the array is the shards of
/// rank 0, then those of rank 1 and so on. A rank may have any number of elements, also 0, but one shard at
/// least, for it takes a device. All ranks make the same call, and all get the same value.
///
/// How the messages travel is a ranks object's concern: mpi.hpp has one for MPI, and you may write one for
/// anything else that carries bytes.
///
/// Same bits. The order in which a reduction combines elements is fixed by their number alone (reduce.hpp),
/// and so is the result here: how many ranks there are, and which has what, changes no bit.
///
/// How. The fold order is a tree: tiles of fold_tile elements, tiles of as many results of tiles, and so on.
/// A rank folds all of the tree that lies whole in its elements on its devices, where they are. Only what
/// lies in tiles that reach over its ends leaves it: of each level fewer than fold_tile elements or results
/// at either end, whatever the rank has. These go up a tree of ranks whose subtrees are stretches of
/// neighbours; each rank of that tree joins its own with those of its children, and folds on its device what
/// becomes whole. Rank 0 has the result, which comes down the same tree. A call sends two such rounds: in the
/// first each rank learns where its elements lie in the array, and whether all ranks make the same call.
///
/// Cost. A rank sends and gets at most 20 messages a call, however many ranks there are. The largest has
/// 2 * (fold_tile - 1) elements and as many results for each of the at most 3 levels above, 256 KiB for
/// floats; the array has at most 2^44 elements. A call lasts as long as one takes on the devices of a rank,
/// and for each level of the tree of ranks, of which there are 10 for a million, four messages and a few
/// kernels. In numbers: docs/several-machines.md.
///
/// Blocking. A call returns when the rank has the value. It gives commands to the queues of the rank's own
/// shards alone, and waits for what they wait for (sharded.hpp).
///
/// Threads. A ranks object serves one call at a time; calls of several threads take objects of their own.
///
/// Errors. What goes wrong on one rank, a refused argument, a compiler's or a device's error, is thrown on
/// all ranks, with the rank's number, which counts from 0; of several errors the same one. So is a call
/// that differs between ranks in the operator, the map, the types or the number of inputs, or is a scan on
/// some; the names of operators and maps may differ, the numbers of named values may not. The next call is
/// then a call like any other. A message that does not come is another matter: after its error the object
/// takes no further call, for what was late may still arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <clwave/element.hpp>
#include <clwave/export.hpp>
#include <clwave/op.hpp>
#include <clwave/reduce.hpp>
#include <clwave/sharded.hpp>

namespace clwave {

namespace detail {
class rank_talk;
}

/// The processes that make a call together, and how messages go from one to another. mpi_ranks (mpi.hpp) is
/// one; derive your own for another carrier. Messages of two ranks arrive in the order in which they were
/// sent.
class ranks {
 public:
  ranks() = default;
  ranks(const ranks&) = delete;
  ranks& operator=(const ranks&) = delete;
  virtual ~ranks() = default;

  /// This process's number, from 0 on.
  virtual std::uint32_t rank() const = 0;
  /// How many processes there are.
  virtual std::uint32_t size() const = 0;

  /// Sends a message; the bytes may be used again when this returns. May block until the other rank receives.
  /// `patience`: behind how many others, at most, the other rank may be waiting before it does; for carriers
  /// that give up at some time. Throws where it cannot be sent: clwave::error,
  /// or any other exception, which counts as one of failure::driver.
  virtual void send(std::uint32_t to, std::span<const std::byte> message, std::uint32_t patience) = 0;
  /// Waits for the next message of a rank, writes it to the beginning of `into`, and returns how many bytes
  /// it has, at most as many as `into`. Throws where none comes: clwave::error, or any other exception, which
  /// counts as one of failure::driver.
  virtual std::size_t receive(std::uint32_t from, std::span<std::byte> into, std::uint32_t patience) = 0;

 private:
  friend class detail::rank_talk;
  std::uint64_t calls_ = 0;
  bool broken_ = false;
};

namespace detail {

CLWAVE_EXPORT void reduce_ranks(ranks& over, const sharded_reduce_problem& call, void* result);

template <class Acc, class In>
auto reduce_over(ranks& over, const In& in, const op& fold, const map& apply, const launch_options& options) {
  accumulator_of<Acc, typename In::value_type> result;
  reduce_ranks(over, call_of_sharded<Acc>(in, fold, apply, options), &result);
  return result;
}

}  // namespace detail

/// The fold of apply(x) over all elements of all ranks, accumulated in Acc (without it in the element's type,
/// with float for half and bfloat16, and 32 bits for integers of 8 and 16). To be called by all ranks, each
/// with its shards. Blocks until the value is there, which has the bits of transform_reduce of the whole
/// array on one device. A map's index `i` is that in the whole array. Takes every operator, map and type that
/// a reduction on one device takes; an empty array gives the operator's identity. Each rank's host waits for
/// its own events `options.after`, of any contexts, before the rank begins; the other options of a launch do
/// not matter. Throws clwave::error on all ranks where one has an error: bad_call before anything is enqueued
/// (no shards, a queue that is none, a view past its buffer, types the operator or one of the devices does
/// not take, calls that differ), build, out_of_memory, device_lost, and driver where a message does not come.
///
///     float norm2 = clwave::transform_reduce(all, x, clwave::plus, clwave::square);
template <class Acc = void, class T, operator_argument Op = op, map_argument Map = map>
auto transform_reduce(ranks& over, const sharded<T>& in, const Op& fold, const Map& apply,
                      const launch_options& options = {}) {
  return detail::reduce_over<Acc>(over, in, fold, apply, options);
}

/// The fold of apply(x, y) over two arrays of all ranks that are cut alike, in each rank's shards too,
/// accumulated in Acc (without it in the element's type, with float for half and bfloat16, and 32 bits for
/// integers of 8 and 16). To be called by all ranks, each with its shards. Blocks until the value is there,
/// which has the bits of transform_reduce of the whole arrays on one device. A rank whose first array has
/// shards and whose second has none is refused. Throws clwave::error on all ranks where one has an error:
/// bad_call before anything is enqueued (no shards, types the operator does not take, calls that differ),
/// build, out_of_memory, device_lost, and driver where a message does not come.
///
///     float worst = clwave::transform_reduce(all, clwave::zip(a, b), clwave::max, gap);
template <class Acc = void, class T, operator_argument Op = op, map_argument Map = map>
auto transform_reduce(ranks& over, const zipped_sharded<T>& in, const Op& fold, const Map& apply,
                      const launch_options& options = {}) {
  return detail::reduce_over<Acc>(over, in, fold, apply, options);
}

/// The fold of the elements of all ranks, accumulated in Acc (without it in the element's type, with float
/// for half and bfloat16, and 32 bits for integers of 8 and 16). To be called by all ranks, each with its
/// shards. Blocks until the value is there, which has the bits of reduce of the whole array on one device.
/// Throws clwave::error on all ranks where one has an error: bad_call before anything is enqueued (no shards,
/// types the operator does not take, calls that differ), build, out_of_memory, device_lost, and driver where
/// a message does not come.
///
///     clwave::mpi_ranks all(MPI_COMM_WORLD);
///     float s = clwave::reduce(all, clwave::sharded<float>{{queue, own}});
template <class Acc = void, class T, operator_argument Op = op>
auto reduce(ranks& over, const sharded<T>& in, const Op& fold, const launch_options& options = {}) {
  return transform_reduce<Acc>(over, in, fold, identity, options);
}
/// The sum over all ranks, accumulated in Acc (without it in the element's type, with float for half and
/// bfloat16, and 32 bits for integers of 8 and 16). To be called by all ranks, each with its shards. Blocks
/// until the value is there. Throws clwave::error on all ranks where one has an error: bad_call before
/// anything is enqueued (no shards, types the operator does not take, calls that differ), build,
/// out_of_memory, device_lost, and driver where a message does not come.
template <class Acc = void, class T>
auto reduce(ranks& over, const sharded<T>& in, const launch_options& options = {}) {
  return transform_reduce<Acc>(over, in, plus, identity, options);
}

/// The scalar product over all ranks: the sum of x * y, each product taken and added in Acc. Both arrays are
/// cut alike. To be called by all ranks. Blocks until the value is there, which has the bits of dot of the
/// whole arrays. Throws clwave::error on all ranks where one has an error: bad_call before anything is
/// enqueued (no shards, types the operator does not take, calls that differ), build, out_of_memory,
/// device_lost, and driver where a message does not come.
template <class Acc = void, class T>
auto dot(ranks& over, const sharded<T>& x, const sharded<T>& y, const launch_options& options = {}) {
  return transform_reduce<Acc>(over, zip(x, y), plus, product, options);
}

/// The smallest element of all ranks and its index in the whole array: the first one on ties, with whichever
/// rank it lies. A NaN counts as smaller than everything; -0 and +0 are equal. Scalars only. To be called by
/// all ranks. Blocks until both are there. Throws clwave::error on all ranks where one has an error: bad_call
/// (no elements, no shards, calls that differ), build, out_of_memory, device_lost, and driver where a message
/// does not come.
template <class T>
auto argmin(ranks& over, const sharded<T>& in, const launch_options& options = {}) {
  return reduce<indexed<detail::widened<T>>>(over, in, detail::argmin_op, options);
}

/// The largest element of all ranks and its index in the whole array: the first one on ties. A NaN counts as
/// larger than everything; -0 and +0 are equal. Scalars only. To be called by all ranks, each with its
/// shards. Blocks until both are there. Throws clwave::error on all ranks where one has an error: bad_call
/// (no elements, no shards, calls that differ), build, out_of_memory, device_lost, and driver where a message
/// does not come.
template <class T>
auto argmax(ranks& over, const sharded<T>& in, const launch_options& options = {}) {
  return reduce<indexed<detail::widened<T>>>(over, in, detail::argmax_op, options);
}

}  // namespace clwave
