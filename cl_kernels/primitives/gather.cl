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

// ---------------------------------------------------------------------------- elements in several parts
#if ELEMENT_PARTS > 1

#ifdef HAS_OUTSIDE
#define OUTSIDE_ARGUMENTS , uint16 outside_low, uint16 outside_high
// What an index outside gives, by parts: an argument cannot be indexed by a work-item's number. (A union, for compilers take
// accesses by another type for those of other memory.)
typedef union {
  uint16 words[2];
  ELEMENT_PART parts[128 / sizeof(ELEMENT_PART)];
} outside_parts;
#define OUTSIDE_PART(part) (outside.parts[part])
#else
#define OUTSIDE_ARGUMENTS
#define OUTSIDE_PART(part) ((ELEMENT_PART)(0))
#endif

#if GROUP_SIZE > 1

// This work-item's first unit, as the element of the group's first unit and the parts behind that element's beginning:
// what follows from the second is 32-bit arithmetic.
#define OWN_UNITS                                                      \
  const ulong group_first = (ulong)get_group_id(0) * (GROUP_SIZE * ITEMS); \
  const ulong element_first = group_first / ELEMENT_PARTS;             \
  const uint own_first = (uint)(group_first % ELEMENT_PARTS) + get_local_id(0);
#define UNIT_ELEMENT(k) (element_first + (own_first + (k)*GROUP_SIZE) / ELEMENT_PARTS)
#define UNIT_PART(k) ((own_first + (k)*GROUP_SIZE) % ELEMENT_PARTS)

// Global size: GROUP_SIZE for each GROUP_SIZE * ITEMS of the n * ELEMENT_PARTS units.
#ifndef SCATTERS
KERNEL void gather(const __global ELEMENT_PART *restrict x, ulong x_offset, INDICES_ARGUMENT GATHER_FLAGS,
                   __global ELEMENT_PART *restrict out, ulong out_offset, ELEMENTS_ARGUMENT,
                   ulong reach, ulong head GATHER_WORKSPACE OUTSIDE_ARGUMENTS GATHER_FLAG_VALUES) {
  COLLECT_FLAG_VALUES
  COLLECT_ELEMENTS
#ifdef HAS_OUTSIDE
  __local outside_parts outside;
  if (get_local_id(0) == 0) {
    outside.words[0] = outside_low;
    outside.words[1] = outside_high;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  x += x_offset * ELEMENT_PARTS;
  OFFSET_INDICES
  OFFSET_FLAGS
  out += out_offset * ELEMENT_PARTS;
  BAD_COUNT bad = 0;
  OWN_UNITS
  LOAD_FLAGS(ITEMS, UNIT_ELEMENT(k) < n, UNIT_ELEMENT(k))
  INDEX at[ITEMS];
  ELEMENT_PART held[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (UNIT_ELEMENT(k) < n AND_IS_SET(k)) at[k] = INDEX_AT(UNIT_ELEMENT(k));
  }
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (UNIT_ELEMENT(k) < n AND_IS_SET(k) && at[k] < reach) held[k] = x[(ulong)at[k] * ELEMENT_PARTS + UNIT_PART(k)];
  }
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (UNIT_ELEMENT(k) < n AND_IS_SET(k)) {
      __global ELEMENT_PART *to = out + UNIT_ELEMENT(k) * ELEMENT_PARTS + UNIT_PART(k);
      if (at[k] < reach)
        *to = held[k];
      else
        *to = OUTSIDE_PART(UNIT_PART(k));
      COUNT_BAD(bad, at[k] >= reach && UNIT_PART(k) == 0)
    }
  }
  STORE_BAD(bad)
}
#else
KERNEL void scatter(const __global ELEMENT_PART *restrict x, ulong x_offset, const __global INDEX *restrict indices,
                    ulong indices_offset GATHER_FLAGS, __global ELEMENT_PART *restrict out, ulong out_offset, ELEMENTS_ARGUMENT,
                    ulong reach, ulong head GATHER_WORKSPACE GATHER_FLAG_VALUES) {
  COLLECT_FLAG_VALUES
  COLLECT_ELEMENTS
  x += x_offset * ELEMENT_PARTS;
  indices += indices_offset;
  OFFSET_FLAGS
  out += out_offset * ELEMENT_PARTS;
  BAD_COUNT bad = 0;
  OWN_UNITS
  LOAD_FLAGS(ITEMS, UNIT_ELEMENT(k) < n, UNIT_ELEMENT(k))
  INDEX at[ITEMS];
  ELEMENT_PART held[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (UNIT_ELEMENT(k) < n AND_IS_SET(k)) {
      at[k] = indices[UNIT_ELEMENT(k)];
      held[k] = x[UNIT_ELEMENT(k) * ELEMENT_PARTS + UNIT_PART(k)];
    }
  }
#ifdef CLAIM
  const __global CLAIM *claims = (const __global CLAIM *)(workspace + claims_at);
  CLAIM claimed[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (UNIT_ELEMENT(k) < n AND_IS_SET(k) && at[k] < reach) claimed[k] = claims[at[k]];
  }
#endif
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (UNIT_ELEMENT(k) < n AND_IS_SET(k)) {
      if (at[k] < reach && IS_CLAIMED_BY(claimed[k], UNIT_ELEMENT(k)))
        out[(ulong)at[k] * ELEMENT_PARTS + UNIT_PART(k)] = held[k];
      COUNT_BAD(bad, at[k] >= reach && UNIT_PART(k) == 0)
    }
  }
  STORE_BAD(bad)
}
#endif

