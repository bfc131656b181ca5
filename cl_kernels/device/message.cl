// Messages between the groups of one launch: a value in words of 64 bits. The lower half of a word holds 32 bits of the value, the
// upper half the number of the call. A word is written and read by one relaxed access, so whoever reads the call's number has the
// bits that belong to it, and nothing needs to be cleared between calls. A message orders no other access.

#define NO_TILE 0xffffffffu  // what a search for a message that is missing gives if none is

// message_write_32 and message_read_32 are the same for words of 32 bits, as short messages are (look_back_digits.cl).
#if defined(ORDER_PTX_FENCE) && CUDA_SM >= 70
static inline void message_write(__global ulong *to, ulong word) {
  __asm__ volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}
static inline ulong message_read(__global ulong *from) {
  ulong word;
  __asm__ volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  return word;
}
static inline void message_write_32(__global uint *to, uint word) {
  __asm__ volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
}
static inline uint message_read_32(__global uint *from) {
  uint word;
  __asm__ volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
  return word;
}
#elif defined(ORDER_OPENCL_ATOMICS)
static inline void message_write(__global ulong *to, ulong word) {
  atomic_store_explicit((volatile __global atomic_ulong *)to, word, memory_order_relaxed, memory_scope_device);
}
static inline ulong message_read(__global ulong *from) {
  return atomic_load_explicit((volatile __global atomic_ulong *)from, memory_order_relaxed, memory_scope_device);
}
static inline void message_write_32(__global uint *to, uint word) {
  atomic_store_explicit((volatile __global atomic_uint *)to, word, memory_order_relaxed, memory_scope_device);
}
static inline uint message_read_32(__global uint *from) {
  return atomic_load_explicit((volatile __global atomic_uint *)from, memory_order_relaxed, memory_scope_device);
}
#else
// One instruction, past the caches that only a unit reads.
static inline void message_write(__global ulong *to, ulong word) { *(volatile __global ulong *)to = word; }
static inline ulong message_read(__global ulong *from) { return *(volatile __global ulong *)from; }
static inline void message_write_32(__global uint *to, uint word) { *(volatile __global uint *)to = word; }
static inline uint message_read_32(__global uint *from) { return *(volatile __global uint *)from; }
#endif

// One work-item calls this after it has posted a message, before the barrier that its group's stores follow; and before it reads a
// message, after the barrier that its group's loads precede. If those loads have seen one of the stores, the message is there.
static inline void message_before_stores(void) { order_accesses(); }

#ifdef VALUE
enum { MESSAGE_WORDS = FOLDED_WORDS };

static inline void post_message(__global ulong *to, uint call, FOLDED value) {
  travelling words;
  words.words[MESSAGE_WORDS - 1] = 0;
  words.value = value;
  for (uint w = 0; w < MESSAGE_WORDS; ++w) message_write(to + w, (ulong)call << 32 | words.words[w]);
}

// Whether the message is there; then `value` is what it says.
static inline bool read_message(__global ulong *from, uint call, FOLDED *value) {
  travelling words;
  bool there = true;
  for (uint w = 0; w < MESSAGE_WORDS; ++w) {
    const ulong word = message_read(from + w);
    there = there && (uint)(word >> 32) == call;
    words.words[w] = (uint)word;
  }
  if (there) *value = words.value;
  return there;
}

// One work-item, once its group has folded another's tile: whether that one's own group has posted it.
static inline bool message_is_there(__global ulong *from, uint call) {
  FOLDED value;
  message_before_stores();
  return read_message(from, call, &value);
}
#endif

// The next number of a counter that is 0 before the first of `count` groups takes one and after the last.
static inline uint take_number(__global uint *counter, uint count) {
  const uint number = next_number(counter);
  if (number == count - 1) *counter = 0;
  return number;
}

// Lets others go on for about so many nanoseconds, where a device can be told.
static inline void pause_for(uint nanoseconds) {
#if defined(DEVICE_NVIDIA) && CUDA_SM >= 70
  __asm__ volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
#elif defined(DEVICE_AMD)
  // A unit of 64 cycles is some 40 ns.
  for (uint slept = 0; slept < nanoseconds; slept += 400) __builtin_amdgcn_s_sleep(10);
#endif
}
