// Memory: wide loads, and the order between work-groups.

// Hints to compilers:
//   SAME_IN_LANES(word)   a word that is uniform over the lanes, which a compiler cannot infer for loaded values: AMD then keeps it
//                         in a scalar register, and branches on it are scalar
//   anew(word)            the same word, opaque to the compiler, which then computes what depends on it again at each use and
//                         does not keep it in registers
//   own_id_anew()         this work-item's number in its group, opaque likewise: what depends on it took 40 registers of a scan,
//                         and on AMD half of those of a reduction
//   OWN_ID                the number as the compiler prefers: opaque on AMD, elsewhere it may keep what depends on it
//   LOADS_DO_NOT_PASS()   stands between loads and what is computed from them, so that all of these loads are in flight together,
//                         and no others. AMD's compiler otherwise assumes as many waves as a compute unit holds with few registers,
//                         more than the plan puts there, and waits for the first loads to reuse their registers for the last
//   COMPUTED_ABOVE(pair, first, second)
//                         stands after what computes `first` and `second`, two numbers in registers; `pair` is a vector type of
//                         two of them. AMD's compiler otherwise moves arithmetic whose result is used after the next branch past
//                         that branch, and keeps all operands in registers until there
#if defined(DEVICE_AMD)
#define SAME_IN_LANES(word) ((uint)__builtin_amdgcn_readfirstlane((int)(word)))
static inline uint anew(uint word) {
  __asm__ volatile("" : "+v"(word));
  return word;
}
static inline uint own_id_anew(void) { return anew(get_local_id(0)) % GROUP_SIZE; }
#define OWN_ID own_id_anew()
#if __has_builtin(__builtin_amdgcn_sched_barrier)
#define LOADS_DO_NOT_PASS() __builtin_amdgcn_sched_barrier(0)
#endif
#if AMD_GFX >= 0x90a && AMD_GFX < 0x1000
// These compute two floats in one instruction: only what stays together does.
#define COMPUTED_ABOVE(pair, first, second) \
  {                                         \
    pair both = (pair)(first, second);      \
    __asm__ volatile("" : "+v"(both));      \
    first = both.x, second = both.y;        \
  }
#else
#define COMPUTED_ABOVE(pair, first, second)  \
  {                                          \
    __asm__ volatile("" : "+v"(first));      \
    __asm__ volatile("" : "+v"(second));     \
  }
#endif
#else
#define SAME_IN_LANES(word) (word)
#ifdef DEVICE_NVIDIA
static inline uint anew(uint word) {
  __asm__ volatile("" : "+r"(word));
  return word;
}
static inline uint own_id_anew(void) { return anew(get_local_id(0)) % GROUP_SIZE; }
#else
static inline uint anew(uint word) { return word; }
static inline uint own_id_anew(void) { return get_local_id(0); }
#endif
#define OWN_ID get_local_id(0)
#define COMPUTED_ABOVE(pair, first, second)
#endif
#ifndef LOADS_DO_NOT_PASS
#define LOADS_DO_NOT_PASS()
#endif

// Here levels of results, and whole lane sets (group.cl), keep code of their own: not measured without.
#if defined(DEVICE_AMD) || defined(DEVICE_SUBGROUP)
#undef RESULTS_AS_ELEMENTS
#define LANES_FOLD_APART 1
#endif

// load_16_bytes: 16 bytes that are read once in a launch, and that nothing writes, by one access. Where results of the launch
// itself are read so (RESULTS_AS_ELEMENTS) they may have been written before by other groups, which the read-only path is not
// for.
//
// STORE_ONCE: a store of a value that no group reads in the same launch. NVIDIA's first-level cache keeps no line of such a store,
// which makes scans and selections faster (tools/results/h100-stores.txt, h200-stores.txt), but not merges, whose stores have tests
// of their own. It is for types that are as aligned as they are large. It must not stand in a loop that is unrolled by a number:
// compilers do not copy such a store.
#if defined(DEVICE_NVIDIA) && CUDA_SM >= 70
static inline uint4 load_16_bytes(const __global void *from) {
  // Through the read-only path, leaving the first-level cache to others. Volatile keeps the loads of a tile together ahead of
  // their uses, which is a little faster than plain loads.
  uint4 bits;
  if (IS_ON(RESULTS_AS_ELEMENTS))
    __asm__ volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
                     : "l"(from));
  else
    __asm__ volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
                     : "l"(from));
  return bits;
}

