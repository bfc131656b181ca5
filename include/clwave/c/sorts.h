/// @file
/// Sorts from C, and calls on sorted ranges: merges, bounds, set operations, top_k and
/// segmented_top_k. clwave.h says what
/// holds for all calls; sort.hpp has the orders in full.
///
/// `order` says by what elements are ordered; NULL for numbers, the smallest first. All sorts and merges are
/// stable. Results depend on nothing but the input, and are the same on every device. Outputs are as long as
/// is needed, or longer; what follows is not written. Values have any type of up to 128 bytes and are as many
/// as the keys. Elements that are no numbers where nothing else orders them, bits that a key has not, more
/// than one kind of order, overlaps that are not allowed, views past their buffers, and objects of another
/// context are refused with CLWAVE_ERROR_BAD_CALL.
#pragma once

#include <clwave/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A number that elements are sorted by, and that a map makes of each.
typedef struct clwave_sort_key {
  const clwave_map* of;  ///< of a text of yours, in the element `x` and its index `i`
  clwave_type type;      ///< what the text's value becomes: a number of 1 to 8 bytes, or CLWAVE_BOOL
  uint32_t first_bit;    ///< the lowest bit of the number that is compared
  uint32_t last_bit;     ///< the bit behind the highest that is; 0: all that the number has
  bool descending;       ///< the largest number first
} clwave_sort_key;

/// An order: that of numbers, of an operator, or of keys. Only sorts take keys.
typedef struct clwave_order {
  size_t size;                  ///< sizeof(clwave_order)
  const clwave_op* less;        ///< true where `a` comes before `b`, a strict weak ordering; NULL: none
  const clwave_sort_key* keys;  ///< the one that decides first, then those for elements it finds equal
  size_t n_keys;                ///< how many keys there are, at most 8; 0: elements are ordered themselves
  /// Numbers are compared by the bits from `first_bit` to before `last_bit` alone, counted from the lowest
  /// one (sort_order.hpp); 0 for `last_bit` stands for all that the number has.
  uint32_t first_bit;
  uint32_t last_bit;  ///< the bit behind the highest that is compared; 0: all
  bool descending;    ///< the largest number first; not with `less` or `keys`, which say it themselves
} clwave_order;

/// Sorts the elements of `in` into `out`, which lies apart or exactly in its place. Does not block.
CLWAVE_EXPORT clwave_status clwave_sort(cl_command_queue queue, const clwave_view* in, const clwave_view* out,
                                        const clwave_order* order, const clwave_options* options,
                                        cl_event* event);

/// Sorts keys, and brings each value to the place of its key. Each of both may be sorted in place. Does not
/// block.
CLWAVE_EXPORT clwave_status clwave_sort_by_key(cl_command_queue queue, const clwave_view* keys,
                                               const clwave_view* values, const clwave_view* keys_out,
                                               const clwave_view* values_out, const clwave_order* order,
                                               const clwave_options* options, cl_event* event);

/// Writes to `indices`, of CLWAVE_U32 or CLWAVE_U64, where in `keys` the first key of the order lies, then
/// the next one, and so on. The keys are only read. Does not block.
CLWAVE_EXPORT clwave_status clwave_argsort(cl_command_queue queue, const clwave_view* keys,
                                           const clwave_view* indices, const clwave_order* order,
                                           const clwave_options* options, cl_event* event);

/// Sorts each segment of `in` to the same places of `out`, which lies apart or exactly in its place. Segment
/// s is in[offsets[s]] to in[offsets[s + 1] - 1]; offsets are CLWAVE_U32 or CLWAVE_U64, one more than
/// segments; their count is one of segments. `bad` is optional, one CLWAVE_U64: how many segments end before
/// they begin or past the input. Does not block. In full: segmented_sort.hpp.
CLWAVE_EXPORT clwave_status clwave_segmented_sort(cl_command_queue queue, const clwave_view* in,
                                                  const clwave_view* offsets, const clwave_view* out,
                                                  const clwave_view* bad, const clwave_order* order,
                                                  const clwave_options* options, cl_event* event);

