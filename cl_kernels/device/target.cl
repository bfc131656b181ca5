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

// Of several choices the host names one, by a word of its own: DEVICE_NVIDIA, EXCHANGE_SHUFFLE and so on (README.md).

// Whether the host has given an option that is there or absent, as a constant for plain C: 1 or 0. What is not given stands for
// itself, which is longer than the 1 that stands for others.
#define TEXT_OF(words) #words
#define IS_ON(option) (sizeof(TEXT_OF_ALL(option)) <= 2 ? 1 : 0)
#define TEXT_OF_ALL(words) TEXT_OF(words)

// One word of two, of which each may be a macro.
#define JOIN_AS_THEY_ARE(first, second) first##second
#define JOINED(first, second) JOIN_AS_THEY_ARE(first, second)

#ifndef __has_builtin
#define __has_builtin(name) 0
#endif

// What compilers want to be told before they take such code.
#if defined(EXCHANGE_SUB_GROUP) && defined(cl_khr_subgroup_shuffle_relative)
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle_relative : enable
#elif defined(EXCHANGE_SUB_GROUP) && defined(cl_intel_subgroups)
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#endif
#if defined(DEVICE_AMD) && defined(MATRIX) && FACTOR_BYTES == 2
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

// Whether the first of a word's bytes is its lowest.
enum { IS_LITTLE_ENDIAN = IS_ON(__ENDIAN_LITTLE__) };

// Lanes of a set, one bit each.
#if LANES > 32
typedef ulong lane_mask;
#else
typedef uint lane_mask;
#endif

// What the host must have said.
#if !defined(LANES) || !defined(GROUP_SIZE) || GROUP_SIZE % LANES != 0
#error "LANES and GROUP_SIZE, a multiple of LANES, must be defined: see cl_kernels/README.md"
#endif
// The host looks for these words, and takes another row. From LLVM 22 on no macro says it; then the host asks
// the built kernel.
#if defined(DEVICE_AMD) && defined(__AMDGCN_WAVEFRONT_SIZE) && __AMDGCN_WAVEFRONT_SIZE != LANES
#error "a wavefront has not LANES lanes"
#endif

// Loops over registers must unroll, for registers have no index. UNROLL_BY(1) stands where no compiler knows a loop's length, and
// it runs seldom or waits for each step: some unroll it all the same, take longer, and make it no faster. Emulated code runs
// from a CPU's memory, where unrolling only costs its compiler time.
#ifdef EMULATE_LANES
#define UNROLL
#else
#define UNROLL _Pragma("unroll")
#endif
#define PRAGMA(text) _Pragma(#text)
#define UNROLL_BY(turns) PRAGMA(unroll turns)

// A function that must not stay a call, which compilers leave where it has two callers: nobody counts a callee's
// registers. Emulated code and a CPU's can do without, and a checker that knows little of LLVM (oclgrind) needs it
// left alone: what is put in place of a call is marked with intrinsics.
#if defined(DEVICE_LOCAL) || defined(DEVICE_CPU)
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
