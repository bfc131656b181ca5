/// @file
/// Scans over ranks: running folds of one array whose shards lie with several processes, with the bits of one
/// call on one device.
///
/// Each rank (ranks.hpp) has shards of the input and shards of the output that are cut alike, or scans in
/// place: the input is the shards of rank 0, then those of rank 1 and so on, and so is the output. All ranks
/// make the same call, and each gets the results of its own elements, where its outputs are.
///
/// Same bits. The order of a scan is fixed by an element's place alone (scan.hpp), and so are the results
/// here, for any operator: how many ranks there are, and which has what, changes no bit.
///
/// How. Each rank folds its tiles (16384 elements, or 8192 where a result has 8 bytes) and stretches of 64
/// tiles on its devices. What goes up the tree of ranks is, of each of its subtrees, what lies in tiles and
/// stretches that reach over its ends, and one fold for each stretch that lies whole in it. Down comes to
/// each rank what stands before its first element: of that one's tile the elements before it, of its stretch
/// the folds of earlier tiles, and one fold of all earlier stretches, found from the left on devices. From
/// there each rank goes on by itself, as one call on one device would. A third round says that all went well.
/// Kernels: cl_kernels/primitives/scan.cl.
///
/// Cost. A rank sends and gets at most 30 messages a call, however many ranks there are. The first rank gets
/// one fold for every stretch of the array that lies with others: for floats 4 bytes for 4 MiB of elements.
/// Beside these a message has fewer than two tiles of elements and 126 folds going up, 128 KiB for floats,
/// and half of that coming down. The array has fewer than 2^31 tiles. Each rank reads its elements twice and
/// writes its results once, all ranks at the same time; between the two a call waits for the tree of ranks,
/// as a reduction does, and for what joins the folds of stretches one after another, a device of the first
/// rank. In numbers: docs/several-machines.md.
///
/// Blocking. A call returns when the rank's own results are there and all ranks have said that theirs are. It
/// gives commands to the queues of the rank's own shards alone, and waits for what they wait for
/// (sharded.hpp).
///
/// Memory. On each device one result for each of its tiles and stretches; on the one of the rank's that has
/// the most elements the results of all of the rank's tiles, and the elements and results of cut tiles; on
/// the host what goes from device to device, and what messages have. All of it is pooled and reused.
///
/// Threads. A ranks object serves one call at a time; calls of several threads take objects of their own.
///
/// Errors. What goes wrong on one rank, before it has results or in the middle of writing them, is thrown on
/// all ranks, with the rank's number, which counts from 0; of several errors the same one. So is a call that
/// differs between ranks in the operator, the map, the types, whether it is exclusive, or the start value,
/// of which all bytes must be equal. The next call is then a call like any other. After an error what the
/// outputs hold is not known, on any rank, and in place the input may be lost. A message that does not come
/// is an error after which the object takes no further call (ranks.hpp).
#pragma once

#include <clwave/export.hpp>
#include <clwave/op.hpp>
#include <clwave/ranks.hpp>
#include <clwave/scan.hpp>
#include <clwave/sharded.hpp>
#include <clwave/sharded_scan.hpp>

