// Instructions: single ones that some devices have for what takes others several.

// IEEE 754-2019 minimum and maximum of floats: NaN wins, -0 is below +0.
#if defined(DEVICE_NVIDIA) && CUDA_SM >= 80
static inline float nvidia_minimum(float a, float b) {
  float result;
  __asm__("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
static inline float nvidia_maximum(float a, float b) {
  float result;
  __asm__("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
#define MINIMUM_F32(a, b) nvidia_minimum(a, b)
#define MAXIMUM_F32(a, b) nvidia_maximum(a, b)
#endif

// Brings memory near that is soon read: to the second-level cache, since the first holds accumulators. The address may lie
// outside any buffer. A CPU's row may be forced on a GPU, where this built-in takes no global address.
#if defined(DEVICE_CPU) && (defined(__x86_64__) || defined(__aarch64__) || defined(__riscv))
#define FETCH_SOON(address) __builtin_prefetch((const void *)(size_t)(address), 0, 1)
#elif defined(DEVICE_NVIDIA) && CUDA_SM >= 70
#define FETCH_SOON(address) __asm__ volatile("prefetch.global.L2 [%0];" ::"l"(address))
#else
#define FETCH_SOON(address)
#endif

// Bytes of two words put together, where a device has that as one instruction. SELECTOR names the four bytes of
// the result from the lowest, one hexadecimal digit each from the right: 0 to 3 in `low`, 4 to 7 in `high`.
#ifdef DEVICE_NVIDIA
#define DEFINE_SELECT_BYTES(name, SELECTOR, PLAIN)                                                   \
  static inline uint name(uint low, uint high) {                                                     \
    uint result;                                                                                     \
    __asm__("prmt.b32 %0, %1, %2, 0x" #SELECTOR ";" : "=r"(result) : "r"(low), "r"(high));           \
    return result;                                                                                   \
  }
#elif defined(DEVICE_AMD) && AMD_GFX >= 0x800
#define SPREAD_DIGITS(x) (((x) & 0xf000) << 12 | ((x) & 0xf00) << 8 | ((x) & 0xf0) << 4 | ((x) & 0xf))
#define DEFINE_SELECT_BYTES(name, SELECTOR, PLAIN) \
  static inline uint name(uint low, uint high) { return __builtin_amdgcn_perm(high, low, SPREAD_DIGITS(0x##SELECTOR)); }
#else
#define DEFINE_SELECT_BYTES(name, SELECTOR, PLAIN) \
  static inline uint name(uint low, uint high) { return PLAIN; }
#endif
DEFINE_SELECT_BYTES(low_halves, 5410, (low & 0xffff) | high << 16)
DEFINE_SELECT_BYTES(high_halves, 7632, low >> 16 | (high & 0xffff0000))
DEFINE_SELECT_BYTES(low_bytes, 5140,
                    (low & 0xff) | (low & 0xff00) << 8 | (high & 0xff) << 8 | (high & 0xff00) << 16)
DEFINE_SELECT_BYTES(high_bytes, 7362,
                    (low >> 16 & 0xff) | (low >> 8 & 0xff0000) | (high >> 8 & 0xff00) | (high & 0xff000000))
