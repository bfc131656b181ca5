/// @file
/// Sorts: keys, keys with values, and the indices that sort them. All are stable. Keys are put in the order
/// of numbers; or, where `options.less` has an operator, in that order; or, where `options.keys` has some, in
/// the order of the keys that texts make of them.
///
/// **Numbers**: a radix sort of the keys' bits, from the lowest digit of 8 bits to the highest one. The
/// result depends on nothing but the input: it is the same on every device and in every run. Keys are numbers
/// of 1, 2, 4 or 8 bytes and bool: their bits move, so no device needs doubles, halves or arithmetic of 64
/// bits for them; numbers of 128 bits are sorted by their two words as by two keys of texts. Floats stand in
/// the order -infinity, ..., -0, +0, ..., +infinity, NaN: -0 comes before +0, all NaNs of either sign count
/// as equal and as the largest number. Descending is the opposite order, so there NaNs come first; it is
/// stable, too: what is equal keeps the order that it has in the input, NaNs among them. Each key keeps its
/// bits, a NaN its payload.
///
/// A GPU whose row in the device table says so brings few keys (8192 of 4 bytes) to their places in one
/// launch of many groups, each key by its rank, the number of keys that come before it (comparison counting:
/// Knuth, "The Art of Computer Programming", volume 3, 5.2). Other GPUs sort up to one tile (4096 keys of 4
/// bytes) in one launch of one group, in local memory. Of more, where groups can send each other messages,
/// one launch counts the keys of each value of all digits, a second one sums the counts, and one more for
/// each digit brings the keys to their places: each tile is ranked in local memory so that neighbours are
/// stored together, and adds up what the tiles before it have of each digit from their messages. A message
/// that does not come is waited for no longer than the device table says; then the group counts that tile
/// itself, so that a call ends on any device. Keys are read once and stored once for a digit, and read once
/// more for all; values are read and stored once for a digit. Elsewhere three launches for each digit do it,
/// which read the keys twice. A CPU's cores take one part of the input each; up to 2^15 keys one core takes
/// in one launch. Kernels: cl_kernels/primitives/sort.cl, sort_ranks.cl. Adinets and Merrill, "Onesweep: A
/// Faster Least Significant Digit Radix Sort for GPUs", 2022.
///
/// **An operator** says of two keys whether the first comes before the second; it should be a strict weak
/// ordering, as C++'s sorts ask for. Then the result depends on nothing but the input, bit for bit. If it is
/// none, the result still is a permutation: every key comes out once, with its value, and nothing else is
/// read or written. Which permutation that is differs between devices, and it may leave keys unsorted that
/// the operator does order. `a < b` is no strict weak ordering of floats among which there is a NaN: NaN is
/// equal to every number by it, and these are not equal to each other. An order for NaN is yours to write,
/// such as this one, which has all NaNs last (by numbers there is one already):
///
///     {.name = "less, NaN last", .source = "isnan(b) ? !isnan(a) : a < b"}
///
/// A merge sort. A GPU sorts tiles (3840 keys of 4 bytes, fewer of larger ones) in local memory, in one
/// launch; two launches more for each pass merge pairs of runs by merge path, until one is left: 2^26 keys of
/// 4 bytes take 15 passes, each of which reads and stores all once. A CPU sorts tiles that its caches hold,
/// and its cores share the passes. What has a number to sort by is sorted faster by that. Kernels:
/// cl_kernels/primitives/merge_sort.cl. Green, McColl and Bader, "GPU Merge Path: A GPU Merging Algorithm",
/// 2012.
///
/// **A key of a text** is a number that a map makes of each element; elements are put in the order of their
/// keys, descending and by some bits, too. Of several keys the first one decides, and each further one among
/// the elements that the ones before it find equal. The result depends on nothing but the elements and their
/// keys: it is the same on every device and in every run, where the texts' own rounding is fixed (OpenCL
/// leaves that of sin or exp open). A text may be evaluated more than once for an element, and the same each
/// time. One launch makes the keys, the launches of an argsort of numbers sort them with the elements'
/// indices, and one gathers the elements: each is read once for each key, and once more to be stored in its
/// place. A call in place takes one launch more, which first copies the elements aside. Several keys are
/// sorted one after the other, the last one first. Kernels: cl_kernels/primitives/key_sort.cl, sort.cl.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be in-order
/// or out-of-order, with profiling or without. A call flushes neither it nor any other, and does not block. A
/// child of fork() is refused. A problem is a value: threads may read one at the same time. In full:
/// event.hpp.
#pragma once

#include <optional>
#include <span>
#include <type_traits>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/op.hpp>
#include <clwave/options.hpp>
#include <clwave/sort_order.hpp>  // IWYU pragma: export
#include <clwave/view.hpp>