#else  // GROUP_SIZE == 1

// Global size: any.
#ifndef SCATTERS
KERNEL void gather(const __global ELEMENT_PART *restrict x, ulong x_offset, INDICES_ARGUMENT GATHER_FLAGS,
                   __global ELEMENT_PART *restrict out, ulong out_offset, ELEMENTS_ARGUMENT,
                   ulong reach, ulong head GATHER_WORKSPACE OUTSIDE_ARGUMENTS GATHER_FLAG_VALUES) {
  COLLECT_FLAG_VALUES
  COLLECT_ELEMENTS
#ifdef HAS_OUTSIDE
  outside_parts outside;
  outside.words[0] = outside_low;
  outside.words[1] = outside_high;
#endif
  x += x_offset * ELEMENT_PARTS;
  OFFSET_INDICES
  OFFSET_FLAGS
  out += out_offset * ELEMENT_PARTS;
  BAD_COUNT bad = 0;
  const own_units own = own_share(n);
  for (ulong i = own.begin; i < own.end; ++i) {
    SKIP_UNSET(i)
    const INDEX at = INDEX_AT(i);
    __global ELEMENT_PART *to = out + i * ELEMENT_PARTS;
    if (at < reach) {
      const __global ELEMENT_PART *from = x + (ulong)at * ELEMENT_PARTS;
      for (uint part = 0; part < ELEMENT_PARTS; ++part) to[part] = from[part];
    } else {
      for (uint part = 0; part < ELEMENT_PARTS; ++part) to[part] = OUTSIDE_PART(part);
    }
    COUNT_BAD(bad, at >= reach)
  }
  STORE_BAD(bad)
}
#else
KERNEL void scatter(const __global ELEMENT_PART *restrict x, ulong x_offset, const __global INDEX *restrict indices,
                    ulong indices_offset GATHER_FLAGS, __global ELEMENT_PART *restrict out, ulong out_offset, ELEMENTS_ARGUMENT,
                    ulong reach, ulong head GATHER_WORKSPACE GATHER_FLAG_VALUES) {
  COLLECT_FLAG_VALUES
  COLLECT_ELEMENTS
  x += x_offset * ELEMENT_PARTS;
  indices += indices_offset;
  OFFSET_FLAGS
  out += out_offset * ELEMENT_PARTS;
#ifdef CLAIM
  const __global CLAIM *claims = (const __global CLAIM *)(workspace + claims_at);
#endif
  BAD_COUNT bad = 0;
  const own_units own = own_share(n);
  for (ulong i = own.begin; i < own.end; ++i) {
    SKIP_UNSET(i)
    const INDEX at = indices[i];
    if (at < reach && IS_CLAIMED_BY(claims[at], i)) {
      __global ELEMENT_PART *to = out + (ulong)at * ELEMENT_PARTS;
      const __global ELEMENT_PART *from = x + i * ELEMENT_PARTS;
      for (uint part = 0; part < ELEMENT_PARTS; ++part) to[part] = from[part];
    }
    COUNT_BAD(bad, at >= reach)
  }
  STORE_BAD(bad)
}
#endif
#endif  // GROUP_SIZE

#else  // ELEMENT_PARTS == 1

// ---------------------------------------------------------------------------- elements that a work-item holds
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

#if GROUP_SIZE > 1

// VECTOR neighbouring indices, and VECTOR neighbouring elements of x or out, as one access each.
typedef union {
  INDEX_BITS bits;
  INDEX indices[VECTOR];
} index_packet;

#ifdef SCATTERS
typedef union {
  X_BITS bits;
  X_STORED elements[VECTOR];
} element_packet;
#else
typedef union {
  OUT_BITS bits;
  OUT_STORED elements[VECTOR];
} element_packet;
#endif

