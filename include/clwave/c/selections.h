/// @file
/// Selections from C: the elements that are kept, side by side in the order they had, and how many there are.
/// clwave.h says what holds for all calls; select.hpp has each selection in full.
///
/// In all of them outputs have the type of what they are copied from, and may be shorter: elements past the
/// end are not written, and the count still says how many there would be. What lies behind the kept elements
/// is not touched. `count` is one element of CLWAVE_U64 on the device, or for calls named ..._to_host a
/// number on the host. No output may overlap anything. Elements have any type of up to 128 bytes. Predicates
/// are maps; NULL takes the elements that are not 0, and is refused as the second predicate of
/// clwave_partition_three and for clwave_copy_flagged_if. `same` is an operator that is true of two
/// neighbours `a` and `b` that are equal, NULL for ==, which structures do not have. Both must be pure,
/// because they may see an element more than once. Views that overlap or are past their buffers, and objects
/// of another context, are refused with CLWAVE_ERROR_BAD_CALL.
///
/// The input of each, of clwave_unique_by_key the keys, may be no array (lazy.h).
#pragma once

#include <clwave/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Copies the elements x of `in` for which predicate(x) is not 0 to the front of `out`, in their order. Does
/// not block.
CLWAVE_EXPORT clwave_status clwave_copy_if(cl_command_queue queue, const clwave_view* in,
                                           const clwave_view* out, const clwave_view* count,
                                           const clwave_map* predicate, const clwave_options* options,
                                           cl_event* event);

/// Copies the elements x of `in` for which predicate(x) is not 0 to the front of `out`, in their order, and
/// their number to memory of the host. Blocks until both are there.
CLWAVE_EXPORT clwave_status clwave_copy_if_to_host(cl_command_queue queue, const clwave_view* in,
                                                   const clwave_view* out, const clwave_map* predicate,
                                                   uint64_t* count, const clwave_options* options);

/// Copies the elements of `in` whose flag is not 0, in their order. `flags` are integers or CLWAVE_BOOL, as
/// many as `in` has elements. Does not block.
CLWAVE_EXPORT clwave_status clwave_copy_flagged(cl_command_queue queue, const clwave_view* in,
                                                const clwave_view* flags, const clwave_view* out,
                                                const clwave_view* count, const clwave_options* options,
                                                cl_event* event);

/// Copies the elements of `in` whose flag is not 0 to `out`, in their order, and their number to memory of
/// the host. Blocks until both are there. `flags` are integers or CLWAVE_BOOL, as many as `in` has elements.
CLWAVE_EXPORT clwave_status clwave_copy_flagged_to_host(cl_command_queue queue, const clwave_view* in,
                                                        const clwave_view* flags, const clwave_view* out,
                                                        uint64_t* count, const clwave_options* options);

/// Copies the elements x of `in` for which predicate(x, y) is not 0, in their order, where y is the flag at
/// the place of x: the predicate is a text of yours in `x`, `y` and the index `i`. `flags`, a stencil, have
/// any type of up to 128 bytes, and are as many as `in` has elements. Does not block.
CLWAVE_EXPORT clwave_status clwave_copy_flagged_if(cl_command_queue queue, const clwave_view* in,
                                                   const clwave_view* flags, const clwave_view* out,
                                                   const clwave_view* count, const clwave_map* predicate,
                                                   const clwave_options* options, cl_event* event);

/// Copies the elements x of `in` for which predicate(x, y) is not 0, where y is the flag at the place of x,
/// to `out`, in their order, and their number to memory of the host. Blocks until both are there.
CLWAVE_EXPORT clwave_status clwave_copy_flagged_if_to_host(cl_command_queue queue, const clwave_view* in,
                                                           const clwave_view* flags, const clwave_view* out,
                                                           const clwave_map* predicate, uint64_t* count,
                                                           const clwave_options* options);

/// Copies all elements of `in` to `out`, which is as long or longer: first those for which predicate(x) is
/// not 0, behind them the others, both in their order. The count is that of the first ones. Does not block.
CLWAVE_EXPORT clwave_status clwave_partition(cl_command_queue queue, const clwave_view* in,
                                             const clwave_view* out, const clwave_view* count,
                                             const clwave_map* predicate, const clwave_options* options,
                                             cl_event* event);

/// Copies all elements of `in` to `out`, which is as long or longer: first those for which predicate(x) is
/// not 0, behind them the others, both in their order. The number of the first ones goes to memory of the
/// host. Blocks until both are there.
CLWAVE_EXPORT clwave_status clwave_partition_to_host(cl_command_queue queue, const clwave_view* in,
                                                     const clwave_view* out, const clwave_map* predicate,
                                                     uint64_t* count, const clwave_options* options);

/// Copies the elements of `in` for which predicate(x) is not 0 to the front of `out`, and all others to the
/// front of `others`, both in their order. The count is that of the first ones. Does not block.
CLWAVE_EXPORT clwave_status clwave_partition_copy(cl_command_queue queue, const clwave_view* in,
                                                  const clwave_view* out, const clwave_view* others,
                                                  const clwave_view* count, const clwave_map* predicate,
                                                  const clwave_options* options, cl_event* event);

