/// @file
/// Folds of the rows of matrices that lie in shards on several devices, with the bits of one call on one
/// device.
///
/// The matrices follow one another without gaps, row after row, and shards may be cut anywhere, inside a row
/// too. Each row folds in reduce's own order of a row's length (reduce.hpp), so that its result has the bits
/// of `reduce` of the row alone, for any operator, wherever it is cut and whatever device folds it. A device
/// that flushes denormals, which its facts say, may change bits.
///
/// How. Each device folds the rows that lie whole in its shard. Their results go through page-locked host
/// memory to the device that is to have them. Each row that a cut goes through is folded as an array in
/// shards of its own (sharded.hpp): of it, fewer than two tiles of fold_tile elements leave a shard. Kernels:
/// cl_kernels/primitives/reduce_rows.cl, cl_kernels/primitives/reduce.cl.
///
/// Blocking. The calls return when the results are there: they give commands to the queue of every shard and
/// to that of the results, flush those queues, and wait for their own commands. The work on a shard starts
/// after the events given with it; without any, after all that its queue held when the call was made, on an
/// out-of-order queue too. The same holds of the output and the events `after`, which say nothing of the
/// shards, as events of a shard say nothing of the output.
///
/// Memory. On each device the results of the rows in its shards, and what reduce_rows takes there; on the
/// device of the results those of other queues once more, and what the cut rows take (sharded.hpp); on the
/// host the results that go from device to device. All of it is pooled and reused.
///
/// Threads may fold at the same time, the same matrices and others, on the same queues and others, as long as
/// none changes a shards object. Queues may be in-order or out-of-order, with profiling or without. A child
/// of fork() is refused. In full: event.hpp.
///
/// Errors. All shards and the output are checked, and all programs built, before any work is enqueued. What a
/// check, a compiler or a device says of one shard is thrown with the shard's number, counted from 1, and its
/// device; what goes wrong with the output, with its device. If a device fails in the middle, the call waits
/// until the commands that it gave to the others have ended, and then throws.
#pragma once

#include <span>

#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/handle.hpp>
#include <clwave/matrices.hpp>
#include <clwave/op.hpp>
#include <clwave/options.hpp>
#include <clwave/profile.hpp>
#include <clwave/reduce.hpp>
#include <clwave/reduce_rows.hpp>
#include <clwave/sharded.hpp>
#include <clwave/view.hpp>

