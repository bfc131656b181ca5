// A tile of a partition into three outputs: which of its elements the first predicate keeps, and of the others the second; and the
// three side by side in local memory. Counts of a tile are counts_of_tile.
//
//     tile               a X b c Y d Z X      a first one, X second, and so on
//     elements in local  a b c d ...          first, then second, then the rest, each in its order

// Where they go, at most as many as each output has room for.
#define OUTPUT_ARGUMENTS                                                                                                    \
  __global KEPT *out, ulong out_offset, ulong capacity, __global KEPT *others, ulong others_offset, ulong others_capacity, \
      __global KEPT *rest, ulong rest_offset, ulong rest_capacity
#define SELECT_OUTPUTS(to)                                                                                          \
  const select_outputs to = {out + out_offset, capacity, others + others_offset, others_capacity, rest + rest_offset, \
                             rest_capacity}
typedef struct {
  __global KEPT *out;
  ulong capacity;
  __global KEPT *others;
  ulong others_capacity;
  __global KEPT *rest;
  ulong rest_capacity;
} select_outputs;

// Whether the second predicate keeps an element that the first one does not keep.
INLINE bool select_keeps_second(select_input in, ulong j, KEPT_LOADED x, named_values given) {
  const ulong i = j - in.head;
  return PREDICATE_TEXT;
}
