/// @file
/// Calls from C that move, convert and compute elements: transforms, copies, gathers and scatters,
/// transposes, layouts, matrix products and histograms. clwave.h says what holds for all calls.
///
/// Those called clwave_checked_... block; no other one does. Overlaps that are not allowed, views that are
/// too short or past their buffers, and objects of another context are refused with CLWAVE_ERROR_BAD_CALL.
#pragma once

#include <clwave/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Sets each element of `out` to map(x), map(x, y) or map(x, y, z) of the elements at its place of `n_in`
/// inputs, 1 to 3, which stand side by side at `in`. All are equally long, of any types; `out` may be exactly
/// one of the inputs. A single input may be no array (lazy.h): of one without a map of its own, the map sees
/// its sources, at most 8, as x, y, z and w, or x0 to x7. Does not block. In full: transform.hpp.
CLWAVE_EXPORT clwave_status clwave_transform(cl_command_queue queue, const clwave_view* in, size_t n_in,
                                             const clwave_view* out, const clwave_map* map,
                                             const clwave_options* options, cl_event* event);

/// An output of clwave_transform_to, and the function that gives its elements.
typedef struct clwave_transform_output {
  const clwave_view* out;  ///< as long as the inputs, of any type
  const clwave_map* map;   ///< a text of yours in the inputs' names and the index `i`
} clwave_transform_output;

/// Sets the elements of 1 to 4 outputs, which stand side by side at `out`, to functions of 1 to 3 inputs, all
/// equally long: each element of every output becomes its map of the elements at its place, and each input is
/// read once. An output may be exactly one of the inputs, and overlaps nothing else. A single input may be no
/// array (lazy.h), without a map of its own where there are several outputs: their maps see its sources, at
/// most 8, as x, y, z and w, or x0 to x7. Does not block. In full: transform.hpp.
CLWAVE_EXPORT clwave_status clwave_transform_to(cl_command_queue queue, const clwave_view* in, size_t n_in,
                                                const clwave_transform_output* out, size_t n_out,
                                                const clwave_options* options, cl_event* event);

/// Where the predicate is other than 0, sets the element of `out` to map(x), or map(x, y), of the elements at
/// its place of `n_in` inputs, 1 or 2, which stand side by side at `in`; all others keep their values, bit
/// for bit. The predicate is a text of yours in `x`, `y` and the index `i`, as the map is. All are equally
/// long, of any types; `out` may be exactly one of the inputs. Does not block. In full: transform.hpp.
CLWAVE_EXPORT clwave_status clwave_transform_if(cl_command_queue queue, const clwave_view* in, size_t n_in,
                                                const clwave_view* out, const clwave_map* map,
                                                const clwave_map* predicate, const clwave_options* options,
                                                cl_event* event);

/// Sets each element of `x` for which the predicate is other than 0 to the value, of x's type; all others
/// keep theirs. The predicate is a text of yours in `x` and its index `i`. The value is a number, or a vector
/// of numbers, of at most 32 bytes; it is copied, and another one builds nothing. Does not block.
CLWAVE_EXPORT clwave_status clwave_replace_if(cl_command_queue queue, const clwave_view* x,
                                              const clwave_map* predicate, const void* value,
                                              const clwave_options* options, cl_event* event);

/// Sets each element of `out` to map(i) of its index: a text of yours in `i`, a ulong, from 0 on, whose value
/// is converted to out's type. Does not block.
CLWAVE_EXPORT clwave_status clwave_generate(cl_command_queue queue, const clwave_view* out,
                                            const clwave_map* map, const clwave_options* options,
                                            cl_event* event);

/// Sets element i of `out` to first + i * step, of numbers of 1 to 8 bytes. Both point to numbers of out's
/// type; NULL stands for 0 and 1. Integers wrap; halves and bfloat16 are computed as floats. Other numbers
/// build nothing. Does not block. In full: transform.hpp.
CLWAVE_EXPORT clwave_status clwave_iota(cl_command_queue queue, const clwave_view* out, const void* first,
                                        const void* step, const clwave_options* options, cl_event* event);