/// Sorts each segment of `in` to the same places of `out`, which lies apart or exactly in its place. Segment
/// s is in[offsets[s]] to in[offsets[s + 1] - 1]; offsets are CLWAVE_U32 or CLWAVE_U64, one more than
/// segments. Blocks until the results are there. Returns CLWAVE_ERROR_BAD_CALL, with their number in the
/// message, where segments end before they begin or past the input; `out` then is as it is without this
/// check.
CLWAVE_EXPORT clwave_status clwave_checked_segmented_sort(cl_command_queue queue, const clwave_view* in,
                                                          const clwave_view* offsets, const clwave_view* out,
                                                          const clwave_order* order,
                                                          const clwave_options* options);

/// Sorts the keys of each segment, and brings each value to the place of its key. Segment s has the keys from
/// keys[offsets[s]] to keys[offsets[s + 1] - 1]; offsets are CLWAVE_U32 or CLWAVE_U64, one more than
/// segments. Each output lies apart from its input or exactly in its place. `bad` is optional, one
/// CLWAVE_U64: how many segments end before they begin or past the input. Does not block. In full:
/// segmented_sort.hpp.
CLWAVE_EXPORT clwave_status clwave_segmented_sort_by_key(
    cl_command_queue queue, const clwave_view* keys, const clwave_view* values, const clwave_view* offsets,
    const clwave_view* keys_out, const clwave_view* values_out, const clwave_view* bad,
    const clwave_order* order, const clwave_options* options, cl_event* event);

/// Sorts the keys of each segment, and brings each value to the place of its key. Blocks until the results
/// are there. Returns CLWAVE_ERROR_BAD_CALL, with their number in the message, where segments end before they
/// begin or past the input; the outputs then are as they are without this check.
CLWAVE_EXPORT clwave_status clwave_checked_segmented_sort_by_key(
    cl_command_queue queue, const clwave_view* keys, const clwave_view* values, const clwave_view* offsets,
    const clwave_view* keys_out, const clwave_view* values_out, const clwave_order* order,
    const clwave_options* options);

/// Merges the sorted ranges `a` and `b` into `out`, which overlaps neither; of equal elements those of `a`
/// come first. `descents` is optional, one CLWAVE_U64: how often an element comes before the one in front of
/// it, 0 where both ranges are sorted. Does not block. In full: merge.hpp.
CLWAVE_EXPORT clwave_status clwave_merge(cl_command_queue queue, const clwave_view* a, const clwave_view* b,
                                         const clwave_view* out, const clwave_view* descents,
                                         const clwave_order* order, const clwave_options* options,
                                         cl_event* event);

/// Merges the sorted ranges `a` and `b` into `out`, which overlaps neither. Blocks until the result is there.
/// Returns CLWAVE_ERROR_BAD_CALL, with the number of descents in the message, where `a` or `b` is not sorted;
/// `out` then is as it is without this check.
CLWAVE_EXPORT clwave_status clwave_checked_merge(cl_command_queue queue, const clwave_view* a,
                                                 const clwave_view* b, const clwave_view* out,
                                                 const clwave_order* order, const clwave_options* options);

/// Merges keys, and brings each value to the place of its key; of equal keys those of `a_keys` come first. No
/// output overlaps anything. `descents` is optional, one CLWAVE_U64: how often a key comes before the one in
/// front of it, 0 where both ranges are sorted. Does not block. In full: merge.hpp.
CLWAVE_EXPORT clwave_status clwave_merge_by_key(cl_command_queue queue, const clwave_view* a_keys,
                                                const clwave_view* a_values, const clwave_view* b_keys,
                                                const clwave_view* b_values, const clwave_view* keys_out,
                                                const clwave_view* values_out, const clwave_view* descents,
                                                const clwave_order* order, const clwave_options* options,
                                                cl_event* event);