namespace clwave {

/// A sort, of all elements or of each segment, whose types are said at run time: what the calls take, and
/// what plan() is asked, then without buffers. Refers to all that is pointed to. It has one order: that of
/// numbers, or `less`, or `by`.
struct sort_problem {
  any_view keys;                            ///< the keys, or the elements that keys are made of
  std::optional<any_view> keys_out = {};    ///< of their type, as long or longer; nothing: an argsort
  std::optional<any_view> values = {};      ///< what goes with each key; nothing: keys alone
  std::optional<any_view> values_out = {};  ///< of the values' type; of an argsort the indices
  sort_order order = {};                    ///< of numbers
  const op* less = nullptr;                 ///< the operator of the order; null: none
  std::span<const sort_key> by = {};        ///< the keys that are made of elements; empty: none
  std::optional<any_view> offsets = {};     ///< of segments, as of segmented_sort; nothing: all are one
  /// One number of 64 bits without a sign: how many segments are bad. Nothing: they are not counted.
  std::optional<any_view> bad = {};
  bool keys_in_place = false;    ///< for plans: `keys_out` lies where `keys` do; calls see it themselves
  bool values_in_place = false;  ///< for plans: `values_out` lies where `values` do; calls see it themselves
  /// For tests: counts, and of segments indices, have 64 bits where 32 would do.
  bool wide_counts = false;
};

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const sort_problem& asked, const plan_target& on);

/// sort, sort_by_key, argsort, segmented_sort or segmented_sort_by_key, of types that are said at run time.
/// Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (types or sizes that do not go together, overlaps that
/// are not allowed, a view past its buffer, an object of another context), build, out_of_memory. In full:
/// these calls.
CLWAVE_EXPORT event sort(cl_command_queue queue, const sort_problem& asked,
                         const launch_options& options = {});

namespace detail {

template <viewable Keys>
sort_problem sort_problem_of(const Keys& keys, const sort_options& options) {
  return {
      .keys = erase(keys), .order = order_of(options), .less = less_of(options), .by = options.keys.keys()};
}

template <viewable Keys, viewable KeysOut>
sort_problem sort_problem_of(const Keys& keys, const KeysOut& keys_out, const sort_options& options) {
  static_assert(std::is_same_v<viewed<Keys>, viewed<KeysOut>>, "sorted keys have the type of the keys");
  sort_problem asked = sort_problem_of(keys, options);
  asked.keys_out = erase_output(keys_out);
  return asked;
}

template <viewable Keys, viewable Values, viewable KeysOut, viewable ValuesOut>
sort_problem sort_problem_of(const Keys& keys, const Values& values, const KeysOut& keys_out,
                             const ValuesOut& values_out, const sort_options& options) {
  static_assert(std::is_same_v<viewed<Values>, viewed<ValuesOut>>,
                "sorted values have the type of the values");
  sort_problem asked = sort_problem_of(keys, keys_out, options);
  asked.values = erase(values);
  asked.values_out = erase_output(values_out);
  return asked;
}

}  // namespace detail

/// Sorts the keys of `in` into `out`, which is as long or longer; behind the keys nothing is touched. Either
/// lies apart from the other or exactly in its place, element for element; any other overlap is refused.
///
/// Numbers, those of 128 bits among them (clwave::u128 and clwave::i128, and where the compiler has them
/// unsigned __int128 and __int128), are sorted as they are. By `options.less` or `options.keys`, elements
/// have any type of up to 128 bytes, structures, vectors and complex numbers included. Where an operator is
/// no strict weak ordering, the result is the keys in some order.
///
/// Does not block: returns the event of its last command, started after `options.after`. No elements: nothing
/// is launched, and the event ends with what the call had to wait for (event.hpp). `out` is read, too.
///
/// Workspace, pooled and reused, or `options.workspace`. By numbers: the bytes of the keys (none where one
/// digit of 8 bits is sorted out of place); of a GPU 1 KiB for each tile, twice that from 2^30 keys on, and 1
/// KiB for each digit and each of 4 groups on each compute unit, of which there are no more than tiles; none
/// where one launch sorts all on a GPU, but the bytes of keys that are ranked in place. By an operator: the
/// bytes of the keys, and of a GPU 8 bytes for each tile; none where one tile of a GPU holds all. By keys:
/// twice the bytes of the keys, all of the size of the largest one, and twice those of indices of 32 bits (64
/// from 2^32 elements on), half of that where a GPU's group sorts all; what numbers take of tiles and digits;
/// and in place the bytes of the elements.
///
/// Throws clwave::error: bad_call before anything is enqueued (elements that are no numbers where nothing
/// else orders them, bits that a key has not, more than one kind of order, more than 8 keys, a key that is no
/// number or has no text, a text that could change the kernels, an output that is too short or overlaps, a
/// view past its buffer or not aligned to its type, a buffer or an event of another context), build (with the
/// compiler's lines), out_of_memory.
///
///     clwave::sort(queue, x, sorted);
///     clwave::sort(queue, x, sorted, {.first_bit = 8, .last_bit = 20, .after = {ready}});
///     clwave::sort(queue, points, sorted, {.less = {.name = "by x, then y",
///                                                   .source = "a.x < b.x || (a.x == b.x && a.y < b.y)"}});
///     clwave::sort(queue, particles, sorted,
///                  {.keys = clwave::by<std::uint32_t>({.name = "cell", .source = "x.cell"})});
template <queue_like Queue, view_argument In, view_argument Out>
event sort(const Queue& queue, const In& in, const Out& out, const sort_options& options = {}) {
  return sort(handle_of<cl_command_queue>(queue), detail::sort_problem_of(in, out, options),
              detail::launch_of(options));
}
/// Sorts the elements of `x` where they are, stably, by `options.less` or `options.keys` where these are
/// given, else as numbers (NaNs last, -0 before +0). Does not block: returns the event of its last command,
/// started after `options.after`. Workspace, pooled and reused, or `options.workspace`: the bytes of the
/// elements, and of a GPU 1 KiB for each tile (twice that from 2^30 elements on) and for each digit and each
/// of 4 groups on each compute unit, by an operator 8 bytes for each tile; by keys also twice the bytes of
/// the keys and of an index for each element. Throws clwave::error: bad_call before anything is enqueued
/// (elements that nothing orders, bits that a key has not, more than one kind of order, a view past its
/// buffer or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::sort(queue, x);
///     clwave::sort(queue, x, {.descending = true});
///     clwave::sort(queue, particles,  // by cell, and the heaviest of each first
///                  {.keys = {clwave::by<std::uint32_t>({.name = "cell", .source = "x.cell"}),
///                            clwave::by<float>({.name = "mass", .source = "x.mass"}, {.descending =
///                            true})}});
template <queue_like Queue, view_argument X>
event sort(const Queue& queue, const X& x, const sort_options& options = {}) {
  return sort(queue, x, x, options);
}

