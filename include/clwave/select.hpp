/// @file
/// Selections: the elements that are kept, side by side in the order they had, and how many there are.
///
/// copy_if keeps the elements for which a predicate is true, copy_flagged those whose flag is set, unique
/// those that differ from the element before them, unique_by_key those whose key does, with their keys, and
/// partition brings those for which a predicate is true before the others, partition_copy the two to outputs
/// of their own, or by two predicates to three. run_lengths and run_offsets tell where runs of equal
/// neighbours begin and how long they are. All are stable. The results and the count are exact and depend on
/// nothing but the input: the same on every device and in every run.
///
/// Reads each element once and stores each kept one once, in one launch, where groups can send messages to
/// each other while they run (NVIDIA and AMD, devices with OpenCL 2 atomics), elsewhere in three launches,
/// which read elements twice. partition counts in one launch and stores in a second everywhere, but for so
/// few elements that all groups run together (on an H100 up to 2^21 of 4 bytes, on a CPU one group's). No
/// group relies on the progress of another: one that has waited too long does the missing work itself.
/// Kernels: cl_kernels/primitives/select.cl. For the single pass: Merrill and Garland, "Single-pass Parallel
/// Prefix Scan with Decoupled Look-back", 2016.
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
#include <clwave/view.hpp>

namespace clwave {

/// What decides which elements are kept, and whether the others are stored too.
enum class select_kind {
  copy_if,          ///< elements for which a predicate is true
  copy_flagged,     ///< elements whose flag is not 0
  partition,        ///< elements for which a predicate is true, then all others
  partition_copy,   ///< elements for which a predicate is true, and in a second output all others
  unique,           ///< first elements of runs of equal neighbours
  unique_by_key,    ///< first keys of such runs, and their values
  run_lengths,      ///< first elements of such runs, and their lengths
  run_offsets,      ///< where such runs begin
  copy_flagged_if,  ///< elements for which a predicate of them and their flags is true
  /// Elements for which a predicate is true, in a second output those of the others for which a second
  /// predicate is, and in a third one the rest.
  partition_three
};

/// A selection, whose types are said at run time: what the call takes, and what plan() is asked, then without
/// buffers. Refers to all that is pointed to.
struct select_problem {
  select_kind kind = select_kind::copy_if;  ///< which selection
  any_view in;                              ///< what is selected from; of unique_by_key the keys
  any_view out;                             ///< its elements are the room for results, in plans, too
  /// Of copy_flagged and copy_flagged_if, there of any type: as many as `in` has elements.
  std::optional<any_view> flags = {};
  /// Of copy_if and partitions; of copy_flagged_if a map of your own in `x`, the element, `y`,
  /// its flag, and `i`.
  const map* predicate = &identity;
  const op* same = nullptr;                 ///< of those that compare neighbours; null: ==
  std::optional<any_view> values = {};      ///< of unique_by_key: as many as there are keys
  std::optional<any_view> second_out = {};  ///< where those, lengths, or a partition's others go
  /// One number of 64 bits without a sign: how many were kept. Of partition_three two: how many the first
  /// output is for, and the second. Plans do without.
  any_view count = {};
  std::optional<any_view> third_out = {};  ///< of partition_three: where the rest goes
  const map* second_predicate = nullptr;   ///< of partition_three: a map of your own, over the elements left
};

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const select_problem& asked, const plan_target& on);

/// copy_if, copy_flagged, partition, partition_copy into two or three, unique, unique_by_key, run_lengths or
/// run_offsets, of types that are said at run time. The count, or the two counts of a partition into three,
/// go to the problem's `count`. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (types or sizes that do not go
/// together, overlaps that are not allowed, a view past its buffer, an object of another context), build,
/// out_of_memory. In full: copy_if and the others.
CLWAVE_EXPORT event select(cl_command_queue queue, const select_problem& asked,
                           const launch_options& options = {});

/// A selection of types that are said at run time, which returns the count; the problem's `count` is not
/// looked at. Partitions into three, which have two counts, are refused with bad_call. Blocks until the
/// results are there; starts after `options.after`, or else after all that the queue held. Throws
/// clwave::error: bad_call before anything is enqueued (types or sizes that do not go together, overlaps that
/// are not allowed, a view past its buffer, an object of another context), build, out_of_memory, device_lost.
CLWAVE_EXPORT std::uint64_t select_to_host(cl_command_queue queue, const select_problem& asked,
                                           const launch_options& options = {});

