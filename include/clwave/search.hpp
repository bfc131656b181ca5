/// @file
/// Searches that stop early: find_if, any_of, all_of, none_of, mismatch, equal and is_sorted.
///
/// Each looks for the first place that decides: an element for which a predicate is other than 0 (of all_of:
/// is 0), elements of two inputs that differ, or an element that comes before its predecessor. The input is
/// cut into tiles; groups take them from the front, and stop taking any once a place has been found before
/// all that are left. A call that finds its place early therefore reads the beginning of the input alone, and
/// one that finds nothing reads all of it once. The result is exact: it depends on nothing but the input, and
/// is the same on every device and in every run. How much of the input is read behind the place is not
/// promised, and so a predicate's text must be good for every element.
///
/// Each call comes in three forms: into a view on the device, as a value, and as a future. An index is a
/// std::uint64_t, and `nowhere` where there is none; a truth value is a bool (of one byte on the device).
/// Those of one input take as many elements as a number on the device says (view::first), too.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be
/// in-order or out-of-order, with profiling or without. A call that returns a value flushes its queue and
/// waits; a call that returns an event or a future flushes nothing, and the future's get() flushes that
/// queue. No call flushes another queue. A child of fork() is refused. In full: event.hpp. Kernels:
/// cl_kernels/primitives/search.cl.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/future.hpp>
#include <clwave/op.hpp>
#include <clwave/options.hpp>
#include <clwave/sort_order.hpp>  // IWYU pragma: export
#include <clwave/view.hpp>

namespace clwave {

/// The index that find_if and mismatch give where there is no such place.
inline constexpr std::uint64_t nowhere = ~std::uint64_t{0};

/// What a search looks for, and what it gives.
enum class search_kind {
  find_if,   ///< the index of the first element for which the predicate is other than 0
  any_of,    ///< whether there is such an element
  all_of,    ///< whether the predicate is other than 0 for all elements
  none_of,   ///< whether there is no such element
  mismatch,  ///< the first index at which two inputs differ
  equal,     ///< whether two inputs differ nowhere
  is_sorted  ///< whether no element comes before the one at its left
};

/// A search, whose types are said at run time: what the call takes, and what plan() is asked, then without
/// buffers. Refers to all that is pointed to.
struct search_problem {
  search_kind kind = search_kind::find_if;  ///< what is looked for, and what is given
  any_view in;                              ///< the elements
  std::optional<any_view> in2 = {};         ///< of mismatch and equal: the second input, of as many elements
  const map* predicate = nullptr;           ///< of find_if, any_of, all_of and none_of
  const op* same = nullptr;                 ///< of mismatch and equal: whether a and b are equal; null: ==
  sort_order order = {};                    ///< of is_sorted: that of numbers
  const op* less = nullptr;                 ///< of is_sorted: the operator of the order; null: numbers
  /// Where the result goes on the device, one std::uint64_t of find_if and mismatch, one bool of all others;
  /// nothing: to the host.
  std::optional<any_view> out = {};
};

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const search_problem& asked, const plan_target& on);

/// A search of types that are said at run time, into the first element of `out`. Does not block: returns the
/// event of its last command, started after `options.after`. Throws clwave::error: bad_call before anything
/// is enqueued (types or sizes that do not go together, overlaps that are not allowed, a view past its
/// buffer, an object of another context), build, out_of_memory.
CLWAVE_EXPORT event search(cl_command_queue queue, const search_problem& asked,
                           const launch_options& options = {});

/// A search of types that are said at run time, into memory of the host that has room for the result, a
/// std::uint64_t or a bool. The problem's `out` is not looked at. Blocks until the results are there; starts
/// after `options.after`, or else after all that the queue held. Throws clwave::error: bad_call before
/// anything is enqueued (types or sizes that do not go together, overlaps that are not allowed, a view past
/// its buffer, an object of another context), build, out_of_memory, device_lost.
CLWAVE_EXPORT void search(cl_command_queue queue, const search_problem& asked, void* result,
                          const launch_options& options = {});