/// Sets out[0] to in[0], and out[i] to in[i] - in[i - 1] for all others, or to map(x, y) of x = in[i] and y =
/// in[i - 1] where `map` is not NULL: a text of yours in `x`, `y` and the index `i`. `out` may be exactly
/// `in`, which takes one launch more, and one element of workspace for each work-group. Does not block. In
/// full: transform.hpp.
CLWAVE_EXPORT clwave_status clwave_adjacent_difference(cl_command_queue queue, const clwave_view* in,
                                                       const clwave_view* out, const clwave_map* map,
                                                       const clwave_options* options, cl_event* event);

/// What the vector of a broadcast has a value for.
typedef enum clwave_per {
  CLWAVE_PER_ROW = 0,         ///< each row of the matrix
  CLWAVE_PER_COLUMN = 1,      ///< each column of the matrix
  CLWAVE_PER_32 = 0x7fffffff  ///< makes the enumeration 32 bits wide
} clwave_per;

/// Sets each element of the matrix `out` to map(x, b) of the element x of `in` at its place and the value b
/// of its row or column in `vector`. The text is in `x` and `b`. `out` may be `in`. `in_row` and `out_row`
/// say how far apart rows begin, in elements; 0: `columns`. Does not block. In full: transform.hpp.
CLWAVE_EXPORT clwave_status clwave_broadcast(cl_command_queue queue, const clwave_view* in,
                                             const clwave_view* vector, const clwave_view* out, uint64_t rows,
                                             uint64_t columns, uint64_t in_row, uint64_t out_row,
                                             clwave_per which, const clwave_map* map,
                                             const clwave_options* options, cl_event* event);

/// How a converting copy rounds.
typedef enum clwave_rounding {
  CLWAVE_ROUND_NATURAL = 0,       ///< towards zero to an integer, to nearest even to a float
  CLWAVE_ROUND_NEAREST_EVEN = 1,  ///< OpenCL's rte
  CLWAVE_ROUND_TOWARD_ZERO = 2,   ///< OpenCL's rtz
  CLWAVE_ROUND_UPWARD = 3,        ///< OpenCL's rtp
  CLWAVE_ROUND_DOWNWARD = 4,      ///< OpenCL's rtn
  CLWAVE_ROUND_32 = 0x7fffffff    ///< makes the enumeration 32 bits wide
} clwave_rounding;

/// Copies the elements of `in` to `out`, which are as many, and converts them where the types differ.
/// `saturate` brings an integer outside the range of an integer type to the nearest one inside, where it
/// would wrap. Both may not overlap. Does not block. In full: copy.hpp.
CLWAVE_EXPORT clwave_status clwave_copy(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                                        bool saturate, clwave_rounding rounding,
                                        const clwave_options* options, cl_event* event);

/// A box of elements: `depth` slices of `height` rows of `width` elements.
typedef struct clwave_box {
  uint64_t width;   ///< elements of a row
  uint64_t height;  ///< rows of a slice; 0 stands for 1
  uint64_t depth;   ///< slices; 0 stands for 1
} clwave_box;

/// Copies a box of elements of one type. Each view begins with the box's first element and reaches to its
/// last one, or on. Rows may not overlap one another, nor slices, nor the two sides. Pitches are optional.
/// Does not block. In full: copy.hpp.
CLWAVE_EXPORT clwave_status clwave_copy_box(cl_command_queue queue, const clwave_view* in,
                                            const clwave_view* out, const clwave_box* box,
                                            const clwave_pitches* in_pitches,
                                            const clwave_pitches* out_pitches, const clwave_options* options,
                                            cl_event* event);

/// Copies many ranges of elements: range k is in[starts[k]] to in[starts[k] + lengths[k] - 1], and goes to
/// out[out_starts[k]] and on. Elements have up to 128 bytes, and `in` and `out` are of one type. Starts and
/// lengths are all three CLWAVE_U32, or CLWAVE_U64, as many as there are ranges, in elements. A range that
/// leaves `in` or `out` copies nothing. `bad` is optional, one CLWAVE_U64: how many such ranges there are.
/// Where several ranges come to one element of `out`, it is that of one of them, whole where it has 1, 2, 4
/// or 8 bytes, and of which is not promised. `out` and `bad` overlap nothing else. Does not block. In full:
/// copy.hpp.
CLWAVE_EXPORT clwave_status clwave_copy_ranges(cl_command_queue queue, const clwave_view* in,
                                               const clwave_view* starts, const clwave_view* lengths,
                                               const clwave_view* out, const clwave_view* out_starts,
                                               const clwave_view* bad, const clwave_options* options,
                                               cl_event* event);

