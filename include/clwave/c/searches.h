/// @file
/// Searches from C, which stop early. clwave.h says what holds for all calls; search.hpp says how much of the
/// input they read.
///
/// Each looks for the first place that decides, and gives an index, CLWAVE_NOWHERE where there is no such
/// place, or a truth value: to the first element of `out` on the device, one CLWAVE_U64 or one CLWAVE_BOOL,
/// which may not overlap an input, or to memory of the host. A predicate is a text of yours in the element
/// `x` and its index `i`, true where it is other than 0. Results depend on nothing but the input, and are the
/// same on every device. Elements have any type of up to 128 bytes. Maps of clwave's own as predicates,
/// inputs of different types or lengths, views past their buffers, and objects of another context are refused
/// with CLWAVE_ERROR_BAD_CALL.
#pragma once

#include <clwave/c/base.h>
#include <clwave/c/sorts.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The index that clwave_find_if and clwave_mismatch give where there is no such place.
#define CLWAVE_NOWHERE UINT64_MAX

/// Writes the index of the first element for which the predicate is true to `out`. Does not block.
CLWAVE_EXPORT clwave_status clwave_find_if(cl_command_queue queue, const clwave_view* in,
                                           const clwave_view* out, const clwave_map* predicate,
                                           const clwave_options* options, cl_event* event);

/// The index of the first element for which the predicate is true, in memory of the host. Blocks until it is
/// there.
CLWAVE_EXPORT clwave_status clwave_find_if_to_host(cl_command_queue queue, const clwave_view* in,
                                                   const clwave_map* predicate, uint64_t* index,
                                                   const clwave_options* options);

/// Whether the predicate is true for some element; of no elements false. Does not block.
CLWAVE_EXPORT clwave_status clwave_any_of(cl_command_queue queue, const clwave_view* in,
                                          const clwave_view* out, const clwave_map* predicate,
                                          const clwave_options* options, cl_event* event);

/// Whether the predicate is true for some element, in memory of the host; of no elements false. Blocks until
/// it is there.
CLWAVE_EXPORT clwave_status clwave_any_of_to_host(cl_command_queue queue, const clwave_view* in,
                                                  const clwave_map* predicate, bool* truth,
                                                  const clwave_options* options);

/// Whether the predicate is true for all elements; of no elements true. Does not block.
CLWAVE_EXPORT clwave_status clwave_all_of(cl_command_queue queue, const clwave_view* in,
                                          const clwave_view* out, const clwave_map* predicate,
                                          const clwave_options* options, cl_event* event);

/// Whether the predicate is true for all elements, in memory of the host; of no elements true. Blocks until
/// it is there.
CLWAVE_EXPORT clwave_status clwave_all_of_to_host(cl_command_queue queue, const clwave_view* in,
                                                  const clwave_map* predicate, bool* truth,
                                                  const clwave_options* options);

/// Whether the predicate is true for no element; of no elements true. Does not block.
CLWAVE_EXPORT clwave_status clwave_none_of(cl_command_queue queue, const clwave_view* in,
                                           const clwave_view* out, const clwave_map* predicate,
                                           const clwave_options* options, cl_event* event);

/// Whether the predicate is true for no element, in memory of the host; of no elements true. Blocks until it
/// is there.
CLWAVE_EXPORT clwave_status clwave_none_of_to_host(cl_command_queue queue, const clwave_view* in,
                                                   const clwave_map* predicate, bool* truth,
                                                   const clwave_options* options);

/// The first index at which `x` and `y` differ. They are of one type and length, and may overlap. `same` is
/// true of `a`, of `x`, and `b`, of `y`, that are equal; NULL for ==, so that a NaN equals nothing;
/// structures need one. Does not block.
CLWAVE_EXPORT clwave_status clwave_mismatch(cl_command_queue queue, const clwave_view* x,
                                            const clwave_view* y, const clwave_view* out,
                                            const clwave_op* same, const clwave_options* options,
                                            cl_event* event);

/// The first index at which `x` and `y` differ, in memory of the host. They are of one type and length.
/// `same` is true of `a`, of `x`, and `b`, of `y`, that are equal; NULL for ==. Blocks until it is there.
CLWAVE_EXPORT clwave_status clwave_mismatch_to_host(cl_command_queue queue, const clwave_view* x,
                                                    const clwave_view* y, const clwave_op* same,
                                                    uint64_t* index, const clwave_options* options);

/// Whether `x` and `y` differ at no index. They are of one type and length, and may overlap. `same` is true
/// of `a`, of `x`, and `b`, of `y`, that are equal; NULL for ==, so that a NaN equals nothing; structures
/// need one. Does not block.
CLWAVE_EXPORT clwave_status clwave_equal(cl_command_queue queue, const clwave_view* x, const clwave_view* y,
                                         const clwave_view* out, const clwave_op* same,
                                         const clwave_options* options, cl_event* event);

/// Whether `x` and `y`, of one type and length, differ at no index, in memory of the host. `same` is true of
/// `a`, of `x`, and `b`, of `y`, that are equal; NULL for ==. Blocks until it is there.
CLWAVE_EXPORT clwave_status clwave_equal_to_host(cl_command_queue queue, const clwave_view* x,
                                                 const clwave_view* y, const clwave_op* same, bool* truth,
                                                 const clwave_options* options);

/// Whether no element comes before the one at its left: whether `in` is in this order, as sorts leave it.
/// NULL for numbers, the smallest first; keys are refused. Does not block.
CLWAVE_EXPORT clwave_status clwave_is_sorted(cl_command_queue queue, const clwave_view* in,
                                             const clwave_view* out, const clwave_order* order,
                                             const clwave_options* options, cl_event* event);

/// Whether no element comes before the one at its left in this order, in memory of the host. NULL for
/// numbers, the smallest first; keys are refused. Blocks until it is there.
CLWAVE_EXPORT clwave_status clwave_is_sorted_to_host(cl_command_queue queue, const clwave_view* in,
                                                     const clwave_order* order, bool* truth,
                                                     const clwave_options* options);

#ifdef __cplusplus
}
#endif
