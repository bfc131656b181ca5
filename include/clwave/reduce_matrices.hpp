/// @file
/// reduce_rows, reduce_columns: fold each row or column of a matrix, with the bits that reduce gives of it.
///
/// Each folds in reduce's own order of its length (reduce.hpp), so that its result has the bits of `reduce`
/// of that row or column alone on every device, whatever stands beside it. Which code folds it goes by the
/// rows' length and number: several short rows by a set of lanes, or rows in tiles, of which a work-group
/// takes whole rows or parts of them. Kernels: cl_kernels/primitives/reduce_rows_*.cl, reduce_columns*.cl.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be
/// in-order or out-of-order, with profiling or without. Nothing blocks and nothing flushes the queue. A child
/// of fork() is refused. In full: event.hpp.
#pragma once

#include <type_traits>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/matrices.hpp>
#include <clwave/op.hpp>
#include <clwave/options.hpp>
#include <clwave/reduce.hpp>
#include <clwave/statistics.hpp>
#include <clwave/view.hpp>

namespace clwave {

namespace detail {
struct vector_product;
}

/// A reduction of rows or of columns, whose types are said at run time: what the call takes, and what plan()
/// is asked, then without buffers. Refers to all that is pointed to.
template <per Lines>
struct matrix_fold_problem {
  any_view in;                    ///< from the first matrix's first element to the last one's last, or on
  any_view out;                   ///< each row's or column's result; their type is what is accumulated in
  matrices size;                  ///< of the input
  pitches steps = {};             ///< of the input
  const op* fold = &plus;         ///< the operator
  const map* apply = &identity;   ///< what is applied to each element before
  detail::fold_sizes sizes = {};  ///< the fold order's own; another one is for tests alone
  const detail::vector_product* times = nullptr;  ///< gemv's alone
};
/// A reduction of rows, whose types are said at run time.
using reduce_rows_problem = matrix_fold_problem<per::row>;
/// A reduction of columns, whose types are said at run time.
using reduce_columns_problem = matrix_fold_problem<per::column>;

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const reduce_rows_problem& asked, const plan_target& on);
/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const reduce_columns_problem& asked, const plan_target& on);

/// Folds each row of matrices into one element, of types that are said at run time. Does not block: returns
/// the event of its last command, started after `options.after`. Throws clwave::error: bad_call before
/// anything is enqueued (types or sizes that do not go together, overlaps that are not allowed, a view past
/// its buffer, an object of another context), build, out_of_memory. In full: transform_reduce_rows.
CLWAVE_EXPORT event reduce_rows(cl_command_queue queue, const reduce_rows_problem& asked,
                                const launch_options& options = {});
/// Folds each column of matrices into one element, of types that are said at run time. Does not block:
/// returns the event of its last command, started after `options.after`. Throws clwave::error: bad_call
/// before anything is enqueued (types or sizes that do not go together, overlaps that are not allowed, a view
/// past its buffer, an object of another context), build, out_of_memory. In full: transform_reduce_columns.
CLWAVE_EXPORT event reduce_columns(cl_command_queue queue, const reduce_columns_problem& asked,
                                   const launch_options& options = {});