namespace detail {

CLWAVE_EXPORT future_handle search_to_future(cl_command_queue queue, const search_problem& asked,
                                             const launch_options& options);

// A view or range of one truth value.
template <class Truth>
concept truth_value = std::same_as<bool, viewed<Truth>>;

template <viewable In>
search_problem search_problem_of(search_kind kind, const In& in, const map& predicate) {
  return {.kind = kind, .in = erase(in), .predicate = &predicate};
}

template <viewable X, viewable Y>
search_problem search_problem_of(search_kind kind, const X& x, const Y& y, const op* same) {
  static_assert(std::is_same_v<viewed<X>, viewed<Y>>, "both inputs are of one type");
  return {.kind = kind, .in = erase(x), .in2 = erase(y), .same = same};
}

template <viewable In>
search_problem search_problem_of(const In& in, const ordered_options& options) {
  return {
      .kind = search_kind::is_sorted, .in = erase(in), .order = order_of(options), .less = less_of(options)};
}

template <class Queue, class Out>
event search_into(const Queue& queue, search_problem problem, const Out& out, const launch_options& options) {
  problem.out = erase_output(out);
  return search(handle_of<cl_command_queue>(queue), problem, options);
}
template <class T, class Queue>
T search_for(const Queue& queue, const search_problem& problem, const launch_options& options) {
  T result{};
  search(handle_of<cl_command_queue>(queue), problem, static_cast<void*>(&result), options);
  return result;
}
template <class T, class Queue>
future<T> search_later(const Queue& queue, const search_problem& problem, const launch_options& options) {
  return future<T>(search_to_future(handle_of<cl_command_queue>(queue), problem, options));
}

}  // namespace detail

// -------------------------------------------------------------------------------- searches by a predicate

/// The index of the first element for which the predicate is other than 0, and `nowhere` where there is none.
/// The predicate is yours: an expression in `x`, the element, and if you like in `i` (ulong), its index.
/// Elements of any type of up to 128 bytes; `in` may start at any element. Blocks until the value is there;
/// of no elements, nothing is launched. Starts after `options.after`; without that after all that the queue
/// held when the call was made, on an out-of-order queue too. No workspace of the input's size: 4 KiB at
/// most, pooled and reused, or `options.workspace`. Throws clwave::error: bad_call before anything is
/// enqueued (a predicate that is none of your own, a view past its buffer or not aligned to its type, a
/// buffer or an event of another context), build (with the compiler's lines), out_of_memory, device_lost.
///
///     const std::uint64_t at = clwave::find_if(queue, x, {.name = "negative", .source = "x < 0"});
///     if (at != clwave::nowhere) ...
template <queue_like Queue, view_argument In, map_argument Map = map>
std::uint64_t find_if(const Queue& queue, const In& in, const Map& predicate,
                      const launch_options& options = {}) {
  return detail::search_for<std::uint64_t>(
      queue, detail::search_problem_of(search_kind::find_if, in, predicate), options);
}
/// Sets the first element of `index`, on the device, to the index of the first element for which the
/// predicate is other than 0, or to `nowhere`. `index` may not overlap `in`. Does not block: returns the
/// event of its last command, started after `options.after`. Throws clwave::error: bad_call before anything
/// is enqueued (a predicate that is not your own, a view past its buffer or misaligned, an object of another
/// context), build, out_of_memory.
///
///     clwave::find_if(queue, x, index, {.name = "negative", .source = "x < 0"});  // index: a std::uint64_t
template <queue_like Queue, view_argument In, detail::counted Index, map_argument Map = map>
event find_if(const Queue& queue, const In& in, const Index& index, const Map& predicate,
              const launch_options& options = {}) {
  return detail::search_into(queue, detail::search_problem_of(search_kind::find_if, in, predicate), index,
                             options);
}
/// The index of the first element for which the predicate is other than 0, or `nowhere`, as a future
/// (future.hpp). Does not block. Throws clwave::error: bad_call before anything is enqueued (a predicate that
/// is not your own, a view past its buffer or misaligned, an object of another context), build,
/// out_of_memory.
template <queue_like Queue, view_argument In, map_argument Map = map>
future<std::uint64_t> find_if_async(const Queue& queue, const In& in, const Map& predicate,
                                    const launch_options& options = {}) {
  return detail::search_later<std::uint64_t>(
      queue, detail::search_problem_of(search_kind::find_if, in, predicate), options);
}