namespace detail {

template <counted Count>
event select_to_buffer(cl_command_queue queue, select_problem problem, const Count& count,
                       const launch_options& options) {
  problem.count = erase_output(count);
  return select(queue, problem, options);
}

template <viewable In, viewable Out>
select_problem select_problem_of(select_kind kind, const In& in, const Out& out) {
  static_assert(std::is_same_v<viewed<In>, viewed<Out>>, "a selection has the type of its input");
  return {.kind = kind, .in = erase(in), .out = erase_output(out)};
}

template <viewable In, viewable Out>
select_problem select_problem_of(select_kind kind, const In& in, const Out& out, const map& predicate) {
  select_problem problem = select_problem_of(kind, in, out);
  problem.predicate = &predicate;
  return problem;
}

template <viewable In, viewable Out, viewable Others>
select_problem partition_problem_of(const In& in, const Out& out, const Others& others,
                                    const map& predicate) {
  static_assert(std::is_same_v<viewed<In>, viewed<Others>>, "a selection has the type of its input");
  select_problem problem = select_problem_of(select_kind::partition_copy, in, out, predicate);
  problem.second_out = erase_output(others);
  return problem;
}

template <viewable In, viewable First, viewable Second, viewable Rest>
select_problem three_problem_of(const In& in, const First& first, const Second& second, const Rest& rest,
                                const map& is_first, const map& is_second) {
  static_assert(std::is_same_v<viewed<In>, viewed<Rest>>, "a selection has the type of its input");
  select_problem problem = partition_problem_of(in, first, second, is_first);
  problem.kind = select_kind::partition_three;
  problem.third_out = erase_output(rest);
  problem.second_predicate = &is_second;
  return problem;
}

template <viewable In, viewable Flags, viewable Out>
select_problem flagged_problem_of(const In& in, const Flags& flags, const Out& out) {
  select_problem problem = select_problem_of(select_kind::copy_flagged, in, out);
  problem.flags = erase(flags);
  return problem;
}

template <viewable In, viewable Stencil, viewable Out>
select_problem stencil_problem_of(const In& in, const Stencil& stencil, const Out& out,
                                  const map& predicate) {
  select_problem problem = flagged_problem_of(in, stencil, out);
  problem.kind = select_kind::copy_flagged_if;
  problem.predicate = &predicate;
  return problem;
}

template <viewable In, viewable Out>
select_problem unique_problem_of(const In& in, const Out& out, const op* same) {
  select_problem problem = select_problem_of(select_kind::unique, in, out);
  problem.same = same;
  return problem;
}

template <viewable Keys, viewable Values, viewable KeysOut, viewable ValuesOut>
select_problem unique_by_key_problem_of(const Keys& keys, const Values& values, const KeysOut& keys_out,
                                        const ValuesOut& values_out, const op* same) {
  static_assert(std::is_same_v<viewed<Values>, viewed<ValuesOut>>, "a selection has the type of its input");
  select_problem problem = select_problem_of(select_kind::unique_by_key, keys, keys_out);
  problem.same = same;
  problem.values = erase(values);
  problem.second_out = erase_output(values_out);
  return problem;
}

/// What lengths of runs can be.
template <class Lengths>
concept lengths_of_runs = viewable<Lengths> &&
    (std::is_same_v<viewed<Lengths>, std::uint32_t> || std::is_same_v<viewed<Lengths>, std::uint64_t>);

template <viewable In, viewable ValuesOut, lengths_of_runs LengthsOut>
select_problem run_lengths_problem_of(const In& in, const ValuesOut& values_out,
                                      const LengthsOut& lengths_out, const op* same) {
  select_problem problem = select_problem_of(select_kind::run_lengths, in, values_out);
  problem.same = same;
  problem.second_out = erase_output(lengths_out);
  return problem;
}

template <viewable In, counted Offsets>
select_problem run_offsets_problem_of(const In& in, const Offsets& offsets_out, const op* same) {
  return {.kind = select_kind::run_offsets, .in = erase(in), .out = erase_output(offsets_out), .same = same};
}

}  // namespace detail

/// Copies the elements x of `in` for which predicate(x) is true to the front of `out`, in their order, and
/// writes how many there are to the first element of `count`, on the device. Yours is an expression in `x`
/// and, if you like, its index `i` (ulong); it is true where its value is not 0 (a NaN is not 0).
/// clwave::identity keeps the elements that are not 0. A predicate must be pure: it may see an element more
/// than once.
///
/// `out` may be shorter than `in`: elements past its end are not written, and the count still says how many
/// there would be. What lies behind the kept elements is not touched. `in`, `out` and `count` may not
/// overlap. Does not block: returns the event of its last command, started after `options.after`. No
/// elements: the count becomes 0. Any element type of up to 128 bytes. Workspace, pooled and reused, or
/// `options.workspace`: 8 bytes for each 4096 elements of up to 4 bytes, or 16 KiB of larger ones, twice that
/// from 2^31 elements on, and 4 KiB; more where a device has less than 48 KiB of local memory. Throws
/// clwave::error: bad_call before anything is enqueued (views that overlap, a view past its buffer or not
/// aligned to its type, a buffer or an event of another context), build (with the compiler's lines),
/// out_of_memory.
///
///     clwave::map above{.name = "above", .source = "x > least", .values = {{"least", 0.5f}}};
///     clwave::copy_if(queue, x, kept, count, above);                  // count: a view of one std::uint64_t
///     const std::uint64_t n = clwave::copy_if(queue, x, kept, above);  // blocks
template <queue_like Queue, view_argument In, view_argument Out, detail::counted Count,
          map_argument Map = map>
