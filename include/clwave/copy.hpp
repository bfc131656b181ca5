/// @file
/// copy, copy_ranges and fill: moving elements at the width that is fastest on the device.
///
/// A copy of elements of the same type moves bytes, whatever they are: structures, halves, anything of 1
/// to 128 bytes. It is aligned to the device's widest access inside; where source and destination lie
/// differently between its multiples, it takes the widest access they share, and below 4 bytes it shifts
/// words together, so that memory is always met 4 bytes at a time or more. Nothing outside the views is
/// read or written. A copy between different types converts each element. One launch each; no workspace.
/// The same bits on every device. Kernels: cl_kernels/primitives/copy*.cl. Why wide accesses pay: J.
/// Luitjens, "Increase Performance with Vectorized Memory Access", NVIDIA, 2013.
///
/// copy_ranges copies many ranges of elements, each to a place of its own, whose starts and lengths lie on
/// the device. Groups get equal parts of all bytes, so that one long range among many short ones is copied
/// by all of them, and short ones side by side. One launch for up to 256 ranges, three for more, of which the
/// first two find out where the parts begin.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be
/// in-order or out-of-order, with profiling or without. checked_copy_ranges flushes its queue and waits; no
/// other call here blocks or flushes a queue. A child of fork() is refused. In full: event.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/matrices.hpp>  // pitches
#include <clwave/options.hpp>
#include <clwave/view.hpp>

