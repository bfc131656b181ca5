// adjacent_difference: one function of each element and the one before it. Plans and arguments:
// lib/primitives/adjacent_difference.cpp.
//
// The elements are cut into packets, which begin at multiples of VECTOR elements from the first of memory, so that the first
// one and the last one may be short:
//
//     element  0     VECTOR - head           n
//              | packet 0 | packet 1 | ...  | last packet |
//
// On a GPU a group has GROUP_SIZE * ITEMS packets, and on a CPU a work-item is a group and has a contiguous chunk. In place, a
// group writes over the element that the next one needs: a launch before this one leaves for each group the element before its
// first (ADJACENT_EDGE). Within a group all elements are read before the first result is written.

DEFINE_OPERAND(X, X_STORED, X_BITS)

static inline OUT_STORED adjacent_difference_of(X_LOADED x, X_LOADED y, ulong i, named_values given) {
  return OUT_WRITE(OUT_CONVERT(TRANSFORM_TEXT));
}
// Of the first element, which has none before it.
static inline OUT_STORED adjacent_difference_first(X_LOADED x) { return OUT_WRITE(OUT_CONVERT(x)); }

// The elements of this group, from `begin` to before `end`.
typedef struct {
  ulong begin, end;
} adjacent_span;

static inline adjacent_span adjacent_own(ulong n, uint head) {
  adjacent_span own;
  if (GROUP_SIZE > 1) {
    const ulong each = GROUP_SIZE * ITEMS * VECTOR;
    own.begin = get_group_id(0) == 0 ? 0 : get_group_id(0) * each - head;
    own.end = min(n, (get_group_id(0) + 1) * each - head);
  } else {
    const own_units units = own_share(n);
    own.begin = units.begin;
    own.end = units.end;
  }
  return own;
}

// The arguments for the element before the group's first one, which lies before element `begin`, and where it is found.
#ifdef IN_PLACE
#define ADJACENT_EDGES , const __global uchar *workspace
#define ADJACENT_EDGE(begin) ((const __global X_STORED *)(workspace + OWN_AT))[get_group_id(0)]
// Leaves for each group the element before its first, as it is stored. Global size: that of adjacent_difference.
KERNEL void adjacent_difference_edges(const __global X_STORED *restrict x, ulong x_offset, ulong n, uint head,
                                      __global uchar *restrict workspace) {
  const adjacent_span own = adjacent_own(n, head);
  if (get_local_id(0) == 0 && own.begin > 0 && own.begin < own.end)
    ((__global X_STORED *)(workspace + OWN_AT))[get_group_id(0)] = x[x_offset + own.begin - 1];
}
#else
#define ADJACENT_EDGES
#define ADJACENT_EDGE(begin) x[(begin)-1]
#endif
