/// @file
/// Scans of sharded: running folds of one array that lies in shards on several devices, with the bits of one
/// call on one device.
///
/// Same bits. The order of a scan is fixed by an element's place alone (scan.hpp), and so are the results
/// here: where the array is cut, and which devices scan what, changes no bit, for any operator. A device that
/// flushes denormals, which its facts say, may change bits (reproducibility.md).
///
/// How. Each device folds the tiles (16384 elements, or 8192 where a result has 8 bytes) that lie whole in
/// its shard to one result each. Those of all shards go through page-locked host memory to the device that
/// has the most elements. There what stands before each tile and each stretch of tiles is found, and goes
/// back; then each device writes its results. A tile that a cut goes through is put together from the
/// elements that the shards have of it, is scanned on that one device, and its results go back to the shards.
/// So from each shard go one value a tile, and fewer elements than two tiles; the same comes back, and one
/// value a stretch. Kernels: cl_kernels/primitives/scan.cl.
///
/// Time. All devices work at the same time, each on its own shard, twice: they read the elements, and read
/// them again and write the results. Of floats these are 12 bytes an element, where a scan on one device
/// moves 8; no order of work moves less before the last device may write, for its first result needs all
/// elements before it. So N equal devices are at most 2/3 N as fast as one that has it all: 4/3 for two, 8/3
/// for four. An array that lies in one shard is scanned as any other input.
///
/// Blocking. The calls return when all results are there: they give commands to the queue of every shard,
/// flush those queues, and wait for their own commands. The work on a shard starts after the events given
/// with it in the input and those given with it in the output. Where either has none, it starts after all
/// that its queue held when the call was made, on an out-of-order queue too.
///
/// Memory. On each device one result for each of its tiles and stretches; on the one that has the most
/// elements those of the whole array, and the elements and results of all cut tiles; as much on the host as
/// goes from device to device. All of it is pooled and reused.
///
/// Threads may scan at the same time, the same input and others, on the same queues and others, as long as
/// none changes a shards object. Queues may be in-order or out-of-order, with profiling or without. A child
/// of fork() is refused. In full: event.hpp.
///
/// Errors. All shards are checked, and all programs built, before any work is enqueued on any of them. What a
/// check, a compiler or a device says of one shard is thrown with the shard's number, counted from 1, and its
/// device. If a device fails in the middle, the call waits until the commands that it gave to the others have
/// ended, and then throws; what the outputs hold then is not known, and in place the input may be lost.
#pragma once

#include <optional>
#include <span>

#include <clwave/element.hpp>
#include <clwave/export.hpp>
#include <clwave/op.hpp>
#include <clwave/profile.hpp>
#include <clwave/scan.hpp>
#include <clwave/sharded.hpp>

