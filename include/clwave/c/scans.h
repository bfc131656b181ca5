/// @file
/// Scans from C: running folds of all elements, of segments, and of runs of equal keys. clwave.h says what
/// holds for all calls; scan.hpp has the order of combination, which is the same on every device.
///
/// In all of them `out` is as long as the input, lies apart from it or exactly in its place, and has the type
/// that is accumulated in. `op` is the operator, NULL for sums; `map` is applied to each element before, NULL
/// for none. `start` points to a value of out's type that stands before the first element; NULL: none.
/// Inclusive results are of all elements up to their place, exclusive ones of those before it; of an
/// exclusive scan without a start, the first result is the operator's identity. None of them blocks. Types
/// that the operator does not take, other overlaps, views that are past their buffers, and objects of another
/// context are refused with CLWAVE_ERROR_BAD_CALL.
///
/// clwave_inclusive_scan and clwave_exclusive_scan take inputs that are no arrays (lazy.h).
#pragma once

#include <clwave/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Sets each element of `out` to the fold of all elements up to its place. Does not block.
CLWAVE_EXPORT clwave_status clwave_inclusive_scan(cl_command_queue queue, const clwave_view* in,
                                                  const clwave_view* out, const clwave_op* op,
                                                  const clwave_map* map, const void* start,
                                                  const clwave_options* options, cl_event* event);

/// Sets each element of `out` to the fold of all elements before its place. Does not block.
CLWAVE_EXPORT clwave_status clwave_exclusive_scan(cl_command_queue queue, const clwave_view* in,
                                                  const clwave_view* out, const clwave_op* op,
                                                  const clwave_map* map, const void* start,
                                                  const clwave_options* options, cl_event* event);

/// An inclusive scan of each segment: segment s is in[offsets[s]] to in[offsets[s + 1] - 1]. Offsets are
/// CLWAVE_U32 or CLWAVE_U64, one more than segments; their count is one of segments. `start` stands before
/// each segment's first element. Elements of `out` in no segment stay as they are. `bad` is optional, one
/// CLWAVE_U64: how many segments end before they begin or past the input. Does not block. In full:
/// segmented_scan.hpp.
CLWAVE_EXPORT clwave_status clwave_segmented_inclusive_scan(cl_command_queue queue, const clwave_view* in,
                                                            const clwave_view* offsets,
                                                            const clwave_view* out, const clwave_view* bad,
                                                            const clwave_op* op, const clwave_map* map,
                                                            const void* start, const clwave_options* options,
                                                            cl_event* event);

/// An exclusive scan of each segment. Segment s is in[offsets[s]] to in[offsets[s + 1] - 1]; offsets are
/// CLWAVE_U32 or CLWAVE_U64, one more than segments. `start` is each segment's first result; NULL: the
/// operator's identity. Elements of `out` in no segment stay as they are. `bad` is optional, one CLWAVE_U64:
/// how many segments end before they begin or past the input. Does not block. In full: segmented_scan.hpp.
CLWAVE_EXPORT clwave_status clwave_segmented_exclusive_scan(cl_command_queue queue, const clwave_view* in,
                                                            const clwave_view* offsets,
                                                            const clwave_view* out, const clwave_view* bad,
                                                            const clwave_op* op, const clwave_map* map,
                                                            const void* start, const clwave_options* options,
                                                            cl_event* event);

/// An inclusive scan of the values of each run of equal neighbouring keys, which are as many. `start` stands
/// before each run's first value. `same` is true of two neighbours `a` and `b` that are equal; NULL for ==.
/// Does not block. In full: scan_by_key.hpp.
CLWAVE_EXPORT clwave_status clwave_inclusive_scan_by_key(cl_command_queue queue, const clwave_view* keys,
                                                         const clwave_view* values, const clwave_view* out,
                                                         const clwave_op* op, const clwave_map* map,
                                                         const clwave_op* same, const void* start,
                                                         const clwave_options* options, cl_event* event);

/// An exclusive scan of the values of each run of equal neighbouring keys, which are as many. `start` is each
/// run's first result; NULL: the operator's identity. `same` is true of two neighbours `a` and `b` that are
/// equal; NULL for ==. Does not block. In full: scan_by_key.hpp.
CLWAVE_EXPORT clwave_status clwave_exclusive_scan_by_key(cl_command_queue queue, const clwave_view* keys,
                                                         const clwave_view* values, const clwave_view* out,
                                                         const clwave_op* op, const clwave_map* map,
                                                         const clwave_op* same, const void* start,
                                                         const clwave_options* options, cl_event* event);

#ifdef __cplusplus
}
#endif
