/// @file
/// gather and scatter: elements copied from where indices point, and to where indices point. With them
/// reverse and rotate, whose indices follow from the place, as those of shuffle do (random.hpp).
///
/// gather sets out[i] to x[indices[i]], scatter sets out[indices[i]] to x[i]; gather_if and scatter_if do so
/// only where a flag is set. Elements have any type of 1 to 128 bytes, structures included, and are moved as
/// bits; transform_gather and transform_scatter apply a clwave::map on the way. Indices are std::uint32_t or
/// std::uint64_t. They are checked on the device, and nothing outside the views is read or written: an index
/// outside gives gather's `options.outside`, and makes scatter write nothing. gather and scatter may count
/// such indices, and checked_gather and checked_scatter throw where there are any.
///
/// A gather has the same bits on every device and in every run. So has a scatter without equal indices. Of
/// equal indices of a scatter one of their elements stands, and which one is not promised. It stands whole:
/// elements of 1, 2, 4 and 8 bytes are each written by one store, which no device that we know of tears; of
/// larger ones, and of other sizes, a launch of its own first finds out which element is to be written. That
/// costs a write and a read of 4 bytes at each index (8 where there are more than 2^32 elements).
/// `options.distinct` saves it where the caller knows that no two indices are equal.
///
/// One launch, two of such a scatter, and one more where indices outside are counted. Kernels:
/// cl_kernels/primitives/gather.cl.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be in-order
/// or out-of-order, with profiling or without. Those called checked_... flush their queue and wait; no other
/// call here blocks or flushes a queue. A child of fork() is refused. In full: event.hpp.
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

/// The options of gathers whose results are of type T.
template <element_type T>
struct gather_options {
  /// What an index outside gives; without it an element of zero bytes. No map is applied to it. The value is
  /// taken by the call.
  std::optional<T> outside = {};
  wait_list after = {};           ///< what comes before: launch_options
  bool with_event = true;         ///< whether an event is made: launch_options
  workspace_view workspace = {};  ///< memory to work in: launch_options
};

static_assert(call_options<gather_options<float>>);

/// The options of scatters.
struct scatter_options {
  /// The caller knows that no two indices inside the output are equal, those of a permutation for instance.
  /// Where two are equal all the same, an element that is not of 1, 2, 4 or 8 bytes may be made of parts of
  /// several ones; nothing else goes wrong.
  bool distinct = false;
  wait_list after = {};           ///< what comes before: launch_options
  bool with_event = true;         ///< whether an event is made: launch_options
  workspace_view workspace = {};  ///< memory to work in: launch_options
};

static_assert(call_options<scatter_options>);

/// A gather or a scatter, whose types are said at run time: what the call takes, and what plan() is asked,
/// then without buffers. Refers to all that is pointed to.
struct gather_problem {
  any_view in;                    ///< the elements; of a scatter as many as there are indices
  any_view indices;               ///< of 32 or 64 bits without a sign
  any_view out;                   ///< the results; of a gather as many as there are indices
  bool scatter = false;           ///< out[indices[i]] = in[i]; else out[i] = in[indices[i]]
  const map* apply = nullptr;     ///< what is applied to each element; null: input and output are of one type
  const void* outside = nullptr;  ///< of a gather: of the output's type, on the host; null: zero bytes
  bool distinct = false;          ///< of a scatter: no two indices are equal (scatter_options)
  /// One number of 64 bits without a sign: how many indices are outside. Nothing: they are not counted.
  std::optional<any_view> bad = {};
  /// As many as there are indices: where one is not set, its i is left out. Without a predicate integers or
  /// bool, set where they are not 0; with one of any type that is declared on the device. Nothing: all are.
  std::optional<any_view> flags = {};
  const map* predicate =
      nullptr;  ///< over flags, in `x`, the flag, and `i`; null: those are set that are not 0
};

/// A reverse, a rotate or a shuffle, whose types are said at run time: what the call takes, and what plan()
/// is asked, then without buffers.
struct reorder_problem {
  any_view in;              ///< the elements
  any_view out;             ///< as many results of the same type
  bool rotate = false;      ///< out[i] = in[(i + first) mod n]; else out[i] = in[n - 1 - i]
  std::uint64_t first = 0;  ///< of a rotate: the element that becomes the first one, less than n
  bool shuffle = false;    ///< out[i] = in[p(i)], for the permutation p of random_permutation; no rotate then
  std::uint64_t seed = 0;  ///< of a shuffle: what the permutation follows from
};

