/// @file
/// gemm: the product of matrices, C = alpha op(A) op(B) + beta C; gemv: of a matrix and a vector,
/// y = alpha op(A) x + beta y.
///
/// A group of work-items computes one tile of C. Tiles of A and B lie in local memory, so that device memory
/// is read 1 / tile as often as a plain loop reads it; each work-item keeps a block of C in registers. Small
/// and thin matrices have tiles of their own shape, and where C has too few tiles to fill a device, the sum
/// over k is cut into pieces that are computed side by side and added afterwards.
///
/// The same bits: without matrix instructions an element of C is the chain of fused multiply-adds over rising
/// k, `sum = fma(a, b, sum)` from zero, with halves and bfloat16 widened to float; where k is cut, each piece
/// is such a chain and the pieces are added in order. The cuts depend on m, n, k and the number of batches
/// alone. Then C = alpha * sum, or fma(beta, C, alpha * sum). So f32 and f64 give the same bits on every
/// device and with every tile, where denormals are kept (of NaN only that they are NaN). Matrix instructions
/// round otherwise: f16 and bf16 give other bits on devices that have them, and so does f32 where tf32 is
/// allowed; there k may also be cut by how many compute units a device has. `.same_bits = true` keeps f16 and
/// bf16 off such instructions: these then have the bits of the same product of the widened numbers, rounded.
/// NVIDIA's instructions for f64 are such chains themselves, as tests on an H200 show; AMD's are not known to
/// be.
///
/// On NVIDIA's Hopper (SM 90) products of f16 and bf16, and of f32 where tf32 is allowed, use instructions
/// that its OpenCL compiler does not know: the program is built a second time, from the compiler's output
/// (profile.hpp). It takes lines and batches of A and B that start at multiples of 16 bytes and C of 64 x 64
/// at least. For tf32 the contiguous elements of A or of B must follow k: where neither's do, products of
/// 2^30 multiply-adds or more first copy the smaller one so, into workspace. Otherwise, and where the driver
/// refuses that build, the product is computed as on older devices; `clwave why gemm` says by what.
///
/// gemv reads the matrix once, at the speed of reduce_rows and reduce_columns, whose kernels it has: each
/// element of y is a fold of the products of a row of op(A) and x, in the fold order (reduce.hpp). The sum
/// has the bits of dot of that row and x, whichever way A lies; halves and bfloat16 are widened to float and
/// summed as such. Then y = alpha * sum, or fma(beta, y, alpha * sum), rounded to y's type. So all types give
/// the same bits on every device where denormals are kept (of NaN only that they are NaN). A gemm of one
/// column has another order of sums, and other bits.
///
/// Kernels: cl_kernels/primitives/gemm*.cl, reduce_rows.cl, reduce_columns.cl. Tiling is that of D. Kirk and
/// W. Hwu, "Programming Massively Parallel Processors". For a CPU's packed panels see K. Goto and R. van de
/// Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be
/// in-order or out-of-order, with profiling or without; a call flushes neither it nor any other. A child of
/// fork() is refused. In full: event.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/options.hpp>
#include <clwave/view.hpp>

namespace clwave {

/// Which elements of a matrix follow one another in memory: those of a row, or those of a column.
enum class matrix_order {
  row_major,    ///< those of a row, as in C
  column_major  ///< those of a column, as in Fortran and BLAS
};

/// A product's sizes, in elements: C is m x n, op(A) is m x k, op(B) is k x n.
struct gemm_size {
  std::size_t m = 0;  ///< rows of C
  std::size_t n = 0;  ///< columns of C
  std::size_t k = 0;  ///< products that each element of C sums
};

/// The options of a product.
struct gemm_options {
  double alpha = 1;                              ///< rounded to float for all but f64
  double beta = 0;                               ///< 0: C is not read, whatever lies there
  matrix_order order = matrix_order::row_major;  ///< of all three matrices
  bool transpose_a = false;                      ///< op(A) is A's transpose: A is stored as k x m
  bool transpose_b = false;                      ///< B is stored as n x k
  /// Leading dimension of A as it is stored: how far apart its rows (column-major: its columns) start, in
  /// elements. 0: they follow one another without a gap.
  std::size_t lda = 0;
  std::size_t ldb = 0;      ///< leading dimension of B as it is stored, in elements; 0: without gaps
  std::size_t ldc = 0;      ///< leading dimension of C, in elements; 0: without gaps
  std::size_t batches = 1;  ///< as many products, whose matrices are a stride of elements apart
  std::optional<std::size_t> stride_a = {};  ///< nothing: one A follows another; 0: all batches share it
  std::optional<std::size_t> stride_b = {};  ///< nothing: one B follows another; 0: all batches share it
  std::optional<std::size_t> stride_c = {};  ///< nothing: one C follows another
  /// Lets f32 run on matrix instructions that round A and B to 10 bits of fraction first.
  bool allow_tf32 = false;
  /// Keeps f16 and bf16 off matrix instructions, which round in ways of their own, so that results have the
  /// same bits on every device. Does nothing to f32 and f64.
  bool same_bits = false;
  wait_list after = {};           ///< what comes before: launch_options
  bool with_event = true;         ///< whether an event is made: launch_options
  workspace_view workspace = {};  ///< memory to work in: launch_options
};

static_assert(call_options<gemm_options>);

/// A product, whose types are said at run time: what the call takes, and what plan() is asked, then without
/// buffers. The plan's n is the number of elements of C.
struct gemm_problem {
  any_view a;      ///< A, from its first element to its last, or more
  any_view b;      ///< B, from its first element to its last, or more; of A's type
  any_view c;      ///< C, from its first element to its last; of A's type, or float for halves and bfloat16
  gemm_size size;  ///< in elements
  /// Which product. What comes before, whether an event is made, and the workspace, say a call's own options:
  /// these three fields are not looked at.
  gemm_options options = {};
};

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const gemm_problem& asked, const plan_target& on);

