// gather and scatter: elements copied from where indices point, and to where indices point. Plans and arguments:
// lib/primitives/gather.cpp.
//
//     gather     out[i] = x[indices[i]]     an index past the end of x gives `outside`
//     scatter    out[indices[i]] = x[i]     an index past the end of out writes nothing
//
// Both go over i. What lies at i is met in order: the indices, and out or x. What lies at indices[i] is anywhere, so its
// latency is what a call waits for: on a GPU a work-item loads several indices, then all elements that they point to, and
// stores only then. On a CPU a work-item is a group, takes a contiguous chunk, and the core looks ahead by itself.
//
// An element that one store writes whole (ELEMENT_PARTS is 1, or a map makes it) is held in a register. A larger one is moved
// in parts by neighbouring work-items, so that neighbouring accesses are of one element. Where two indices of a scatter are
// equal, and one store is not enough for an element, each i first claims its index (scatter_claims), and only the i whose
// claim stands writes: all parts of an element then come from one i.
//
//     unit         0 1 2   3 4 5   6 7 8      a work-item each; here an element has 3 parts
//     i, part     0:0 1 2 1:0 1 2 2:0 1 2
//
// A reverse, a rotate and a shuffle are gathers whose indices are computed (COMPUTED_INDEX). With flags, only the i whose flag is
// set are moved (gather_operands.cl).

// What is stored of an element that was loaded; i is its place beside the indices.
static inline OUT_STORED moved(X_STORED stored, ulong i, named_values given) {
#ifdef TRANSFORM_TEXT
  const X_LOADED x = X_READ(stored);
  return OUT_WRITE(OUT_CONVERT(TRANSFORM_TEXT));
#else
  return stored;
#endif
}

#define X_AND_OUT                                                       \
  const __global X_STORED *restrict x, ulong x_offset, INDICES_ARGUMENT GATHER_FLAGS, \
      __global OUT_STORED *restrict out, ulong out_offset, ELEMENTS_ARGUMENT, ulong reach, ulong head GATHER_WORKSPACE
