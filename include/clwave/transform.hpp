/// @file
/// transform and broadcast: one function of the elements at the same place, and of a matrix's elements and a
/// value for each row or column (a bias, a scale).
///
/// The function is a clwave::map: OpenCL C text, compiled into the kernel. One launch each, no workspace. An
/// element's result depends on the elements at its place alone, so two runs have the same bits, and so have
/// two devices where the function's own rounding is fixed (OpenCL leaves that of sin or exp open). Accesses
/// are 16 bytes wide where all operands reach a multiple of that at the same element, else an element at a
/// time. Kernels: cl_kernels/primitives/transform.cl. For the two ways to one value for all lanes, the
/// read-only path and local memory: "GPU optimisation techniques", chapter 4, 2016.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be
/// in-order or out-of-order, with profiling or without; a call flushes neither it nor any other. A child of
/// fork() is refused. In full: event.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <clwave/any_view.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/op.hpp>
#include <clwave/options.hpp>
#include <clwave/view.hpp>

namespace clwave {

/// A matrix stored row after row, and how many elements apart its rows start on either side.
struct broadcast_shape {
  std::size_t rows = 0;     ///< of the matrix
  std::size_t columns = 0;  ///< of the matrix
  std::size_t in_row = 0;   ///< of the input; 0: `columns`
  std::size_t out_row = 0;  ///< of the output; 0: `columns`
};

/// What the vector of a broadcast has a value for.
enum class per {
  row,    ///< as many values as the matrix has rows
  column  ///< as many values as the matrix has columns
};

/// A transform of 1 to 3 inputs, whose types are said at run time: what the call takes, and what plan() is
/// asked, then without buffers. Refers to all that is pointed to.
struct transform_problem {
  std::vector<any_view> in;    ///< x, y and z, each as long as the others
  any_view out;                ///< as long as each input
  const map* apply = nullptr;  ///< the function
  bool in_place = false;  ///< for plans: the results take the place of one of the inputs; calls find it out
};

/// A broadcast, whose types are said at run time: what the call takes, and what plan() is asked, then without
/// buffers. Refers to all that is pointed to.
struct broadcast_problem {
  any_view in;                 ///< the matrix
  any_view vector;             ///< a value for each row or column
  any_view out;                ///< the matrix of the results
  broadcast_shape size;        ///< of both matrices, in elements
  per which = per::column;     ///< what the values belong to
  const map* apply = nullptr;  ///< the function of x and b
};

/// What a transform would do (plan.hpp). Throws as the call itself would.
CLWAVE_EXPORT call_plan plan(const transform_problem& asked, const plan_target& on);
/// What a broadcast would do (plan.hpp). Throws as the call itself would.
CLWAVE_EXPORT call_plan plan(const broadcast_problem& asked, const plan_target& on);

/// Sets each element of the output to a function of the elements at its place, of types that are said at run
/// time; what it does and throws is said at the typed calls. Does not block.
CLWAVE_EXPORT event transform(cl_command_queue queue, const transform_problem& asked,
                              const launch_options& options = {});
/// Sets each element of a matrix to a function of the element at its place and of its row's or column's
/// value, of types that are said at run time; what it does and throws is said at the typed call. Does not
/// block.
CLWAVE_EXPORT event broadcast(cl_command_queue queue, const broadcast_problem& asked,
                              const launch_options& options = {});

namespace detail {

CLWAVE_EXPORT event transform(cl_command_queue queue, transform_problem asked, const launch_fields& options);
CLWAVE_EXPORT event broadcast(cl_command_queue queue, const broadcast_problem& asked,
                              const launch_fields& options);

}  // namespace detail

/// Sets each element of `out` to apply(x) of the element x of `in` at its place. Yours is an expression in
/// `x` and, if you like, its index `i` (ulong). A half or a bfloat16 is a float in it (element.hpp has all
/// types), and so is a literal without a suffix (1.5), unless the map has to do with doubles (op.hpp). Its
/// value is converted to out's type: integers wrap, a float goes towards zero to an integer (out of its range
/// to the nearest value in it, NaN to 0), to nearest even to a half or a bfloat16; a bool is value != 0. A
/// text for a vector type must give a vector of as many components, a text for a structure that structure.
/// clwave's own maps (identity, abs, square, product) convert to out's type first, and integers wrap.
///
/// Inputs and output may differ in type and must be as long. `out` may be an input, from the same element on
/// and of the same size; any other overlap is refused. Does not block: returns the event of its command,
/// started after `options.after`. No elements: nothing is launched. Throws clwave::error: bad_call before
/// anything is enqueued (different lengths, views that overlap, a view past its buffer or not aligned to its
/// type, a buffer of another context), build (with the compiler's lines), out_of_memory.
///
///     clwave::transform(queue, x, y, {.name = "gelu", .source = "0.5f * x * (1 + erf(x * M_SQRT1_2_F))"});
///     clwave::map axpy{.name = "axpy", .source = "alpha * x + y", .values = {{"alpha", 2.5f}}};
///     clwave::transform(queue, x, y, y, axpy);      // y in place; another alpha builds nothing (op.hpp)
///     clwave::transform(queue, a, b, c, out, {.name = "lerp", .source = "mix(x, y, z)"});
template <queue_like Queue, view_argument In, view_argument Out, map_argument Map = map>
event transform(const Queue& queue, const In& in, const Out& out, const Map& apply,
                const launch_options& options = {}) {
  const map& function = apply;
  return detail::transform(handle_of<cl_command_queue>(queue),
                           {.in = {detail::erase(in)}, .out = detail::erase_output(out), .apply = &function},
                           options);
}

/// The same of two inputs: the text is in `x` and `y`.
template <queue_like Queue, view_argument X, view_argument Y, view_argument Out, map_argument Map = map>
event transform(const Queue& queue, const X& x, const Y& y, const Out& out, const Map& apply,
                const launch_options& options = {}) {
  const map& function = apply;
  return detail::transform(
      handle_of<cl_command_queue>(queue),
      {.in = {detail::erase(x), detail::erase(y)}, .out = detail::erase_output(out), .apply = &function},
      options);
}

/// The same of three inputs: the text is in `x`, `y` and `z`.
template <queue_like Queue, view_argument X, view_argument Y, view_argument Z, view_argument Out,
          map_argument Map = map>
event transform(const Queue& queue, const X& x, const Y& y, const Z& z, const Out& out, const Map& apply,
                const launch_options& options = {}) {
  const map& function = apply;
  return detail::transform(handle_of<cl_command_queue>(queue),
                           {.in = {detail::erase(x), detail::erase(y), detail::erase(z)},
                            .out = detail::erase_output(out),
                            .apply = &function},
                           options);
}

/// Sets each element of the matrix `out` to apply(x, b) of the element x of `in` at its place and the value b
/// of its row or column in `vector`, which has one for each. The text is in `x` and `b`. Views start at the
/// matrices' first elements and must reach to their last; what lies between rows is not touched. `out` may be
/// `in`, from the same element on and with the same pitch and element size; it may not overlap `vector`. Keep
/// pitches multiples of 16 bytes where you can. Texts, conversions, events and errors are those of transform;
/// rows that overlap are refused too.
///
/// A row's value is read once for all the packets a work-item has in that row, and is the same address for
/// all lanes of a warp, which NVIDIA's read-only path answers at once; where the cache has no broadcast, it
/// is staged in local memory. A column's values are read as packets, once for all the rows a work-item has.
///
///     const clwave::broadcast_shape shape{.rows = batch, .columns = classes};
///     clwave::broadcast(queue, logits, bias, logits, shape, clwave::per::column,
///                       {.name = "add bias", .source = "x + b"});
template <queue_like Queue, view_argument In, view_argument Vector, view_argument Out, map_argument Map = map>
event broadcast(const Queue& queue, const In& in, const Vector& vector, const Out& out,
                const broadcast_shape& shape, per which, const Map& apply,
                const launch_options& options = {}) {
  const map& function = apply;
  return detail::broadcast(handle_of<cl_command_queue>(queue),
                           {.in = detail::erase(in),
                            .vector = detail::erase(vector),
                            .out = detail::erase_output(out),
                            .size = shape,
                            .which = which,
                            .apply = &function},
                           options);
}

}  // namespace clwave