/// Sets C to alpha op(A) op(B) + beta C, of types that are said at run time. Does not block: returns the
/// event of its last command, started after `options.after`. Throws clwave::error: bad_call before anything
/// is enqueued (types or sizes that do not go together, overlaps that are not allowed, a view past its
/// buffer, an object of another context), build, out_of_memory.
CLWAVE_EXPORT event gemm(cl_command_queue queue, const gemm_problem& asked,
                         const launch_options& options = {});

namespace detail {

// The options that say which product it is. The call's events are left out, which would be copied in vain.
inline gemm_options product_options_of(const gemm_options& all) {
  return {.alpha = all.alpha,
          .beta = all.beta,
          .order = all.order,
          .transpose_a = all.transpose_a,
          .transpose_b = all.transpose_b,
          .lda = all.lda,
          .ldb = all.ldb,
          .ldc = all.ldc,
          .batches = all.batches,
          .stride_a = all.stride_a,
          .stride_b = all.stride_b,
          .stride_c = all.stride_c,
          .allow_tf32 = all.allow_tf32,
          .same_bits = all.same_bits};
}

}  // namespace detail

/// C = alpha op(A) op(B) + beta C. A and B are both float, double, half or bfloat16; C is of the same type,
/// or float for halves and bfloat16, which accumulate in float in any case. Does not block: returns the event
/// of its last command, started after `options.after`. alpha == 0 or k == 0 reads neither A nor B. No
/// elements in C: nothing is launched; the event ends with what it had to await. Each view's first element is
/// its matrix's first, and it must reach to the last one (it may go on); C may share no bytes with A or B.
/// Device memory: none; where k is cut up to 32 MiB of workspace, and on Hopper 256 bytes for each compute
/// unit and for tf32 the copy of a factor (at most 2 GiB), which are kept for later calls or are
/// `options.workspace`.
/// Fastest where all views start, and all leading dimensions and strides are, at multiples of 16 bytes. Any
/// size that 63 bits can count; a launch has at most 2^31 - 1 tiles. The error against the exact product is
/// at most
///
///     (k + 2) eps |alpha| |A| |B| + 2 eps |beta| |C|
///
/// for each element, with eps = 2^-24 (f32, f16, bf16), 2^-53 (f64), 2^-10 for tf32, and of the result 2^-11
/// more where C is half, 2^-8 more where it is bfloat16. For tf32 A and B are rounded first: on Hopper to
/// nearest even, as cuBLAS does, so that floats within 2^-12 of the largest become infinite; elsewhere they
/// are cut off, and stay finite. Throws clwave::error: bad_call before anything is enqueued (types, views too
/// short or past their buffer, leading dimensions less than a row, batches of C that overlap, a buffer of
/// another context), build, out_of_memory.
///
///     clwave::gemm(queue, {m, n, k}, a, b, c);                                      // row-major C = A B
///     clwave::gemm(queue, {m, n, k}, a, b, c, {.alpha = 2, .beta = 1, .transpose_b = true});
///     clwave::gemm(queue, {8, 8, 8}, a, b, c, {.batches = 1000, .stride_b = 0});    // one B for all
///     clwave::gemm(queue, {m, n, k}, a, b, c, {.beta = 1, .after = {written}});
template <queue_like Queue, view_argument A, view_argument B, view_argument C>
event gemm(const Queue& queue, const gemm_size& size, const A& a, const B& b, const C& c,
           const gemm_options& options = {}) {
  return gemm(handle_of<cl_command_queue>(queue),
              {.a = detail::erase(a),
               .b = detail::erase(b),
               .c = detail::erase_output(c),
               .size = size,
               .options = detail::product_options_of(options)},
              detail::launch_of(options));
}