/// What a gather or a scatter would do: its launches, their arguments, the source and the workspace
/// (plan.hpp). Enqueues nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const gather_problem& asked, const plan_target& on);
/// What a reverse, a rotate or a shuffle would do: its launches, their arguments, the source and the
/// workspace (plan.hpp). Enqueues nothing. Throws clwave::error (bad_call) for a problem that the call would
/// refuse.
CLWAVE_EXPORT call_plan plan(const reorder_problem& asked, const plan_target& on);

/// Sets out[i] to in[indices[i]], or with `scatter` out[indices[i]] to in[i], of types that are said at run
/// time. Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (types or sizes that do not go together, overlaps that
/// are not allowed, a view past its buffer, an object of another context), build, out_of_memory. In full:
/// gather and scatter.
CLWAVE_EXPORT event gather(cl_command_queue queue, const gather_problem& asked,
                           const launch_options& options = {});
/// Gathers or scatters elements, of types that are said at run time, and throws bad_call, with their number,
/// where indices are outside. The problem's `bad` is not looked at. Blocks until the results are there;
/// starts after `options.after`, or else after all that the queue held. Throws clwave::error: bad_call before
/// anything is enqueued (types or sizes that do not go together, overlaps that are not allowed, a view past
/// its buffer, an object of another context), build, out_of_memory, device_lost.
CLWAVE_EXPORT void checked_gather(cl_command_queue queue, const gather_problem& asked,
                                  const launch_options& options = {});

/// Reverses, rotates or shuffles elements, of types that are said at run time. Does not block: returns the
/// event of its last command, started after `options.after`. Throws clwave::error: bad_call before anything
/// is enqueued (types or sizes that do not go together, overlaps that are not allowed, a view past its
/// buffer, an object of another context), build, out_of_memory.
CLWAVE_EXPORT event reorder(cl_command_queue queue, const reorder_problem& asked,
                            const launch_options& options = {});

namespace detail {

template <viewable In, indices_of_keys Indices, viewable Out>
gather_problem gather_problem_of(const In& in, const Indices& indices, const Out& out,
                                 const gather_options<viewed<Out>>& options) {
  return {.in = erase(in),
          .indices = erase(indices),
          .out = erase_output(out),
          .outside = options.outside ? &*options.outside : nullptr};
}

template <viewable In, indices_of_keys Indices, viewable Out>
gather_problem scatter_problem_of(const In& in, const Indices& indices, const Out& out,
                                  const scatter_options& options) {
  return {.in = erase(in),
          .indices = erase(indices),
          .out = erase_output(out),
          .scatter = true,
          .distinct = options.distinct};
}

// Without a map nothing converts elements.
template <viewable In, viewable Out>
gather_problem of_one_type(const gather_problem& asked) {
  static_assert(std::is_same_v<viewed<In>, viewed<Out>>,
                "input and output are of one type; transform_gather and transform_scatter convert");
  return asked;
}

template <counted Bad>
gather_problem that_counts(gather_problem asked, const Bad& bad) {
  asked.bad = erase_output(bad);
  return asked;
}

template <viewable Flags>
gather_problem with_flags(gather_problem asked, const Flags& flags, const map* predicate) {
  asked.flags = erase(flags);
  asked.predicate = predicate;
  return asked;
}

inline gather_problem that_applies(gather_problem asked, const map& apply) {
  asked.apply = &apply;
  return asked;
}

}  // namespace detail

// ------------------------------------------------------------------------------------------------- gather