/// Whether there is an element for which the predicate is other than 0; of no elements false. The predicate
/// is yours: an expression in `x`, the element, and if you like in `i` (ulong), its index. Blocks until the
/// value is there; starts after `options.after`, or else after all that the queue held. Workspace: 4 KiB at
/// most, pooled and reused, or `options.workspace`. Throws clwave::error: bad_call before anything is
/// enqueued (a predicate that is not your own, a view past its buffer or misaligned, an object of another
/// context), build, out_of_memory, device_lost.
///
///     bool any = clwave::any_of(queue, x, {.name = "NaN", .source = "x != x"});
template <queue_like Queue, view_argument In, map_argument Map = map>
bool any_of(const Queue& queue, const In& in, const Map& predicate, const launch_options& options = {}) {
  return detail::search_for<bool>(queue, detail::search_problem_of(search_kind::any_of, in, predicate),
                                  options);
}
/// Sets the first element of `truth`, on the device, to whether there is an element for which the predicate
/// is other than 0. `truth` may not overlap `in`. Does not block: returns the event of its last command,
/// started after `options.after`. Throws clwave::error: bad_call before anything is enqueued (a predicate
/// that is not your own, a view past its buffer or misaligned, an object of another context), build,
/// out_of_memory.
template <queue_like Queue, view_argument In, detail::truth_value Truth, map_argument Map = map>
event any_of(const Queue& queue, const In& in, const Truth& truth, const Map& predicate,
             const launch_options& options = {}) {
  return detail::search_into(queue, detail::search_problem_of(search_kind::any_of, in, predicate), truth,
                             options);
}
/// Whether there is an element for which the predicate is other than 0, as a future (future.hpp). Does not
/// block. Throws clwave::error: bad_call before anything is enqueued (a predicate that is not your own, a
/// view past its buffer or misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In, map_argument Map = map>
future<bool> any_of_async(const Queue& queue, const In& in, const Map& predicate,
                          const launch_options& options = {}) {
  return detail::search_later<bool>(queue, detail::search_problem_of(search_kind::any_of, in, predicate),
                                    options);
}

/// Whether the predicate is other than 0 for all elements; of no elements true. The predicate is yours: an
/// expression in `x`, the element, and if you like in `i` (ulong), its index. Blocks until the value is
/// there; starts after `options.after`, or else after all that the queue held. Workspace: 4 KiB at most,
/// pooled and reused, or `options.workspace`. Throws clwave::error: bad_call before anything is enqueued (a
/// predicate that is not your own, a view past its buffer or misaligned, an object of another context),
/// build, out_of_memory, device_lost.
///
///     bool all = clwave::all_of(queue, x, {.name = "finite", .source = "isfinite(x)"});
template <queue_like Queue, view_argument In, map_argument Map = map>
bool all_of(const Queue& queue, const In& in, const Map& predicate, const launch_options& options = {}) {
  return detail::search_for<bool>(queue, detail::search_problem_of(search_kind::all_of, in, predicate),
                                  options);
}
/// Sets the first element of `truth`, on the device, to whether the predicate is other than 0 for all
/// elements. `truth` may not overlap `in`. Does not block: returns the event of its last command, started
/// after `options.after`. Throws clwave::error: bad_call before anything is enqueued (a predicate that is not
/// your own, a view past its buffer or misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In, detail::truth_value Truth, map_argument Map = map>
event all_of(const Queue& queue, const In& in, const Truth& truth, const Map& predicate,
             const launch_options& options = {}) {
  return detail::search_into(queue, detail::search_problem_of(search_kind::all_of, in, predicate), truth,
                             options);
}
/// Whether the predicate is other than 0 for all elements, as a future (future.hpp). Does not block. Throws
/// clwave::error: bad_call before anything is enqueued (a predicate that is not your own, a view past its
/// buffer or misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In, map_argument Map = map>
future<bool> all_of_async(const Queue& queue, const In& in, const Map& predicate,
                          const launch_options& options = {}) {
  return detail::search_later<bool>(queue, detail::search_problem_of(search_kind::all_of, in, predicate),
                                    options);
}