namespace clwave {

namespace detail {

CLWAVE_EXPORT void scan_ranks(ranks& over, const sharded_scan_problem& call);

template <class T, class Acc>
void scan_over(ranks& over, const sharded<T>& in, const sharded<Acc>& out, const op& fold, const map& apply,
               scan_kind kind, const scan_options<Acc>& options) {
  scan_ranks(over, call_of_scan(in, out, fold, apply, kind, options));
}

}  // namespace detail

/// Sets each element of `out` to the fold of apply(x) over all elements x of all ranks up to its place,
/// accumulated in out's type. To be called by all ranks, each with its shards; `out` is cut like `in`, shard
/// by shard of one length and one queue, and lies apart from all shards of the input or exactly in their
/// place. Blocks until all results are there, which have the bits of transform_inclusive_scan of the whole
/// array on one device. A map's index `i` is that in the whole array.
///
/// Takes every type and operator that a scan on one device takes. An operator or a map may see an element
/// more than once, on one rank or on several. A start value stands before the first element of the array, and
/// all ranks give it. A rank may have no elements, but one shard at least. Each rank's host waits for its own
/// events `options.after`, of any contexts, before the rank begins; the other options of a launch do not
/// matter. Throws clwave::error on all ranks where one has an error: bad_call before anything is enqueued (no
/// shards, an output that is cut otherwise or overlaps, a view past its buffer, types the operator or one of
/// the devices does not take, calls that differ), build, out_of_memory, device_lost, and driver where a
/// message does not come.
///
///     clwave::map above{.name = "above", .source = "x > 0.5f ? 1u : 0u"};
///     clwave::transform_inclusive_scan(all, floats, places, clwave::plus, above);
template <class T, class Acc, operator_argument Op = op, map_argument Map = map>
void transform_inclusive_scan(ranks& over, const sharded<T>& in, const sharded<Acc>& out, const Op& fold,
                              const Map& apply, const scan_options<Acc>& options = {}) {
  detail::scan_over(over, in, out, fold, apply, detail::scan_kind::inclusive, options);
}

/// Sets each element of `out` to the fold of apply(x) over all elements x of all ranks before its place,
/// accumulated in out's type: the array's first result is `options.start`, or without that the operator's
/// identity; where there is neither, bad_call. To be called by all ranks, each with its shards. `out` is cut
/// like `in`, and lies apart from it or exactly in its place. Blocks until all results are there, which have
/// the bits of transform_exclusive_scan of the whole array on one device. Throws clwave::error on all ranks
/// where one has an error: bad_call (no shards, shards that are cut otherwise, calls that differ), build,
/// out_of_memory, device_lost, and driver where a message does not come; then what the outputs hold is not
/// known.
template <class T, class Acc, operator_argument Op = op, map_argument Map = map>
void transform_exclusive_scan(ranks& over, const sharded<T>& in, const sharded<Acc>& out, const Op& fold,
                              const Map& apply, const scan_options<Acc>& options = {}) {
  detail::scan_over(over, in, out, fold, apply, detail::scan_kind::exclusive, options);
}

/// Sets each element of `out` to the fold of all elements of all ranks up to its place, accumulated in out's
/// type. To be called by all ranks, each with its shards. `out` is cut like `in`, and lies apart from it or
/// exactly in its place. Blocks until all results are there, which have the bits of inclusive_scan of the
/// whole array on one device. Throws clwave::error on all ranks where one has an error: bad_call (no shards,
/// shards that are cut otherwise, calls that differ), build, out_of_memory, device_lost, and driver where a
/// message does not come; then what the outputs hold is not known.
///
///     clwave::mpi_ranks all(MPI_COMM_WORLD);
///     const clwave::sharded<float> x{{queue, own}};
///     clwave::inclusive_scan(all, x, x);             // in place
template <class T, class Acc, operator_argument Op = op>
void inclusive_scan(ranks& over, const sharded<T>& in, const sharded<Acc>& out, const Op& fold,
                    const scan_options<Acc>& options = {}) {
  detail::scan_over(over, in, out, fold, identity, detail::scan_kind::inclusive, options);
}
/// Sets each element of `out` to the sum of all elements of all ranks up to its place. To be called by all
/// ranks, each with its shards. `out` is cut like `in`, and lies apart from it or exactly in its place.
/// Blocks until all results are there. Throws clwave::error on all ranks where one has an error: bad_call (no
/// shards, shards that are cut otherwise, calls that differ), build, out_of_memory, device_lost, and driver
/// where a message does not come; then what the outputs hold is not known.
template <class T, class Acc>
void inclusive_scan(ranks& over, const sharded<T>& in, const sharded<Acc>& out,
                    const scan_options<Acc>& options = {}) {
  detail::scan_over(over, in, out, plus, identity, detail::scan_kind::inclusive, options);
}

/// Sets each element of `out` to the fold of all elements of all ranks before its place, accumulated in out's
/// type: the array's first result is `options.start`, or without that the operator's identity; where there is
/// neither, bad_call. To be called by all ranks, each with its shards. `out` is cut like `in`, and lies apart
/// from it or exactly in its place. Blocks until all results are there, which have the bits of exclusive_scan
/// of the whole array on one device. Throws clwave::error on all ranks where one has an error: bad_call (no
/// shards, shards that are cut otherwise, calls that differ), build, out_of_memory, device_lost, and driver
/// where a message does not come; then what the outputs hold is not known.
///
///     clwave::exclusive_scan(all, counts, offsets);
template <class T, class Acc, operator_argument Op = op>
void exclusive_scan(ranks& over, const sharded<T>& in, const sharded<Acc>& out, const Op& fold,
                    const scan_options<Acc>& options = {}) {
  detail::scan_over(over, in, out, fold, identity, detail::scan_kind::exclusive, options);
}
/// Sets each element of `out` to the sum of all elements of all ranks before its place: the array's first
/// result is `options.start`, or without that 0. To be called by all ranks, each with its shards. `out` is
/// cut like `in`, and lies apart from it or exactly in its place. Blocks until all results are there. Throws
/// clwave::error on all ranks where one has an error: bad_call (no shards, shards that are cut otherwise,
/// calls that differ), build, out_of_memory, device_lost, and driver where a message does not come; then what
/// the outputs hold is not known.
template <class T, class Acc>
void exclusive_scan(ranks& over, const sharded<T>& in, const sharded<Acc>& out,
                    const scan_options<Acc>& options = {}) {
  detail::scan_over(over, in, out, plus, identity, detail::scan_kind::exclusive, options);
}

}  // namespace clwave