/// The options of a product of a matrix and a vector.
struct gemv_options {
  double alpha = 1;                              ///< rounded to float for all but f64
  double beta = 0;                               ///< 0: y is not read, whatever lies there
  matrix_order order = matrix_order::row_major;  ///< of A
  bool transpose = false;                        ///< op(A) is A's transpose: A is stored as columns x rows
  /// How far apart A's rows (column-major: its columns) start as it is stored, in elements. 0: without a gap.
  std::size_t lda = 0;
  std::size_t step_x = 1;         ///< elements from one element of x to the next; at least 1
  std::size_t step_y = 1;         ///< elements from one element of y to the next; at least 1
  wait_list after = {};           ///< what comes before: launch_options
  bool with_event = true;         ///< whether an event is made: launch_options
  workspace_view workspace = {};  ///< memory to work in: launch_options
};

static_assert(call_options<gemv_options>);

/// The size of op(A), in elements.
struct gemv_size {
  std::size_t rows = 0;     ///< elements of y
  std::size_t columns = 0;  ///< elements of x
};

/// A product of a matrix and a vector, whose types are said at run time: what the call takes, and what plan()
/// is asked, then without buffers.
struct gemv_problem {
  any_view a;      ///< A, from its first element to its last, or more
  any_view x;      ///< x, from its first element to its last, or more; of A's type
  any_view y;      ///< y, from its first element to its last; of A's type, or float for halves and bfloat16
  gemv_size size;  ///< in elements
  /// Which product. What comes before, whether an event is made, and the workspace, say a call's own options:
  /// these three fields are not looked at.
  gemv_options options = {};
};

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse. The plan's primitive is
/// reduce_rows or reduce_columns; of a product that reads neither A nor x it is gemm.
CLWAVE_EXPORT call_plan plan(const gemv_problem& asked, const plan_target& on);

/// Sets y to alpha op(A) x + beta y, of types that are said at run time. Does not block: returns the event of
/// its last command, started after `options.after`. Throws clwave::error: bad_call before anything is
/// enqueued (types or sizes that do not go together, overlaps that are not allowed, a view past its buffer,
/// an object of another context), build, out_of_memory.
CLWAVE_EXPORT event gemv(cl_command_queue queue, const gemv_problem& asked,
                         const launch_options& options = {});

namespace detail {

// The options that say which product it is. The call's events are left out, which would be copied in vain.
inline gemv_options product_options_of(const gemv_options& all) {
  return {.alpha = all.alpha,
          .beta = all.beta,
          .order = all.order,
          .transpose = all.transpose,
          .lda = all.lda,
          .step_x = all.step_x,
          .step_y = all.step_y};
}

}  // namespace detail

/// y = alpha op(A) x + beta y. A, x and y are of one type, f32, f64, f16 or bf16; y may be f32 where A is f16
/// or bf16. Each view's first element is its matrix's or vector's first; what lies between the elements of y
/// is not written. Without columns, or with an alpha of 0, A and x are not read. Does not block: returns the
/// event of its last command, started after `options.after`. Throws bad_call for other types, for views that
/// are shorter than the sizes say, for steps of 0 or a leading dimension below a line's length, and where y
/// overlaps A or x; for more than 2^31 rows, or tiles of rows.
///
///     clwave::gemv(queue, {m, k}, a, x, y);                                         // row-major y = A x
///     clwave::gemv(queue, {m, k}, a, x, y, {.alpha = 2, .beta = 1, .transpose = true, .step_x = 3});
template <queue_like Queue, view_argument A, view_argument X, view_argument Y>
event gemv(const Queue& queue, const gemv_size& size, const A& a, const X& x, const Y& y,
           const gemv_options& options = {}) {
  return gemv(handle_of<cl_command_queue>(queue),
              {.a = detail::erase(a),
               .x = detail::erase(x),
               .y = detail::erase_output(y),
               .size = size,
               .options = detail::product_options_of(options)},
              detail::launch_of(options));
}

}  // namespace clwave