namespace clwave {

/// How a converting copy rounds: a float on its way to an integer or a narrower float, a wide integer on
/// its way to a float. `natural` is OpenCL's default: towards zero to an integer, to nearest even to a
/// float.
enum class rounding {
  natural,       ///< towards zero to an integer, to nearest even to a float
  nearest_even,  ///< OpenCL's rte
  toward_zero,   ///< OpenCL's rtz
  upward,        ///< OpenCL's rtp
  downward       ///< OpenCL's rtn
};

/// The options of copies of elements: what a copy makes of them on the way.
struct copy_options {
  /// Integers into integers only: a value outside the target's range becomes the nearest inside; without it
  /// integers wrap. A float outside an integer's range becomes the nearest inside in either case, and NaN
  /// becomes 0: on every device. Float targets always go by `round`: to nearest even, for instance, overflows
  /// to infinity.
  bool saturate = false;
  rounding round = rounding::natural;  ///< where a value does not fit the target's precision
  wait_list after = {};                ///< what comes before: launch_options
  bool with_event = true;              ///< whether an event is made: launch_options
  workspace_view workspace = {};       ///< memory to work in: launch_options
};

static_assert(call_options<copy_options>);

/// A box of elements in two or three dimensions: `depth` slices of `height` rows of `width` elements.
struct box {
  std::size_t width = 0;   ///< elements of a row
  std::size_t height = 1;  ///< rows of a slice
  std::size_t depth = 1;   ///< slices
};

/// A copy of elements, whose types are said at run time: what the call takes, and what plan() is asked, then
/// without buffers.
struct copy_problem {
  any_view in;                         ///< the elements
  any_view out;                        ///< as many
  bool saturate = false;               ///< integers into integers: copy_options
  rounding round = rounding::natural;  ///< where a value does not fit the target's precision
};

/// A copy of a box of elements, whose types are said at run time: what the call takes, and what plan() is
/// asked, then without buffers.
struct box_problem {
  any_view in;               ///< from the box's first element to its last, or more
  any_view out;              ///< to the box's last element or on; of in's type
  box size;                  ///< in elements
  pitches in_pitches = {};   ///< of the input, in elements
  pitches out_pitches = {};  ///< of the output, in elements
};

/// A copy of ranges of elements, whose types are said at run time: what the call takes, and what plan() is
/// asked, then without buffers. Starts, lengths and starts in the output are numbers of one type, of 32 or 64
/// bits without a sign, and as many as there are ranges.
struct copy_ranges_problem {
  any_view in;                       ///< the elements that ranges are of
  any_view starts;                   ///< where in them each range begins, in elements
  any_view lengths;                  ///< how many elements each range has
  any_view out;                      ///< of the input's type
  any_view out_starts;               ///< where in the output each range is copied to, in elements
  std::optional<any_view> bad = {};  ///< u64, the number of bad ranges; nothing: they are not counted
};

/// A fill, whose type is said at run time: what the call takes, and what plan() is asked, then without a
/// buffer. Refers to the value.
struct fill_problem {
  any_view out;                 ///< the elements
  const void* value = nullptr;  ///< of their type, on the host
};

/// What a copy of elements would do: its launches, their arguments, the source and the workspace (plan.hpp).
/// Enqueues nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const copy_problem& asked, const plan_target& on);
/// What a copy of a box would do: its launches, their arguments, the source and the workspace (plan.hpp).
/// Enqueues nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const box_problem& asked, const plan_target& on);
/// What a copy of ranges would do: its launches, their arguments, the source and the workspace (plan.hpp).
/// Enqueues nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const copy_ranges_problem& asked, const plan_target& on);
/// What a fill would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const fill_problem& asked, const plan_target& on);

/// Copies elements, of types that are said at run time, and converts them where the types differ. Does not
/// block: returns the event of its last command, started after `options.after`. Throws clwave::error:
/// bad_call before anything is enqueued (types or sizes that do not go together, overlaps that are not
/// allowed, a view past its buffer, an object of another context), build, out_of_memory.
CLWAVE_EXPORT event copy(cl_command_queue queue, const copy_problem& asked,
                         const launch_options& options = {});
/// Copies a box of elements, of a type that is said at run time. Does not block: returns the event of its
/// last command, started after `options.after`. Throws clwave::error: bad_call before anything is enqueued
/// (types or sizes that do not go together, overlaps that are not allowed, a view past its buffer, an object
/// of another context), build, out_of_memory.
CLWAVE_EXPORT event copy(cl_command_queue queue, const box_problem& asked,
                         const launch_options& options = {});
/// Copies ranges of elements, of types that are said at run time: range k is in[starts[k]] to
/// in[starts[k] + lengths[k] - 1], and goes to out[out_starts[k]] and on; one that leaves `in` or `out` is
/// not copied. Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (types or sizes that do not go together, overlaps that
/// are not allowed, a view past its buffer, an object of another context), build, out_of_memory.
CLWAVE_EXPORT event copy_ranges(cl_command_queue queue, const copy_ranges_problem& asked,
                                const launch_options& options = {});
/// Copies ranges of elements, of types that are said at run time, and throws bad_call, with their number,
/// where ranges leave `in` or `out`. The problem's `bad` is not looked at. Blocks until the results are
/// there; starts after `options.after`, or else after all that the queue held. Throws clwave::error: bad_call
/// before anything is enqueued (types or sizes that do not go together, overlaps that are not allowed, a view
/// past its buffer, an object of another context), build, out_of_memory, device_lost.
CLWAVE_EXPORT void checked_copy_ranges(cl_command_queue queue, const copy_ranges_problem& asked,
                                       const launch_options& options = {});
/// Sets every element to one value, of a type that is said at run time, which the call copies. Does not
/// block: returns the event of its last command, started after `options.after`. Throws clwave::error:
/// bad_call before anything is enqueued (types or sizes that do not go together, overlaps that are not
/// allowed, a view past its buffer, an object of another context), build, out_of_memory.
CLWAVE_EXPORT event fill(cl_command_queue queue, const fill_problem& asked,
                         const launch_options& options = {});

namespace detail {

template <viewable In, offset_range Starts, offset_range Lengths, viewable Out, offset_range OutStarts>
copy_ranges_problem copy_ranges_problem_of(const In& in, const Starts& starts, const Lengths& lengths,
                                           const Out& out, const OutStarts& out_starts) {
  static_assert(std::is_same_v<viewed<In>, viewed<Out>>, "input and output are of one type");
  static_assert(
      std::is_same_v<viewed<Starts>, viewed<Lengths>> && std::is_same_v<viewed<Starts>, viewed<OutStarts>>,
      "starts, lengths and starts in the output are of one type");
  return {.in = erase(in),
          .starts = erase(starts),
          .lengths = erase(lengths),
          .out = erase_output(out),
          .out_starts = erase(out_starts)};
}

// What other primitives' entries call.
inline event fill_elements(cl_command_queue queue, const any_view& out, const void* value,
                           const launch_fields& options) {
  return fill(queue, fill_problem{out, value}, launch_of(options));
}

}  // namespace detail

/// Copies the elements of `in` to `out`, which must be as many. Where the types differ, each element is
/// converted as OpenCL's convert_<type> does, with _sat and the rounding that the options ask for: between
/// all scalars, halves, bfloat16 and bools included (a bool is value != 0), between vectors of as many
/// components (float4 to int4), and between complex numbers. A number becomes a bfloat16 by one rounding, a
/// NaN stays one. Does not block: returns the event of its command, started after `options.after`. No
/// elements: nothing is launched, and the event ends with what the call had to wait for (event.hpp). Both may
/// start at any element. Throws clwave::error: bad_call before anything is enqueued (different lengths, views
/// that share bytes, types that do not convert, a view past its buffer, a buffer of another context, a buffer
/// whose flags forbid the access), build, out_of_memory.
///
///     clwave::event e = clwave::copy(queue, floats, more_floats, {.after = {a, b}});
///     clwave::copy(queue, floats, bytes,
///                  {.saturate = true, .round = clwave::rounding::nearest_even, .after = {e}});
template <queue_like Queue, view_argument In, view_argument Out>
event copy(const Queue& queue, const In& in, const Out& out, const copy_options& options = {}) {
  return copy(handle_of<cl_command_queue>(queue),
              copy_problem{.in = detail::erase(in),
                           .out = detail::erase_output(out),
                           .saturate = options.saturate,
                           .round = options.round},
              detail::launch_of(options));
}

/// Copies a box of elements; both sides are of the same type. A view's first element is the box's first, and
/// the view must reach to the box's last (it may go on). Rows may not overlap one another, nor slices; nor
/// may the two sides, from each one's first byte to its last. Rows whose start and length share a power of
/// two of bytes are copied by accesses of that size, up to the device's widest: keep pitches multiples of 16
/// bytes where you can. Does not block: returns the event of its last command, started after `options.after`.
/// No workspace. Throws clwave::error: bad_call before anything is enqueued (views that are too short or
/// share bytes, pitches that let rows or slices overlap, a buffer of another context, a buffer whose flags
/// forbid the access), build, out_of_memory.
///
///     // A quarter of a 1024 x 768 image, to a place of its own:
///     clwave::copy(queue, image.subview(row * 1024 + column, image.size() - (row * 1024 + column)), part,
///                  {.width = 512, .height = 384}, {.in = {.row = 1024}});
template <queue_like Queue, view_argument In, view_argument Out>
event copy(const Queue& queue, const In& in, const Out& out, const box& size, const pitch_options& options) {
  return copy(handle_of<cl_command_queue>(queue),
              box_problem{.in = detail::erase(in),
                          .out = detail::erase_output(out),
                          .size = size,
                          .in_pitches = options.in,
                          .out_pitches = options.out},
              detail::launch_of(options));
}

/// Copies many ranges of elements, each to a place of its own: range k is in[starts[k]] to
/// in[starts[k] + lengths[k] - 1], and goes to out[out_starts[k]] and on. Elements have any type of 1 to 128
/// bytes, structures included, and `in` and `out` are of one type. Starts and lengths are std::uint32_t or
/// std::uint64_t, all three of one type, in elements; there are as many of each as there are ranges. Ranges
/// may be in any order, empty, and overlap in `in`; elements of `out` that no range comes to keep their
/// values. `out` overlaps no other operand. Every view may start at any element.
///
/// Starts and lengths are checked on the device, and nothing outside of `in` and `out` is read or written. A
/// range is bad where starts[k] + lengths[k] is more than in.size(), or out_starts[k] + lengths[k] more than
/// out.size(), as sums that do not wrap: so an empty range is, too, that starts behind an end. Nothing of a
/// bad range is copied, and all others are.
///
/// Where no two ranges come to one element, `out` has the same bits on every device and in every run. Where
/// some do, the element is that of one of them, and of which is not promised; an element of 1, 2, 4 or 8
/// bytes is whole, and one of another size may have bytes of several of them.
///
/// The time is that of the bytes that are moved, and of the three numbers of each range, which are read
/// twice. A GPU moves 16 bytes at a time but at the ends of ranges, and loads them by two accesses where a
/// range lies in `in` otherwise than in `out` between multiples of 16 bytes.
///
/// Does not block: returns the event of its last command, started after `options.after`. No ranges: nothing
/// is launched, and the event ends with what the call had to wait for. Takes up to 2^31 ranges, and 2^64
/// bytes of all of them together. Workspace, pooled and reused, or `options.workspace`: none for up to 256
/// ranges, else 8 bytes for every 256 of them, and 264. (Where a work-group has fewer than 256 work-items, so
/// many ranges take the place of 256.) Throws clwave::error: bad_call before anything is enqueued (starts and
/// lengths that are not as many, views that overlap, a view past its buffer or not aligned to its type, a
/// buffer or an event of another context, a buffer whose flags forbid the access), build, out_of_memory.
///
///     // The rows of a ragged array, each to where a batch of padded rows has its own.
///     clwave::copy_ranges(queue, rows, row_starts, row_lengths, padded, padded_starts);
template <queue_like Queue, view_argument In, detail::offset_range Starts, detail::offset_range Lengths,
          view_argument Out, detail::offset_range OutStarts>
event copy_ranges(const Queue& queue, const In& in, const Starts& starts, const Lengths& lengths,
                  const Out& out, const OutStarts& out_starts, const launch_options& options = {}) {
  return copy_ranges(handle_of<cl_command_queue>(queue),
                     detail::copy_ranges_problem_of(in, starts, lengths, out, out_starts), options);
}

/// Copies range k, in[starts[k]] to in[starts[k] + lengths[k] - 1], to out[out_starts[k]] and on, and writes
/// how many ranges are bad, those that leave `in` or `out` and are not copied, to the first element of `bad`,
/// on the device. `out` and `bad` overlap nothing. Does not block: returns the event of its last command,
/// started after `options.after`. Workspace: none for up to 256 ranges, else 12 bytes for every 256 of them,
/// and 396. Throws clwave::error: bad_call before anything is enqueued (starts and lengths that are not as
/// many, views that overlap, a view past its buffer or misaligned, an object of another context), build,
/// out_of_memory.
///
///     clwave::copy_ranges(queue, x, starts, lengths, out, out_starts, bad);  // bad: a view of one uint64_t
template <queue_like Queue, view_argument In, detail::offset_range Starts, detail::offset_range Lengths,
          view_argument Out, detail::offset_range OutStarts, detail::counted Bad>
event copy_ranges(const Queue& queue, const In& in, const Starts& starts, const Lengths& lengths,
                  const Out& out, const OutStarts& out_starts, const Bad& bad,
                  const launch_options& options = {}) {
  copy_ranges_problem asked = detail::copy_ranges_problem_of(in, starts, lengths, out, out_starts);
  asked.bad = detail::erase_output(bad);
  return copy_ranges(handle_of<cl_command_queue>(queue), asked, options);
}

/// Copies range k, in[starts[k]] to in[starts[k] + lengths[k] - 1], to out[out_starts[k]] and on, and checks
/// that no range leaves `in` or `out`. Blocks until the results are there; starts after `options.after`, or
/// else after all that the queue held. Throws clwave::error: bad_call, with their number, where ranges are
/// bad; `out` then is as it is without this check. Also bad_call before anything is enqueued (starts and
/// lengths that are not as many, views that overlap, a view past its buffer or misaligned, an object of
/// another context), build, out_of_memory, device_lost.
///
///     clwave::checked_copy_ranges(queue, x, starts, lengths, out, out_starts);
template <queue_like Queue, view_argument In, detail::offset_range Starts, detail::offset_range Lengths,
          view_argument Out, detail::offset_range OutStarts>
void checked_copy_ranges(const Queue& queue, const In& in, const Starts& starts, const Lengths& lengths,
                         const Out& out, const OutStarts& out_starts, const launch_options& options = {}) {
  checked_copy_ranges(handle_of<cl_command_queue>(queue),
                      detail::copy_ranges_problem_of(in, starts, lengths, out, out_starts), options);
}

/// Sets every element of `out` to `value`, of up to 128 bytes. The value is taken by the call and need not
/// outlive it. `out` may start at any element. Does not block: returns the event of its command, started
/// after `options.after`. No elements: nothing is launched, and the event ends with what the call had to wait
/// for. Throws clwave::error: bad_call before anything is enqueued (a view past its buffer, a buffer of
/// another context, a buffer whose flags forbid writing), build, out_of_memory.
///
///     clwave::fill(queue, floats, 1.5f);
template <queue_like Queue, view_argument Out>
event fill(const Queue& queue, const Out& out, const viewed<Out>& value, const launch_options& options = {}) {
  return fill(handle_of<cl_command_queue>(queue), {.out = detail::erase_output(out), .value = &value},
              options);
}

}  // namespace clwave