event copy_if(const Queue& queue, const In& in, const Out& out, const Count& count, const Map& predicate,
              const launch_options& options = {}) {
  return detail::select_to_buffer(handle_of<cl_command_queue>(queue),
                                  detail::select_problem_of(select_kind::copy_if, in, out, predicate), count,
                                  options);
}

/// Copies the elements x of `in` for which predicate(x) is true to the front of `out`, in their order, and
/// returns how many there are. Those past out's end are not written, and still counted. Blocks until the
/// results are there; starts after `options.after`, or else after all that the queue held. Throws
/// clwave::error: bad_call before anything is enqueued (views that overlap, a view past its buffer or
/// misaligned, an object of another context), build, out_of_memory, device_lost.
template <queue_like Queue, view_argument In, view_argument Out, map_argument Map = map>
std::uint64_t copy_if(const Queue& queue, const In& in, const Out& out, const Map& predicate,
                      const launch_options& options = {}) {
  return select_to_host(handle_of<cl_command_queue>(queue),
                        detail::select_problem_of(select_kind::copy_if, in, out, predicate), options);
}

/// Copies the elements of `in` whose flag is not 0 to the front of `out`, in their order, and writes how many
/// there are to the first element of `count`, on the device. `flags` is as long as `in`, of integers or bool,
/// and may overlap it; `out` and `count` overlap nothing. Elements past out's end are not written, and still
/// counted. Does not block: returns the event of its last command, started after `options.after`. Workspace,
/// pooled and reused, or `options.workspace`: 8 bytes for each 4096 elements of up to 4 bytes, or 16 KiB of
/// larger ones, twice that from 2^31 elements on, and 4 KiB. Throws clwave::error: bad_call before anything
/// is enqueued (flags that are no integers or not as many, views that overlap, a view past its buffer or
/// misaligned, an object of another context), build, out_of_memory.
///
///     clwave::copy_flagged(queue, x, flags, kept, count);
template <queue_like Queue, view_argument In, view_argument Flags, view_argument Out, detail::counted Count>
event copy_flagged(const Queue& queue, const In& in, const Flags& flags, const Out& out, const Count& count,
                   const launch_options& options = {}) {
  return detail::select_to_buffer(handle_of<cl_command_queue>(queue),
                                  detail::flagged_problem_of(in, flags, out), count, options);
}
/// Copies the elements of `in` whose flag is not 0 to the front of `out`, in their order, and returns how
/// many there are. Those past out's end are not written, and still counted. Blocks until the results are
/// there; starts after `options.after`, or else after all that the queue held. Throws clwave::error: bad_call
/// before anything is enqueued (flags that are no integers or not as many, views that overlap, a view past
/// its buffer or misaligned, an object of another context), build, out_of_memory, device_lost.
template <queue_like Queue, view_argument In, view_argument Flags, view_argument Out>
std::uint64_t copy_flagged(const Queue& queue, const In& in, const Flags& flags, const Out& out,
                           const launch_options& options = {}) {
  return select_to_host(handle_of<cl_command_queue>(queue), detail::flagged_problem_of(in, flags, out),
                        options);
}

/// Copies the elements x of `in` for which predicate(x, y) is true to the front of `out`, in their order, and
/// writes how many there are to the first element of `count`, on the device, where y is the flag at the place
/// of x: an expression in `x`, `y` and, if you like, the index `i` (ulong). `flags`, a stencil, is as long as
/// `in`, of any type of up to 128 bytes, and may overlap it; `out` and `count` overlap nothing. Elements past
/// out's end are not written, and still counted. Does not block: returns the event of its last command,
/// started after `options.after`. Workspace, pooled and reused, or `options.workspace`: 8 bytes for each 4096
/// elements of up to 4 bytes, or 16 KiB of larger ones, twice that from 2^31 elements on, and 4 KiB. Throws
/// clwave::error: bad_call before anything is enqueued (flags that are not as many, views that overlap, a
/// view past its buffer or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::copy_flagged(queue, x, ages, kept, count, {.name = "grown", .source = "y >= 18"});
template <queue_like Queue, view_argument In, view_argument Flags, view_argument Out, detail::counted Count,
          map_argument Map = map>