/// Sets out[i] to in[indices[i]], or where indices[i] is in.size() or more to `options.outside`. `out` has as
/// many elements as there are indices, and is of the type of `in`. Equal indices are fine. `out` overlaps
/// neither `in` nor `indices`; these two may overlap. Every view may start at any element.
///
/// Does not block: returns the event of its command, started after `options.after`. No indices: nothing is
/// launched. No workspace. Throws clwave::error: bad_call before anything is enqueued (different lengths,
/// views that overlap, a view past its buffer or not aligned to its type, a buffer or an event of another
/// context), build, out_of_memory.
///
///     clwave::argsort(queue, keys, order);
///     clwave::gather(queue, names, order, sorted_names);
///     clwave::gather(queue, x, indices, out, {.outside = -1.0f});
template <queue_like Queue, view_argument In, detail::indices_of_keys Indices, view_argument Out>
event gather(const Queue& queue, const In& in, const Indices& indices, const Out& out,
             const gather_options<viewed<Out>>& options = {}) {
  return gather(handle_of<cl_command_queue>(queue),
                detail::of_one_type<In, Out>(detail::gather_problem_of(in, indices, out, options)),
                detail::launch_of(options));
}
/// Sets out[i] to in[indices[i]], or where indices[i] is in.size() or more to `options.outside`, and the
/// first element of `bad`, on the device, to how many indices are so, 0 where there are none. `bad` and `out`
/// overlap nothing. Does not block: returns the event of its last command, started after `options.after`.
/// Takes 8 bytes of workspace for each work-group, pooled and reused, or `options.workspace`. Throws
/// clwave::error: bad_call before anything is enqueued (different lengths, views that overlap, a view past
/// its buffer or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::gather(queue, x, indices, out, bad);  // bad: a view of one std::uint64_t
template <queue_like Queue, view_argument In, detail::indices_of_keys Indices, view_argument Out,
          detail::counted Bad>
event gather(const Queue& queue, const In& in, const Indices& indices, const Out& out, const Bad& bad,
             const gather_options<viewed<Out>>& options = {}) {
  const gather_problem asked = detail::gather_problem_of(in, indices, out, options);
  return gather(handle_of<cl_command_queue>(queue),
                detail::that_counts(detail::of_one_type<In, Out>(asked), bad), detail::launch_of(options));
}
/// Sets out[i] to in[indices[i]], or where indices[i] is in.size() or more to `options.outside`, and checks
/// that no index is so. Blocks until the results are there; starts after `options.after`, or else after all
/// that the queue held. Throws clwave::error: bad_call, with their number, where indices are outside; `out`
/// then is as it is without this check. Also bad_call before anything is enqueued (different lengths, views
/// that overlap, a view past its buffer or misaligned, an object of another context), build, out_of_memory,
/// device_lost.
///
///     clwave::checked_gather(queue, x, indices, out);
template <queue_like Queue, view_argument In, detail::indices_of_keys Indices, view_argument Out>
void checked_gather(const Queue& queue, const In& in, const Indices& indices, const Out& out,
                    const gather_options<viewed<Out>>& options = {}) {
  checked_gather(handle_of<cl_command_queue>(queue),
                 detail::of_one_type<In, Out>(detail::gather_problem_of(in, indices, out, options)),
                 detail::launch_of(options));
}
/// Sets out[i] to apply(in[indices[i]]), or where indices[i] is outside to `options.outside`, to which
/// nothing is applied. The map is yours: an expression in `x`, the element, and if you like in `i` (ulong),
/// the number of the result. Its value is converted to out's type: integers wrap, a float goes towards zero
/// to an integer, and to nearest even to a half or a bfloat16. `out` is as long as `indices`, and overlaps
/// neither these nor `in`. Does not block: returns the event of its last command, started after
/// `options.after`. No workspace. Throws clwave::error: bad_call before anything is enqueued (different
/// lengths, views that overlap, a view past its buffer or misaligned, an object of another context), build
/// (with the compiler's lines), out_of_memory.
///
///     clwave::transform_gather(queue, points, indices, lengths,
///                              {.name = "length", .source = "hypot(x.x, x.y)"});
template <queue_like Queue, view_argument In, detail::indices_of_keys Indices, view_argument Out,
          map_argument Map = map>
event transform_gather(const Queue& queue, const In& in, const Indices& indices, const Out& out,
                       const Map& apply, const gather_options<viewed<Out>>& options = {}) {
  const map& function = apply;
  return gather(handle_of<cl_command_queue>(queue),
                detail::that_applies(detail::gather_problem_of(in, indices, out, options), function),
                detail::launch_of(options));
}