/// Whether the predicate is other than 0 for no element; of no elements true. The predicate is yours: an
/// expression in `x`, the element, and if you like in `i` (ulong), its index. Blocks until the value is
/// there; starts after `options.after`, or else after all that the queue held. Workspace: 4 KiB at most,
/// pooled and reused, or `options.workspace`. Throws clwave::error: bad_call before anything is enqueued (a
/// predicate that is not your own, a view past its buffer or misaligned, an object of another context),
/// build, out_of_memory, device_lost.
///
///     bool none = clwave::none_of(queue, x, {.name = "NaN", .source = "x != x"});
template <queue_like Queue, view_argument In, map_argument Map = map>
bool none_of(const Queue& queue, const In& in, const Map& predicate, const launch_options& options = {}) {
  return detail::search_for<bool>(queue, detail::search_problem_of(search_kind::none_of, in, predicate),
                                  options);
}
/// Sets the first element of `truth`, on the device, to whether the predicate is other than 0 for no element.
/// `truth` may not overlap `in`. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (a predicate that is not your
/// own, a view past its buffer or misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In, detail::truth_value Truth, map_argument Map = map>
event none_of(const Queue& queue, const In& in, const Truth& truth, const Map& predicate,
              const launch_options& options = {}) {
  return detail::search_into(queue, detail::search_problem_of(search_kind::none_of, in, predicate), truth,
                             options);
}
/// Whether the predicate is other than 0 for no element, as a future (future.hpp). Does not block. Throws
/// clwave::error: bad_call before anything is enqueued (a predicate that is not your own, a view past its
/// buffer or misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In, map_argument Map = map>
future<bool> none_of_async(const Queue& queue, const In& in, const Map& predicate,
                           const launch_options& options = {}) {
  return detail::search_later<bool>(queue, detail::search_problem_of(search_kind::none_of, in, predicate),
                                    options);
}

// --------------------------------------------------------------------------------- searches of two inputs

/// The first index at which two inputs differ, and `nowhere` where they do not. Without an operator two
/// elements are equal where a == b, for vectors in all components, so that a NaN equals nothing; structures
/// need one. Both inputs are of one type and as long as each other (else bad_call); they may overlap. Blocks
/// until the value is there; starts after `options.after`, or else after all that the queue held. Workspace:
/// 4 KiB at most, pooled and reused, or `options.workspace`. Throws clwave::error: bad_call before anything
/// is enqueued (inputs of different lengths, structures, a view past its buffer or misaligned, an object of
/// another context), build, out_of_memory, device_lost.
///
///     const std::uint64_t at = clwave::mismatch(queue, x, y);
template <queue_like Queue, view_argument X, view_argument Y>
std::uint64_t mismatch(const Queue& queue, const X& x, const Y& y, const launch_options& options = {}) {
  return detail::search_for<std::uint64_t>(
      queue, detail::search_problem_of(search_kind::mismatch, x, y, nullptr), options);
}
/// Sets the first element of `index`, on the device, to the first index at which two inputs of one type
/// differ, or to `nowhere`. `index` may not overlap an input. Does not block: returns the event of its last
/// command, started after `options.after`. Throws clwave::error: bad_call before anything is enqueued (inputs
/// of different lengths, structures, a view past its buffer or misaligned, an object of another context),
/// build, out_of_memory.
template <queue_like Queue, view_argument X, view_argument Y, detail::counted Out>
event mismatch(const Queue& queue, const X& x, const Y& y, const Out& index,
               const launch_options& options = {}) {
  return detail::search_into(queue, detail::search_problem_of(search_kind::mismatch, x, y, nullptr), index,
                             options);
}
/// The first index at which two inputs of one type differ, or `nowhere`, as a future (future.hpp). Does not
/// block. Throws clwave::error: bad_call before anything is enqueued (inputs of different lengths,
/// structures, a view past its buffer or misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument X, view_argument Y>
future<std::uint64_t> mismatch_async(const Queue& queue, const X& x, const Y& y,
                                     const launch_options& options = {}) {
  return detail::search_later<std::uint64_t>(
      queue, detail::search_problem_of(search_kind::mismatch, x, y, nullptr), options);
}

