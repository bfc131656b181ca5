/// @file
/// transform and broadcast: one function of the elements at the same place, and of a matrix's elements and a
/// value for each row or column (a bias, a scale); transform_to has up to four functions, with an output
/// each. With them generate and iota, whose results are a function of the index alone; transform_if and
/// replace_if, which keep some elements; and adjacent_difference, whose function has the element before, too.
///
/// The function is a clwave::map: OpenCL C text, compiled into the kernel. One launch each, no workspace (but
/// for adjacent_difference in place). An element's result depends on the elements at its place alone (of
/// differences on the one before, too), so two runs have the same bits, and so have two devices where the
/// function's own rounding is fixed (OpenCL leaves that of sin or exp open). Accesses are 16 bytes wide where
/// all operands reach a multiple of that at the same element, else an element at a time. Kernels:
/// cl_kernels/primitives/transform.cl, broadcast.cl, adjacent_difference.cl. For the two ways to one value
/// for all lanes, the read-only path and local memory: "GPU optimisation techniques", chapter 4, 2016.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be
/// in-order or out-of-order, with profiling or without; a call flushes neither it nor any other. A child of
/// fork() is refused. In full: event.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include <clwave/any_view.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/lazy_view.hpp>
#include <clwave/matrices.hpp>  // per
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

/// An output of a transform that has several, and the function that gives its elements.
struct transform_output {
  /// The map is copied, the elements are referred to: the buffer must live until the call's work is done.
  template <view_argument Out, map_argument Map = map>
  transform_output(const Out& results, const Map& function)
      : out(detail::erase_output(results)), apply(function) {}
  /// Results of a type that is said at run time, and their function. The map is copied, the elements are
  /// referred to: the buffer must live until the call's work is done.
  transform_output(const any_view& results, const map& function) : out(results), apply(function) {}

  any_view out;  ///< as long as the input
  map apply;     ///< in the names of all inputs
};

/// One to four outputs of a transform: pairs of a view and a map.
struct transform_outputs {
  /// The outputs, in their order.
  transform_outputs(std::initializer_list<transform_output> outputs) : all(outputs) {}

  std::vector<transform_output> all;  ///< in their order
};

/// A transform of 0 to 3 inputs, whose types are said at run time: what the call takes, and what plan() is
/// asked, then without buffers. Refers to all that is pointed to.
struct transform_problem {
  std::vector<any_view> in;  ///< x, y and z, each as long as the others; none: a function of the index alone
  any_view out;              ///< as long as each input
  const map* apply = nullptr;  ///< the function
  bool in_place = false;  ///< for plans: the results take the place of one of the inputs; calls find it out
  /// A predicate in x, y and i, with 1 or 2 inputs: where it is 0, the element of the output keeps its value.
  const map* only_if = nullptr;
  /// Up to three outputs more, each as long as the first one, and the functions that give their elements. Not
  /// beside a predicate.
  std::vector<transform_output> further = {};
  /// The input is a zip, and all functions see what it is made of. Other lazy inputs have one output.
  bool zipped = false;
};

