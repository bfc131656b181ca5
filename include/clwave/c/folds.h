/// @file
/// Reductions from C: of all elements, rows, columns, segments, and runs of equal keys; counts, both ends,
/// and mean and variance. clwave.h says what holds for all calls; reduce.hpp has the order of combination,
/// which is the same on every device.
///
/// In all of them `op` is the operator, NULL for a sum, and `map` is applied to each element before, NULL for
/// none. The type of `out` is what is accumulated in, and no output may overlap an input. `start` points to a
/// value of that type that is combined before the first element, and is the result of no elements; NULL:
/// none. It is not for CLWAVE_LOGICAL_AND, CLWAVE_LOGICAL_OR, CLWAVE_ARGMIN and CLWAVE_ARGMAX. Types that the
/// operator does not take, views that are too short or past their buffers, and objects of another context are
/// refused with CLWAVE_ERROR_BAD_CALL.
///
/// Reductions of one input, of rows and of columns take inputs that are no arrays (lazy.h).
#pragma once

#include <clwave/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Combines all elements of `in` into the first element of `out`. Does not block.
CLWAVE_EXPORT clwave_status clwave_reduce(cl_command_queue queue, const clwave_view* in,
                                          const clwave_view* out, const clwave_op* op, const void* start,
                                          const clwave_options* options, cl_event* event);

/// Combines all elements of `in`, accumulated in `accumulator`, into memory of the host that has room for a
/// value of that type. Blocks until the value is there. No elements: the operator's identity. Integers wrap,
/// so add up many small ones in a larger type.
CLWAVE_EXPORT clwave_status clwave_reduce_to_host(cl_command_queue queue, const clwave_view* in,
                                                  const clwave_op* op, clwave_type accumulator,
                                                  const void* start, void* result,
                                                  const clwave_options* options);

/// Combines map(x) of all elements of `x`, or map(x, y) of `x` and `y` side by side, into the first element
/// of `out`. `y` is optional, and has the type and the length of `x`. Does not block.
CLWAVE_EXPORT clwave_status clwave_transform_reduce(cl_command_queue queue, const clwave_view* x,
                                                    const clwave_view* y, const clwave_view* out,
                                                    const clwave_op* op, const clwave_map* map,
                                                    const void* start, const clwave_options* options,
                                                    cl_event* event);

/// Combines map(x) of all elements of `x`, or map(x, y) of `x` and `y` side by side, accumulated in
/// `accumulator`, into memory of the host that has room for a value of that type. `y` is optional, and has
/// the type and the length of `x`. Blocks until the value is there. No elements: the operator's identity.
CLWAVE_EXPORT clwave_status clwave_transform_reduce_to_host(cl_command_queue queue, const clwave_view* x,
                                                            const clwave_view* y, const clwave_op* op,
                                                            const clwave_map* map, clwave_type accumulator,
                                                            const void* start, void* result,
                                                            const clwave_options* options);

/// The scalar product of `x` and `y`, of one type and length, into the first element of `out`, in whose type
/// products are taken and added. Does not block.
CLWAVE_EXPORT clwave_status clwave_dot(cl_command_queue queue, const clwave_view* x, const clwave_view* y,
                                       const clwave_view* out, const void* start,
                                       const clwave_options* options, cl_event* event);

/// The scalar product of `x` and `y`, of one type and length, into memory of the host that has room for a
/// value of type `accumulator`, in which products are taken and added. Blocks until the value is there.
CLWAVE_EXPORT clwave_status clwave_dot_to_host(cl_command_queue queue, const clwave_view* x,
                                               const clwave_view* y, clwave_type accumulator,
                                               const void* start, void* result,
                                               const clwave_options* options);

/// The smallest element and its index, the first one on ties; a NaN counts as smaller than everything. The
/// value has the type of the elements, which are scalars, but float for halves and bfloat16. Either pointer
/// may be NULL. Blocks until both are there. No elements are refused. For a result on the device, give
/// CLWAVE_ARGMIN to clwave_reduce.
CLWAVE_EXPORT clwave_status clwave_argmin_to_host(cl_command_queue queue, const clwave_view* in, void* value,
                                                  uint64_t* index, const clwave_options* options);