/// Copies many ranges of elements: range k is in[starts[k]] to in[starts[k] + lengths[k] - 1], and goes to
/// out[out_starts[k]] and on. Blocks until they are copied. Returns CLWAVE_ERROR_BAD_CALL, with their number
/// in the message, where ranges leave `in` or `out`; `out` then is as it is without this check.
CLWAVE_EXPORT clwave_status clwave_checked_copy_ranges(cl_command_queue queue, const clwave_view* in,
                                                       const clwave_view* starts, const clwave_view* lengths,
                                                       const clwave_view* out, const clwave_view* out_starts,
                                                       const clwave_options* options);

/// Sets each element of `out` to the value at `value` in the host's memory, of out's type and up to 128
/// bytes. It is copied. Does not block. In full: copy.hpp.
CLWAVE_EXPORT clwave_status clwave_fill(cl_command_queue queue, const clwave_view* out, const void* value,
                                        const clwave_options* options, cl_event* event);

/// Sets out[i] to in[indices[i]], or to map of it where `map` is not NULL: a text of yours in the element `x`
/// and in `i`, the number of the result. Where indices[i] is in->n or more, out[i] becomes the value at
/// `outside` in the host's memory, of out's type, to which no map is applied; it is copied, and NULL stands
/// for zero bytes. Indices are CLWAVE_U32 or CLWAVE_U64, as many as the results, and may be equal. Elements
/// have up to 128 bytes; `in` and `out` are of one type, or a map makes one of the other. `bad` is optional,
/// one CLWAVE_U64: how many indices are outside. `in` and `indices` may overlap, all else nothing. The same
/// bits on every device. Does not block. In full: gather.hpp.
CLWAVE_EXPORT clwave_status clwave_gather(cl_command_queue queue, const clwave_view* in,
                                          const clwave_view* indices, const clwave_view* out,
                                          const clwave_view* bad, const clwave_map* map, const void* outside,
                                          const clwave_options* options, cl_event* event);

/// Sets out[i] to in[indices[i]], or to map of it where `map` is not NULL. Blocks until the results are
/// there. Returns CLWAVE_ERROR_BAD_CALL, with their number in the message, where indices are in->n or more;
/// `out` then is as it is without this check.
CLWAVE_EXPORT clwave_status clwave_checked_gather(cl_command_queue queue, const clwave_view* in,
                                                  const clwave_view* indices, const clwave_view* out,
                                                  const clwave_map* map, const void* outside,
                                                  const clwave_options* options);

/// Sets out[indices[i]] to in[i], or to map of it where `map` is not NULL: a text of yours in the element `x`
/// and its number `i`. An index of out->n or more writes nothing, and elements of `out` that no index points
/// to keep their values. Of equal indices one of their elements stands, whole, and which one is not promised.
/// Where the caller knows that no two indices are equal, `distinct` saves a launch and memory for elements
/// that are not of 1, 2, 4 or 8 bytes; they may be torn where two are equal all the same. Indices are
/// CLWAVE_U32 or CLWAVE_U64, as many as the elements of `in`. Elements have up to 128 bytes; `in` and `out`
/// are of one type, or a map makes one of the other. `bad` is optional, one CLWAVE_U64: how many indices are
/// outside. `in` and `indices` may overlap, all else nothing. Does not block. In full: gather.hpp.
CLWAVE_EXPORT clwave_status clwave_scatter(cl_command_queue queue, const clwave_view* in,
                                           const clwave_view* indices, const clwave_view* out,
                                           const clwave_view* bad, const clwave_map* map, bool distinct,
                                           const clwave_options* options, cl_event* event);

/// Sets out[indices[i]] to in[i], or to map of it where `map` is not NULL. Blocks until the results are
/// there. Returns CLWAVE_ERROR_BAD_CALL, with their number in the message, where indices are out->n or more;
/// `out` then is as it is without this check.
CLWAVE_EXPORT clwave_status clwave_checked_scatter(cl_command_queue queue, const clwave_view* in,
                                                   const clwave_view* indices, const clwave_view* out,
                                                   const clwave_map* map, bool distinct,
                                                   const clwave_options* options);