/// Differences of neighbours, whose types are said at run time: what the call takes, and what plan() is
/// asked, then without buffers. Refers to all that is pointed to.
struct adjacent_difference_problem {
  any_view in;                 ///< the elements
  any_view out;                ///< as many results
  const map* apply = nullptr;  ///< of an element x and the one before it, y; null: x - y
  bool in_place = false;       ///< for plans: the results take the elements' place; calls find it out
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

/// What a transform would do: its launches, their arguments, the source and the workspace (plan.hpp).
/// Enqueues nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const transform_problem& asked, const plan_target& on);
/// What a broadcast would do: its launches, their arguments, the source and the workspace (plan.hpp).
/// Enqueues nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const broadcast_problem& asked, const plan_target& on);
/// What an adjacent_difference would do: its launches, their arguments, the source and the workspace
/// (plan.hpp). Enqueues nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const adjacent_difference_problem& asked, const plan_target& on);

/// Sets each element of the output to a function of the elements at its place, of types that are said at run
/// time. Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (types or sizes that do not go together, overlaps that
/// are not allowed, a view past its buffer, an object of another context), build, out_of_memory.
CLWAVE_EXPORT event transform(cl_command_queue queue, const transform_problem& asked,
                              const launch_options& options = {});
/// Sets each element of a matrix to a function of the element at its place and of its row's or column's
/// value, of types that are said at run time. Does not block: returns the event of its last command, started
/// after `options.after`. Throws clwave::error: bad_call before anything is enqueued (types or sizes that do
/// not go together, overlaps that are not allowed, a view past its buffer, an object of another context),
/// build, out_of_memory.
CLWAVE_EXPORT event broadcast(cl_command_queue queue, const broadcast_problem& asked,
                              const launch_options& options = {});
/// Sets each element of the output to a function of the element at its place and the one before, of types
/// that are said at run time. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (types or sizes that do not go
/// together, overlaps that are not allowed, a view past its buffer, an object of another context), build,
/// out_of_memory.
CLWAVE_EXPORT event adjacent_difference(cl_command_queue queue, const adjacent_difference_problem& asked,
                                        const launch_options& options = {});

namespace detail {

CLWAVE_EXPORT event transform(cl_command_queue queue, transform_problem asked, const launch_fields& options);
CLWAVE_EXPORT event transform_zipped(cl_command_queue queue, const zipped_sources& in,
                                     const transform_outputs& results, const launch_fields& options);
// Throws bad_call where there is no output. Refers to the outputs.
CLWAVE_EXPORT transform_problem problem_of_outputs(std::vector<any_view> in,
                                                   const transform_outputs& results);

// What an element is moved as, so that all of its bits stay.
template <class T>
using moved_as = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, u16,
                                    std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>>;

// The map of steps from `first` on, and the map that gives one value.
template <class T>
map steps_from(const T& first, const T& step) {
  return {.name = "steps", .source = "first + i * step", .values = {{"first", first}, {"step", step}}};
}
template <class T>
map constant_of(const T& value) {
  return {.name = "replacement", .source = "replacement", .values = {{"replacement", value}}};
}
// Of types that are said at run time. Without `first` it is 0, without `step` 1; without both the
// index itself. Throw bad_call for types that are no numbers, the latter but for vectors.
CLWAVE_EXPORT map iota_map(const element& type, const void* first, const void* step);
CLWAVE_EXPORT map constant_map(const element& type, const void* value);

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

/// Sets out[i] to the text's value for `x`, x[i], and `y`, y[i], converted to out's type: integers wrap, a
/// float goes towards zero to an integer, and to nearest even to a half or a bfloat16. All three are equally
/// long; `out` may be an input, element for element and of one size. Does not block: returns the event of its
/// last command, started after `options.after`. No workspace. Throws clwave::error: bad_call before anything
/// is enqueued (different lengths, views that overlap otherwise, a view past its buffer or misaligned, an
/// object of another context), build, out_of_memory.
template <queue_like Queue, view_argument X, view_argument Y, view_argument Out, map_argument Map = map>
event transform(const Queue& queue, const X& x, const Y& y, const Out& out, const Map& apply,
                const launch_options& options = {}) {
  const map& function = apply;
  return detail::transform(
      handle_of<cl_command_queue>(queue),
      {.in = {detail::erase(x), detail::erase(y)}, .out = detail::erase_output(out), .apply = &function},
      options);
}

/// Sets out[i] to the text's value for `x`, x[i], `y`, y[i], and `z`, z[i], converted to out's type: integers
/// wrap, a float goes towards zero to an integer, and to nearest even to a half or a bfloat16. All are
/// equally long; `out` may be an input, element for element and of one size. Does not block: returns the
/// event of its last command, started after `options.after`. No workspace. Throws clwave::error: bad_call
/// before anything is enqueued (different lengths, views that overlap otherwise, a view past its buffer or
/// misaligned, an object of another context), build, out_of_memory.
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

/// Sets out[i] to the text's value for element i of up to eight zipped inputs (lazy_view.hpp): the text is in
/// `x`, `y`, `z` and `w`, or in `x0` to `x7` where there are more than four, and in `i`. The value is
/// converted to out's type: integers wrap, a float goes towards zero to an integer, and to nearest even to a
/// half or a bfloat16. All are equally long; `out` may not overlap an input. Does not block: returns the
/// event of its last command, started after `options.after`. No workspace. Throws clwave::error: bad_call
/// before anything is enqueued (different lengths, views that overlap, a view past its buffer or misaligned,
/// an object of another context), build, out_of_memory.
///
///     clwave::transform(queue, clwave::zip(mass, height, age, dose), out,
///                       {.name = "rate", .source = "w * x / (y * y) * exp(-0.1f * z)"});
template <queue_like Queue, view_argument Out, map_argument Map = map>
event transform(const Queue& queue, const zipped_sources& in, const Out& out, const Map& apply,
                const launch_options& options = {}) {
  const map& function = apply;
  const lazy_view<viewed<Out>> made = transformed<viewed<Out>>(in, function);
  return detail::transform(
      handle_of<cl_command_queue>(queue),
      {.in = {detail::erase(made)}, .out = detail::erase_output(out), .apply = &identity}, options);
}

/// Sets the elements of up to four outputs, of any types, each by a function of its own, in one pass: the
/// elements of the inputs are read once. All functions have the same names, `x`, `y`, `z` and `i`, and all
/// see the elements as they were before the call, so an output may take the place of an input, element for
/// element and of one size. Outputs overlap neither each other nor an input otherwise. Values of one name may
/// differ between functions. Each function but the first is a map of your own. The first input may be
/// counted; a lazy view that is no zip is refused. Does not block: returns the event of its last command,
/// started after `options.after`. No workspace. Throws clwave::error: bad_call before anything is enqueued
/// (no output or more than four, different lengths, views that overlap otherwise, a view past its buffer or
/// misaligned, an object of another context), build, out_of_memory.
///
///     const clwave::map move{.name = "move", .source = "x + step * y", .values = {{"step", 0.01f}}};
///     const clwave::map slow{.name = "slow", .source = "0.99f * y"};
///     clwave::transform_to(queue, position, velocity, {{position, move}, {velocity, slow}});
template <queue_like Queue, view_argument In>
event transform_to(const Queue& queue, const In& in, const transform_outputs& results,
                   const launch_options& options = {}) {
  return detail::transform(handle_of<cl_command_queue>(queue),
                           detail::problem_of_outputs({detail::erase(in)}, results), options);
}
/// Sets the elements of up to four outputs, each by a text of its own in `x`, `y` and `i`; each input is read
/// once. All are equally long; an output may take the place of an input, element for element and of one size.
/// Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (different lengths, views that overlap otherwise, a
/// view past its buffer or misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument X, view_argument Y>
event transform_to(const Queue& queue, const X& x, const Y& y, const transform_outputs& results,
                   const launch_options& options = {}) {
  return detail::transform(handle_of<cl_command_queue>(queue),
                           detail::problem_of_outputs({detail::erase(x), detail::erase(y)}, results),
                           options);
}
/// Sets the elements of up to four outputs, each by a text of its own in `x`, `y`, `z` and `i`; each input is
/// read once. All are equally long; an output may take the place of an input, element for element and of one
/// size. Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (different lengths, views that overlap otherwise, a
/// view past its buffer or misaligned, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument X, view_argument Y, view_argument Z>
event transform_to(const Queue& queue, const X& x, const Y& y, const Z& z, const transform_outputs& results,
                   const launch_options& options = {}) {
  return detail::transform(
      handle_of<cl_command_queue>(queue),
      detail::problem_of_outputs({detail::erase(x), detail::erase(y), detail::erase(z)}, results), options);
}
/// Sets the elements of up to four outputs, each by a text of its own in `x`, `y`, `z` and `w`, or in `x0` to
/// `x7` where there are more than four zipped inputs, and in `i`; all functions are maps of your own. All are
/// equally long, and no output may overlap an input. Does not block: returns the event of its last command,
/// started after `options.after`. Throws clwave::error: bad_call before anything is enqueued (different
/// lengths, views that overlap, a view past its buffer or misaligned, an object of another context), build,
/// out_of_memory.
template <queue_like Queue>
event transform_to(const Queue& queue, const zipped_sources& in, const transform_outputs& results,
                   const launch_options& options = {}) {
  return detail::transform_zipped(handle_of<cl_command_queue>(queue), in, results, options);
}

/// Where the predicate is other than 0, sets the element of `out` to apply(x) of the element x of `in` at its
/// place; all others keep their values, bit for bit. The predicate is yours, an expression in `x` and, if you
/// like, in `i`, as the map is. The map's value is converted to out's type: integers wrap, a float goes
/// towards zero to an integer, and to nearest even to a half or a bfloat16. `out` is as long as `in`, and may
/// be `in`, which it then reads but once (of half, bfloat16 and bool twice). Reads `out`: the buffer must be
/// readable by kernels. Does not block: returns the event of its last command, started after `options.after`.
/// No workspace. Throws clwave::error: bad_call before anything is enqueued (a predicate that is not your
/// own, different lengths, views that overlap otherwise, a view past its buffer or misaligned, an object of
/// another context), build, out_of_memory.
///
///     clwave::transform_if(queue, x, out, {.name = "root", .source = "sqrt(x)"},
///                          {.name = "positive", .source = "x > 0"});
template <queue_like Queue, view_argument In, view_argument Out, map_argument Map = map,
          map_argument Predicate = map>
event transform_if(const Queue& queue, const In& in, const Out& out, const Map& apply,
                   const Predicate& predicate, const launch_options& options = {}) {
  const map &function = apply, &condition = predicate;
  return detail::transform(handle_of<cl_command_queue>(queue),
                           {.in = {detail::erase(in)},
                            .out = detail::erase_output(out),
                            .apply = &function,
                            .only_if = &condition},
                           options);
}

/// Where predicate(x[i], y[i]) is other than 0, sets out[i] to apply(x[i], y[i]); all other elements of `out`
/// keep their values. Map and predicate are in `x`, `y` and `i`; flags, or a stencil, are a second input. All
/// three are equally long; `out` may be an input, element for element and of one size. Does not block:
/// returns the event of its last command, started after `options.after`. Throws clwave::error: bad_call
/// before anything is enqueued (a predicate that is not your own, different lengths, views that overlap
/// otherwise, a view past its buffer or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::transform_if(queue, x, flags, out, {.name = "root", .source = "sqrt(x)"},
///                          {.name = "flagged", .source = "y"});
template <queue_like Queue, view_argument X, view_argument Y, view_argument Out, map_argument Map = map,
          map_argument Predicate = map>
event transform_if(const Queue& queue, const X& x, const Y& y, const Out& out, const Map& apply,
                   const Predicate& predicate, const launch_options& options = {}) {
  const map &function = apply, &condition = predicate;
  return detail::transform(handle_of<cl_command_queue>(queue),
                           {.in = {detail::erase(x), detail::erase(y)},
                            .out = detail::erase_output(out),
                            .apply = &function,
                            .only_if = &condition},
                           options);
}

/// Sets each element of `x` for which the predicate is other than 0 to `value`; all others keep their values,
/// bit for bit. The predicate is yours, an expression in `x` and, if you like, in `i`, the element's index.
/// `value` is a number or an OpenCL vector of at most 32 bytes (named_value.hpp); another one builds nothing.
/// For others transform_if with a map. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (a predicate that is not your
/// own, a view past its buffer or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::replace_if(queue, x, {.name = "is NaN", .source = "x != x"}, 0.0f);
template <queue_like Queue, view_argument X, map_argument Predicate = map>
event replace_if(const Queue& queue, const X& x, const Predicate& predicate, const viewed<X>& value,
                 const launch_options& options = {}) {
  const map constant = detail::constant_of(value);
  return transform_if(queue, x, x, constant, predicate, options);
}

/// Sets each element of `out` to a function of its index: an expression in `i` (ulong), from 0 on. Its value
/// is converted to out's type: integers wrap, a float goes towards zero to an integer, and to nearest even to
/// a half or a bfloat16. Reads nothing. `out` may be a counted view (any_view.hpp). Does not block: returns
/// the event of its command, started after `options.after`. No elements: nothing is launched. Throws
/// clwave::error: bad_call before anything is enqueued (a map that is not your own, a view past its buffer or
/// misaligned, an object of another context), build, out_of_memory.
///
///     clwave::generate(queue, angles, {.name = "angle", .source = "i * step", .values = {{"step", 0.01f}}});
template <queue_like Queue, view_argument Out, map_argument Map = map>
event generate(const Queue& queue, const Out& out, const Map& apply, const launch_options& options = {}) {
  const map& function = apply;
  return detail::transform(handle_of<cl_command_queue>(queue),
                           {.in = {}, .out = detail::erase_filled(out), .apply = &function}, options);
}

/// Copies as many elements as a number on the device says (any_view.hpp) to the front of `out`, which is as
/// long as the whole view: of one type all bits, of another type converted to out's type: integers wrap, a
/// float goes towards zero to an integer, and to nearest even to a half or a bfloat16. For other copies see
/// copy.hpp. Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (different lengths, views that overlap, a view past
/// its buffer or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::copy(queue, kept.first(count), found);
template <queue_like Queue, class T, view_argument Out>
event copy(const Queue& queue, const counted_view<T>& in, const Out& out,
           const launch_options& options = {}) {
  if constexpr (!std::is_same_v<std::remove_const_t<T>, viewed<Out>>) {
    return transform(queue, in, out, identity, options);
  } else {
    any_view from = in, to = detail::erase_output(out);
    from.type = to.type = &element_of<detail::moved_as<viewed<Out>>>();
    return detail::transform(handle_of<cl_command_queue>(queue),
                             {.in = {from}, .out = to, .apply = &identity}, options);
  }
}

/// Sets as many of the first elements as a number on the device says to `value`: a number, or an OpenCL
/// vector of at most 32 bytes. For other fills see copy.hpp. Does not block: returns the event of its last
/// command, started after `options.after`. Throws clwave::error: bad_call before anything is enqueued (a view
/// past its buffer or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::fill(queue, kept.first(count), 0.0f);
template <queue_like Queue, class T>
event fill(const Queue& queue, const counted_view<T>& out, const std::type_identity_t<T>& value,
           const launch_options& options = {}) {
  return generate(queue, out, detail::constant_of(value), options);
}

/// Sets element i of `out` to i, converted to out's type: integers wrap, floats are rounded to nearest even.
/// `out` may be a counted view. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (a view past its buffer or
/// misaligned, an object of another context), build, out_of_memory.
///
///     clwave::iota(queue, indices);
template <queue_like Queue, view_argument Out>
event iota(const Queue& queue, const Out& out, const launch_options& options = {}) {
  return generate(queue, out, detail::iota_map(element_of<viewed<Out>>(), nullptr, nullptr), options);
}
/// Sets element i of `out` to first + i * step, of numbers of 1 to 8 bytes. Integers wrap; for floats, halves
/// and bfloat16 i is rounded to float first (of doubles to double), and the product and the sum are rounded
/// each. Another `first` or `step` builds nothing. `out` may be a counted view. Does not block: returns the
/// event of its last command, started after `options.after`. Throws clwave::error: bad_call before anything
/// is enqueued (elements that are no numbers, a view past its buffer or misaligned, an object of another
/// context), build, out_of_memory.
///
///     clwave::iota(queue, indices, 100u);
///     clwave::iota(queue, times, 0.0f, 0.25f);
template <queue_like Queue, view_argument Out, std::convertible_to<viewed<Out>> Step>
event iota(const Queue& queue, const Out& out, const viewed<Out>& first, const Step& step,
           const launch_options& options = {}) {
  return generate(queue, out, detail::steps_from<viewed<Out>>(first, step), options);
}
/// Sets element i of `out` to first + i, of numbers of 1 to 8 bytes. Integers wrap; for floats i is rounded
/// to float (of doubles to double) first, then the sum. Another `first` builds nothing. Does not block:
/// returns the event of its last command, started after `options.after`. Throws clwave::error: bad_call
/// before anything is enqueued (elements that are no numbers, a view past its buffer or misaligned, an object
/// of another context), build, out_of_memory.
template <queue_like Queue, view_argument Out>
event iota(const Queue& queue, const Out& out, const viewed<Out>& first, const launch_options& options = {}) {
  return generate(queue, out, detail::steps_from(first, viewed<Out>(1)), options);
}

/// Sets out[0] to in[0], and out[i] to in[i] - in[i - 1] for all others. Elements are converted to out's type
/// first (for half and bfloat16 to float), and integers wrap; numbers and vectors of numbers, no bool as
/// output. `out` may be `in`, from the same element on and of the same size; any other overlap is refused.
/// Does not block: returns the event of its last command, started after `options.after`. No elements: nothing
/// is launched. In place it takes two launches, and workspace of one element for each work-group, pooled and
/// reused, or `options.workspace`; else one launch and none. Throws clwave::error: bad_call before anything
/// is enqueued (types that have no difference, different lengths, views that overlap otherwise, a view past
/// its buffer or misaligned, an object of another context), build, out_of_memory.
///
///     clwave::adjacent_difference(queue, x, x);
template <queue_like Queue, view_argument In, view_argument Out>
event adjacent_difference(const Queue& queue, const In& in, const Out& out,
                          const launch_options& options = {}) {
  return adjacent_difference(handle_of<cl_command_queue>(queue),
                             {.in = detail::erase(in), .out = detail::erase_output(out)}, options);
}
/// Sets out[0] to in[0], converted to out's type, and out[i] to apply(in[i], in[i - 1]) for all others: an
/// expression in `x`, the element, `y`, the one before it, and if you like in `i` (ulong), the index of x.
/// Its value is converted to out's type: integers wrap, a float goes towards zero to an integer, and to
/// nearest even to a half or a bfloat16. Elements of any type of up to 128 bytes; a structure becomes only
/// itself. `out` may be `in`, from the same element on and of the same size; that takes workspace of one
/// element for each work-group, pooled and reused, or `options.workspace`. Does not block: returns the event
/// of its last command, started after `options.after`. Throws clwave::error: bad_call before anything is
/// enqueued (different lengths, views that overlap otherwise, a view past its buffer or misaligned, an object
/// of another context), build, out_of_memory.
///
///     clwave::adjacent_difference(queue, x, ratios, {.name = "ratio", .source = "x / y"});
template <queue_like Queue, view_argument In, view_argument Out, map_argument Map = map>
event adjacent_difference(const Queue& queue, const In& in, const Out& out, const Map& apply,
                          const launch_options& options = {}) {
  const map& function = apply;
  return adjacent_difference(handle_of<cl_command_queue>(queue),
                             {.in = detail::erase(in), .out = detail::erase_output(out), .apply = &function},
                             options);
}

/// Sets each element of the matrix `out` to apply(x, b) of the element x of `in` at its place and the value b
/// of its row or column in `vector`, which has one for each. The text is in `x` and `b`. Views start at the
/// matrices' first elements and must reach to their last; what lies between rows is not touched. `out` may be
/// `in`, from the same element on and with the same pitch and element size; it may not overlap `vector`. Keep
/// pitches multiples of 16 bytes where you can. The text's value is converted to out's type: integers wrap, a
/// float goes towards zero to an integer, and to nearest even to a half or a bfloat16. Does not block:
/// returns the event of its last command, started after `options.after`. No workspace. Throws clwave::error:
/// bad_call before anything is enqueued (views that are too short or overlap otherwise, rows that overlap, a
/// view past its buffer or misaligned, an object of another context), build, out_of_memory.
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
  return broadcast(handle_of<cl_command_queue>(queue),
                   {.in = detail::erase(in),
                    .vector = detail::erase(vector),
                    .out = detail::erase_output(out),
                    .size = shape,
                    .which = which,
                    .apply = &function},
                   options);
}

}  // namespace clwave