/// Merges keys, and brings each value to the place of its key. Blocks until the results are there. Returns
/// CLWAVE_ERROR_BAD_CALL, with the number of descents in the message, where a range of keys is not sorted;
/// the outputs then are as they are without this check.
CLWAVE_EXPORT clwave_status clwave_checked_merge_by_key(
    cl_command_queue queue, const clwave_view* a_keys, const clwave_view* a_values, const clwave_view* b_keys,
    const clwave_view* b_values, const clwave_view* keys_out, const clwave_view* values_out,
    const clwave_order* order, const clwave_options* options);

/// Writes to `out`, of CLWAVE_U32 or CLWAVE_U64, for each needle how many elements of the sorted range `in`
/// come before it. `in` and `needles` are of one type and may overlap, `out` neither. Does not block.
CLWAVE_EXPORT clwave_status clwave_lower_bound(cl_command_queue queue, const clwave_view* in,
                                               const clwave_view* needles, const clwave_view* out,
                                               const clwave_order* order, const clwave_options* options,
                                               cl_event* event);

/// Writes for each needle how many elements of the sorted range `in` do not come behind it to `out`, of
/// CLWAVE_U32 or CLWAVE_U64. `in` and `needles` are of one type and may overlap, `out` neither. Does not
/// block.
CLWAVE_EXPORT clwave_status clwave_upper_bound(cl_command_queue queue, const clwave_view* in,
                                               const clwave_view* needles, const clwave_view* out,
                                               const clwave_order* order, const clwave_options* options,
                                               cl_event* event);

/// Writes the union of the sorted ranges `a` and `b` to the front of `out`, as multisets: an element that is
/// m times in `a` and k times in `b` is max(m, k) times in it. `count` is one CLWAVE_U64: how many elements
/// the result has, also where `out` is too short; elements past its end are not written. `a` and `b` may
/// overlap, `out` and `count` nothing. Does not block. In full: set_operations.hpp.
CLWAVE_EXPORT clwave_status clwave_set_union(cl_command_queue queue, const clwave_view* a,
                                             const clwave_view* b, const clwave_view* out,
                                             const clwave_view* count, const clwave_order* order,
                                             const clwave_options* options, cl_event* event);

/// Writes the union of the sorted ranges `a` and `b` to the front of `out`, and its length to memory of the
/// host, also where `out` is too short. Blocks until both are there.
CLWAVE_EXPORT clwave_status clwave_set_union_to_host(cl_command_queue queue, const clwave_view* a,
                                                     const clwave_view* b, const clwave_view* out,
                                                     const clwave_order* order, uint64_t* count,
                                                     const clwave_options* options);

/// Writes the intersection of the sorted ranges `a` and `b` to the front of `out`: an element that is m times
/// in `a` and k times in `b` is min(m, k) times in it. `count` is one CLWAVE_U64: how many elements it has,
/// also where `out` is too short. Does not block.
CLWAVE_EXPORT clwave_status clwave_set_intersection(cl_command_queue queue, const clwave_view* a,
                                                    const clwave_view* b, const clwave_view* out,
                                                    const clwave_view* count, const clwave_order* order,
                                                    const clwave_options* options, cl_event* event);

/// Writes the intersection of the sorted ranges `a` and `b` to the front of `out`, and its length to memory
/// of the host, also where `out` is too short. Blocks until both are there.
CLWAVE_EXPORT clwave_status clwave_set_intersection_to_host(cl_command_queue queue, const clwave_view* a,
                                                            const clwave_view* b, const clwave_view* out,
                                                            const clwave_order* order, uint64_t* count,
                                                            const clwave_options* options);

/// Writes the elements of `a` that `b` has not to the front of `out`: one that is m times in `a` and k times
/// in `b` is max(m - k, 0) times in it. `count` is one CLWAVE_U64: how many elements it has, also where `out`
/// is too short. Does not block.
CLWAVE_EXPORT clwave_status clwave_set_difference(cl_command_queue queue, const clwave_view* a,
                                                  const clwave_view* b, const clwave_view* out,
                                                  const clwave_view* count, const clwave_order* order,
                                                  const clwave_options* options, cl_event* event);