event copy_flagged(const Queue& queue, const In& in, const Flags& flags, const Out& out, const Count& count,
                   const Map& predicate, const launch_options& options = {}) {
  return detail::select_to_buffer(handle_of<cl_command_queue>(queue),
                                  detail::stencil_problem_of(in, flags, out, predicate), count, options);
}
/// Copies the elements x of `in` for which predicate(x, y) is true, where y is the flag at the place of x, to
/// the front of `out`, in their order, and returns how many there are. Blocks until the results are there;
/// starts after `options.after`, or else after all that the queue held. Throws clwave::error: bad_call before
/// anything is enqueued (flags that are not as many, views that overlap, a view past its buffer or
/// misaligned, an object of another context), build, out_of_memory, device_lost.
template <queue_like Queue, view_argument In, view_argument Flags, view_argument Out, map_argument Map = map>
std::uint64_t copy_flagged(const Queue& queue, const In& in, const Flags& flags, const Out& out,
                           const Map& predicate, const launch_options& options = {}) {
  return select_to_host(handle_of<cl_command_queue>(queue),
                        detail::stencil_problem_of(in, flags, out, predicate), options);
}

/// Copies all elements of `in` to `out`: first those for which predicate(x) is true, behind them the others,
/// both in the order they had; the count is that of the first ones. `out` is at least as long as `in`.
/// Elements are read twice, but for few on a GPU; partition_copy reads them once. `in`, `out` and `count` may
/// not overlap. Does not block: returns the event of its last command, started after `options.after`.
/// Workspace, pooled and reused, or `options.workspace`: 8 bytes for each 4096 elements of up to 4 bytes, or
/// 16 KiB of larger ones, twice that from 2^31 elements on, and 4 KiB. Throws clwave::error: bad_call before
/// anything is enqueued (an `out` that is too short, views that overlap, a view past its buffer or
/// misaligned, an object of another context), build, out_of_memory.
///
///     clwave::partition(queue, x, halves, count, above);
template <queue_like Queue, view_argument In, view_argument Out, detail::counted Count,
          map_argument Map = map>
event partition(const Queue& queue, const In& in, const Out& out, const Count& count, const Map& predicate,
                const launch_options& options = {}) {
  return detail::select_to_buffer(handle_of<cl_command_queue>(queue),
                                  detail::select_problem_of(select_kind::partition, in, out, predicate),
                                  count, options);
}
/// Copies all elements of `in` to `out`, first those for which predicate(x) is true, then the others, both in
/// their order, and returns how many the first ones are. Blocks until the results are there; starts after
/// `options.after`, or else after all that the queue held. Throws clwave::error: bad_call before anything is
/// enqueued (an `out` that is too short, views that overlap, a view past its buffer or misaligned, an object
/// of another context), build, out_of_memory, device_lost.
template <queue_like Queue, view_argument In, view_argument Out, map_argument Map = map>
std::uint64_t partition(const Queue& queue, const In& in, const Out& out, const Map& predicate,
                        const launch_options& options = {}) {
  return select_to_host(handle_of<cl_command_queue>(queue),
                        detail::select_problem_of(select_kind::partition, in, out, predicate), options);
}

/// Copies the elements x of `in` for which predicate(x) is true to the front of `out` and all others to the
/// front of `others`, both in the order they had; the count is that of the first ones. Reads each element
/// once, where groups can send messages: where the others lie does not wait for the last of the first ones.
///
/// Either output may be shorter than `in`: what is past its end is not written, whatever the other one holds,
/// and the count still says how many elements the predicate is true for. All of both are stored where `out`
/// holds at least the count and `others` the rest; where nothing is known of the predicate, each needs the
/// length of `in`. What lies behind the stored elements is not touched. `in`, `count` and the outputs, each
/// up to the length of `in`, may not overlap. Does not block: returns the event of its last command, started
/// after `options.after`. Workspace, pooled and reused, or `options.workspace`: 8 bytes for each 4096
/// elements of up to 4 bytes, or 16 KiB of larger ones, twice that from 2^31 elements on, and 4 KiB. Throws
/// clwave::error: bad_call before anything is enqueued (views that overlap, a view past its buffer or
/// misaligned, an object of another context), build, out_of_memory.
///
///     clwave::partition_copy(queue, x, kept, others, count, above);
template <queue_like Queue, view_argument In, view_argument Out, view_argument Others, detail::counted Count,
          map_argument Map = map>