namespace detail {

template <per Lines, class Queue, viewable In, viewable Out>
event fold_lines(const Queue& queue, const In& in, const Out& out, const matrices& size, const op& fold,
                 const map& apply, const matrix_options& options) {
  const matrix_fold_problem<Lines> problem{.in = erase(in),
                                           .out = erase_output(out),
                                           .size = size,
                                           .steps = {options.row, options.slice},
                                           .fold = &fold,
                                           .apply = &apply};
  if constexpr (Lines == per::row)
    return reduce_rows(handle_of<cl_command_queue>(queue), problem, launch_of(options));
  else
    return reduce_columns(handle_of<cl_command_queue>(queue), problem, launch_of(options));
}

template <per Lines, class Queue, viewable In, viewable Out>
event minmax_of_lines(const Queue& queue, const In& in, const Out& out, const matrices& size,
                      const matrix_options& options) {
  using T = viewed<In>;
  static_assert(measured<T>, "minmax takes numbers");
  static_assert(std::is_same_v<viewed<Out>, min_and_max<widened<T>>>,
                "the output is of clwave::min_and_max<T>, for half and bfloat16 of float");
  return fold_lines<Lines>(queue, in, out, size, minmax_fold<T>(), minmax_lift<T>(), options);
}

template <per Lines, class Queue, viewable In, viewable Out>
event moments_of_lines(const Queue& queue, const In& in, const Out& out, const matrices& size,
                       const matrix_options& options) {
  static_assert(measured<viewed<In>>, "mean_and_variance takes numbers");
  static_assert(is_moments<viewed<Out>>::value, "the output is of clwave::moments<T>");
  using A = typename is_moments<viewed<Out>>::of;
  return fold_lines<Lines>(queue, in, out, size, moments_fold<A>(), moments_lift<A>(), options);
}

}  // namespace detail

// ---------------------------------------------------------------------------------------------------- rows

/// Sets out[b * size.rows + r] to the fold of apply(x) over the elements x of row r of matrix b of `in`,
/// accumulated in out's type. The pitches say how far apart, in elements, rows and matrices (`slice`) begin;
/// 0 stands for those of matrices that follow one another without gaps, and matrices may lie side by side in
/// longer rows. `in` begins with the first matrix's first element and must reach to the last matrix's last;
/// what lies between rows is not read. `out` has an element for each row of all matrices, one after another.
/// Both may go on. They may not overlap.
///
/// In a map's text `i` is the element's place in its row. A row without elements (size.columns is 0) gives
/// the operator's identity. Does not block: returns the event of its last command, started after
/// `options.after`. No rows: nothing is launched. Workspace: none for rows of at most 8192 elements; for
/// others at most two results for each 8192 elements and 16 for each row, and 4 KiB, pooled and reused, or
/// `options.workspace`.
///
/// Takes every type and operator that reduce takes, of one input, and up to 2^31 tiles of 8192 elements, of
/// which each row has one at least. Throws clwave::error: bad_call before anything is enqueued (types the
/// operator does not take, rows or matrices that overlap, a view too short, views that overlap, a missing
/// identity, a buffer or an event of another context), build (with the compiler's lines), out_of_memory.
///
///     clwave::map square{.name = "square_of_it", .source = "x * x"};
///     const clwave::matrices size{.rows = 1000, .columns = 512};
///     clwave::transform_reduce_rows(queue, matrix, norms, size, clwave::plus, square);
///     clwave::map share{.name = "share", .source = "x / n", .values = {{"n", 512.0f}}};
///     clwave::transform_reduce_rows(queue, matrix, means, size, clwave::plus, share);
template <queue_like Queue, view_argument In, view_argument Out, operator_argument Op = op,
          map_argument Map = map>
event transform_reduce_rows(const Queue& queue, const In& in, const Out& out, const matrices& size,
                            const Op& fold, const Map& apply, const matrix_options& options = {}) {
  return detail::fold_lines<per::row>(queue, in, out, size, fold, apply, options);
}