/// Writes the elements of `a` that `b` has not to the front of `out`, and their number to memory of the host,
/// also where `out` is too short. Blocks until both are there.
CLWAVE_EXPORT clwave_status clwave_set_difference_to_host(cl_command_queue queue, const clwave_view* a,
                                                          const clwave_view* b, const clwave_view* out,
                                                          const clwave_order* order, uint64_t* count,
                                                          const clwave_options* options);

/// Writes the elements that one of `a` and `b` has and the other has not to the front of `out`: one that is m
/// times in `a` and k times in `b` is |m - k| times in it. `count` is one CLWAVE_U64: how many elements it
/// has, also where `out` is too short. Does not block.
CLWAVE_EXPORT clwave_status clwave_set_symmetric_difference(cl_command_queue queue, const clwave_view* a,
                                                            const clwave_view* b, const clwave_view* out,
                                                            const clwave_view* count,
                                                            const clwave_order* order,
                                                            const clwave_options* options, cl_event* event);

/// Writes the elements that one of `a` and `b` has and the other has not to the front of `out`, and their
/// number to memory of the host, also where `out` is too short. Blocks until both are there.
CLWAVE_EXPORT clwave_status clwave_set_symmetric_difference_to_host(
    cl_command_queue queue, const clwave_view* a, const clwave_view* b, const clwave_view* out,
    const clwave_order* order, uint64_t* count, const clwave_options* options);

/// Writes the k largest elements of `in` to `values`, the largest first, and where they lie to `indices`, of
/// CLWAVE_U32 or CLWAVE_U64; of equal elements the lowest index comes first. `smallest` takes the smallest
/// ones instead, the smallest first. k is at most the number of elements. Does not block. In full: top_k.hpp.
CLWAVE_EXPORT clwave_status clwave_top_k(cl_command_queue queue, const clwave_view* in,
                                         const clwave_view* values, const clwave_view* indices, uint64_t k,
                                         bool smallest, const clwave_options* options, cl_event* event);

/// Writes the k largest elements of each segment of `in` to `values`, the largest first, and where in `in`
/// they lie to `indices`: those of segment s from place s * k on; a segment of fewer elements writes as many
/// as it has. Segment s is in[offsets[s]] to in[offsets[s + 1] - 1]; offsets are CLWAVE_U32 or CLWAVE_U64,
/// one more than segments. Elements are numbers; of equal ones the lowest index comes first. `indices` are
/// CLWAVE_U32 or CLWAVE_U64. `smallest` takes the smallest ones instead, the smallest first. `bad` is
/// optional, one CLWAVE_U64: how many segments end before they begin or past the input. Does not block. In
/// full: top_k.hpp.
CLWAVE_EXPORT clwave_status clwave_segmented_top_k(cl_command_queue queue, const clwave_view* in,
                                                   const clwave_view* offsets, const clwave_view* values,
                                                   const clwave_view* indices, uint64_t k, bool smallest,
                                                   const clwave_view* bad, const clwave_options* options,
                                                   cl_event* event);

/// Writes the k largest elements of each segment of `in` to `values`, the largest first, and where in `in`
/// they lie to `indices`; `smallest` takes the smallest ones. Blocks until the results are there. Returns
/// CLWAVE_ERROR_BAD_CALL, with their number in the message, where segments end before they begin or past the
/// input.
CLWAVE_EXPORT clwave_status clwave_checked_segmented_top_k(cl_command_queue queue, const clwave_view* in,
                                                           const clwave_view* offsets,
                                                           const clwave_view* values,
                                                           const clwave_view* indices, uint64_t k,
                                                           bool smallest, const clwave_options* options);

#ifdef __cplusplus
}
#endif
