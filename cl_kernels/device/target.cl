// What is built for: the names the host's -D options choose from, and the rules all code is under.

// Results must not depend on which multiplications a compiler fuses into additions. A user's texts follow this part.
#pragma OPENCL FP_CONTRACT OFF

// Clang warns where a function takes vectors wider than a CPU's registers, as if others called it: all are inlined.
#ifdef __has_warning
#if __has_warning("-Wpsabi")
#pragma clang diagnostic ignored "-Wpsabi"
#endif
#endif

#ifdef USE_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// DEVICE: whose instructions may be used. An emulated profile is always DEVICE_LOCAL.
#define DEVICE_LOCAL 0
#define DEVICE_NVIDIA 1
#define DEVICE_AMD 2
#define DEVICE_SUBGROUP 3
#define DEVICE_CPU 4

// EXCHANGE: how a lane hands a value to another.
#define EXCHANGE_NONE 0
#define EXCHANGE_LOCAL_MEMORY 1
#define EXCHANGE_SHUFFLE_SYNC 2
#define EXCHANGE_SHUFFLE 3
#define EXCHANGE_DPP_ROW_BCAST 4
#define EXCHANGE_DPP_PERMLANEX16 5
#define EXCHANGE_SWIZZLE 6
#define EXCHANGE_SUB_GROUP 7

// GROUP_ORDER: what makes other groups' writes visible to the last one.
#define ORDER_TWO_LAUNCHES 0
#define ORDER_PTX_FENCE 1
#define ORDER_AMD_FENCE 2
#define ORDER_OPENCL_ATOMICS 3

// What compilers want to be told before they take such code.
#if EXCHANGE == EXCHANGE_SUB_GROUP
#if defined(cl_khr_subgroup_shuffle_relative)
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle_relative : enable
#elif defined(cl_intel_subgroups)
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#endif
#endif
#if DEVICE == DEVICE_AMD && defined(MATRIX) && FACTOR_BYTES == 2
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

// BYTE_SUMS: the elements are bytes and are summed as whole numbers.
#define BYTES_UNSIGNED 0
#define BYTES_SIGNED 1
#define BYTES_TRUE 2  // those that are not 0 count as 1

// MATRIX: whose matrix instructions are used; not defined: none.
#define MATRIX_MMA_SYNC 1
#define MATRIX_MFMA 2
#define MATRIX_WMMA 3
#define MATRIX_WMMA_12 4
#define MATRIX_EMULATED 5

// WIDE_MATRIX: whose wide matrix instructions are used; not defined: none. WIDE_FACTOR: what they multiply.
#define WIDE_MATRIX_WGMMA 1
#define WIDE_FACTOR_F16 1
#define WIDE_FACTOR_BF16 2
#define WIDE_FACTOR_TF32 3

// Whether the first of a word's bytes is its lowest.
#ifdef __ENDIAN_LITTLE__
enum { IS_LITTLE_ENDIAN = 1 };
#else
enum { IS_LITTLE_ENDIAN = 0 };
#endif

// Lanes of a set, one bit each.
#ifdef MATCHES_LANES
#if LANES > 32
typedef ulong lane_mask;
#else
typedef uint lane_mask;
#endif
#endif

// What the host must have said.
#if !defined(DEVICE) || !defined(EXCHANGE) || !defined(GROUP_ORDER) || !defined(LANES) || !defined(GROUP_SIZE)
#error "DEVICE, EXCHANGE, GROUP_ORDER, LANES and GROUP_SIZE must be defined: see cl_kernels/README.md"
#endif
// The host looks for these words, and takes another row. From LLVM 22 on no macro says it; then the host asks
// the built kernel.
#if DEVICE == DEVICE_AMD && defined(__AMDGCN_WAVEFRONT_SIZE)
#if __AMDGCN_WAVEFRONT_SIZE != LANES
#error "a wavefront has not LANES lanes"
#endif
#endif
#if GROUP_SIZE % LANES != 0
#error "GROUP_SIZE must be a multiple of LANES"
#endif

// Loops over registers must unroll, for registers have no index. Emulated code runs from a CPU's memory,
// where unrolling only costs its compiler time.
#ifdef EMULATE_LANES
#define UNROLL
#define UNROLL_BY(turns)
#else
#define PRAGMA(text) _Pragma(#text)
#define UNROLL _Pragma("unroll")
#define UNROLL_BY(turns) PRAGMA(unroll turns)
#endif

// A function that must not stay a call, which compilers leave where it has two callers: nobody counts a callee's
// registers. Emulated code and a CPU's can do without, and a checker that knows little of LLVM (oclgrind) needs it
// left alone: what is put in place of a call is marked with intrinsics.
#if DEVICE == DEVICE_LOCAL || DEVICE == DEVICE_CPU
#define INLINE static inline
#else
#define INLINE static inline __attribute__((always_inline))
#endif

// The compiler that takes a limit on registers heeds it only where the group size is left open.
#ifdef REGISTERS
#define KERNEL __kernel
#else
#define KERNEL __kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1)))
#endif