/// Sorts keys, and brings each value to the place of its key. Values have any element type of up to 128
/// bytes, structures included, and are as many as the keys. Keys and values may each be sorted in place, both
/// or one. Workspace, pooled and reused, or `options.workspace`: the bytes of the keys, and of a GPU 1 KiB
/// for each tile (twice that from 2^30 keys on) and for each digit and each of 4 groups on each compute unit,
/// by an operator 8 bytes for each tile; by keys of texts twice the bytes of the keys and of an index for
/// each. With it the bytes of the values: by numbers but for one launch out of place (a call of one tile that
/// ranks no keys takes it too where values have more than 16 bytes), by an operator always, by keys where the
/// values are sorted in place. Keys are put in the order of numbers (NaNs last, -0 before +0), of
/// `options.less`, or of `options.keys`. Each output is as long as the keys or longer, and lies apart from
/// its input or exactly in its place. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (keys that nothing orders,
/// bits that a key has not, values that are not as many, an output that is too short or overlaps, a view past
/// its buffer or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::sort_by_key(queue, keys, points, keys_out, points_out);
///     clwave::sort_by_key(queue, keys, points, keys_out, points_out, {.descending = true, .after =
///     {ready}});
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument KeysOut,
          view_argument ValuesOut>
event sort_by_key(const Queue& queue, const Keys& keys, const Values& values, const KeysOut& keys_out,
                  const ValuesOut& values_out, const sort_options& options = {}) {
  return sort(handle_of<cl_command_queue>(queue),
              detail::sort_problem_of(keys, values, keys_out, values_out, options),
              detail::launch_of(options));
}
/// Sorts the keys where they are, stably, and brings each value, where it is, to the place of its key. Keys
/// and values are equally many and may not overlap. Does not block: returns the event of its last command,
/// started after `options.after`. Throws clwave::error: bad_call before anything is enqueued (keys that
/// nothing orders, bits that a key has not, values that are not as many, a view past its buffer or
/// misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument Keys, view_argument Values>
event sort_by_key(const Queue& queue, const Keys& keys, const Values& values,
                  const sort_options& options = {}) {
  return sort_by_key(queue, keys, values, keys, values, options);
}

/// Writes to `indices` where in `keys` the first key of the order lies, then the next one, and so on: of
/// numbers keys[indices[i]] rises with i, and of equal keys the index does. Indices have 32 bits, or 64 from
/// 2^32 keys on; there are as many as keys, or more. The keys are only read, and may not overlap the indices.
/// Of `options.less` and `options.keys` the order is theirs, and stable. Workspace, pooled and reused, or
/// `options.workspace`: twice the bytes of the keys and those of the indices, and of a GPU 1 KiB for each
/// tile (twice that from 2^30 keys on) and for each digit and each of 4 groups on each compute unit; by keys
/// of texts twice the bytes of these and of the indices. Does not block: returns the event of its last
/// command, started after `options.after`. Throws clwave::error: bad_call before anything is enqueued (keys
/// that nothing orders, bits that a key has not, indices that are too few, too narrow or overlap the keys, a
/// view past its buffer or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::argsort(queue, keys, indices);  // indices: a view of std::uint32_t
///     clwave::argsort(queue, points, indices, {.less = {.name = "by x", .source = "a.x < b.x"}});
template <queue_like Queue, view_argument Keys, detail::indices_of_keys Indices>
event argsort(const Queue& queue, const Keys& keys, const Indices& indices,
              const sort_options& options = {}) {
  sort_problem asked = detail::sort_problem_of(keys, options);
  asked.values_out = detail::erase_output(indices);
  return sort(handle_of<cl_command_queue>(queue), asked, detail::launch_of(options));
}

}  // namespace clwave