event partition_copy(const Queue& queue, const In& in, const Out& out, const Others& others,
                     const Count& count, const Map& predicate, const launch_options& options = {}) {
  return detail::select_to_buffer(handle_of<cl_command_queue>(queue),
                                  detail::partition_problem_of(in, out, others, predicate), count, options);
}
/// Copies the elements x of `in` for which predicate(x) is true to the front of `out` and all others to the
/// front of `others`, both in their order, and returns how many the first ones are. What is past an output's
/// end is not written. Blocks until the results are there; starts after `options.after`, or else after all
/// that the queue held. Throws clwave::error: bad_call before anything is enqueued (views that overlap, a
/// view past its buffer or misaligned, an object of another context), build, out_of_memory, device_lost.
template <queue_like Queue, view_argument In, view_argument Out, view_argument Others, map_argument Map = map>
std::uint64_t partition_copy(const Queue& queue, const In& in, const Out& out, const Others& others,
                             const Map& predicate, const launch_options& options = {}) {
  return select_to_host(handle_of<cl_command_queue>(queue),
                        detail::partition_problem_of(in, out, others, predicate), options);
}

/// Copies the elements x of `in` for which is_first(x) is true to the front of `first`, those of the others
/// for which is_second(x) is true to the front of `second`, and all others to the front of `rest`, each in
/// the order they had. Writes how many `first` and `second` are for to the two elements of `counts`, on the
/// device; the rest is what is left of the elements. The first predicate is an expression in `x` and, if you
/// like, the index `i`, or clwave::identity; the second is an expression of your own in these, and is asked
/// of no element for which the first is true. Both must be pure. Reads each element once, where groups can
/// send messages.
///
/// Any output may be shorter than `in`: what is past its end is not written, whatever the others hold, and
/// the counts stay the same. What lies behind the stored elements is not touched. `in`, `counts` and the
/// outputs, each up to the length of `in`, may not overlap. No elements: both counts become 0. Does not
/// block: returns the event of its last command, started after `options.after`. Workspace, pooled and reused,
/// or `options.workspace`: 16 bytes for each 4096 elements of up to 4 bytes, or 16 KiB of larger ones, twice
/// that from 2^31 elements on, and 4 KiB. Throws clwave::error: bad_call before anything is enqueued (a
/// second predicate that is not your own, views that overlap, a view past its buffer or misaligned, an object
/// of another context), build, out_of_memory.
///
///     clwave::partition_copy(queue, x, small, middle, large, counts, {.name = "small", .source = "x < 10"},
///                            {.name = "middle", .source = "x < 100"});  // counts: two std::uint64_t
template <queue_like Queue, view_argument In, view_argument First, view_argument Second, view_argument Rest,
          detail::counted Counts, map_argument IsFirst = map, map_argument IsSecond = map>
event partition_copy(const Queue& queue, const In& in, const First& first, const Second& second,
                     const Rest& rest, const Counts& counts, const IsFirst& is_first,
                     const IsSecond& is_second, const launch_options& options = {}) {
  return detail::select_to_buffer(handle_of<cl_command_queue>(queue),
                                  detail::three_problem_of(in, first, second, rest, is_first, is_second),
                                  counts, options);
}

/// Copies the first element of each run of equal neighbours in `in`. Two neighbours a and b, a before b, are
/// equal where `same` says so, an operator whose text is true or not: each element is compared with the one
/// before it in the input, whether that was kept or not. Without `same` they are equal where a == b, for
/// vectors in all components (a NaN is equal to nothing); structures need a text. Of the operator, name,
/// source, declarations and values count, and it must be pure. The elements keep their order, and how many
/// there are goes to the first element of `count`, on the device; those past out's end are not written, and
/// still counted. `in`, `out` and `count` may not overlap. Does not block: returns the event of its last
/// command, started after `options.after`. Workspace, pooled and reused, or `options.workspace`: 8 bytes for
/// each 4096 elements of up to 4 bytes, or 16 KiB of larger ones, twice that from 2^31 elements on, and 4
/// KiB. Throws clwave::error: bad_call before anything is enqueued (structures without a text, views that
/// overlap, a view past its buffer or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::unique(queue, sorted, distinct, count);
template <queue_like Queue, view_argument In, view_argument Out, detail::counted Count>
event unique(const Queue& queue, const In& in, const Out& out, const Count& count,
             const launch_options& options = {}) {
  return detail::select_to_buffer(handle_of<cl_command_queue>(queue),
                                  detail::unique_problem_of(in, out, nullptr), count, options);
}
/// Copies the first element of each run of equal neighbours in `in` to the front of `out`, and writes how
/// many there are to the first element of `count`, on the device. Two neighbours `a` and `b` are equal where
/// the text of `same` is true. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (views that overlap, a view
/// past its buffer or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::unique(queue, points, distinct, count, {.name = "same key", .source = "a.key == b.key"});
template <queue_like Queue, view_argument In, view_argument Out, detail::counted Count,
          operator_argument Same = op>