/// The largest element and its index, the first one on ties; a NaN counts as larger than everything. The
/// value has the type of the elements, which are scalars, but float for halves and bfloat16. Either pointer
/// may be NULL. Blocks until both are there. No elements are refused.
CLWAVE_EXPORT clwave_status clwave_argmax_to_host(cl_command_queue queue, const clwave_view* in, void* value,
                                                  uint64_t* index, const clwave_options* options);

/// For how many elements of `x`, or of `x` and `y` side by side, the predicate is other than 0, into the
/// first element of `out`, one CLWAVE_U64. The predicate is a text of yours in `x`, its index `i` and, where
/// `y` is not NULL, `y`, which has the type and the length of `x`. Does not block. In full: statistics.hpp.
CLWAVE_EXPORT clwave_status clwave_count_if(cl_command_queue queue, const clwave_view* x,
                                            const clwave_view* y, const clwave_view* out,
                                            const clwave_map* predicate, const clwave_options* options,
                                            cl_event* event);

/// For how many elements of `x`, or of `x` and `y` side by side, the predicate is other than 0, into memory
/// of the host. The predicate is a text of yours in `x`, its index `i` and, where `y` is not NULL, `y`.
/// Blocks until the count is there.
CLWAVE_EXPORT clwave_status clwave_count_if_to_host(cl_command_queue queue, const clwave_view* x,
                                                    const clwave_view* y, const clwave_map* predicate,
                                                    uint64_t* count, const clwave_options* options);

/// The type of the results of clwave_minmax over numbers of 1 to 8 bytes: a structure of the least and the
/// greatest, `struct { T min, max; }`, where T is float for halves and bfloat16.
CLWAVE_EXPORT clwave_status clwave_minmax_type(clwave_type of, clwave_type* type);

/// The least and the greatest of the elements, numbers of 1 to 8 bytes, into the first element of `out`, of
/// clwave_minmax_type. A NaN anywhere makes both NaN, and -0 is less than +0. Of no elements the least is the
/// greatest number of the type (infinity), and the greatest the least. Does not block. In full:
/// statistics.hpp.
CLWAVE_EXPORT clwave_status clwave_minmax(cl_command_queue queue, const clwave_view* in,
                                          const clwave_view* out, const clwave_options* options,
                                          cl_event* event);

/// The least and the greatest of the elements, numbers of 1 to 8 bytes, into memory of the host, each of
/// which has room for a number of the elements' type, of float for halves and bfloat16. A NaN anywhere makes
/// both NaN. Either pointer may be NULL. Blocks until both are there.
CLWAVE_EXPORT clwave_status clwave_minmax_to_host(cl_command_queue queue, const clwave_view* in, void* min,
                                                  void* max, const clwave_options* options);

/// What clwave_mean_and_variance gives, computed in floats. The variance of the elements is squares / n, that
/// of what they are a sample of squares / (n - 1).
typedef struct clwave_moments_f32 {
  uint64_t n;     ///< how many elements there are
  float mean;     ///< their mean; of no elements 0
  float squares;  ///< the sum of the squares of their distances from the mean
} clwave_moments_f32;

/// What clwave_mean_and_variance gives, computed in doubles.
typedef struct clwave_moments_f64 {
  uint64_t n;      ///< how many elements there are
  double mean;     ///< their mean; of no elements 0
  double squares;  ///< the sum of the squares of their distances from the mean
} clwave_moments_f64;

/// The type of the results of clwave_mean_and_variance, computed in CLWAVE_F32 or CLWAVE_F64:
/// clwave_moments_f32 or clwave_moments_f64.
CLWAVE_EXPORT clwave_status clwave_moments_type(clwave_type of, clwave_type* type);

/// How many elements there are, their mean, and the sum of the squares of their distances from it, into the
/// first element of `out`, of clwave_moments_type. The elements are numbers of 1 to 8 bytes, and are
/// converted to the type of out's mean first. Does not block. In full: statistics.hpp.
CLWAVE_EXPORT clwave_status clwave_mean_and_variance(cl_command_queue queue, const clwave_view* in,
                                                     const clwave_view* out, const clwave_options* options,
                                                     cl_event* event);

/// How many elements there are, their mean, and the sum of the squares of their distances from it, into
/// memory of the host: `accumulator`, which they are computed in, is CLWAVE_F32 or CLWAVE_F64, and `result`
/// points to a clwave_moments_f32 or a clwave_moments_f64. Blocks until it is there.
CLWAVE_EXPORT clwave_status clwave_mean_and_variance_to_host(cl_command_queue queue, const clwave_view* in,
                                                             clwave_type accumulator, void* result,
                                                             const clwave_options* options);

