/// @file
/// Inputs from C that are no arrays: elements that lie nowhere, and are made where a call needs them. A
/// function of the index, elements that indices point to, every so many of an array, an array backwards, and
/// a function of up to eight of these side by side. clwave.h says what holds for all calls, lazy_view.hpp
/// what such inputs cost.
///
/// They are given to a call as a view: clwave_lazy_view makes one of a clwave_lazy, which says what the
/// elements are. Such a view is taken for
///  - the input of clwave_reduce, clwave_transform_reduce (without `y`), clwave_argmin_to_host,
///    clwave_argmax_to_host, clwave_count_if (without `y`), clwave_minmax and clwave_mean_and_variance, and
///    of their like that end in _to_host;
///  - the input of clwave_reduce_rows, clwave_reduce_columns, and of minmax and mean_and_variance of rows and
///    columns;
///  - the input of clwave_inclusive_scan and clwave_exclusive_scan;
///  - the input of selections and runs, of clwave_unique_by_key the keys, and their ..._to_host;
///  - the input of histograms;
///  - the one input of clwave_transform, which makes an array of it, and of clwave_transform_to: there
///    without a map of its own, so that each output's map sees the sources.
///
/// All else refuses it with CLWAVE_ERROR_BAD_CALL, naming the operand: outputs, second inputs, values, flags
/// and offsets, clwave_dot, clwave_transform_if, searches, sorts, merges, copies and gathers among them. A
/// call gives the bits that it gives for an array of these elements. No output may overlap what they are made
/// of. An element may be made more than once.
#pragma once

#include <clwave/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What an element is made of: of index i the element `first + i * step` of an array, or where there are
/// indices, the element `indices[i]` of it. Buffers must live until the work on them is done; all else is
/// read by the call alone.
///
///     clwave_source plain = {.of = &x};
///     clwave_source every_third = {.of = &x, .step = 3};
///     clwave_source backwards = {.of = &x, .first = x.n - 1, .step = -1};
///     clwave_source gathered = {.of = &x, .indices = &indices, .outside = &nothing};
typedef struct clwave_source {
  const clwave_view* of;       ///< the array, without a count on the device
  uint64_t first;              ///< the element of index 0; 0 where there are indices
  int64_t step;                ///< from one index to the next; 0 stands for 1, and is needed beside indices
  const clwave_view* indices;  ///< as many as the input has elements, CLWAVE_U32 or CLWAVE_U64; NULL: none
  const void* outside;         ///< what an index outside gives, of the array's type; NULL: zero bytes
} clwave_source;

/// An input that is no array. A call reads it, its map and its sources before it returns, and keeps no
/// pointer to them: they may go then, also where the call has waited for nothing.
///
///     clwave_source sources[2] = {{.of = &hours}, {.of = &rate}};
///     clwave_lazy pay = {.size = sizeof pay, .n = n, .type = CLWAVE_F32, .map = product,  // "x * y"
///                        .sources = sources, .n_sources = 2};
///     clwave_view in = clwave_lazy_view(&pay);
///     clwave_reduce_to_host(queue, &in, NULL, CLWAVE_F32, NULL, &sum, NULL);
typedef struct clwave_lazy {
  size_t size;       ///< sizeof(clwave_lazy)
  uint64_t n;        ///< how many elements there are; the steps of each source stay in its array
  clwave_type type;  ///< of the elements; without a map CLWAVE_NO_TYPE will do, for that of the source
  /// A text of yours that makes an element of those of the sources: an expression in x, y, z and w, or in x0
  /// to x7 where there are more than four sources, and in the index `i`, whose value is converted to `type`
  /// as clwave_transform converts it. NULL: the elements are those of the one source, bit for bit; of several
  /// sources, the maps of clwave_transform or clwave_transform_to see them, and `type` says nothing.
  const clwave_map* map;
  const clwave_source* sources;  ///< at most 8, side by side
  size_t n_sources;              ///< how many; 0: the map is a function of `i` alone
} clwave_lazy;

/// A view of the elements of a lazy input, for the calls that take one. Its type is CLWAVE_LAZY, it has `n`
/// elements, and it refers to `lazy`, which must be there when a call gets the view; the other members are
/// the library's own. A call refuses a view of which a member was changed, by another buffer, offset or count
/// among them. Asks no device and cannot fail: what is wrong with the input, the calls say that get it, those
/// for NULL, too.
CLWAVE_EXPORT clwave_view clwave_lazy_view(const clwave_lazy* lazy);

#ifdef __cplusplus
}
#endif
