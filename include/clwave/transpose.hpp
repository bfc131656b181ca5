/// @file
/// transpose: transposes matrices, out of place or in place.
///
/// Elements of 1 to 32 bytes, of any type: only bytes move. A GPU transposes tiles in local memory and meets
/// device memory in long runs on both sides; where every row starts at a multiple of 16 bytes (or 8, or 4)
/// its accesses are that wide, so keep row pitches multiples of 16 bytes where you can. A CPU transposes
/// blocks of a cache line in wide registers. One row, or one column, is a copy. One launch; no workspace. The
/// same bits on every device. Kernels: cl_kernels/primitives/transpose*.cl. For the idea of the tile: G.
/// Ruetsch and P. Micikevicius, Optimizing matrix transpose in CUDA, 2009.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be
/// in-order or out-of-order, with profiling or without; a call flushes neither it nor any other. A child of
/// fork() is refused. In full: event.hpp.
#pragma once

#include <cstddef>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/matrices.hpp>
#include <clwave/options.hpp>
#include <clwave/view.hpp>

namespace clwave {

/// A transpose, whose types are said at run time: what the call takes, and what plan() is asked, then without
/// buffers.
struct transpose_problem {
  any_view in;               ///< from the first matrix's first element to the last one's last, or more
  any_view out;              ///< to the last matrix's last element or on; of in's type
  matrices size;             ///< of the input
  pitches in_pitches = {};   ///< of the input, in elements
  pitches out_pitches = {};  ///< of the output, in elements
};

/// A transpose in place, whose types are said at run time: what the call takes, and what plan() is asked,
/// then without buffers.
struct transpose_in_place_problem {
  any_view squares;    ///< from the first matrix's first element to the last one's last, or more
  matrices size;       ///< as many rows as columns
  pitches steps = {};  ///< of the matrices, in elements
};

/// What a transpose would do: its launches, their arguments, the source and the workspace (plan.hpp).
/// Enqueues nothing. Throws clwave::error (bad_call) for a problem that the call would refuse. One row or one
/// column is planned as the copy that it is.
CLWAVE_EXPORT call_plan plan(const transpose_problem& asked, const plan_target& on);
/// What a transpose in place would do: its launches, their arguments, the source and the workspace
/// (plan.hpp). Enqueues nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const transpose_in_place_problem& asked, const plan_target& on);

/// Writes matrices with their rows and columns exchanged, of types that are said at run time. Does not block:
/// returns the event of its last command, started after `options.after`. Throws clwave::error: bad_call
/// before anything is enqueued (types or sizes that do not go together, overlaps that are not allowed, a view
/// past its buffer, an object of another context), build, out_of_memory.
CLWAVE_EXPORT event transpose(cl_command_queue queue, const transpose_problem& asked,
                              const launch_options& options = {});
/// Exchanges the rows and columns of square matrices where they are, of a type that is said at run time. Does
/// not block: returns the event of its last command, started after `options.after`. Throws clwave::error:
/// bad_call before anything is enqueued (types or sizes that do not go together, overlaps that are not
/// allowed, a view past its buffer, an object of another context), build, out_of_memory.
CLWAVE_EXPORT event transpose_in_place(cl_command_queue queue, const transpose_in_place_problem& asked,
                                       const launch_options& options = {});

/// Writes each matrix of `in`, `size.rows` by `size.columns`, to `out` with rows and columns exchanged:
/// element (i, j) of the input becomes element (j, i). Both sides are of the same type. The pitches say how
/// far apart, in elements, rows (a leading dimension) and matrices (`slice`) begin on either side; 0 stands
/// for those of matrices that follow one another without gaps. Matrices may also lie side by side in longer
/// rows (slice < row). A view's first element is the first matrix's first, and it must reach to the last
/// matrix's last (it may go on); what lies between rows is not touched. The two sides may not overlap, from
/// each one's first byte to its last.
///
/// Does not block: returns the event of its command, started after `options.after`. No elements: nothing is
/// launched, and the event ends with what the call had to wait for (event.hpp). Sizes are 64-bit.
/// Throws clwave::error: bad_call before anything is enqueued (elements of more than 32 bytes, rows or
/// matrices that overlap, a view too short, a buffer of another context), build, out_of_memory.
///
///     clwave::transpose(queue, a, b, {.rows = 2048, .columns = 1536});
///     clwave::transpose(queue, a, b, {.rows = 100, .columns = 30, .batch = 8},
///                       {.in = {.row = 32}, .out = {.row = 104}});
template <queue_like Queue, view_argument In, view_argument Out>
event transpose(const Queue& queue, const In& in, const Out& out, const matrices& size,
                const pitch_options& options = {}) {
  return transpose(handle_of<cl_command_queue>(queue),
                   {.in = detail::erase(in),
                    .out = detail::erase_output(out),
                    .size = size,
                    .in_pitches = options.in,
                    .out_pitches = options.out},
                   detail::launch_of(options));
}

/// Exchanges the rows and columns of square matrices where they are. `size.rows` and `size.columns` must be
/// equal; a rectangle of k squares side by side is a batch of k with .slice = n and .row = k * n. Elements
/// have 1 to 32 bytes. The pitches say how far apart, in elements, rows and matrices (`slice`) begin; 0
/// stands for matrices that follow one another without gaps. Does not block: returns the event of its last
/// command, started after `options.after`. No workspace. Throws clwave::error: bad_call before anything is
/// enqueued (matrices that are not square, elements of more than 32 bytes, rows or matrices that overlap, a
/// view too short, a buffer of another context), build, out_of_memory.
///
///     clwave::transpose_in_place(queue, a, {.rows = 4096, .columns = 4096});
template <queue_like Queue, view_argument Squares>
event transpose_in_place(const Queue& queue, const Squares& squares, const matrices& size,
                         const matrix_options& options = {}) {
  return transpose_in_place(
      handle_of<cl_command_queue>(queue),
      {.squares = detail::erase_output(squares), .size = size, .steps = {options.row, options.slice}},
      detail::launch_of(options));
}

}  // namespace clwave
