/// @file
/// Calls from C that make random numbers, and random orders. clwave.h says what holds for all calls.
///
/// The generator is Philox 4x32-10, without a state: an element follows from the seed, the stream and its
/// number there, and from nothing else. So the bits are the same on every device, in every run and from every
/// language, and a call for a part of an array, with `first`, gives the numbers that a call for all of it
/// gives there. Not for cryptography.
///
/// None of these calls blocks or takes workspace, and none takes a count on the device. Types, kinds and
/// bounds that do not go together, views that are past their buffers or not aligned to their type, and
/// objects of another context are refused with CLWAVE_ERROR_BAD_CALL before anything is enqueued. In full:
/// random.hpp.
#pragma once

#include <clwave/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How random numbers are distributed.
typedef enum clwave_random_kind {
  /// Integers: all values of the type alike, or those less than `below`. Floats: multiples of 2^-24 in [0, 1)
  /// (double 2^-53, half 2^-11, bfloat16 2^-8), all alike.
  CLWAVE_RANDOM_UNIFORM = 0,
  /// Floats alone: mean 0 and standard deviation 1, at most 5 units in the last place from the quantile of
  /// the normal distribution. Half and bfloat16 are the float rounded to nearest even.
  CLWAVE_RANDOM_NORMAL = 1,
  CLWAVE_RANDOM_32 = 0x7fffffff  ///< makes the enumeration 32 bits wide
} clwave_random_kind;

/// Which random numbers a call makes; 0 everywhere but in `size` is what NULL stands for.
typedef struct clwave_random_options {
  size_t size;  ///< sizeof(clwave_random_options)
  /// Of uniform integers: all results are less, and alike, without bias. 0: all values of the type. At most
  /// one more than the largest value of the type.
  uint64_t below;
  uint64_t first;  ///< the number of the output's first element in the stream; those past 2^64 - 1 begin at 0
  uint32_t stream;          ///< one of 2^32 independent sequences of numbers of a seed
  clwave_random_kind kind;  ///< how the numbers are distributed
} clwave_random_options;

/// Sets every element of `out` to a random number, which follows from `seed`, the stream and the element's
/// number in it: of an integer type of 1 to 8 bytes, or of CLWAVE_F32, CLWAVE_F64, CLWAVE_F16 or CLWAVE_BF16.
/// `random` is optional: NULL stands for integers that take all values of their type, and for floats in [0,
/// 1). Numbers of different kinds or types, with one seed and stream, depend on one another: give each its
/// own stream. `out` may start at any element. Does not block.
CLWAVE_EXPORT clwave_status clwave_random(cl_command_queue queue, const clwave_view* out, uint64_t seed,
                                          const clwave_random_options* random, const clwave_options* options,
                                          cl_event* event);

/// Sets `out`, of n elements of CLWAVE_U32 or CLWAVE_U64, to 0 to n - 1, each once, in an order that follows
/// from `seed` and n alone, for both types the same one. It is the order in which clwave_shuffle brings
/// elements; clwave_gather brings other arrays into it. Does not block.
CLWAVE_EXPORT clwave_status clwave_random_permutation(cl_command_queue queue, const clwave_view* out,
                                                      uint64_t seed, const clwave_options* options,
                                                      cl_event* event);

/// Sets `out` to the elements of `in` in a random order: out[i] is in[p[i]], where p is what
/// clwave_random_permutation gives for `seed` and their number. Both are of one type of up to 128 bytes and
/// equally long, and may not overlap; bits are moved. A seed chooses one of at most 2^64 orders, fewer than
/// there are of 21 elements, by a hash: what the order is worth is said at shuffle in random.hpp. Does not
/// block.
CLWAVE_EXPORT clwave_status clwave_shuffle(cl_command_queue queue, const clwave_view* in,
                                           const clwave_view* out, uint64_t seed,
                                           const clwave_options* options, cl_event* event);

#ifdef __cplusplus
}
#endif
