/// @file
/// copy and fill: moving elements at the width that is fastest on the device.
///
/// A copy of elements of the same type moves bytes, whatever they are: structures, halves, anything of 1
/// to 128 bytes. It is aligned to the device's widest access inside; where source and destination lie
/// differently between its multiples, it takes the widest access they share, and below 4 bytes it shifts
/// words together, so that memory is always met 4 bytes at a time or more. Nothing outside the views is
/// read or written. A copy between different types converts each element. One launch each; no workspace.
/// The same bits on every device. Kernels: cl_kernels/primitives/copy*.cl. Why wide accesses pay: J.
/// Luitjens, "Increase Performance with Vectorized Memory Access", NVIDIA, 2013.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be
/// in-order or out-of-order, with profiling or without; a call flushes neither it nor any other. A child of
/// fork() is refused. In full: event.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

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
  any_view out;              ///< likewise, of the same type
  box size;                  ///< in elements
  pitches in_pitches = {};   ///< of the input, in elements
  pitches out_pitches = {};  ///< of the output, in elements
};

/// A fill, whose type is said at run time: what the call takes, and what plan() is asked, then without a
/// buffer. Refers to the value.
struct fill_problem {
  any_view out;                 ///< the elements
  const void* value = nullptr;  ///< of their type, on the host
};

/// What a copy of elements would do (plan.hpp). Throws as the call itself would.
CLWAVE_EXPORT call_plan plan(const copy_problem& asked, const plan_target& on);
/// What a copy of a box would do (plan.hpp). Throws as the call itself would.
CLWAVE_EXPORT call_plan plan(const box_problem& asked, const plan_target& on);
/// What a fill would do (plan.hpp). Throws as the call itself would.
CLWAVE_EXPORT call_plan plan(const fill_problem& asked, const plan_target& on);

/// Copies elements, of types that are said at run time; what it does and throws is said at the typed call.
/// Does not block.
CLWAVE_EXPORT event copy(cl_command_queue queue, const copy_problem& asked,
                         const launch_options& options = {});
/// Copies a box of elements, of a type that is said at run time; what it does and throws is said at the typed
/// call. Does not block.
CLWAVE_EXPORT event copy(cl_command_queue queue, const box_problem& asked,
                         const launch_options& options = {});
/// Sets every element to one value, of a type that is said at run time; what it does and throws is said at
/// the typed call. Does not block.
CLWAVE_EXPORT event fill(cl_command_queue queue, const fill_problem& asked,
                         const launch_options& options = {});

namespace detail {

CLWAVE_EXPORT event copy(cl_command_queue queue, const copy_problem& asked, const launch_fields& options);
CLWAVE_EXPORT event copy(cl_command_queue queue, const box_problem& asked, const launch_fields& options);
CLWAVE_EXPORT event fill(cl_command_queue queue, const fill_problem& asked, const launch_fields& options);

// What other primitives' entries call.
inline event fill_elements(cl_command_queue queue, const any_view& out, const void* value,
                           const launch_fields& options) {
  return fill(queue, fill_problem{out, value}, options);
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
  return detail::copy(handle_of<cl_command_queue>(queue),
                      copy_problem{.in = detail::erase(in),
                                   .out = detail::erase_output(out),
                                   .saturate = options.saturate,
                                   .round = options.round},
                      options);
}

/// Copies a box of elements; both sides are of the same type. A view's first element is the box's first,
/// and the view must reach to the box's last (it may go on). Rows may not overlap one another, nor slices;
/// nor may the two sides, from each one's first byte to its last. Rows whose start and length share a
/// power of two of bytes are copied by accesses of that size, up to the device's widest: keep pitches
/// multiples of 16 bytes where you can. Does not block, and returns the event of its command, as copy of
/// elements does. Throws what that throws, and bad_call for pitches that let rows or slices overlap.
///
///     // A quarter of a 1024 x 768 image, to a place of its own:
///     clwave::copy(queue, image.subview(row * 1024 + column, image.size() - (row * 1024 + column)), part,
///                  {.width = 512, .height = 384}, {.in = {.row = 1024}});
template <queue_like Queue, view_argument In, view_argument Out>
event copy(const Queue& queue, const In& in, const Out& out, const box& size, const pitch_options& options) {
  return detail::copy(handle_of<cl_command_queue>(queue),
                      box_problem{.in = detail::erase(in),
                                  .out = detail::erase_output(out),
                                  .size = size,
                                  .in_pitches = options.in,
                                  .out_pitches = options.out},
                      options);
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
  return detail::fill(handle_of<cl_command_queue>(queue), {.out = detail::erase_output(out), .value = &value},
                      options);
}

}  // namespace clwave