/// The first index at which two inputs differ, and `nowhere` where they do not, by an operator of yours,
/// whose text is true where `a`, of `x`, and `b`, of `y`, are equal. Blocks until the value is there; starts
/// after `options.after`, or else after all that the queue held. Throws clwave::error: bad_call before
/// anything is enqueued (inputs of different lengths, a view past its buffer or misaligned, an object of
/// another context), build, out_of_memory, device_lost.
///
///     clwave::mismatch(queue, x, y, {.name = "close", .source = "fabs(a - b) < 1e-6f"});
template <queue_like Queue, view_argument X, view_argument Y, operator_argument Same = op>
std::uint64_t mismatch(const Queue& queue, const X& x, const Y& y, const Same& same,
                       const launch_options& options = {}) {
  const op& equality = same;
  return detail::search_for<std::uint64_t>(
      queue, detail::search_problem_of(search_kind::mismatch, x, y, &equality), options);
}
/// Sets the first element of `index`, on the device, to the first index at which two inputs differ by an
/// operator of yours, or to `nowhere`. `index` may not overlap an input. Does not block: returns the event of
/// its last command, started after `options.after`. Throws clwave::error: bad_call before anything is
/// enqueued (inputs of different lengths, a view past its buffer or misaligned, an object of another
/// context), build, out_of_memory.
template <queue_like Queue, view_argument X, view_argument Y, detail::counted Out,
          operator_argument Same = op>
event mismatch(const Queue& queue, const X& x, const Y& y, const Out& index, const Same& same,
               const launch_options& options = {}) {
  const op& equality = same;
  return detail::search_into(queue, detail::search_problem_of(search_kind::mismatch, x, y, &equality), index,
                             options);
}
/// The first index at which two inputs differ by an operator of yours, or `nowhere`, as a future
/// (future.hpp). Does not block. Throws clwave::error: bad_call before anything is enqueued (inputs of
/// different lengths, a view past its buffer or misaligned, an object of another context), build,
/// out_of_memory.
template <queue_like Queue, view_argument X, view_argument Y, operator_argument Same = op>
future<std::uint64_t> mismatch_async(const Queue& queue, const X& x, const Y& y, const Same& same,
                                     const launch_options& options = {}) {
  const op& equality = same;
  return detail::search_later<std::uint64_t>(
      queue, detail::search_problem_of(search_kind::mismatch, x, y, &equality), options);
}

/// Whether two inputs differ at no index. Without an operator two elements are equal where a == b, for
/// vectors in all components, so that a NaN equals nothing; structures need one. Both inputs are of one type
/// and as long as each other (else bad_call); they may overlap. Inputs without elements are equal. Blocks
/// until the value is there; starts after `options.after`, or else after all that the queue held. Workspace:
/// 4 KiB at most, pooled and reused, or `options.workspace`. Throws clwave::error: bad_call before anything
/// is enqueued (inputs of different lengths, structures, a view past its buffer or misaligned, an object of
/// another context), build, out_of_memory, device_lost.
///
///     bool same = clwave::equal(queue, x, y);
template <queue_like Queue, view_argument X, view_argument Y>
bool equal(const Queue& queue, const X& x, const Y& y, const launch_options& options = {}) {
  return detail::search_for<bool>(queue, detail::search_problem_of(search_kind::equal, x, y, nullptr),
                                  options);
}
/// Sets the first element of `truth`, on the device, to whether two inputs of one type differ at no index.
/// `truth` may not overlap an input. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (inputs of different lengths,
/// structures, a view past its buffer or misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument X, view_argument Y, detail::truth_value Out>
event equal(const Queue& queue, const X& x, const Y& y, const Out& truth,
            const launch_options& options = {}) {
  return detail::search_into(queue, detail::search_problem_of(search_kind::equal, x, y, nullptr), truth,
                             options);
}
/// Whether two inputs of one type differ at no index, as a future (future.hpp). Does not block. Throws
/// clwave::error: bad_call before anything is enqueued (inputs of different lengths, structures, a view past
/// its buffer or misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument X, view_argument Y>
future<bool> equal_async(const Queue& queue, const X& x, const Y& y, const launch_options& options = {}) {
  return detail::search_later<bool>(queue, detail::search_problem_of(search_kind::equal, x, y, nullptr),
                                    options);
}