namespace clwave {

namespace detail {

// A scan of shards, without its types.
struct sharded_scan_problem {
  std::span<const erased_shard> in;
  std::span<const erased_shard> out;
  const op* fold;
  const map* apply;
  bool exclusive;
  const void* start;                     // a value of out's type, or null
  std::optional<scan_sizes> sizes = {};  // without: those of out's type
  // The profile for each shard; empty in public calls, where each device has its own. Tests mix profiles.
  std::span<const profile_choice> rows = {};
  const wait_list* after = nullptr;
};

CLWAVE_EXPORT void scan_sharded(const sharded_scan_problem& call);

// Refers to all that it is given.
template <class T, class Acc>
sharded_scan_problem call_of_scan(const sharded<T>& in, const sharded<Acc>& out, const op& fold,
                                  const map& apply, scan_kind kind, const scan_options<Acc>& options) {
  return {.in = in.erased(),
          .out = out.erased(),
          .fold = &fold,
          .apply = &apply,
          .exclusive = kind == scan_kind::exclusive,
          .start = options.start ? &*options.start : nullptr,
          .after = &options.after};
}

template <class T, class Acc>
void scan_shards(const sharded<T>& in, const sharded<Acc>& out, const op& fold, const map& apply,
                 scan_kind kind, const scan_options<Acc>& options) {
  scan_sharded(call_of_scan(in, out, fold, apply, kind, options));
}

}  // namespace detail

/// Sets each element of `out` to the fold of apply(x) over all elements x of all shards of `in` up to its
/// place, accumulated in out's type. `out` is cut like `in`: shard by shard the same length and the same
/// queue. A shard's results lie apart from all shards of the input or exactly in the place of its own,
/// element for element; any other overlap is refused. Blocks until all results are there, which have the bits
/// of transform_inclusive_scan of the whole array on one device. A map's index `i` is that in the whole
/// array.
///
/// Takes every type and operator that a scan on one device takes. A start value stands before the array's
/// first element. An operator or a map may see an element more than once. Without elements nothing is
/// written; that takes a shard, too, to know a device. The host waits for the events `options.after`, of any
/// contexts, before it begins; the other options of a launch do not matter. Throws clwave::error: bad_call
/// before anything is enqueued (no shards, a queue that is none, an output that is cut otherwise, is of const
/// elements or overlaps, a view past its buffer or of another context than its queue, types the operator or
/// one of the devices does not take, 2^31 tiles or more), build, out_of_memory, device_lost.
///
///     clwave::map above{.name = "above", .source = "x > 0.5f ? 1u : 0u"};
///     clwave::transform_inclusive_scan(floats, places, clwave::plus, above);
template <class T, class Acc, operator_argument Op = op, map_argument Map = map>
void transform_inclusive_scan(const sharded<T>& in, const sharded<Acc>& out, const Op& fold, const Map& apply,
                              const scan_options<Acc>& options = {}) {
  detail::scan_shards(in, out, fold, apply, detail::scan_kind::inclusive, options);
}

/// Sets each element of `out` to the fold of apply(x) over all elements x of all shards of `in` before its
/// place, accumulated in out's type: the array's first result is `options.start`, or without that the
/// operator's identity. `out` is cut like `in`, and lies apart from it or exactly in its place. Blocks until
/// all results are there, which have the bits of transform_exclusive_scan of the whole array on one device.
/// Throws clwave::error: bad_call before anything is enqueued (neither a start nor an identity, no shards, a
/// queue that is none, a view past its buffer or of another context than its queue, types the operator or one
/// of the devices does not take, an output that is cut otherwise or overlaps), build, out_of_memory,
/// device_lost.
template <class T, class Acc, operator_argument Op = op, map_argument Map = map>
void transform_exclusive_scan(const sharded<T>& in, const sharded<Acc>& out, const Op& fold, const Map& apply,
                              const scan_options<Acc>& options = {}) {
  detail::scan_shards(in, out, fold, apply, detail::scan_kind::exclusive, options);
}

/// Sets each element of `out` to the fold of all elements of all shards of `in` up to its place, accumulated
/// in out's type. `out` is cut like `in`, and lies apart from it or exactly in its place. Blocks until all
/// results are there, which have the bits of inclusive_scan of the whole array on one device. Throws
/// clwave::error: bad_call before anything is enqueued (no shards, a queue that is none, a view past its
/// buffer or of another context than its queue, types the operator or one of the devices does not take, an
/// output that is cut otherwise or overlaps), build, out_of_memory, device_lost.
///
///     const clwave::sharded<float> x{{queue_a, first_half}, {queue_b, second_half}};
///     clwave::inclusive_scan(x, x);                   // in place
template <class T, class Acc, operator_argument Op = op>
void inclusive_scan(const sharded<T>& in, const sharded<Acc>& out, const Op& fold,
                    const scan_options<Acc>& options = {}) {
  detail::scan_shards(in, out, fold, identity, detail::scan_kind::inclusive, options);
}
/// Sets each element of `out` to the sum of all elements of all shards of `in` up to its place. `out` is cut
/// like `in`, and lies apart from it or exactly in its place. Blocks until all results are there. Throws
/// clwave::error: bad_call before anything is enqueued (no shards, a queue that is none, a view past its
/// buffer or of another context than its queue, types the operator or one of the devices does not take, an
/// output that is cut otherwise or overlaps), build, out_of_memory, device_lost.
template <class T, class Acc>
void inclusive_scan(const sharded<T>& in, const sharded<Acc>& out, const scan_options<Acc>& options = {}) {
  detail::scan_shards(in, out, plus, identity, detail::scan_kind::inclusive, options);
}

/// Sets each element of `out` to the fold of all elements of all shards of `in` before its place, accumulated
/// in out's type: the array's first result is `options.start`, or without that the operator's identity. `out`
/// is cut like `in`, and lies apart from it or exactly in its place. Blocks until all results are there,
/// which have the bits of exclusive_scan of the whole array on one device. Throws clwave::error: bad_call
/// before anything is enqueued (neither a start nor an identity, no shards, a queue that is none, a view past
/// its buffer or of another context than its queue, types the operator or one of the devices does not take,
/// an output that is cut otherwise or overlaps), build, out_of_memory, device_lost.
///
///     clwave::exclusive_scan(counts, offsets);
///     clwave::exclusive_scan(counts, offsets, clwave::plus, {.start = 100u});
template <class T, class Acc, operator_argument Op = op>
void exclusive_scan(const sharded<T>& in, const sharded<Acc>& out, const Op& fold,
                    const scan_options<Acc>& options = {}) {
  detail::scan_shards(in, out, fold, identity, detail::scan_kind::exclusive, options);
}
/// Sets each element of `out` to the sum of all elements of all shards of `in` before its place: the array's
/// first result is `options.start`, or without that 0. `out` is cut like `in`, and lies apart from it or
/// exactly in its place. Blocks until all results are there. Throws clwave::error: bad_call before anything
/// is enqueued (no shards, a queue that is none, a view past its buffer or of another context than its queue,
/// types the operator or one of the devices does not take, an output that is cut otherwise or overlaps),
/// build, out_of_memory, device_lost.
template <class T, class Acc>
void exclusive_scan(const sharded<T>& in, const sharded<Acc>& out, const scan_options<Acc>& options = {}) {
  detail::scan_shards(in, out, plus, identity, detail::scan_kind::exclusive, options);
}

}  // namespace clwave
