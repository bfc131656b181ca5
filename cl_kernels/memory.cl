// Memory: wide loads, and the order between work-groups.

// A packet of VECTOR elements as one access. Sizes that no single access has are taken by element.
#ifdef VALUE
#define PACKET_BYTES (VECTOR * VALUE_BYTES)
#if PACKET_BYTES == 16
typedef uint4 packet_bits;
#elif PACKET_BYTES == 8
typedef uint2 packet_bits;
#elif PACKET_BYTES == 4
typedef uint packet_bits;
#elif PACKET_BYTES == 2
typedef ushort packet_bits;
#elif PACKET_BYTES == 1
typedef uchar packet_bits;
#else
#define PACKET_BY_ELEMENT 1
#endif

typedef union {
#ifndef PACKET_BY_ELEMENT
  packet_bits bits;
#endif
  STORED elements[VECTOR];
} packet;

// VECTOR elements from `from`, which must be aligned to the packet's size.
static inline packet load_packet(const __global STORED *from) {
  packet p;
#ifdef PACKET_BY_ELEMENT
#pragma unroll
  for (uint k = 0; k < VECTOR; ++k) p.elements[k] = from[k];
#else
  p.bits = *(const __global packet_bits *)from;
#endif
  return p;
}

static inline LOADED unpack(const packet *p, uint k) {
#ifdef VALUE_IS_HALF
  return vload_half(k, (const half *)p->elements);
#else
  return p->elements[k];
#endif
}

static inline LOADED load_element(const __global STORED *from) {
#ifdef VALUE_IS_HALF
  return vload_half(0, (const __global half *)from);
#else
  return *from;
#endif
}
#endif  // VALUE

// Arrival of the groups at a common counter, which is 0 before the launch and after it. True in every
// work-item of the group that arrives last; that group then sees what all groups wrote before. All
// work-items must call. `flag` is one word of local memory.
#if GROUP_ORDER != ORDER_TWO_LAUNCHES
static inline bool arrives_last(__global uint *counter, uint groups, __local uint *flag) {
  // The whole group's writes come before work-item 0's fence.
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
#if GROUP_ORDER == ORDER_PTX_FENCE
#if CUDA_SM >= 70
    __asm__ volatile("fence.acq_rel.gpu;" ::: "memory");
    const uint ticket = atomic_inc((volatile __global uint *)counter);
    __asm__ volatile("fence.acq_rel.gpu;" ::: "memory");
#else
    __asm__ volatile("membar.gl;" ::: "memory");
    const uint ticket = atomic_inc((volatile __global uint *)counter);
    __asm__ volatile("membar.gl;" ::: "memory");
#endif
#elif GROUP_ORDER == ORDER_AMD_FENCE
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
    const uint ticket = atomic_inc((volatile __global uint *)counter);
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
#else
    const uint ticket = atomic_fetch_add_explicit((volatile __global atomic_uint *)counter, 1u,
                                                  memory_order_acq_rel, memory_scope_device);
#endif
    const uint last = ticket == groups - 1;
    if (last) *counter = 0;
    *flag = last;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if GROUP_ORDER == ORDER_AMD_FENCE
  // A group may span two compute units with a first-level cache each: every wave drops its own.
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
#endif
  return *flag != 0;
}
#endif