/// Sets out[i] to in[indices[i]], or to the value at `outside`, where flags[i] is set, and leaves all other
/// elements of `out` as they are; their indices are not looked at. Flags are as many as the indices. Without
/// a predicate, NULL, they are integers or CLWAVE_BOOL, set where they are not 0; with one they have any type
/// of up to 128 bytes, and are set where it is not 0: a text of yours in `x`, the flag, and in `i`, its
/// number. It must be pure: asked twice of an element, it answers alike. Flags may overlap `in` and
/// `indices`, and not `out`. `bad` counts indices outside whose flags are set. Does not block. In full:
/// gather.hpp.
CLWAVE_EXPORT clwave_status clwave_gather_if(cl_command_queue queue, const clwave_view* in,
                                             const clwave_view* indices, const clwave_view* flags,
                                             const clwave_view* out, const clwave_view* bad,
                                             const clwave_map* predicate, const void* outside,
                                             const clwave_options* options, cl_event* event);

/// Sets out[indices[i]] to in[i] where flags[i] is set, and leaves all other elements of `out` as they are.
/// Flags are as many as the indices. Without a predicate, NULL, they are integers or CLWAVE_BOOL, set where
/// they are not 0; with one they have any type of up to 128 bytes, and are set where it is not 0: a text of
/// yours in `x`, the flag, and in `i`, its number, which must be pure. Of equal indices whose flags are set
/// one of their elements stands, whole unless `distinct`, which promises that there are none. `bad` is
/// optional, one CLWAVE_U64: how many indices outside `out` have a flag that is set. `out` and `bad` overlap
/// nothing. Does not block. In full: gather.hpp.
CLWAVE_EXPORT clwave_status clwave_scatter_if(cl_command_queue queue, const clwave_view* in,
                                              const clwave_view* indices, const clwave_view* flags,
                                              const clwave_view* out, const clwave_view* bad,
                                              const clwave_map* predicate, bool distinct,
                                              const clwave_options* options, cl_event* event);

/// Sets out[i] to in[n - 1 - i]. Both are of one type of up to 128 bytes and equally long, and may not
/// overlap. Does not block. In full: gather.hpp.
CLWAVE_EXPORT clwave_status clwave_reverse(cl_command_queue queue, const clwave_view* in,
                                           const clwave_view* out, const clwave_options* options,
                                           cl_event* event);

/// Sets out[i] to in[(i + first) mod n]: element `first`, which is less than n, becomes the first one. Both
/// are of one type of up to 128 bytes and equally long, and may not overlap. Another `first` builds nothing.
/// Does not block. In full: gather.hpp.
CLWAVE_EXPORT clwave_status clwave_rotate(cl_command_queue queue, const clwave_view* in,
                                          const clwave_view* out, uint64_t first,
                                          const clwave_options* options, cl_event* event);

/// Writes each matrix of `in`, of elements of 1 to 32 bytes, to `out` with rows and columns exchanged.
/// `matrices` says how large those of `in` are. The two sides may not overlap. Pitches are optional. Does not
/// block. In full: transpose.hpp.
CLWAVE_EXPORT clwave_status clwave_transpose(cl_command_queue queue, const clwave_view* in,
                                             const clwave_view* out, const clwave_matrices* matrices,
                                             const clwave_pitches* in_pitches,
                                             const clwave_pitches* out_pitches, const clwave_options* options,
                                             cl_event* event);

/// Exchanges the rows and columns of square matrices where they are. Pitches are optional. Does not block.
CLWAVE_EXPORT clwave_status clwave_transpose_in_place(cl_command_queue queue, const clwave_view* squares,
                                                      const clwave_matrices* matrices,
                                                      const clwave_pitches* pitches,
                                                      const clwave_options* options, cl_event* event);

/// A field of a structure.
typedef struct clwave_field {
  uint64_t n_bytes;  ///< 1 to 16
  uint64_t offset;   ///< in bytes, from the structure's begin on
} clwave_field;