/// Combines each row of the matrices in `in`: out[b * rows + r] is the result of row r of matrix b. `in`
/// begins with the first matrix's first element and reaches to the last one's last. `pitches` are optional.
/// In a map's text `i` is the element's place in its row. A row without elements gives the identity. Does not
/// block. With CLWAVE_ARGMIN and CLWAVE_ARGMAX `out` is of clwave_indexed_type. In full: reduce_rows.hpp.
CLWAVE_EXPORT clwave_status clwave_reduce_rows(cl_command_queue queue, const clwave_view* in,
                                               const clwave_view* out, const clwave_matrices* matrices,
                                               const clwave_pitches* pitches, const clwave_op* op,
                                               const clwave_map* map, const clwave_options* options,
                                               cl_event* event);

/// The least and the greatest element of each row: out[b * rows + r], of clwave_minmax_type, is that of row r
/// of matrix b. `in` begins with the first matrix's first element and reaches to the last one's last.
/// `pitches` are optional. A NaN in a row makes both NaN. Does not block. In full: reduce_rows.hpp.
CLWAVE_EXPORT clwave_status clwave_minmax_rows(cl_command_queue queue, const clwave_view* in,
                                               const clwave_view* out, const clwave_matrices* matrices,
                                               const clwave_pitches* pitches, const clwave_options* options,
                                               cl_event* event);

/// The number of elements of each row, their mean, and the sum of the squares of their distances from it:
/// out[b * rows + r], of clwave_moments_type, is that of row r of matrix b. `in` begins with the first
/// matrix's first element and reaches to the last one's last. `pitches` are optional. Does not block. In
/// full: reduce_rows.hpp.
CLWAVE_EXPORT clwave_status clwave_mean_and_variance_rows(cl_command_queue queue, const clwave_view* in,
                                                          const clwave_view* out,
                                                          const clwave_matrices* matrices,
                                                          const clwave_pitches* pitches,
                                                          const clwave_options* options, cl_event* event);

/// Combines each column of the matrices in `in`: out[b * columns + c] is the result of column c of matrix b.
/// `in` begins with the first matrix's first element and reaches to the last one's last. `pitches` are
/// optional. In a map's text `i` is the element's row. A column without elements gives the identity. Does not
/// block. With CLWAVE_ARGMIN and CLWAVE_ARGMAX `out` is of clwave_indexed_type. In full: reduce_columns.hpp.
CLWAVE_EXPORT clwave_status clwave_reduce_columns(cl_command_queue queue, const clwave_view* in,
                                                  const clwave_view* out, const clwave_matrices* matrices,
                                                  const clwave_pitches* pitches, const clwave_op* op,
                                                  const clwave_map* map, const clwave_options* options,
                                                  cl_event* event);

/// The least and the greatest element of each column: out[b * columns + c], of clwave_minmax_type, is that of
/// column c of matrix b. `in` begins with the first matrix's first element and reaches to the last one's
/// last. `pitches` are optional. A NaN in a column makes both NaN. Does not block. In full:
/// reduce_columns.hpp.
CLWAVE_EXPORT clwave_status clwave_minmax_columns(cl_command_queue queue, const clwave_view* in,
                                                  const clwave_view* out, const clwave_matrices* matrices,
                                                  const clwave_pitches* pitches,
                                                  const clwave_options* options, cl_event* event);

/// The number of elements of each column, their mean, and the sum of the squares of their distances from it:
/// out[b * columns + c], of clwave_moments_type, is that of column c of matrix b. `in` begins with the first
/// matrix's first element and reaches to the last one's last. `pitches` are optional. Does not block. In
/// full: reduce_columns.hpp.
CLWAVE_EXPORT clwave_status clwave_mean_and_variance_columns(cl_command_queue queue, const clwave_view* in,
                                                             const clwave_view* out,
                                                             const clwave_matrices* matrices,
                                                             const clwave_pitches* pitches,
                                                             const clwave_options* options, cl_event* event);