/// Sets out[b * size.rows + r] to the fold of the elements of row r of matrix b of `in`, accumulated in out's
/// type, of a row without elements to the operator's identity. `options.row` and `options.slice` say how far
/// apart rows and matrices begin, in elements; 0 stands for no gaps. `in` reaches to the last matrix's last
/// element, and `out` overlaps it nowhere. The bits of `reduce` of each row alone. Does not block: returns
/// the event of its last command, started after `options.after`. Workspace: none for rows of at most 8192
/// elements; for others at most two results for each 8192 elements and 16 for each row, and 4 KiB, pooled and
/// reused, or `options.workspace`. Throws clwave::error: bad_call before anything is enqueued (types the
/// operator does not take, a missing identity, rows or matrices that overlap, views that are too short or
/// overlap, an object of another context), build, out_of_memory.
///
///     const clwave::matrices size{.rows = 1000, .columns = 500};
///     clwave::reduce_rows(queue, matrix, sums, size, {.row = 512, .after = {written}});
///     clwave::reduce_rows(queue, matrix, largest, {.rows = 8, .columns = 100, .batch = 16}, clwave::max);
template <queue_like Queue, view_argument In, view_argument Out, operator_argument Op = op>
event reduce_rows(const Queue& queue, const In& in, const Out& out, const matrices& size, const Op& fold,
                  const matrix_options& options = {}) {
  return transform_reduce_rows(queue, in, out, size, fold, identity, options);
}
/// Sets out[b * size.rows + r] to the sum of the elements of row r of matrix b of `in`, accumulated in out's
/// type. Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (types that have no sum, rows or matrices that
/// overlap, views that are too short or overlap, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In, view_argument Out>
event reduce_rows(const Queue& queue, const In& in, const Out& out, const matrices& size,
                  const matrix_options& options = {}) {
  return transform_reduce_rows(queue, in, out, size, plus, identity, options);
}

/// The smallest element of each row and its place in the row: the first one on ties, and a NaN is smaller
/// than everything. `out` has elements of clwave::indexed<T>, of clwave::indexed<float> for half and
/// bfloat16. Scalars only. Does not block: returns the event of its last command, started after
/// `options.after`. Throws clwave::error: bad_call before anything is enqueued (rows without elements,
/// elements that are no scalars, rows or matrices that overlap, views that are too short or overlap, an
/// object of another context), build, out_of_memory.
///
///     clwave::argmin_rows(queue, matrix, clwave::view<clwave::indexed<float>>{found, 1000},
///                         {.rows = 1000, .columns = 512});
template <queue_like Queue, view_argument In, view_argument Out>
event argmin_rows(const Queue& queue, const In& in, const Out& out, const matrices& size,
                  const matrix_options& options = {}) {
  return reduce_rows(queue, in, out, size, detail::argmin_op, options);
}

/// The largest element of each row and its place in the row: the first one on ties, and a NaN is larger than
/// everything. `out` has elements of clwave::indexed<T>, of clwave::indexed<float> for half and bfloat16.
/// Scalars only. Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (rows without elements, elements that are no scalars,
/// rows or matrices that overlap, views that are too short or overlap, an object of another context), build,
/// out_of_memory.
template <queue_like Queue, view_argument In, view_argument Out>
event argmax_rows(const Queue& queue, const In& in, const Out& out, const matrices& size,
                  const matrix_options& options = {}) {
  return reduce_rows(queue, in, out, size, detail::argmax_op, options);
}

/// The least and the greatest element of each row: both are NaN where it has a NaN, and -0 is less than +0.
/// `out` has elements of clwave::min_and_max<T>, of clwave::min_and_max<float> for half and bfloat16. Numbers
/// only. Of a row without elements min is the greatest number of the type (infinity), and max the least. Does
/// not block: returns the event of its last command, started after `options.after`. Throws clwave::error:
/// bad_call before anything is enqueued (rows or matrices that overlap, views that are too short or overlap,
/// an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In, view_argument Out>
event minmax_rows(const Queue& queue, const In& in, const Out& out, const matrices& size,
                  const matrix_options& options = {}) {
  return detail::minmax_of_lines<per::row>(queue, in, out, size, options);
}