/// A structure: its size with padding, at most 1024 bytes, and 1 to 16 of its fields, which may not overlap.
typedef struct clwave_layout {
  uint64_t n_bytes;            ///< from one structure to the next
  const clwave_field* fields;  ///< in the order that the arrays have; those left out are not moved
  size_t n_fields;             ///< how many fields there are
} clwave_layout;

/// Array of structures to structure of arrays: field f of structure i becomes element i of array f. There are
/// as many arrays as fields, side by side at `arrays`. Only bytes move: types of elements count by their
/// size, and views of CLWAVE_BYTE stand for the structures or elements whose bytes they are. Nothing may
/// overlap. Does not block. In full: layout.hpp.
CLWAVE_EXPORT clwave_status clwave_aos_to_soa(cl_command_queue queue, const clwave_view* structures,
                                              const clwave_layout* layout, const clwave_view* arrays,
                                              const clwave_options* options, cl_event* event);

/// Structure of arrays to array of structures, whose bytes that belong to no field become 0: element i of
/// array f becomes field f of structure i. There are as many arrays as fields, side by side at `arrays`. Only
/// bytes move: types of elements count by their size. Nothing may overlap. Does not block. In full:
/// layout.hpp.
CLWAVE_EXPORT clwave_status clwave_soa_to_aos(cl_command_queue queue, const clwave_view* arrays,
                                              const clwave_layout* layout, const clwave_view* structures,
                                              const clwave_options* options, cl_event* event);

/// Array of structures to blocks of `block` structures, each a structure of arrays. `blocks` is of
/// clwave_aosoa_bytes elements of CLWAVE_BYTE, or more. Only bytes move: types of elements count by their
/// size. Nothing may overlap. Does not block. In full: layout.hpp.
CLWAVE_EXPORT clwave_status clwave_aos_to_aosoa(cl_command_queue queue, const clwave_view* structures,
                                                const clwave_layout* layout, const clwave_view* blocks,
                                                uint64_t block, const clwave_options* options,
                                                cl_event* event);

/// Blocks of `block` structures to an array of structures, whose bytes that belong to no field become 0.
/// `blocks` is of clwave_aosoa_bytes elements of CLWAVE_BYTE, or more. Only bytes move. Nothing may overlap.
/// Does not block. In full: layout.hpp.
CLWAVE_EXPORT clwave_status clwave_aosoa_to_aos(cl_command_queue queue, const clwave_view* blocks,
                                                uint64_t block, const clwave_layout* layout,
                                                const clwave_view* structures, const clwave_options* options,
                                                cl_event* event);

/// How many bytes `n` structures take in blocks of `block`. Asks no device.
CLWAVE_EXPORT clwave_status clwave_aosoa_bytes(const clwave_layout* layout, uint64_t n, uint64_t block,
                                               uint64_t* n_bytes);

/// Which product of matrices. All fields are optional, and calls take NULL for none of them.
typedef struct clwave_gemm_options {
  size_t size;        ///< sizeof(clwave_gemm_options)
  uint64_t lda;       ///< how far apart the rows of A begin (column-major: columns); 0: without gaps
  uint64_t ldb;       ///< how far apart the rows of B begin (column-major: columns); 0: without gaps
  uint64_t ldc;       ///< how far apart the rows of C begin (column-major: columns); 0: without gaps
  uint64_t batches;   ///< how many products; 0 stands for 1
  uint64_t stride_a;  ///< how far apart the batches of A begin; 0: one follows another without gaps
  uint64_t stride_b;  ///< how far apart the batches of B begin; 0: without gaps
  uint64_t stride_c;  ///< how far apart the batches of C begin; 0: without gaps
  bool share_a;       ///< all batches have one A; not with stride_a
  bool share_b;       ///< all batches have one B; not with stride_b
  bool column_major;  ///< all three matrices are stored column after column
  bool transpose_a;   ///< A is stored as k x m
  bool transpose_b;   ///< B is stored as n x k
  bool allow_tf32;    ///< f32 may run on matrix instructions that round A and B to 10 bits of fraction
  bool same_bits;     ///< f16 and bf16 stay off matrix instructions, for the same bits on every device
} clwave_gemm_options;