/// Copies the elements of `in` for which predicate(x) is not 0 to `out`, and all others to `others`, both in
/// their order. The number of the first ones goes to memory of the host. Blocks until all are there.
CLWAVE_EXPORT clwave_status clwave_partition_copy_to_host(cl_command_queue queue, const clwave_view* in,
                                                          const clwave_view* out, const clwave_view* others,
                                                          const clwave_map* predicate, uint64_t* count,
                                                          const clwave_options* options);

/// Copies the elements of `in` for which is_first(x) is not 0 to the front of `first`, those of the others
/// for which is_second(x) is not 0 to the front of `second`, and all that are left to the front of `rest`,
/// each in their order. `counts` are two of CLWAVE_U64 on the device: how many `first` and `second` are for.
/// Does not block.
CLWAVE_EXPORT clwave_status clwave_partition_three(cl_command_queue queue, const clwave_view* in,
                                                   const clwave_view* first, const clwave_view* second,
                                                   const clwave_view* rest, const clwave_view* counts,
                                                   const clwave_map* is_first, const clwave_map* is_second,
                                                   const clwave_options* options, cl_event* event);

/// Copies the first element of each run of equal neighbours in `in`. Does not block.
CLWAVE_EXPORT clwave_status clwave_unique(cl_command_queue queue, const clwave_view* in,
                                          const clwave_view* out, const clwave_view* count,
                                          const clwave_op* same, const clwave_options* options,
                                          cl_event* event);

/// Copies the first element of each run of equal neighbours in `in` to `out`, and their number to memory of
/// the host. Blocks until both are there.
CLWAVE_EXPORT clwave_status clwave_unique_to_host(cl_command_queue queue, const clwave_view* in,
                                                  const clwave_view* out, const clwave_op* same,
                                                  uint64_t* count, const clwave_options* options);

/// Copies the first key of each run of equal neighbouring keys to `keys_out`, and the value at its place to
/// `values_out`. Keys and values are equally many. The shorter output is the room for both. Does not block.
CLWAVE_EXPORT clwave_status clwave_unique_by_key(cl_command_queue queue, const clwave_view* keys,
                                                 const clwave_view* values, const clwave_view* keys_out,
                                                 const clwave_view* values_out, const clwave_view* count,
                                                 const clwave_op* same, const clwave_options* options,
                                                 cl_event* event);

/// Copies the first key of each run of equal neighbouring keys to `keys_out`, the value at its place to
/// `values_out`, and their number to memory of the host. Blocks until both are there.
CLWAVE_EXPORT clwave_status clwave_unique_by_key_to_host(cl_command_queue queue, const clwave_view* keys,
                                                         const clwave_view* values,
                                                         const clwave_view* keys_out,
                                                         const clwave_view* values_out, const clwave_op* same,
                                                         uint64_t* count, const clwave_options* options);

/// Writes the first element of each run of equal neighbours in `in` to `values_out`, and how many elements
/// the run has to `lengths_out`, of CLWAVE_U32 or CLWAVE_U64. The count is that of the runs. Does not block.
CLWAVE_EXPORT clwave_status clwave_run_lengths(cl_command_queue queue, const clwave_view* in,
                                               const clwave_view* values_out, const clwave_view* lengths_out,
                                               const clwave_view* count, const clwave_op* same,
                                               const clwave_options* options, cl_event* event);

/// Writes the first element of each run of equal neighbours in `in` to `values_out`, how many elements the
/// run has to `lengths_out`, of CLWAVE_U32 or CLWAVE_U64, and the number of runs to memory of the host.
/// Blocks until all are there.
CLWAVE_EXPORT clwave_status clwave_run_lengths_to_host(cl_command_queue queue, const clwave_view* in,
                                                       const clwave_view* values_out,
                                                       const clwave_view* lengths_out, const clwave_op* same,
                                                       uint64_t* count, const clwave_options* options);

/// Writes the index of the first element of each run of equal neighbours in `in` to `offsets_out`, of
/// CLWAVE_U64, and behind the last one the number of elements. The count is that of the runs, one less than
/// the offsets. Does not block.
CLWAVE_EXPORT clwave_status clwave_run_offsets(cl_command_queue queue, const clwave_view* in,
                                               const clwave_view* offsets_out, const clwave_view* count,
                                               const clwave_op* same, const clwave_options* options,
                                               cl_event* event);

/// Writes the index of the first element of each run of equal neighbours in `in` to `offsets_out`, of
/// CLWAVE_U64, behind the last one the number of elements, and the number of runs to memory of the host.
/// Blocks until all are there.
CLWAVE_EXPORT clwave_status clwave_run_offsets_to_host(cl_command_queue queue, const clwave_view* in,
                                                       const clwave_view* offsets_out, const clwave_op* same,
                                                       uint64_t* count, const clwave_options* options);

#ifdef __cplusplus
}
#endif