event unique(const Queue& queue, const In& in, const Out& out, const Count& count, const Same& same,
             const launch_options& options = {}) {
  return detail::select_to_buffer(handle_of<cl_command_queue>(queue),
                                  detail::unique_problem_of(in, out, &same), count, options);
}
/// Copies the first element of each run of equal neighbours in `in`, where a == b, to the front of `out`, and
/// returns how many there are. Blocks until the results are there; starts after `options.after`, or else
/// after all that the queue held. Throws clwave::error: bad_call before anything is enqueued (structures,
/// views that overlap, a view past its buffer or misaligned, an object of another context), build,
/// out_of_memory, device_lost.
template <queue_like Queue, view_argument In, view_argument Out>
std::uint64_t unique(const Queue& queue, const In& in, const Out& out, const launch_options& options = {}) {
  return select_to_host(handle_of<cl_command_queue>(queue), detail::unique_problem_of(in, out, nullptr),
                        options);
}
/// Copies the first element of each run of equal neighbours in `in` to the front of `out`, and returns how
/// many there are. Two neighbours `a` and `b` are equal where the text of `same` is true. Blocks until the
/// results are there; starts after `options.after`, or else after all that the queue held. Throws
/// clwave::error: bad_call before anything is enqueued (views that overlap, a view past its buffer or
/// misaligned, an object of another context), build, out_of_memory, device_lost.
template <queue_like Queue, view_argument In, view_argument Out, operator_argument Same = op>
std::uint64_t unique(const Queue& queue, const In& in, const Out& out, const Same& same,
                     const launch_options& options = {}) {
  return select_to_host(handle_of<cl_command_queue>(queue), detail::unique_problem_of(in, out, &same),
                        options);
}

/// Copies the first pair of each run of equal neighbouring keys: the key to `keys_out`, and the value that
/// lies where the key does to `values_out`. Keys and values have any element types, which need not be the
/// same, and are equally many. `same` compares two neighbouring keys; without it they are equal where a == b.
///
/// The outputs may be of different lengths: the shorter one is the capacity, pairs past it are not written,
/// and the count still says how many there would be. Keys and values may overlap each other, and neither may
/// overlap an output. A value is read only if its key is kept. Does not block: returns the event of its last
/// command, started after `options.after`. Workspace, pooled and reused, or `options.workspace`: 8 bytes for
/// each 4096 keys of up to 4 bytes, or 16 KiB of larger ones, twice that from 2^31 keys on, and 4 KiB. Throws
/// clwave::error: bad_call before anything is enqueued (keys and values that are not equally many, structures
/// as keys without a text, views that overlap, a view past its buffer or misaligned, an object of another
/// context), build, out_of_memory.
///
///     clwave::unique_by_key(queue, keys, values, keys_out, values_out, count);
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument KeysOut,
          view_argument ValuesOut, detail::counted Count>
event unique_by_key(const Queue& queue, const Keys& keys, const Values& values, const KeysOut& keys_out,
                    const ValuesOut& values_out, const Count& count, const launch_options& options = {}) {
  return detail::select_to_buffer(
      handle_of<cl_command_queue>(queue),
      detail::unique_by_key_problem_of(keys, values, keys_out, values_out, nullptr), count, options);
}
/// Copies the first pair of each run of equal neighbouring keys to `keys_out` and `values_out`, and writes
/// how many there are to the first element of `count`, on the device. Two neighbouring keys `a` and `b` are
/// equal where the text of `same` is true. Does not block: returns the event of its last command, started
/// after `options.after`. Throws clwave::error: bad_call before anything is enqueued (keys and values that
/// are not equally many, views that overlap, a view past its buffer or misaligned, an object of another
/// context), build, out_of_memory.
///
///     const clwave::op near{.name = "near", .source = "b - a < 8"};
///     clwave::unique_by_key(queue, keys, values, keys_out, values_out, count, near);
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument KeysOut,
          view_argument ValuesOut, detail::counted Count, operator_argument Same = op>
event unique_by_key(const Queue& queue, const Keys& keys, const Values& values, const KeysOut& keys_out,
                    const ValuesOut& values_out, const Count& count, const Same& same,
                    const launch_options& options = {}) {
  return detail::select_to_buffer(handle_of<cl_command_queue>(queue),
                                  detail::unique_by_key_problem_of(keys, values, keys_out, values_out, &same),
                                  count, options);
}
/// Copies the first pair of each run of equal neighbouring keys, where a == b, to `keys_out` and
/// `values_out`, and returns how many there are. Blocks until the results are there; starts after
/// `options.after`, or else after all that the queue held. Throws clwave::error: bad_call before anything is
/// enqueued (keys and values that are not equally many, structures as keys, views that overlap, a view past
/// its buffer or misaligned, an object of another context), build, out_of_memory, device_lost.
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument KeysOut,
          view_argument ValuesOut>