/// Sets the matrix C, m x n, to alpha A B + beta C, where A is m x k and B is k x n. A and B are both of
/// CLWAVE_F32, CLWAVE_F64, CLWAVE_F16 or CLWAVE_BF16; C is of the same type, or of CLWAVE_F32 for the latter
/// two. With beta = 0 C is not read. C may share no bytes with A or B. Error bounds, and which bits are the
/// same on all devices, are in gemm.hpp. Does not block.
CLWAVE_EXPORT clwave_status clwave_gemm(cl_command_queue queue, uint64_t m, uint64_t n, uint64_t k,
                                        double alpha, const clwave_view* a, const clwave_view* b, double beta,
                                        const clwave_view* c, const clwave_gemm_options* product,
                                        const clwave_options* options, cl_event* event);

/// Which product of a matrix with a vector. All fields are optional, and calls take NULL for none of them.
typedef struct clwave_gemv_options {
  size_t size;        ///< sizeof(clwave_gemv_options)
  uint64_t lda;       ///< how far apart the rows of A begin (column-major: columns); 0: without gaps
  uint64_t step_x;    ///< elements from one element of x to the next; 0 stands for 1
  uint64_t step_y;    ///< elements from one element of y to the next; 0 stands for 1
  bool column_major;  ///< A is stored column after column
  bool transpose;     ///< A is stored as columns x rows
} clwave_gemv_options;

/// Sets the vector y, of `rows` elements, to alpha A x + beta y, where A is rows x columns. A and x are both
/// of CLWAVE_F32, CLWAVE_F64, CLWAVE_F16 or CLWAVE_BF16; y is of the same type, or of CLWAVE_F32 for the
/// latter two. Each sum has the bits of clwave_dot of A's row and x, and y the same bits on every device that
/// keeps denormal numbers. With beta = 0 y is not read; without columns or with alpha = 0 A and x are not;
/// what lies between the elements of y is not written. Does not block. In full: gemm.hpp.
CLWAVE_EXPORT clwave_status clwave_gemv(cl_command_queue queue, uint64_t rows, uint64_t columns, double alpha,
                                        const clwave_view* a, const clwave_view* x, double beta,
                                        const clwave_view* y, const clwave_gemv_options* product,
                                        const clwave_options* options, cl_event* event);

/// Counts the elements of `in` in even bins from `low` to before `high`, which are finite and rise. There are
/// as many bins as each channel has counts, 1 to 2^24: that of bin b of channel c is counts[c * bins + b], of
/// CLWAVE_U32 or CLWAVE_U64. Elements of 1 to 4 channels alternate. Elements outside all bins and NaNs count
/// nowhere. Counts are exact, and replace what was there. The input may be no array (lazy.h). Does not block.
/// In full: histogram.hpp.
CLWAVE_EXPORT clwave_status clwave_histogram(cl_command_queue queue, const clwave_view* in,
                                             const clwave_view* counts, double low, double high,
                                             uint32_t channels, const clwave_options* options,
                                             cl_event* event);

/// Counts the elements of `in` in bins between `n_edges` edges on the host, numbers of any scalar type side
/// by side, one more than bins: counts[c * bins + b], of CLWAVE_U32 or CLWAVE_U64, is how many elements of
/// channel c lie from edges[b] to before edges[b + 1]. Counts replace what was there. The edges are copied.
/// Edges that fall, or are NaN, are refused. Does not block.
CLWAVE_EXPORT clwave_status clwave_histogram_between(cl_command_queue queue, const clwave_view* in,
                                                     const clwave_view* counts, clwave_type edges_type,
                                                     const void* edges, size_t n_edges, uint32_t channels,
                                                     const clwave_options* options, cl_event* event);

/// Counts the elements of `in` in bins between edges on the device, of the elements' type, one more than
/// bins: counts[c * bins + b], of CLWAVE_U32 or CLWAVE_U64, is how many elements of channel c lie from
/// edges[b] to before edges[b + 1]. Counts replace what was there. The edges are not checked: where they fall
/// or are NaN, no count can be relied on. Does not block.
CLWAVE_EXPORT clwave_status clwave_histogram_between_device(cl_command_queue queue, const clwave_view* in,
                                                            const clwave_view* counts,
                                                            const clwave_view* edges, uint32_t channels,
                                                            const clwave_options* options, cl_event* event);

#ifdef __cplusplus
}
#endif
