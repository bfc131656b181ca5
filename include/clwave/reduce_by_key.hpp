/// @file
/// Reductions by key: folds the values of each run of equal neighbouring keys, with reduce's bits.
///
/// A run is a stretch of neighbouring keys that are equal, as unique finds them (select.hpp). Each run's
/// values fold in reduce's own order of the run's length (reduce.hpp), so that its result has the bits of
/// `reduce` of these values alone on every device, whatever runs stand beside it and wherever it lies. Keys
/// that are equal but not neighbours are of different runs: sort them first.
///
/// Reads each key once, each value once or, where a run of 17 to 8192 values goes across tiles of keys, some
/// of them twice, and stores each run's key and result once, in one launch where groups can send messages to
/// each other while they run (NVIDIA and AMD, devices with OpenCL 2 atomics), else in three, which read keys
/// twice, and from 8193 elements on one more. No group relies on the progress of another: one that has waited
/// too long does the missing work itself. Kernels: cl_kernels/primitives/select.cl,
/// cl_kernels/blocks/fold_runs.cl and fold_long_runs.cl. For the single pass: Merrill and Garland,
/// "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be in-order
/// or out-of-order, with profiling or without. A call that returns a count flushes its queue and waits; a
/// call that returns an event flushes nothing. No call flushes another queue. A child of fork() is refused.
/// In full: event.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/op.hpp>
#include <clwave/options.hpp>
#include <clwave/reduce.hpp>
#include <clwave/view.hpp>