/// The number of each row's elements, their mean, and the sum of the squares of their distances from it.
/// `out` has elements of clwave::moments<float> or clwave::moments<double>, which say what they are computed
/// in. Numbers only. Does not block: returns the event of its last command, started after `options.after`.
/// Throws clwave::error: bad_call before anything is enqueued (rows or matrices that overlap, views that are
/// too short or overlap, an object of another context), build, out_of_memory.
///
///     clwave::mean_and_variance_rows(queue, matrix, clwave::view<clwave::moments<float>>{found, 1000},
///                                    {.rows = 1000, .columns = 512});
template <queue_like Queue, view_argument In, view_argument Out>
event mean_and_variance_rows(const Queue& queue, const In& in, const Out& out, const matrices& size,
                             const matrix_options& options = {}) {
  return detail::moments_of_lines<per::row>(queue, in, out, size, options);
}

// ------------------------------------------------------------------------------------------------- columns

/// Sets out[b * size.columns + c] to the fold of apply(x) over the elements x of column c of matrix b of
/// `in`, accumulated in out's type. The pitches say how far apart, in elements, rows and matrices (`slice`)
/// begin; 0 stands for those of matrices that follow one another without gaps, and matrices may lie side by
/// side in longer rows. `in` begins with the first matrix's first element and must reach to the last matrix's
/// last; what lies between rows is not read. `out` has an element for each column of all matrices, one after
/// another. Both may go on. They may not overlap.
///
/// In a map's text `i` is the element's row. Columns without elements (size.rows is 0) give the operator's
/// identity. An operator that does not commute folds a column from its first row to its last. Does not block:
/// returns the event of its last command, started after `options.after`. No columns: nothing is launched.
/// Workspace: none where one launch is enough; else for each column at most 33 results for each 8192
/// rows, the last of which may be fewer, and 4 KiB, pooled and reused, or `options.workspace`. It is fastest
/// where the number of columns, the pitches and the offset are multiples of 16 bytes.
///
/// Takes every type and operator that reduce takes, of one input, and up to 2^31 columns of all matrices, and
/// up to 2^31 parts that they are folded in, which have 32 rows at least. Throws clwave::error: bad_call
/// before anything is enqueued (types the operator does not take, rows or matrices that overlap, a view too
/// short, views that overlap, a missing identity, a buffer or an event of another context), build (with the
/// compiler's lines), out_of_memory.
///
///     const clwave::matrices size{.rows = 1000, .columns = 512};
///     clwave::transform_reduce_columns(queue, matrix, norms, size, clwave::plus, clwave::square);
///     clwave::map share{.name = "share", .source = "x / n", .values = {{"n", 1000.0f}}};
///     clwave::transform_reduce_columns(queue, matrix, means, size, clwave::plus, share);
template <queue_like Queue, view_argument In, view_argument Out, operator_argument Op = op,
          map_argument Map = map>
event transform_reduce_columns(const Queue& queue, const In& in, const Out& out, const matrices& size,
                               const Op& fold, const Map& apply, const matrix_options& options = {}) {
  return detail::fold_lines<per::column>(queue, in, out, size, fold, apply, options);
}

/// Sets out[b * size.columns + c] to the fold of the elements of column c of matrix b of `in`, accumulated in
/// out's type, of a column without elements to the operator's identity. `options.row` and `options.slice` say
/// how far apart rows and matrices begin, in elements; 0 stands for no gaps. `in` reaches to the last
/// matrix's last element, and `out` overlaps it nowhere. The bits of `reduce` of each column's elements one
/// after another. Does not block: returns the event of its last command, started after `options.after`.
/// Workspace: none where one launch is enough; else for each column at most 33 results for each 8192 rows,
/// and 4 KiB, pooled and reused, or `options.workspace`. Throws clwave::error: bad_call before anything is
/// enqueued (types the operator does not take, a missing identity, rows or matrices that overlap, views that
/// are too short or overlap, an object of another context), build, out_of_memory.
///
///     const clwave::matrices size{.rows = 1000, .columns = 500};
///     clwave::reduce_columns(queue, matrix, sums, size, {.row = 512, .after = {written}});
///     clwave::reduce_columns(queue, matrix, largest, {.rows = 8, .columns = 100, .batch = 16}, clwave::max);
template <queue_like Queue, view_argument In, view_argument Out, operator_argument Op = op>
event reduce_columns(const Queue& queue, const In& in, const Out& out, const matrices& size, const Op& fold,
                     const matrix_options& options = {}) {
  return transform_reduce_columns(queue, in, out, size, fold, identity, options);
}
/// Sets out[b * size.columns + c] to the sum of the elements of column c of matrix b of `in`, accumulated in
/// out's type. Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (types that have no sum, rows or matrices that
/// overlap, views that are too short or overlap, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In, view_argument Out>
event reduce_columns(const Queue& queue, const In& in, const Out& out, const matrices& size,
                     const matrix_options& options = {}) {
  return transform_reduce_columns(queue, in, out, size, plus, identity, options);
}