std::uint64_t unique_by_key(const Queue& queue, const Keys& keys, const Values& values,
                            const KeysOut& keys_out, const ValuesOut& values_out,
                            const launch_options& options = {}) {
  return select_to_host(handle_of<cl_command_queue>(queue),
                        detail::unique_by_key_problem_of(keys, values, keys_out, values_out, nullptr),
                        options);
}
/// Copies the first pair of each run of equal neighbouring keys to `keys_out` and `values_out`, and returns
/// how many there are. Two neighbouring keys `a` and `b` are equal where the text of `same` is true. Blocks
/// until the results are there; starts after `options.after`, or else after all that the queue held. Throws
/// clwave::error: bad_call before anything is enqueued (keys and values that are not equally many, views that
/// overlap, a view past its buffer or misaligned, an object of another context), build, out_of_memory,
/// device_lost.
template <queue_like Queue, view_argument Keys, view_argument Values, view_argument KeysOut,
          view_argument ValuesOut, operator_argument Same = op>
std::uint64_t unique_by_key(const Queue& queue, const Keys& keys, const Values& values,
                            const KeysOut& keys_out, const ValuesOut& values_out, const Same& same,
                            const launch_options& options = {}) {
  return select_to_host(handle_of<cl_command_queue>(queue),
                        detail::unique_by_key_problem_of(keys, values, keys_out, values_out, &same), options);
}

/// Writes the first element of each run of equal neighbours in `in` to `values_out`, and the number of
/// elements of the run to `lengths_out`, of std::uint32_t or std::uint64_t. The count is that of the runs.
/// More than 2^32 - 1 elements are refused where lengths are of std::uint32_t, which may not hold them.
///
/// The outputs may be of different lengths: the shorter one is the capacity, runs past it are not written,
/// and the count still says how many there would be. Reads each element once, in one launch where groups can
/// send messages. Neighbours are equal where a == b; structures need a text. Nothing may overlap. Workspace,
/// pooled and reused, or `options.workspace`: 16 bytes for each 4096 elements of up to 4 bytes, or 16 KiB of
/// larger ones, twice that from 2^31 elements on, and 4 KiB. Does not block: returns the event of its last
/// command, started after `options.after`. Throws clwave::error: bad_call before anything is enqueued
/// (structures without a text, views that overlap, a view past its buffer or misaligned, an object of another
/// context), build, out_of_memory.
///
///     clwave::run_lengths(queue, x, values, lengths, count);
///     // x a a a b a a becomes values a b a and lengths 3 1 2; count is 3
template <queue_like Queue, view_argument In, view_argument ValuesOut, detail::lengths_of_runs LengthsOut,
          detail::counted Count>
event run_lengths(const Queue& queue, const In& in, const ValuesOut& values_out,
                  const LengthsOut& lengths_out, const Count& count, const launch_options& options = {}) {
  return detail::select_to_buffer(handle_of<cl_command_queue>(queue),
                                  detail::run_lengths_problem_of(in, values_out, lengths_out, nullptr), count,
                                  options);
}
/// Writes the first element of each run of equal neighbours in `in` to `values_out`, its length to
/// `lengths_out`, and how many runs there are to the first element of `count`, on the device. Two neighbours
/// `a` and `b` are equal where the text of `same` is true. Does not block: returns the event of its last
/// command, started after `options.after`. Throws clwave::error: bad_call before anything is enqueued (views
/// that overlap, a view past its buffer or misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In, view_argument ValuesOut, detail::lengths_of_runs LengthsOut,
          detail::counted Count, operator_argument Same = op>
event run_lengths(const Queue& queue, const In& in, const ValuesOut& values_out,
                  const LengthsOut& lengths_out, const Count& count, const Same& same,
                  const launch_options& options = {}) {
  return detail::select_to_buffer(handle_of<cl_command_queue>(queue),
                                  detail::run_lengths_problem_of(in, values_out, lengths_out, &same), count,
                                  options);
}
/// Writes the first element of each run of equal neighbours in `in`, where a == b, to `values_out`, its
/// length to `lengths_out`, and returns how many runs there are. Blocks until the results are there; starts
/// after `options.after`, or else after all that the queue held. Throws clwave::error: bad_call before
/// anything is enqueued (structures, views that overlap, a view past its buffer or misaligned, an object of
/// another context), build, out_of_memory, device_lost.
template <queue_like Queue, view_argument In, view_argument ValuesOut, detail::lengths_of_runs LengthsOut>
std::uint64_t run_lengths(const Queue& queue, const In& in, const ValuesOut& values_out,
                          const LengthsOut& lengths_out, const launch_options& options = {}) {
  return select_to_host(handle_of<cl_command_queue>(queue),
                        detail::run_lengths_problem_of(in, values_out, lengths_out, nullptr), options);
}
/// Writes the first element of each run of equal neighbours in `in` to `values_out`, its length to
/// `lengths_out`, and returns how many runs there are. Two neighbours `a` and `b` are equal where the text of
/// `same` is true. Blocks until the results are there; starts after `options.after`, or else after all that
/// the queue held. Throws clwave::error: bad_call before anything is enqueued (views that overlap, a view
/// past its buffer or misaligned, an object of another context), build, out_of_memory, device_lost.
template <queue_like Queue, view_argument In, view_argument ValuesOut, detail::lengths_of_runs LengthsOut,
          operator_argument Same = op>