namespace clwave {

namespace detail {

// A fold of rows in shards, without its types.
struct sharded_rows_problem {
  std::span<const erased_shard> in;
  const element* value;    // an element's type, also where there is no shard
  cl_command_queue queue;  // of the results
  any_view out;
  const element* folded;  // the type of a tile's result
  matrices size;
  const op* fold;
  const map* apply;
  wait_list after = {};
  fold_sizes sizes = {};
  // The profile for each shard; empty in public calls, where each device has its own. Tests mix profiles.
  std::span<const profile_choice> rows = {};
};

CLWAVE_EXPORT void reduce_rows_sharded(const sharded_rows_problem& call);

}  // namespace detail

/// Sets out[r] to the fold of apply(x) over the elements x of row r of all matrices together, accumulated in
/// out's type, with the bits of one call on one device. The shards have size.batch * size.rows * size.columns
/// elements together, no more and no less. `queue` is one of the device that is to have the results, in the
/// context of their buffer; no shard need lie there. `out` may go on behind them, and may not overlap any
/// shard. In a map's text `i` is the element's place in its row. Blocks until the results are there; what
/// writes them starts after the events `options.after`.
///
/// Takes every type, operator and map that a reduction takes; an operator or a map may see an element more
/// than once. A row without elements gives the operator's identity. Throws clwave::error: bad_call before
/// anything is enqueued (no shards, another number of elements, an output that is too short or overlaps, a
/// queue that is none, a view past its buffer or of another context than its queue, types the operator or one
/// of the devices does not take), build, out_of_memory, device_lost.
///
///     clwave::map square{.name = "square_of_it", .source = "x * x"};
///     clwave::transform_reduce_rows(queue, x, norms, {.rows = 1000, .columns = 512}, clwave::plus, square);
template <queue_like Queue, class T, view_argument Out, operator_argument Op = op, map_argument Map = map>
void transform_reduce_rows(const Queue& queue, const sharded<T>& in, const Out& out, const matrices& size,
                           const Op& fold, const Map& apply, const launch_options& options = {}) {
  detail::reduce_rows_sharded({.in = in.erased(),
                               .value = &element_of<T>(),
                               .queue = handle_of<cl_command_queue>(queue),
                               .out = detail::erase_output(out),
                               .folded = &detail::folded_of<viewed<Out>>(),
                               .size = size,
                               .fold = &fold,
                               .apply = &apply,
                               .after = options.after});
}

/// Sets out[r] to the fold of the elements of row r of all matrices together, accumulated in out's type, with
/// the bits of `reduce` of the row alone. `queue` is one of the device that is to have the results. Blocks
/// until they are there; what writes them starts after `options.after`. Throws clwave::error: bad_call before
/// anything is enqueued (no shards, a queue that is none, a view past its buffer or of another context than
/// its queue, types the operator or one of the devices does not take, another number of elements than the
/// matrices have, an output that is too short or overlaps), build, out_of_memory, device_lost.
///
///     const clwave::sharded<float> x{{queue_a, first_half}, {queue_b, second_half}};
///     clwave::reduce_rows(queue_a, x, largest, {.rows = 1000, .columns = 512}, clwave::max);
template <queue_like Queue, class T, view_argument Out, operator_argument Op = op>
void reduce_rows(const Queue& queue, const sharded<T>& in, const Out& out, const matrices& size,
                 const Op& fold, const launch_options& options = {}) {
  transform_reduce_rows(queue, in, out, size, fold, identity, options);
}
/// Sets out[r] to the sum of the elements of row r of all matrices together, accumulated in out's type.
/// `queue` is one of the device that is to have the results. Blocks until they are there. Throws
/// clwave::error: bad_call before anything is enqueued (no shards, a queue that is none, a view past its
/// buffer or of another context than its queue, types the operator or one of the devices does not take,
/// another number of elements than the matrices have, an output that is too short or overlaps), build,
/// out_of_memory, device_lost.
template <queue_like Queue, class T, view_argument Out>
void reduce_rows(const Queue& queue, const sharded<T>& in, const Out& out, const matrices& size,
                 const launch_options& options = {}) {
  transform_reduce_rows(queue, in, out, size, plus, identity, options);
}

/// The smallest element of each row and its place in the row: the first one on ties, and a NaN is smaller
/// than everything. `out` has elements of clwave::indexed<T>, of clwave::indexed<float> for half and
/// bfloat16. Scalars only. Blocks until the results are there. Throws clwave::error: bad_call before anything
/// is enqueued (rows without elements, no shards, another number of elements than the matrices have, an
/// output that is too short or overlaps), build, out_of_memory, device_lost.
template <queue_like Queue, class T, view_argument Out>
void argmin_rows(const Queue& queue, const sharded<T>& in, const Out& out, const matrices& size,
                 const launch_options& options = {}) {
  reduce_rows(queue, in, out, size, detail::argmin_op, options);
}

/// The largest element of each row and its place in the row: the first one on ties, and a NaN is larger than
/// everything. `out` has elements of clwave::indexed<T>, of clwave::indexed<float> for half and bfloat16.
/// Scalars only. Blocks until the results are there. Throws clwave::error: bad_call before anything is
/// enqueued (rows without elements, no shards, another number of elements than the matrices have, an output
/// that is too short or overlaps), build, out_of_memory, device_lost.
template <queue_like Queue, class T, view_argument Out>
void argmax_rows(const Queue& queue, const sharded<T>& in, const Out& out, const matrices& size,
                 const launch_options& options = {}) {
  reduce_rows(queue, in, out, size, detail::argmax_op, options);
}

}  // namespace clwave