/// The smallest element of each column and its row: the first one on ties, and a NaN is smaller than
/// everything. `out` has elements of clwave::indexed<T>, of clwave::indexed<float> for half and bfloat16.
/// Scalars only. Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (columns without elements, elements that are no
/// scalars, rows or matrices that overlap, views that are too short or overlap, an object of another
/// context), build, out_of_memory.
///
///     clwave::argmin_columns(queue, matrix, clwave::view<clwave::indexed<float>>{found, 512},
///                            {.rows = 1000, .columns = 512});
template <queue_like Queue, view_argument In, view_argument Out>
event argmin_columns(const Queue& queue, const In& in, const Out& out, const matrices& size,
                     const matrix_options& options = {}) {
  return reduce_columns(queue, in, out, size, detail::argmin_op, options);
}

/// The largest element of each column and its row: the first one on ties, and a NaN is larger than
/// everything. `out` has elements of clwave::indexed<T>, of clwave::indexed<float> for half and bfloat16.
/// Scalars only. Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (columns without elements, elements that are no
/// scalars, rows or matrices that overlap, views that are too short or overlap, an object of another
/// context), build, out_of_memory.
template <queue_like Queue, view_argument In, view_argument Out>
event argmax_columns(const Queue& queue, const In& in, const Out& out, const matrices& size,
                     const matrix_options& options = {}) {
  return reduce_columns(queue, in, out, size, detail::argmax_op, options);
}

/// The least and the greatest element of each column: both are NaN where it has a NaN, and -0 is less than
/// +0. `out` has elements of clwave::min_and_max<T>, of clwave::min_and_max<float> for half and bfloat16.
/// Numbers only. Of a column without elements min is the greatest number of the type (infinity), and max the
/// least. Does not block: returns the event of its last command, started after `options.after`. Throws
/// clwave::error: bad_call before anything is enqueued (rows or matrices that overlap, views that are too
/// short or overlap, an object of another context), build, out_of_memory.
template <queue_like Queue, view_argument In, view_argument Out>
event minmax_columns(const Queue& queue, const In& in, const Out& out, const matrices& size,
                     const matrix_options& options = {}) {
  return detail::minmax_of_lines<per::column>(queue, in, out, size, options);
}

/// The number of each column's elements, their mean, and the sum of the squares of their distances from it.
/// `out` has elements of clwave::moments<float> or clwave::moments<double>, which say what they are computed
/// in. Numbers only. Does not block: returns the event of its last command, started after `options.after`.
/// Throws clwave::error: bad_call before anything is enqueued (rows or matrices that overlap, views that are
/// too short or overlap, an object of another context), build, out_of_memory.
///
///     clwave::mean_and_variance_columns(queue, matrix, clwave::view<clwave::moments<float>>{found, 512},
///                                       {.rows = 1000, .columns = 512});
template <queue_like Queue, view_argument In, view_argument Out>
event mean_and_variance_columns(const Queue& queue, const In& in, const Out& out, const matrices& size,
                                const matrix_options& options = {}) {
  return detail::moments_of_lines<per::column>(queue, in, out, size, options);
}

}  // namespace clwave