/// Combines each segment: segment s is in[offsets[s]] to in[offsets[s + 1] - 1], and its result out[s].
/// Offsets are CLWAVE_U32 or CLWAVE_U64, one more than segments; their count is one of segments. `bad` is
/// optional, one CLWAVE_U64: how many segments are not combined, because they end before they begin or past
/// the input, or are empty where the operator has no identity. Nothing outside `in` is read. Does not block.
/// In full: segmented_reduce.hpp.
CLWAVE_EXPORT clwave_status clwave_segmented_reduce(cl_command_queue queue, const clwave_view* in,
                                                    const clwave_view* offsets, const clwave_view* out,
                                                    const clwave_view* bad, const clwave_op* op,
                                                    const clwave_map* map, const clwave_options* options,
                                                    cl_event* event);

/// Combines each segment into out[s]. Segment s is in[offsets[s]] to in[offsets[s + 1] - 1]; offsets are
/// CLWAVE_U32 or CLWAVE_U64, one more than segments. Blocks until the results are there. Returns
/// CLWAVE_ERROR_BAD_CALL, with their number in the message, where segments end before they begin or past the
/// input, or are empty where the operator has no identity; `out` then is as it is without this check.
CLWAVE_EXPORT clwave_status clwave_checked_segmented_reduce(cl_command_queue queue, const clwave_view* in,
                                                            const clwave_view* offsets,
                                                            const clwave_view* out, const clwave_op* op,
                                                            const clwave_map* map,
                                                            const clwave_options* options);

/// The least and the greatest element of each segment into out[s], of clwave_minmax_type. Segment s is
/// in[offsets[s]] to in[offsets[s + 1] - 1]; offsets are CLWAVE_U32 or CLWAVE_U64, one more than segments.
/// `bad` is optional, one CLWAVE_U64: how many segments end before they begin or past the input. These get
/// the result of no elements, and nothing outside `in` is read. Does not block. In full:
/// segmented_reduce.hpp.
CLWAVE_EXPORT clwave_status clwave_segmented_minmax(cl_command_queue queue, const clwave_view* in,
                                                    const clwave_view* offsets, const clwave_view* out,
                                                    const clwave_view* bad, const clwave_options* options,
                                                    cl_event* event);

/// The number of elements of each segment, their mean, and the sum of the squares of their distances from it
/// into out[s], of clwave_moments_type. Segment s is in[offsets[s]] to in[offsets[s + 1] - 1]; offsets are
/// CLWAVE_U32 or CLWAVE_U64, one more than segments. `bad` is optional, one CLWAVE_U64: how many segments end
/// before they begin or past the input. These get the result of no elements, and nothing outside `in` is
/// read. Does not block. In full: segmented_reduce.hpp.
CLWAVE_EXPORT clwave_status clwave_segmented_mean_and_variance(cl_command_queue queue, const clwave_view* in,
                                                               const clwave_view* offsets,
                                                               const clwave_view* out, const clwave_view* bad,
                                                               const clwave_options* options,
                                                               cl_event* event);

/// Combines the values of each run of equal neighbouring keys: writes the first key of each run to
/// `keys_out`, its result to `values_out`, and how many runs there are to `count`, one CLWAVE_U64. Keys and
/// values are equally many. `same` is true of two neighbours `a` and `b` that are equal; NULL for ==. Runs
/// past the end of the shorter output are not written, and still counted. Does not block. In full:
/// reduce_by_key.hpp.
CLWAVE_EXPORT clwave_status clwave_reduce_by_key(cl_command_queue queue, const clwave_view* keys,
                                                 const clwave_view* values, const clwave_view* keys_out,
                                                 const clwave_view* values_out, const clwave_view* count,
                                                 const clwave_op* op, const clwave_map* map,
                                                 const clwave_op* same, const clwave_options* options,
                                                 cl_event* event);

/// Combines the values of each run of equal neighbouring keys: writes the first key of each run to
/// `keys_out`, its result to `values_out`, and how many runs there are to memory of the host. `same` is true
/// of two neighbours `a` and `b` that are equal; NULL for ==. Blocks until the results are there.
CLWAVE_EXPORT clwave_status clwave_reduce_by_key_to_host(cl_command_queue queue, const clwave_view* keys,
                                                         const clwave_view* values,
                                                         const clwave_view* keys_out,
                                                         const clwave_view* values_out, const clwave_op* op,
                                                         const clwave_map* map, const clwave_op* same,
                                                         uint64_t* count, const clwave_options* options);

#ifdef __cplusplus
}
#endif