namespace clwave {

/// A reduction by key, whose types are said at run time: what the call takes, and what plan() is asked, then
/// without buffers. Refers to all that is pointed to.
struct reduce_by_key_problem {
  any_view keys;                       ///< a run is a stretch of equal neighbours here
  any_view values;                     ///< as many as keys
  any_view keys_out;                   ///< the first key of each run, in the type of the keys
  any_view values_out;                 ///< each run's result; their type is what is accumulated in
  std::optional<any_view> count = {};  ///< u64, the number of runs; nothing: it goes to the host
  const op* fold = &plus;              ///< the operator
  const map* apply = &identity;        ///< what is applied to each value before
  const op* same = nullptr;            ///< when two neighbouring keys are equal; null: ==
  detail::fold_sizes sizes = {};       ///< the fold order's own; another one is for tests alone
};

/// What a call would do, which stores as many runs as the shorter output has elements: its launches, their
/// arguments, the source and the workspace (plan.hpp). Enqueues nothing. Throws clwave::error (bad_call) for
/// a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const reduce_by_key_problem& asked, const plan_target& on);

/// Folds the values of each run of equal neighbouring keys, of types that are said at run time, and writes
/// the number of runs to `count`, on the device. Does not block: returns the event of its last command,
/// started after `options.after`. Throws clwave::error: bad_call before anything is enqueued (types or sizes
/// that do not go together, overlaps that are not allowed, a view past its buffer, an object of another
/// context), build, out_of_memory. In full: transform_reduce_by_key.
CLWAVE_EXPORT event reduce_by_key(cl_command_queue queue, const reduce_by_key_problem& asked,
                                  const launch_options& options = {});

/// Folds the values of each run of equal neighbouring keys, of types that are said at run time, and returns
/// the number of runs. The problem's `count` is not looked at. Blocks until the results are there; starts
/// after `options.after`, or else after all that the queue held. Throws clwave::error: bad_call before
/// anything is enqueued (types or sizes that do not go together, overlaps that are not allowed, a view past
/// its buffer, an object of another context), build, out_of_memory, device_lost.
CLWAVE_EXPORT std::uint64_t reduce_by_key_to_host(cl_command_queue queue, const reduce_by_key_problem& asked,
                                                  const launch_options& options = {});

namespace detail {

template <viewable Keys, viewable Values, viewable KeysOut, viewable ValuesOut>
reduce_by_key_problem reduce_by_key_problem_of(const Keys& keys, const Values& values,
                                               const KeysOut& keys_out, const ValuesOut& values_out,
                                               const op& fold, const map& apply, const op* same) {
  static_assert(std::is_same_v<viewed<Keys>, viewed<KeysOut>>, "keys stay of the type that they have");
  return {.keys = erase(keys),
          .values = erase(values),
          .keys_out = erase_output(keys_out),
          .values_out = erase_output(values_out),
          .fold = &fold,
          .apply = &apply,
          .same = same};
}

// With the count on the device.
template <class Count>
event reduce_by_key(cl_command_queue queue, reduce_by_key_problem problem, const Count& count,
                    const launch_options& options) {
  problem.count = erase_output(count);
  return clwave::reduce_by_key(queue, problem, options);
}

}  // namespace detail

/// Writes the key of each run of equal neighbours in `keys` to `keys_out`, the fold of apply(x) over the
/// run's `values` x, accumulated in the type of `values_out`, to that, and how many runs there are to the
/// first element of `count`, on the device. Keys and values are equally many; the keys may be a counted view
/// (any_view.hpp), with as many values as it has at most. In a map's text `i` is the value's place in its
/// run. The key of a run is its first one. Neighbouring keys are equal where a == b (a NaN is a run of its
/// own); structures need a text.
///
/// The outputs may be of different lengths: the shorter one is the capacity, runs past it are not written,
/// and the count still says how many there would be. What lies behind the runs is not touched. Keys and
/// values may overlap each other; no output may overlap anything.
///
/// Does not block: returns the event of its last command, started after `options.after`. No elements: the
/// count becomes 0. Takes every type, operator and map that reduce takes of one input, and keys of any type
/// of up to 128 bytes; texts may see an element more than once, and must be pure. The results and the count
/// are the same on every device and in every run. Workspace, pooled and reused, or `options.workspace`: 64
/// bytes for each 16384 elements where keys and values have up to 4 bytes, more for larger ones (a tile of
/// keys has 16 KiB of the larger of the two then), twice that from 2^31 elements on, and 4 KiB; where there
/// are more than 8192 elements also, for each 8192, two results and 24 bytes or the messages of one result, 8
/// bytes for each 4 of it. More where a device has less than 48 KiB of local memory. Throws clwave::error:
/// bad_call before anything is enqueued (types that the operator does not take, keys and values that are not
/// equally many, views that overlap, a view past its buffer or not aligned to its type, a buffer or an event
/// of another context), build (with the compiler's lines), out_of_memory.
///
///     clwave::transform_reduce_by_key(queue, keys, x, keys_out, norms, count, clwave::plus, clwave::square);
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument KeysOut,
          view_argument ValuesOut, detail::counted Count, operator_argument Op = op, map_argument Map = map>
event transform_reduce_by_key(const Queue& queue, const Keys& keys, const Values& values,
                              const KeysOut& keys_out, const ValuesOut& values_out, const Count& count,
                              const Op& fold, const Map& apply, const launch_options& options = {}) {
  return detail::reduce_by_key(
      handle_of<cl_command_queue>(queue),
      detail::reduce_by_key_problem_of(keys, values, keys_out, values_out, fold, apply, nullptr), count,
      options);
}
/// Writes the key of each run of equal neighbours in `keys` to `keys_out`, the fold of apply(x) over the
/// run's `values` x to `values_out`, and how many runs there are to the first element of `count`, on the
/// device. Two neighbouring keys `a` and `b` are equal where the text of `same` is true, an operator of
/// yours, which must be pure. Keys and values are equally many. Runs past the end of the shorter output are
/// not written, and still counted. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (types that the operator does
/// not take, different lengths, views that overlap, a view past its buffer or misaligned, an object of
/// another context), build, out_of_memory.
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument KeysOut,
          view_argument ValuesOut, detail::counted Count, operator_argument Op = op, map_argument Map = map,
          operator_argument Same = op>
event transform_reduce_by_key(const Queue& queue, const Keys& keys, const Values& values,
                              const KeysOut& keys_out, const ValuesOut& values_out, const Count& count,
                              const Op& fold, const Map& apply, const Same& same,
                              const launch_options& options = {}) {
  return detail::reduce_by_key(
      handle_of<cl_command_queue>(queue),
      detail::reduce_by_key_problem_of(keys, values, keys_out, values_out, fold, apply, &same), count,
      options);
}

/// Writes the key of each run of equal neighbours in `keys` to `keys_out`, the fold of apply(x) over the
/// run's `values` x, accumulated in the type of `values_out`, to that, and returns how many runs there are.
/// Neighbouring keys are equal where a == b. Runs past the end of the shorter output are not written, and
/// still counted. Blocks until the results are there; starts after `options.after`, or else after all that
/// the queue held. Throws clwave::error: bad_call before anything is enqueued (types that the operator does
/// not take, different lengths, views that overlap, a view past its buffer or misaligned, an object of
/// another context), build, out_of_memory.
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument KeysOut,
          view_argument ValuesOut, operator_argument Op = op, map_argument Map = map>
std::uint64_t transform_reduce_by_key(const Queue& queue, const Keys& keys, const Values& values,
                                      const KeysOut& keys_out, const ValuesOut& values_out, const Op& fold,
                                      const Map& apply, const launch_options& options = {}) {
  return reduce_by_key_to_host(
      handle_of<cl_command_queue>(queue),
      detail::reduce_by_key_problem_of(keys, values, keys_out, values_out, fold, apply, nullptr), options);
}
/// Writes the key of each run of equal neighbours in `keys` to `keys_out`, the fold of apply(x) over the
/// run's `values` x to `values_out`, and returns how many runs there are. Two neighbouring keys `a` and `b`
/// are equal where the text of `same` is true, an operator of yours, which must be pure. Runs past the end of
/// the shorter output are not written, and still counted. Blocks until the results are there; starts after
/// `options.after`, or else after all that the queue held. Throws clwave::error: bad_call before anything is
/// enqueued (types that the operator does not take, different lengths, views that overlap, a view past its
/// buffer or misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument KeysOut,
          view_argument ValuesOut, operator_argument Op = op, map_argument Map = map,
          operator_argument Same = op>
std::uint64_t transform_reduce_by_key(const Queue& queue, const Keys& keys, const Values& values,
                                      const KeysOut& keys_out, const ValuesOut& values_out, const Op& fold,
                                      const Map& apply, const Same& same,
                                      const launch_options& options = {}) {
  return reduce_by_key_to_host(
      handle_of<cl_command_queue>(queue),
      detail::reduce_by_key_problem_of(keys, values, keys_out, values_out, fold, apply, &same), options);
}

/// Writes the key of each run of equal neighbours in `keys` to `keys_out`, the fold of the run's `values`,
/// accumulated in the type of `values_out`, to that, and how many runs there are to the first element of
/// `count`, on the device. Neighbouring keys are equal where a == b; structures need a text. Runs past the
/// end of the shorter output are not written, and still counted. No output may overlap anything. The same
/// bits on every device. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (types that the operator does
/// not take, different lengths, views that overlap, a view past its buffer or misaligned, an object of
/// another context), build, out_of_memory.
///
///     clwave::reduce_by_key(queue, keys, x, keys_out, sums, count);
///     // keys a a b a and x 1 2 3 4 become keys_out a b a and sums 3 3 4; count is 3
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument KeysOut,
          view_argument ValuesOut, detail::counted Count, operator_argument Op = op>
event reduce_by_key(const Queue& queue, const Keys& keys, const Values& values, const KeysOut& keys_out,
                    const ValuesOut& values_out, const Count& count, const Op& fold,
                    const launch_options& options = {}) {
  return transform_reduce_by_key(queue, keys, values, keys_out, values_out, count, fold, identity, options);
}
/// Writes the key of each run of equal neighbours in `keys` to `keys_out`, the sum of the run's `values`,
/// accumulated in the type of `values_out`, to that, and how many runs there are to the first element of
/// `count`, on the device. Runs past the end of the shorter output are not written, and still counted. Does
/// not block: returns the event of its last command, started after `options.after`. Throws clwave::error:
/// bad_call before anything is enqueued (types that have no sum, different lengths, views that overlap, a
/// view past its buffer or misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument KeysOut,
          view_argument ValuesOut, detail::counted Count>
event reduce_by_key(const Queue& queue, const Keys& keys, const Values& values, const KeysOut& keys_out,
                    const ValuesOut& values_out, const Count& count, const launch_options& options = {}) {
  return transform_reduce_by_key(queue, keys, values, keys_out, values_out, count, plus, identity, options);
}
/// Writes the key of each run of equal neighbours in `keys` to `keys_out`, the fold of the run's `values` to
/// `values_out`, and how many runs there are to the first element of `count`, on the device. Two neighbouring
/// keys `a` and `b` are equal where the text of `same` is true, an operator of yours, which must be pure.
/// Runs past the end of the shorter output are not written, and still counted. Does not block: returns the
/// event of its last command, started after `options.after`. Throws clwave::error: bad_call before anything
/// is enqueued (types that the operator does not take, different lengths, views that overlap, a view past its
/// buffer or misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument KeysOut,
          view_argument ValuesOut, detail::counted Count, operator_argument Op = op,
          operator_argument Same = op>
event reduce_by_key(const Queue& queue, const Keys& keys, const Values& values, const KeysOut& keys_out,
                    const ValuesOut& values_out, const Count& count, const Op& fold, const Same& same,
                    const launch_options& options = {}) {
  return transform_reduce_by_key(queue, keys, values, keys_out, values_out, count, fold, identity, same,
                                 options);
}
/// Writes the key of each run of equal neighbours in `keys` to `keys_out`, the fold of the run's `values`,
/// accumulated in the type of `values_out`, to that, and returns how many runs there are. Neighbouring keys
/// are equal where a == b. Runs past the end of the shorter output are not written, and still counted. Blocks
/// until the results are there; starts after `options.after`, or else after all that the queue held. Throws
/// clwave::error: bad_call before anything is enqueued (types that the operator does not take, different
/// lengths, views that overlap, a view past its buffer or misaligned, an object of another context), build,
/// out_of_memory.
///
///     const std::uint64_t runs = clwave::reduce_by_key(queue, keys, x, keys_out, largest, clwave::max);
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument KeysOut,
          view_argument ValuesOut, operator_argument Op = op>
std::uint64_t reduce_by_key(const Queue& queue, const Keys& keys, const Values& values,
                            const KeysOut& keys_out, const ValuesOut& values_out, const Op& fold,
                            const launch_options& options = {}) {
  return transform_reduce_by_key(queue, keys, values, keys_out, values_out, fold, identity, options);
}
/// Writes the key of each run of equal neighbours in `keys` to `keys_out`, the sum of the run's `values`,
/// accumulated in the type of `values_out`, to that, and returns how many runs there are. Runs past the end
/// of the shorter output are not written, and still counted. Blocks until the results are there; starts after
/// `options.after`, or else after all that the queue held. Throws clwave::error: bad_call before anything is
/// enqueued (types that have no sum, different lengths, views that overlap, a view past its buffer or
/// misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument KeysOut,
          view_argument ValuesOut>
std::uint64_t reduce_by_key(const Queue& queue, const Keys& keys, const Values& values,
                            const KeysOut& keys_out, const ValuesOut& values_out,
                            const launch_options& options = {}) {
  return transform_reduce_by_key(queue, keys, values, keys_out, values_out, plus, identity, options);
}
/// Writes the key of each run of equal neighbours in `keys` to `keys_out`, the fold of the run's `values` to
/// `values_out`, and returns how many runs there are. Two neighbouring keys `a` and `b` are equal where the
/// text of `same` is true, an operator of yours, which must be pure. Runs past the end of the shorter output
/// are not written, and still counted. Blocks until the results are there; starts after `options.after`, or
/// else after all that the queue held. Throws clwave::error: bad_call before anything is enqueued (types that
/// the operator does not take, different lengths, views that overlap, a view past its buffer or misaligned,
/// an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument KeysOut,
          view_argument ValuesOut, operator_argument Op = op, operator_argument Same = op>
std::uint64_t reduce_by_key(const Queue& queue, const Keys& keys, const Values& values,
                            const KeysOut& keys_out, const ValuesOut& values_out, const Op& fold,
                            const Same& same, const launch_options& options = {}) {
  return transform_reduce_by_key(queue, keys, values, keys_out, values_out, fold, identity, same, options);
}

}  // namespace clwave