// A work-item's packets in a block: number `first` and then each GROUP_SIZE-th, of which `left` are there from `first` on.
// Indices and elements both reach a multiple of their packets at `head`.
#define OWN_PACKETS                                         \
  const ulong left = packets > first ? packets - first : 0; \
  OWN_INDEX_PACKETS

#ifdef COMPUTED_INDEX
#define OWN_INDEX_PACKETS
#else
#define OWN_INDEX_PACKETS const __global INDEX_BITS *index_packets = (const __global INDEX_BITS *)(indices + head) + first;
#endif

#define INDEX_OF_PACKET(k, e) (head + (first + (k)*GROUP_SIZE) * VECTOR + (e))

// Goes over the i before the first packet and after the last, at most 2 * VECTOR - 2, in the first group.
#if VECTOR > 1
#define EACH_BESIDE_PACKETS(i, do_it)                                                            \
  if (get_group_id(0) == 0) {                                                                    \
    const ulong tail = head + packets * VECTOR;                                                  \
    for (ulong beside = get_local_id(0); beside < head + (n - tail); beside += GROUP_SIZE) {     \
      const ulong i = beside < head ? beside : tail + (beside - head);                           \
      do_it                                                                                      \
    }                                                                                            \
  }
#else
#define EACH_BESIDE_PACKETS(i, do_it)
#endif

// Global size: GROUP_SIZE for each GROUP_SIZE * ITEMS of the n / VECTOR packets, one group at least; any where counted.
#ifndef SCATTERS
KERNEL void gather(X_AND_OUT, OUT_STORED outside VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  AT_MOST_ELEMENTS(head)
  x += x_offset;
  OFFSET_INDICES
  OFFSET_FLAGS
  out += out_offset;
  BAD_COUNT bad = 0;
  const ulong packets = (n - head) / VECTOR;
  EACH_BESIDE_PACKETS(i, const INDEX at = INDEX_AT(i); if (at < reach) out[i] = moved(x[at], i, given);
                      else out[i] = outside; COUNT_BAD(bad, at >= reach))
  EACH_OWN_BLOCK(first, GROUP_SIZE * ITEMS, packets) {
    OWN_PACKETS
    LOAD_FLAGS(ITEMS, k * GROUP_SIZE < left, INDEX_OF_PACKET(k, 0))
    index_packet at[ITEMS];
    X_STORED held[ITEMS * VECTOR];
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
#ifdef COMPUTED_INDEX
      for (uint e = 0; e < VECTOR; ++e) at[k].indices[e] = INDEX_AT(INDEX_OF_PACKET(k, e));
#else
      if (k * GROUP_SIZE < left AND_IS_SET(k)) at[k].bits = index_packets[k * GROUP_SIZE];
#endif
    }
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      UNROLL
      for (uint e = 0; e < VECTOR; ++e) {
        if (k * GROUP_SIZE < left AND_IS_SET(k) && at[k].indices[e] < reach) held[k * VECTOR + e] = x[at[k].indices[e]];
      }
    }
    LOADS_DO_NOT_PASS();
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      if (k * GROUP_SIZE < left AND_IS_SET(k)) {
        element_packet result;
        UNROLL
        for (uint e = 0; e < VECTOR; ++e) {
          const bool inside = at[k].indices[e] < reach;
          OUT_STORED one = outside;
          if (inside) one = moved(held[k * VECTOR + e], INDEX_OF_PACKET(k, e), given);
          result.elements[e] = one;
          COUNT_BAD(bad, !inside)
        }
        ((__global OUT_BITS *)(out + head))[first + k * GROUP_SIZE] = result.bits;
      }
    }
  }
  STORE_BAD(bad)
}
#else
KERNEL void scatter(X_AND_OUT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  AT_MOST_ELEMENTS(head)
  x += x_offset;
  indices += indices_offset;
  OFFSET_FLAGS
  out += out_offset;
#ifdef CLAIM
  const __global CLAIM *claims = (const __global CLAIM *)(workspace + claims_at);
#endif
  BAD_COUNT bad = 0;
  const ulong packets = (n - head) / VECTOR;
  EACH_BESIDE_PACKETS(i, const INDEX at = indices[i];
                      if (at < reach && IS_CLAIMED_BY(claims[at], i)) out[at] = moved(x[i], i, given);
                      COUNT_BAD(bad, at >= reach))
  EACH_OWN_BLOCK(first, GROUP_SIZE * ITEMS, packets) {
    OWN_PACKETS
    LOAD_FLAGS(ITEMS, k * GROUP_SIZE < left, INDEX_OF_PACKET(k, 0))
    index_packet at[ITEMS];
    element_packet held[ITEMS];
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      if (k * GROUP_SIZE < left AND_IS_SET(k)) {
        at[k].bits = index_packets[k * GROUP_SIZE];
        held[k].bits = ((const __global X_BITS *)(x + head))[first + k * GROUP_SIZE];
      }
    }
#ifdef CLAIM
    CLAIM claimed[ITEMS * VECTOR];
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      UNROLL
      for (uint e = 0; e < VECTOR; ++e) {
        if (k * GROUP_SIZE < left AND_IS_SET(k) && at[k].indices[e] < reach) claimed[k * VECTOR + e] = claims[at[k].indices[e]];
      }
    }