static inline void store_words_once(__global void *to, const uint *words, uint bytes) {
  if (bytes == 16)
    __asm__ volatile("st.global.L1::no_allocate.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(words[0]), "r"(words[1]),
                     "r"(words[2]), "r"(words[3])
                     : "memory");
  else if (bytes == 8)
    __asm__ volatile("st.global.L1::no_allocate.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(words[0]), "r"(words[1]) : "memory");
  else
    __asm__ volatile("st.global.L1::no_allocate.u32 [%0], %1;" ::"l"(to), "r"(words[0]) : "memory");
}
#define STORE_ONCE(type, to, value)                                                                         \
  do {                                                                                                      \
    union {                                                                                                 \
      type whole;                                                                                           \
      uint words[(sizeof(type) + 3) / 4];                                                                   \
    } once;                                                                                                 \
    once.whole = (value);                                                                                   \
    if (__alignof__(type) == sizeof(type) && (sizeof(type) == 4 || sizeof(type) == 8 || sizeof(type) == 16)) \
      store_words_once(to, once.words, sizeof(type));                                                       \
    else                                                                                                    \
      *(to) = once.whole;                                                                                   \
  } while (0)
#else
static inline uint4 load_16_bytes(const __global void *from) { return *(const __global uint4 *)from; }
#define STORE_ONCE(type, to, value) (*(to) = (value))
#endif

// A store past a CPU's caches, where the compiler can say so: it does not read its line first. `to` is aligned to the value.
#if __has_builtin(__builtin_nontemporal_store)
#define STORE_STREAMING(to, value) __builtin_nontemporal_store(value, to)
#else
#define STORE_STREAMING(to, value) (*(to) = (value))
#endif

// Past the caches memory takes and gives the lines of several neighbouring pages in turn faster than one page after the
// other, as it keeps several open (glibc's memcpy of large blocks does so, two or four pages at a time).
enum { PAGE_BYTES = 4096 };

// How many bytes there are from `at` to the next multiple of `unit`, a power of two.
static inline uint bytes_to_boundary(const __global uchar *at, uint unit) {
  return (0 - (uint)(size_t)at) & (unit - 1);
}

// A packet of VECTOR elements as one access, PACKET_BITS. PACKET_BY_ELEMENT: no single access has the size, or the elements do not
// lie at multiples of theirs, and each is taken by itself.
#ifdef VALUE
#define PACKET_BYTES (VECTOR * VALUE_BYTES)

// Narrow elements that are folded as they are come out of a packet's words: where compilers see elements, they give
// a register to each. Bytes of segments do so too, whose packets come whole or by element.
#if (FOLDED_BYTES < 4 || (defined(FOLDS_SEGMENTS) && VALUE_BYTES == 1)) && !defined(PACKET_BY_ELEMENT) && \
    PACKET_BYTES % 4 == 0 && VALUE_BYTES < 4 && defined(__ENDIAN_LITTLE__)
#define PACKET_BY_WORD 1
#endif

typedef union {
  PACKET_BITS bits;
#ifdef PACKET_BY_WORD
  uint words[PACKET_BYTES / 4];
#endif
  STORED elements[VECTOR];
} packet;

// VECTOR elements from `from`, which must be aligned to the packet's size. Each element is read once in
// a launch, and nothing writes it.
static inline packet load_packet(const __global STORED *from) {
  packet p;
#if PACKET_BYTES == 16 && !defined(PACKET_BY_ELEMENT)
  p.bits = load_16_bytes(from);
#else
  if (!IS_ON(PACKET_BY_ELEMENT)) p.bits = *(const __global PACKET_BITS *)from;
  UNROLL
  for (uint k = 0; IS_ON(PACKET_BY_ELEMENT) && k < VECTOR; ++k) p.elements[k] = from[k];
#endif
  return p;
}

// The address of the element `own`, a lane's own number, after the one at `start`, which is the same in all lanes.
// AMD's loads add a lane's 32 bits to a scalar address by themselves. Its compiler sees that where the address is
// scalar beyond doubt (SAME_IN_LANES) and the 32 bits are made where they are used (OWN_ID). And a test there takes
// several instructions, for which lanes are on must be saved: TESTS_COST. (GO_AS_AMD: a test runs that way elsewhere.)
#if defined(DEVICE_AMD) || defined(GO_AS_AMD)
#define ELEMENT_AFTER(from, start, own) \
  ((const __global STORED *)((const __global uchar *)((from) + (start)) + (uint)((own)*VALUE_BYTES)))
#define TESTS_COST 1
#endif

// Element k as it lies in memory, and as arithmetic sees it.
static inline STORED stored_in(const packet *p, uint k) {
#ifdef PACKET_BY_WORD
  union {
    uint word;
    STORED element;
  } low;
  low.word = p->words[k * VALUE_BYTES / 4] >> (k * VALUE_BYTES % 4 * 8);
  return low.element;
#else
  return p->elements[k];
#endif
}

static inline LOADED unpack(const packet *p, uint k) {
  if (IS_ON(PACKET_BY_WORD)) return VALUE_READ(stored_in(p, k));
  return READ_IN_PACKET(VALUE_READ, p->elements, k);
}

static inline LOADED load_element(const __global STORED *from) { return READ_AT(VALUE_READ, from); }

#ifdef LAZY_TEXT
// Elements that lie nowhere are made in place of loads (blocks/lazy.cl), one at a time.
#if VECTOR > 1
#error "elements that lie nowhere come in no packets"
#endif
static inline packet made_packet(const __global STORED *from, named_values given) {
  packet p;
  p.elements[0] = made_element(from, given);
  return p;
}
#define load_packet(from) made_packet(from, given)
#define load_element(from) VALUE_READ(made_element(from, given))
#endif
#endif  // VALUE

// The last group reads what the others wrote. Every work-item that may have written releases its own writes to the
// device before the group's barrier, because a release by work-item 0 after it does not cover them on all devices:
// - AMD: a release waits for the stores of its own wave, and LLVM has no wave wait for its stores at a work-group barrier.
//   A release by work-item 0 alone leaves those of the other waves in flight, or in a cache that only their group reads.
// - NVIDIA below SM 7.0: membar.gl orders the accesses of the thread that executes it.
// - NVIDIA from SM 7.0 on: nothing to do. bar.sync orders the group's writes before work-item 0's acq_rel.gpu, and by
//   PTX's memory model, where causality order is transitive, its release carries all that it has observed.
// - OpenCL 2 atomics: nothing to do. The barrier's fences order the group's writes before work-item 0's acq_rel atomic
//   (at work-group scope, which includes both sides), and happens-before is transitive across scopes.
// watched_word: a word that other groups change by atomic operations, as it is or was a while ago: nothing else is ordered by it.
// next_number: what a counter has, which is one more behind it; nothing is ordered by it either.
// order_accesses: what a work-item does before it, and what it does behind it, others see in this order.
#if defined(ORDER_PTX_FENCE) && CUDA_SM >= 70
static inline void release_own_writes(void) {}
static inline uint arrive_at(__global uint *counter) {
  uint ticket;
  __asm__ volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(ticket) : "l"(counter) : "memory");
  return ticket;
}
static inline void acquire_others_writes(void) {}
static inline uint watched_word(volatile __global uint *from) {
  uint word;
  __asm__ volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
  return word;
}
static inline uint next_number(__global uint *counter) { return atomic_inc((volatile __global uint *)counter); }
static inline void order_accesses(void) { __asm__ volatile("fence.acq_rel.gpu;" ::: "memory"); }
#elif defined(ORDER_PTX_FENCE)
static inline void release_own_writes(void) { __asm__ volatile("membar.gl;" ::: "memory"); }
static inline uint arrive_at(__global uint *counter) {
  const uint ticket = atomic_inc((volatile __global uint *)counter);
  __asm__ volatile("membar.gl;" ::: "memory");
  return ticket;
}
static inline void acquire_others_writes(void) {}
// One instruction, past the caches that only a unit reads.
static inline uint watched_word(volatile __global uint *from) { return *from; }
static inline uint next_number(__global uint *counter) { return atomic_inc((volatile __global uint *)counter); }
static inline void order_accesses(void) { __asm__ volatile("membar.gl;" ::: "memory"); }
#elif defined(ORDER_AMD_FENCE)
static inline void release_own_writes(void) { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent"); }
static inline uint arrive_at(__global uint *counter) { return atomic_inc((volatile __global uint *)counter); }
// A group may span two compute units with a first-level cache each: every wave drops its own.
static inline void acquire_others_writes(void) { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent"); }
static inline uint watched_word(volatile __global uint *from) { return *from; }
static inline uint next_number(__global uint *counter) { return atomic_inc((volatile __global uint *)counter); }
static inline void order_accesses(void) { __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent"); }
#elif defined(ORDER_OPENCL_ATOMICS)
static inline void release_own_writes(void) {}
static inline uint arrive_at(__global uint *counter) {
  return atomic_fetch_add_explicit((volatile __global atomic_uint *)counter, 1u, memory_order_acq_rel, memory_scope_device);
}
static inline void acquire_others_writes(void) {}
static inline uint watched_word(volatile __global uint *from) {
  return atomic_load_explicit((volatile __global atomic_uint *)from, memory_order_relaxed, memory_scope_device);
}
static inline uint next_number(__global uint *counter) {
  return atomic_fetch_add_explicit((volatile __global atomic_uint *)counter, 1u, memory_order_relaxed, memory_scope_device);
}
static inline void order_accesses(void) {
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
}
#else
// OpenCL 1.2 has no other read beside atomic operations.
static inline uint watched_word(volatile __global uint *from) { return atomic_or(from, 0u); }
static inline uint next_number(__global uint *counter) { return atomic_inc((volatile __global uint *)counter); }
static inline void order_accesses(void) {}
#endif

#ifndef ORDER_TWO_LAUNCHES
// A barrier of the group, and its arrival as one of `groups` groups at a counter, which is 0 before the first and after
// the last. True in every work-item of the group that arrives last; that group then sees what all of them wrote before.
// A single group (`groups` is 1) uses no counter. All work-items must call. `flag` is one word of local memory.
static inline bool arrives_last(__global uint *counter, uint groups, __local uint *flag) {
  release_own_writes();
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (groups == 1) return true;
  if (get_local_id(0) == 0) {
    const uint last = arrive_at(counter) == groups - 1;
    if (last) *counter = 0;
    *flag = last;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  acquire_others_writes();
  return SAME_IN_LANES(*flag) != 0;
}
#endif

// ---------------------------------------------------------------------------- copies into local memory
// Copies that run on while the work-item computes: COPIES_RUN_ON. They come in groups, STAGES - 1 of them under
// way; what a group brought can be read after wait_for_copies and a barrier.
#if defined(STAGES) && STAGES > 2 && defined(EMULATE_LANES)
// As early as they may arrive: at once.
#define COPIES_RUN_ON 1
static inline void copy_16_to_local(__local void *to, const __global void *from, uint size) {
  for (uint i = 0; i < 8; ++i)
    ((__local ushort *)to)[i] = 2 * i < size ? ((const __global ushort *)from)[i] : 0;
}
static inline void copy_all_16_to_local(__local void *to, const __global void *from) {
  *(__local uint4 *)to = *(const __global uint4 *)from;
}
static inline void copy_8_to_local(__local void *to, const __global void *from) {
  *(__local uint2 *)to = *(const __global uint2 *)from;
}
static inline void copy_4_to_local(__local void *to, const __global void *from) {
  *(__local uint *)to = *(const __global uint *)from;
}
static inline void end_of_copies(void) {}
static inline void wait_for_copies(void) {}
#elif defined(STAGES) && STAGES > 2 && defined(DEVICE_NVIDIA) && CUDA_SM >= 80
#define COPIES_RUN_ON 1

// In the state space of local memory, whose addresses are small.
static inline uint local_address(const __local void *p) { return (uint)(size_t)p; }

// Copies 4, 8 or 16 bytes, `size` of them, and zeros for the others. 16 go past the first-level cache.
static inline void copy_16_to_local(__local void *to, const __global void *from, uint size) {
  __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(local_address(to)), "l"(from), "r"(size)
                   : "memory");
}
static inline void copy_all_16_to_local(__local void *to, const __global void *from) {
  __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(local_address(to)), "l"(from) : "memory");
}
static inline void copy_8_to_local(__local void *to, const __global void *from) {
  __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(local_address(to)), "l"(from) : "memory");
}
static inline void copy_4_to_local(__local void *to, const __global void *from) {
  __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(local_address(to)), "l"(from) : "memory");
}
static inline void end_of_copies(void) { __asm__ volatile("cp.async.commit_group;" ::: "memory"); }
// Waits for all groups but the last STAGES - 2.
static inline void wait_for_copies(void) {
  __asm__ volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
}
#else
static inline void end_of_copies(void) {}
static inline void wait_for_copies(void) {}
#endif

// ------------------------------------------------------------------- values at any address
// A value of `type` at any address of an address space, to be read or assigned: ANYWHERE(const __global, uint16, from). A
// plain cast, and vloadN and vstoreN behind one, take an address that is a multiple of the (element) type's size, and
// compilers make use of that: NVIDIA's and some for ARM trap where it is not. A packed structure tells them that it need
// not be. DEFINE_ANYWHERE(type) comes first, once for each type, whose name is one word.
#define DEFINE_ANYWHERE(type)              \
  typedef struct __attribute__((packed)) { \
    type value;                            \
  } anywhere_##type;
#define ANYWHERE(space, type, address) (((space anywhere_##type *)(address))->value)

// ------------------------------------------------------------------- bytes, for what moves elements
// These move bytes and know no elements. A packet is what one access moves.
typedef uchar packet_1;
typedef ushort packet_2;
typedef uint packet_4;
typedef uint2 packet_8;
typedef uint4 packet_16;
typedef uint8 packet_32;
typedef uint16 packet_64;

// The word that starts `shift` (0 to 3) bytes into the first of two neighbouring words.
static inline uint straddling_word(uint low, uint high, uint shift) {
  return (uint)(((ulong)high << 32 | low) >> (8 * shift));
}