/// Whether two inputs differ at no index by an operator of yours, whose text is true where `a`, of `x`, and
/// `b`, of `y`, are equal. Blocks until the value is there; starts after `options.after`, or else after all
/// that the queue held. Throws clwave::error: bad_call before anything is enqueued (inputs of different
/// lengths, a view past its buffer or misaligned, an object of another context), build, out_of_memory,
/// device_lost.
///
///     clwave::equal(queue, points, others, {.name = "same key", .source = "a.key == b.key"});
template <queue_like Queue, view_argument X, view_argument Y, operator_argument Same = op>
bool equal(const Queue& queue, const X& x, const Y& y, const Same& same, const launch_options& options = {}) {
  const op& equality = same;
  return detail::search_for<bool>(queue, detail::search_problem_of(search_kind::equal, x, y, &equality),
                                  options);
}
/// Sets the first element of `truth`, on the device, to whether two inputs differ at no index by an operator
/// of yours. `truth` may not overlap an input. Does not block: returns the event of its last command, started
/// after `options.after`. Throws clwave::error: bad_call before anything is enqueued (inputs of different
/// lengths, a view past its buffer or misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument X, view_argument Y, detail::truth_value Out,
          operator_argument Same = op>
event equal(const Queue& queue, const X& x, const Y& y, const Out& truth, const Same& same,
            const launch_options& options = {}) {
  const op& equality = same;
  return detail::search_into(queue, detail::search_problem_of(search_kind::equal, x, y, &equality), truth,
                             options);
}
/// Whether two inputs differ at no index by an operator of yours, as a future (future.hpp). Does not block.
/// Throws clwave::error: bad_call before anything is enqueued (inputs of different lengths, a view past its
/// buffer or misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument X, view_argument Y, operator_argument Same = op>
future<bool> equal_async(const Queue& queue, const X& x, const Y& y, const Same& same,
                         const launch_options& options = {}) {
  const op& equality = same;
  return detail::search_later<bool>(queue, detail::search_problem_of(search_kind::equal, x, y, &equality),
                                    options);
}

// --------------------------------------------------------------------------------------------- is_sorted

/// Whether no element comes before the one at its left: whether the input is in the order that `sort` with
/// the order of these options leaves (sort.hpp: NaNs last, -0 before +0), or in that of `options.less`. By an
/// operator elements have any type of up to 128 bytes, structures included. Of no element and of one true.
/// Blocks until the value is there; starts after `options.after`, or else after all that the queue held.
/// Workspace: 4 KiB at most, pooled and reused, or `options.workspace`. Throws clwave::error: bad_call before
/// anything is enqueued (elements that nothing orders, bits that they have not, a view past its buffer or
/// misaligned, an object of another context), build, out_of_memory, device_lost.
///
///     bool sorted = clwave::is_sorted(queue, x);
///     clwave::is_sorted(queue, points, {.less = {.name = "by key", .source = "a.key < b.key"}});
template <queue_like Queue, view_argument In>
bool is_sorted(const Queue& queue, const In& in, const ordered_options& options = {}) {
  return detail::search_for<bool>(queue, detail::search_problem_of(in, options), detail::launch_of(options));
}
/// Sets the first element of `truth`, on the device, to whether no element of `in` comes before the one at
/// its left. `truth` may not overlap `in`. Does not block: returns the event of its last command, started
/// after `options.after`. Throws clwave::error: bad_call before anything is enqueued (elements that nothing
/// orders, bits that they have not, a view past its buffer or misaligned, an object of another context),
/// build, out_of_memory.
template <queue_like Queue, view_argument In, detail::truth_value Truth>
event is_sorted(const Queue& queue, const In& in, const Truth& truth, const ordered_options& options = {}) {
  return detail::search_into(queue, detail::search_problem_of(in, options), truth,
                             detail::launch_of(options));
}
/// Whether no element of `in` comes before the one at its left, as a future (future.hpp). Does not block.
/// Throws clwave::error: bad_call before anything is enqueued (elements that nothing orders, bits that they
/// have not, a view past its buffer or misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In>
future<bool> is_sorted_async(const Queue& queue, const In& in, const ordered_options& options = {}) {
  return detail::search_later<bool>(queue, detail::search_problem_of(in, options),
                                    detail::launch_of(options));
}

}  // namespace clwave