#endif
    LOADS_DO_NOT_PASS();
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      if (k * GROUP_SIZE < left AND_IS_SET(k)) {
        UNROLL
        for (uint e = 0; e < VECTOR; ++e) {
          const ulong i = INDEX_OF_PACKET(k, e);
          const INDEX to = at[k].indices[e];
          if (to < reach && IS_CLAIMED_BY(claimed[k * VECTOR + e], i))
            out[to] = moved(held[k].elements[e], i, given);
          COUNT_BAD(bad, to >= reach)
        }
      }
    }
  }
  STORE_BAD(bad)
}
#endif

#else  // GROUP_SIZE == 1

// Global size: any.
#ifndef SCATTERS
KERNEL void gather(X_AND_OUT, OUT_STORED outside VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  x += x_offset;
  OFFSET_INDICES
  OFFSET_FLAGS
  out += out_offset;
  BAD_COUNT bad = 0;
  const own_units own = own_share(n);
  for (ulong i = own.begin; i < own.end; ++i) {
    SKIP_UNSET(i)
    const INDEX at = INDEX_AT(i);
    OUT_STORED one = outside;
    if (at < reach) one = moved(x[at], i, given);
    out[i] = one;
    COUNT_BAD(bad, at >= reach)
  }
  STORE_BAD(bad)
}
#else
KERNEL void scatter(X_AND_OUT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  x += x_offset;
  indices += indices_offset;
  OFFSET_FLAGS
  out += out_offset;
#ifdef CLAIM
  const __global CLAIM *claims = (const __global CLAIM *)(workspace + claims_at);
#endif
  BAD_COUNT bad = 0;
  const own_units own = own_share(n);
  for (ulong i = own.begin; i < own.end; ++i) {
    SKIP_UNSET(i)
    const INDEX at = indices[i];
    if (at < reach && IS_CLAIMED_BY(claims[at], i)) out[at] = moved(x[i], i, given);
    COUNT_BAD(bad, at >= reach)
  }
  STORE_BAD(bad)
}
#endif
#endif  // GROUP_SIZE

#endif  // ELEMENT_PARTS

// ---------------------------------------------------------------------------- claims
#ifdef CLAIM
// Each i leaves its number at its index in `claims`. Of several with one index the last store stands, whole, as it is of 4 or
// 8 bytes; the launch behind this one sees which. Only indices that some i has are claimed, and only their claims are read.
// Global size: any.
KERNEL void scatter_claims(const __global INDEX *restrict indices, ulong indices_offset GATHER_FLAGS, ELEMENTS_ARGUMENT,
                           ulong reach, __global uchar *workspace, ulong claims_at GATHER_FLAG_VALUES) {
  COLLECT_FLAG_VALUES
  COLLECT_ELEMENTS
  __global CLAIM *claims = (__global CLAIM *)(workspace + claims_at);
  indices += indices_offset;
  OFFSET_FLAGS
#if GROUP_SIZE > 1
  INDEX at[CLAIM_ITEMS];
  const ulong first = (ulong)get_group_id(0) * (GROUP_SIZE * CLAIM_ITEMS) + get_local_id(0);
  LOAD_FLAGS(CLAIM_ITEMS, first + k * GROUP_SIZE < n, first + k * GROUP_SIZE)
  UNROLL
  for (uint k = 0; k < CLAIM_ITEMS; ++k) {
    if (first + k * GROUP_SIZE < n AND_IS_SET(k)) at[k] = indices[first + k * GROUP_SIZE];
  }
  UNROLL
  for (uint k = 0; k < CLAIM_ITEMS; ++k) {
    const ulong i = first + k * GROUP_SIZE;
    if (i < n AND_IS_SET(k) && at[k] < reach) claims[at[k]] = (CLAIM)i;
  }
#else
  const own_units own = own_share(n);
  for (ulong i = own.begin; i < own.end; ++i) {
    SKIP_UNSET(i)
    if (indices[i] < reach) claims[indices[i]] = (CLAIM)i;
  }
#endif
}
#endif  // CLAIM
