// What gathers and scatters of elements that a work-item holds share on a GPU.

// VECTOR neighbouring indices, and VECTOR neighbouring elements of x or out, as one access each.
typedef union {
  INDEX_BITS bits;
  INDEX indices[VECTOR];
} index_packet;

// The place of element e of a work-item's packet k in a block of packets: number `first` and then each GROUP_SIZE-th. Indices and
// elements both reach a multiple of their packets at `head`.
static inline ulong packet_element(ulong head, ulong first, uint k, uint e) {
  return head + (first + k * GROUP_SIZE) * VECTOR + e;
}

// The indices of packet k.
#ifdef COMPUTED_INDEX
enum { INDICES_ARE_COMPUTED = 1 };
INLINE void load_indices(index_packet *to, gather_indices from, ulong head, ulong first, uint k) {
  for (uint e = 0; e < VECTOR; ++e) to->indices[e] = index_at(from, packet_element(head, first, k, e));
}
#else
enum { INDICES_ARE_COMPUTED = 0 };
INLINE void load_indices(index_packet *to, gather_indices from, ulong head, ulong first, uint k) {
  to->bits = ((const __global INDEX_BITS *)(from + head))[first + k * GROUP_SIZE];
}
#endif