/// Sets out[i] to in[indices[i]] where flags[i] is not 0; all other elements of `out` keep their values.
/// Where a flag is set, an index outside gives `options.outside`; where it is not, the index is not looked
/// at. `flags` are integers or bool, as many as there are indices, and may overlap these and `in`, and not
/// `out`. `out` is as long as `indices` and of the type of `in`. Does not block: returns the event of its
/// last command, started after `options.after`. No indices: nothing is launched. No workspace. Throws
/// clwave::error: bad_call before anything is enqueued (different lengths, flags that are no integers, views
/// that overlap, a view past its buffer or misaligned, an object of another context), build, out_of_memory. A
/// gather_problem with `flags` has a map or counts indices outside, too, of those whose flag is set.
///
///     clwave::gather_if(queue, x, indices, flags, out);
template <queue_like Queue, view_argument In, detail::indices_of_keys Indices, view_argument Flags,
          view_argument Out>
event gather_if(const Queue& queue, const In& in, const Indices& indices, const Flags& flags, const Out& out,
                const gather_options<viewed<Out>>& options = {}) {
  const gather_problem asked = detail::gather_problem_of(in, indices, out, options);
  return gather(handle_of<cl_command_queue>(queue),
                detail::with_flags(detail::of_one_type<In, Out>(asked), flags, nullptr),
                detail::launch_of(options));
}
/// Sets out[i] to in[indices[i]] where predicate(flags[i]) is true, and leaves all other elements of `out` as
/// they are. The predicate is yours: an expression in `x`, the flag, and if you like in `i` (ulong), its
/// number; it is true where its value is not 0. It must be pure: asked twice of one flag, it answers alike.
/// Flags, a stencil, are of any type of up to 128 bytes, and as many as indices. An index outside whose flag
/// is set gives `options.outside`; the others are not looked at. `out` is as long as `indices`, of the type
/// of `in`, and overlaps nothing. Does not block: returns the event of its last command, started after
/// `options.after`. No workspace. Throws clwave::error: bad_call before anything is enqueued (a predicate
/// that is not your own, different lengths, views that overlap, a view past its buffer or misaligned, an
/// object of another context), build (with the compiler's lines), out_of_memory.
///
///     clwave::gather_if(queue, x, indices, ages, out, {.name = "grown", .source = "x >= 18"});
template <queue_like Queue, view_argument In, detail::indices_of_keys Indices, view_argument Flags,
          view_argument Out, map_argument Map = map>
event gather_if(const Queue& queue, const In& in, const Indices& indices, const Flags& flags, const Out& out,
                const Map& predicate, const gather_options<viewed<Out>>& options = {}) {
  const map& function = predicate;
  const gather_problem asked = detail::gather_problem_of(in, indices, out, options);
  return gather(handle_of<cl_command_queue>(queue),
                detail::with_flags(detail::of_one_type<In, Out>(asked), flags, &function),
                detail::launch_of(options));
}

// ------------------------------------------------------------------------------------------------ scatter

/// Sets out[indices[i]] to in[i], or writes nothing where indices[i] is out.size() or more. `in` has as many
/// elements as there are indices, and `out` is of its type and of any length; an element of `out` that no
/// index points to keeps its value. Of equal indices one of their elements stands, whole, and which one is
/// not promised. `out` overlaps neither `in` nor `indices`; these two may overlap. Every view may start at
/// any element.
///
/// Does not block: returns the event of its last command, started after `options.after`. No indices: nothing
/// is launched. Elements of 1, 2, 4 or 8 bytes take no workspace, and neither do others with
/// `options.distinct`. All others take 4 bytes of workspace for each element of `out`, 8 where there are more
/// than 2^32 indices; pooled and reused, or `options.workspace`. Throws clwave::error: bad_call before
/// anything is enqueued (different lengths, views that overlap, a view past its buffer or misaligned, an
/// object of another context), build, out_of_memory.
///
///     clwave::scatter(queue, x, indices, out);
///     clwave::scatter(queue, particles, order, out, {.distinct = true});  // `order` is a permutation
template <queue_like Queue, view_argument In, detail::indices_of_keys Indices, view_argument Out>
event scatter(const Queue& queue, const In& in, const Indices& indices, const Out& out,
              const scatter_options& options = {}) {
  return gather(handle_of<cl_command_queue>(queue),
                detail::of_one_type<In, Out>(detail::scatter_problem_of(in, indices, out, options)),
                detail::launch_of(options));
}
/// Sets out[indices[i]] to in[i], or writes nothing where indices[i] is out.size() or more, and sets the
/// first element of `bad`, on the device, to how many indices are so, 0 where there are none. `bad` and `out`
/// overlap nothing. Does not block: returns the event of its last command, started after `options.after`.
/// Takes one launch more, and 8 bytes of workspace more for each work-group. Throws clwave::error: bad_call
/// before anything is enqueued (different lengths, views that overlap, a view past its buffer or misaligned,
/// an object of another context), build, out_of_memory.
///
///     clwave::scatter(queue, x, indices, out, bad);  // bad: a view of one std::uint64_t
template <queue_like Queue, view_argument In, detail::indices_of_keys Indices, view_argument Out,
          detail::counted Bad>