std::uint64_t run_lengths(const Queue& queue, const In& in, const ValuesOut& values_out,
                          const LengthsOut& lengths_out, const Same& same,
                          const launch_options& options = {}) {
  return select_to_host(handle_of<cl_command_queue>(queue),
                        detail::run_lengths_problem_of(in, values_out, lengths_out, &same), options);
}

/// Writes the index of the first element of each run of equal neighbours in `in` to `offsets_out`, of
/// std::uint64_t, and behind the last one the number of elements: run k lies from offsets_out[k] to before
/// offsets_out[k + 1]. The count is that of the runs, one less than the offsets. No elements: one offset, 0.
/// Offsets past the end of `offsets_out` are not written. Neighbours are equal where a == b; structures need
/// a text. Nothing may overlap. Does not block: returns the event of its last command, started after
/// `options.after`. Workspace, pooled and reused, or `options.workspace`: 8 bytes for each 4096 elements of
/// up to 4 bytes, or 16 KiB of larger ones, twice that from 2^31 elements on, and 4 KiB. Throws
/// clwave::error: bad_call before anything is enqueued (structures without a text, views that overlap, a view
/// past its buffer or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::run_offsets(queue, x, offsets, count);  // a a a b a a: offsets 0 3 4 6, count 3
template <queue_like Queue, view_argument In, detail::counted Offsets, detail::counted Count>
event run_offsets(const Queue& queue, const In& in, const Offsets& offsets_out, const Count& count,
                  const launch_options& options = {}) {
  return detail::select_to_buffer(handle_of<cl_command_queue>(queue),
                                  detail::run_offsets_problem_of(in, offsets_out, nullptr), count, options);
}
/// Writes the index of the first element of each run of equal neighbours in `in` to `offsets_out`, behind the
/// last one the number of elements, and how many runs there are to the first element of `count`, on the
/// device. Two neighbours `a` and `b` are equal where the text of `same` is true. Does not block: returns the
/// event of its last command, started after `options.after`. Throws clwave::error: bad_call before anything
/// is enqueued (views that overlap, a view past its buffer or misaligned, an object of another context),
/// build, out_of_memory.
template <queue_like Queue, view_argument In, detail::counted Offsets, detail::counted Count,
          operator_argument Same = op>
event run_offsets(const Queue& queue, const In& in, const Offsets& offsets_out, const Count& count,
                  const Same& same, const launch_options& options = {}) {
  return detail::select_to_buffer(handle_of<cl_command_queue>(queue),
                                  detail::run_offsets_problem_of(in, offsets_out, &same), count, options);
}
/// Writes the index of the first element of each run of equal neighbours in `in`, where a == b, to
/// `offsets_out`, behind the last one the number of elements, and returns how many runs there are. Blocks
/// until the results are there; starts after `options.after`, or else after all that the queue held. Throws
/// clwave::error: bad_call before anything is enqueued (structures, views that overlap, a view past its
/// buffer or misaligned, an object of another context), build, out_of_memory, device_lost.
template <queue_like Queue, view_argument In, detail::counted Offsets>
std::uint64_t run_offsets(const Queue& queue, const In& in, const Offsets& offsets_out,
                          const launch_options& options = {}) {
  return select_to_host(handle_of<cl_command_queue>(queue),
                        detail::run_offsets_problem_of(in, offsets_out, nullptr), options);
}
/// Writes the index of the first element of each run of equal neighbours in `in` to `offsets_out`, behind the
/// last one the number of elements, and returns how many runs there are. Two neighbours `a` and `b` are equal
/// where the text of `same` is true. Blocks until the results are there; starts after `options.after`, or
/// else after all that the queue held. Throws clwave::error: bad_call before anything is enqueued (views that
/// overlap, a view past its buffer or misaligned, an object of another context), build, out_of_memory,
/// device_lost.
template <queue_like Queue, view_argument In, detail::counted Offsets, operator_argument Same = op>
std::uint64_t run_offsets(const Queue& queue, const In& in, const Offsets& offsets_out, const Same& same,
                          const launch_options& options = {}) {
  return select_to_host(handle_of<cl_command_queue>(queue),
                        detail::run_offsets_problem_of(in, offsets_out, &same), options);
}

}  // namespace clwave