event scatter(const Queue& queue, const In& in, const Indices& indices, const Out& out, const Bad& bad,
              const scatter_options& options = {}) {
  const gather_problem asked = detail::scatter_problem_of(in, indices, out, options);
  return gather(handle_of<cl_command_queue>(queue),
                detail::that_counts(detail::of_one_type<In, Out>(asked), bad), detail::launch_of(options));
}
/// Sets out[indices[i]] to in[i], or writes nothing where indices[i] is out.size() or more, and checks that
/// no index is so. Blocks until the results are there; starts after `options.after`, or else after all that
/// the queue held. Throws clwave::error: bad_call, with their number, where indices are outside; `out` then
/// is as it is without this check. Also bad_call before anything is enqueued (different lengths, views that
/// overlap, a view past its buffer or misaligned, an object of another context), build, out_of_memory,
/// device_lost.
///
///     clwave::checked_scatter(queue, x, indices, out);
template <queue_like Queue, view_argument In, detail::indices_of_keys Indices, view_argument Out>
void checked_scatter(const Queue& queue, const In& in, const Indices& indices, const Out& out,
                     const scatter_options& options = {}) {
  checked_gather(handle_of<cl_command_queue>(queue),
                 detail::of_one_type<In, Out>(detail::scatter_problem_of(in, indices, out, options)),
                 detail::launch_of(options));
}
/// Sets out[indices[i]] to apply(in[i]), or writes nothing where indices[i] is outside. The map is yours: an
/// expression in `x`, the element, and if you like in `i` (ulong), its number. Its value is converted to
/// out's type: integers wrap, a float goes towards zero to an integer, and to nearest even to a half or a
/// bfloat16. `in` is as long as `indices`; `out` has any length and overlaps neither. Of equal indices one of
/// their values stands, whole, and which one is not promised. Does not block: returns the event of its last
/// command, started after `options.after`. Workspace: none where out's elements have 1, 2, 4 or 8 bytes or
/// with `options.distinct`; else 4 bytes for each element of `out`, 8 where there are more than 2^32 indices;
/// pooled and reused, or `options.workspace`. Throws clwave::error: bad_call before anything is enqueued
/// (different lengths, views that overlap, a view past its buffer or misaligned, an object of another
/// context), build (with the compiler's lines), out_of_memory.
///
///     clwave::transform_scatter(queue, x, indices, out, {.name = "double", .source = "2 * x"});
template <queue_like Queue, view_argument In, detail::indices_of_keys Indices, view_argument Out,
          map_argument Map = map>
event transform_scatter(const Queue& queue, const In& in, const Indices& indices, const Out& out,
                        const Map& apply, const scatter_options& options = {}) {
  const map& function = apply;
  return gather(handle_of<cl_command_queue>(queue),
                detail::that_applies(detail::scatter_problem_of(in, indices, out, options), function),
                detail::launch_of(options));
}

/// Sets out[indices[i]] to in[i] where flags[i] is not 0 and indices[i] is less than out.size(); writes
/// nothing else. Where a flag is not set, the index is not looked at. `flags` are integers or bool, as many
/// as there are indices, and may overlap these and `in`, and not `out`. Of equal indices whose flags are set
/// one of their elements stands, whole, and which one is not promised. `in` is as long as `indices`, and of
/// out's type. Does not block: returns the event of its last command, started after `options.after`.
/// Workspace: none for elements of 1, 2, 4 or 8 bytes or with `options.distinct`; else 4 bytes for each
/// element of `out`, 8 where there are more than 2^32 indices; pooled and reused, or `options.workspace`.
/// Throws clwave::error: bad_call before anything is enqueued (different lengths, flags that are no integers,
/// views that overlap, a view past its buffer or misaligned, an object of another context), build,
/// out_of_memory.
///
///     clwave::scatter_if(queue, x, indices, flags, out);
template <queue_like Queue, view_argument In, detail::indices_of_keys Indices, view_argument Flags,
          view_argument Out>
event scatter_if(const Queue& queue, const In& in, const Indices& indices, const Flags& flags, const Out& out,
                 const scatter_options& options = {}) {
  const gather_problem asked = detail::scatter_problem_of(in, indices, out, options);
  return gather(handle_of<cl_command_queue>(queue),
                detail::with_flags(detail::of_one_type<In, Out>(asked), flags, nullptr),
                detail::launch_of(options));
}
/// Sets out[indices[i]] to in[i] where predicate(flags[i]) is true. The predicate is yours: an expression in
/// `x`, the flag, and if you like in `i` (ulong), its number; it is true where its value is not 0. It must be
/// pure: asked twice of one flag, it answers alike. Flags are of any type of up to 128 bytes, and as many as
/// indices; an index of out.size() or more, and one whose predicate is not true, writes nothing. Of equal
/// indices one of their elements stands, whole, and which one is not promised. Does not block: returns the
/// event of its last command, started after `options.after`. Workspace: none for elements of 1, 2, 4 or 8
/// bytes or with `options.distinct`; else 4 bytes for each element of `out`, 8 where there are more than 2^32
/// indices. Throws clwave::error: bad_call before anything is enqueued (a predicate that is not your own,
/// different lengths, views that overlap, a view past its buffer or misaligned, an object of another
/// context), build (with the compiler's lines), out_of_memory.
///
///     clwave::scatter_if(queue, x, indices, x, out, {.name = "positive", .source = "x > 0"});
template <queue_like Queue, view_argument In, detail::indices_of_keys Indices, view_argument Flags,
          view_argument Out, map_argument Map = map>
event scatter_if(const Queue& queue, const In& in, const Indices& indices, const Flags& flags, const Out& out,
                 const Map& predicate, const scatter_options& options = {}) {
  const map& function = predicate;
  const gather_problem asked = detail::scatter_problem_of(in, indices, out, options);
  return gather(handle_of<cl_command_queue>(queue),
                detail::with_flags(detail::of_one_type<In, Out>(asked), flags, &function),
                detail::launch_of(options));
}

// ------------------------------------------------------------------------------------ reverse and rotate

/// Sets out[i] to in[n - 1 - i], of n elements of any type. `out` has as many elements as `in` and is of its
/// type; they may not overlap, and both may start at any element. Does not block: returns the event of its
/// command, started after `options.after`. No elements: nothing is launched. No workspace. Throws
/// clwave::error: bad_call before anything is enqueued (different lengths, views that overlap, a view past
/// its buffer or not aligned to its type, a buffer or an event of another context), build, out_of_memory.
///
///     clwave::reverse(queue, x, out);
template <queue_like Queue, view_argument In, view_argument Out>
event reverse(const Queue& queue, const In& in, const Out& out, const launch_options& options = {}) {
  static_assert(std::is_same_v<viewed<In>, viewed<Out>>, "input and output are of one type");
  return reorder(handle_of<cl_command_queue>(queue),
                 {.in = detail::erase(in), .out = detail::erase_output(out)}, options);
}
/// Sets out[i] to in[(i + first) mod n]: element `first` of `in` becomes the first one, and those before it
/// follow the last. `first` is less than n, the number of elements, or 0 where there are none (else
/// bad_call); another one builds nothing. `out` has as many elements as `in` and is of its type; they may not
/// overlap. Does not block: returns the event of its last command, started after `options.after`. No
/// workspace. Throws clwave::error: bad_call before anything is enqueued (a `first` that is too large,
/// different lengths, views that overlap, a view past its buffer or misaligned, an object of another
/// context), build, out_of_memory.
///
///     clwave::rotate(queue, x, out, 100);
template <queue_like Queue, view_argument In, view_argument Out>
event rotate(const Queue& queue, const In& in, const Out& out, std::uint64_t first,
             const launch_options& options = {}) {
  static_assert(std::is_same_v<viewed<In>, viewed<Out>>, "input and output are of one type");
  return reorder(handle_of<cl_command_queue>(queue),
                 {.in = detail::erase(in), .out = detail::erase_output(out), .rotate = true, .first = first},
                 options);
}

}  // namespace clwave
