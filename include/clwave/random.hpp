/// @file
/// random: uniform bits, numbers in [0, 1), normal numbers, integers below a bound, and random permutations.
/// shuffle: elements in a random order.
///
/// The generator is Philox 4x32-10 (J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random
/// numbers: as easy as 1, 2, 3", 2011), as Random123 and cuRAND have it. It has no state: element i is
/// a function of the seed, the stream, and `first` + i, and of nothing else. So a call for a part of an array
/// gives the numbers that a call for all of it gives there, whatever the sizes of the parts and the number of
/// devices. Element number e of a stream is made of its word e of 32 bits, or of words 2 e (the low half) and
/// 2 e + 1 where elements have 8 bytes; word w is output w mod 4 of Philox for the counter {w / 4 (two
/// words), stream, 0} and the key `seed` (low word first). Numbers of different kinds or types, with one seed
/// and stream, are made of the same words and so depend on one another: give each its own stream.
///
/// The bits are the same on every device and in every run. Normal numbers are the quantile function of the
/// normal distribution (its inverse) of an element's word, from +, *, fma and the division of doubles alone,
/// not from a device's log or cos: a float is at most 5 units in the last place from the quantile of its
/// word's middle, and so is a double. Their size is at most 6.34 (float) and 9.16 (double), where a word has
/// no smaller probability.
///
/// Not for cryptography.
///
/// One launch each, no workspace. Accesses are 16 bytes wide wherever the output begins; `first` should be a
/// multiple of 4 elements behind such a boundary, else a part of the words is made twice. Kernels:
/// cl_kernels/primitives/random.cl, and gather.cl for shuffle.
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be in-order
/// or out-of-order, with profiling or without; no call here blocks or flushes a queue. A child of fork() is
/// refused. In full: event.hpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <clwave/any_view.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/gather.hpp>
#include <clwave/options.hpp>
#include <clwave/view.hpp>

namespace clwave {

/// How random numbers are distributed.
enum class random_kind {
  /// Integers: all values of the type alike, or those less than `below`. Floats: multiples of 2^-24 in [0, 1)
  /// (double 2^-53, half 2^-11, bfloat16 2^-8), all alike.
  uniform,
  /// Floats alone: mean 0 and standard deviation 1. Half and bfloat16 are the float rounded to nearest even.
  normal,
  /// Integers of 32 or 64 bits without a sign: each of 0 to n - 1 once, of n elements.
  permutation
};

/// The options of random.
struct random_options {
  random_kind kind = random_kind::uniform;  ///< how the numbers are distributed
  /// Of uniform integers: all results are less, and alike, without bias. 0: all values of the type. At most
  /// one more than the largest value of the type.
  std::uint64_t below = 0;
  std::uint32_t stream = 0;  ///< one of 2^32 independent sequences of numbers of a seed
  std::uint64_t first = 0;   ///< the number of the output's first element in the stream; not of permutations
  wait_list after = {};      ///< what comes before: launch_options
  bool with_event = true;    ///< whether an event is made: launch_options
  workspace_view workspace = {};  ///< not looked at: launch_options
};

static_assert(call_options<random_options>);

/// Random numbers, of a type that is said at run time: what the call takes, and what plan() is asked, then
/// without buffers. The fields are those of random_options.
struct random_problem {
  any_view out;                             ///< the numbers
  std::uint64_t seed = 0;                   ///< what they follow from
  random_kind kind = random_kind::uniform;  ///< how they are distributed
  std::uint64_t below = 0;                  ///< of uniform integers: what all are less than; 0: all values
  std::uint32_t stream = 0;                 ///< which sequence of the seed's
  std::uint64_t first = 0;                  ///< the number of the first element in it
};

/// What a call would do: its launches, their arguments, the source and the workspace (plan.hpp). Enqueues
/// nothing. Throws clwave::error (bad_call) for a problem that the call would refuse.
CLWAVE_EXPORT call_plan plan(const random_problem& asked, const plan_target& on);

/// Sets every element to a random number, of a type that is said at run time. Does not block: returns the
/// event of its last command, started after `options.after`. Throws clwave::error: bad_call before anything
/// is enqueued (types or sizes that do not go together, overlaps that are not allowed, a view past its
/// buffer, an object of another context), build, out_of_memory.
CLWAVE_EXPORT event random(cl_command_queue queue, const random_problem& asked,
                           const launch_options& options = {});

/// Sets every element of `out` to a random number, which follows from `seed`, `options.stream` and the
/// element's number `options.first` + i: of an integer type of 1 to 8 bytes, or of float, double, half or
/// bfloat16. By default integers take all values of their type alike, and floats lie in [0, 1); see
/// random_kind and `options.below` for normal numbers, integers below a bound and permutations. Narrow
/// integers are the low bits of a word. An integer below a bound is the high half of the product of its word
/// and the bound (D. Lemire, "Fast random integer generation in an interval", 2019); a word that would favour
/// some results is replaced by another one of counters that are the element's own. `out` may start at any
/// element, and numbers of elements past 2^64 - 1 begin at 0 again.
///
/// Does not block: returns the event of its command, started after `options.after`. No elements: nothing is
/// launched. No workspace. Throws clwave::error: bad_call before anything is enqueued (a type or a kind that
/// do not go together, a bound that is larger than the type, a permutation whose indices do not fit the type
/// or with `first`, a view past its buffer or not aligned to its type, a buffer or an event of another
/// context, doubles where the device has none), build, out_of_memory.
///
///     clwave::random(queue, bits, 42);                                            // std::uint32_t: all
///     values clwave::random(queue, x, 42, {.stream = 1});                                // float: in [0, 1)
///     clwave::random(queue, noise, 42, {.kind = clwave::random_kind::normal, .stream = 2});
///     clwave::random(queue, dice, 42, {.below = 6, .stream = 3});
template <queue_like Queue, view_argument Out>
event random(const Queue& queue, const Out& out, std::uint64_t seed, const random_options& options = {}) {
  return random(handle_of<cl_command_queue>(queue),
                {.out = detail::erase_output(out),
                 .seed = seed,
                 .kind = options.kind,
                 .below = options.below,
                 .stream = options.stream,
                 .first = options.first},
                detail::launch_of(options));
}

/// Sets `out` to a random permutation of 0 to n - 1, of its n elements: each of these once, in an order that
/// follows from `seed` and n alone. The indices have 32 or 64 bits without a sign; the order does not depend
/// on that. They are those by which shuffle moves elements. A seed chooses one of at most 2^64 orders, by a
/// hash; shuffle's docstring says what that is worth. Does not block: returns the event of its last command,
/// started after `options.after`. No elements: nothing is launched. No workspace. Throws clwave::error:
/// bad_call before anything is enqueued (indices that do not fit the type, a view past its buffer or
/// misaligned, an object of another context), build, out_of_memory.
///
///     clwave::random_permutation(queue, order, 42);
///     clwave::gather(queue, x, order, shuffled_x);  // and other arrays in the same order
template <queue_like Queue, view_argument Out>
event random_permutation(const Queue& queue, const Out& out, std::uint64_t seed,
                         const launch_options& options = {}) {
  static_assert(std::same_as<viewed<Out>, std::uint32_t> || std::same_as<viewed<Out>, std::uint64_t>,
                "indices are std::uint32_t or std::uint64_t");
  return random(handle_of<cl_command_queue>(queue),
                {.out = detail::erase_output(out), .seed = seed, .kind = random_kind::permutation}, options);
}

/// Sets `out` to the elements of `in` in a random order, which follows from `seed` and their number n alone:
/// out[i] is in[p(i)], where p is the permutation that random_permutation gives. Elements have any type of 1
/// to 128 bytes and are moved as bits. `out` has as many elements as `in` and is of its type; they may not
/// overlap, and both may start at any element.
///
/// The permutation is computed for each index by itself, without a sort and without memory: 12 rounds of a
/// Feistel network on a rectangle of n or a few more indices, keyed by Philox (J. Black, P. Rogaway, "Ciphers
/// with arbitrary finite domains", 2002; for shuffles on GPUs R. Mitchell et al., "Bandwidth-optimal random
/// shuffling for GPUs", 2021). So it costs a gather in random order. Its limits: a seed chooses one of at
/// most 2^64 permutations, fewer than there are of 21 elements, and which ones is decided by a hash and not
/// by a proof. Where elements stand, which stand side by side, cycles, and all orders of up to 6 elements
/// have been tested to come as often as they should: docs/reproducibility.md. For an order that must be
/// uniform beyond that, sort by random keys of 64 bits.
///
/// Does not block: returns the event of its command, started after `options.after`. No elements: nothing is
/// launched. No workspace. Throws clwave::error: bad_call before anything is enqueued (different lengths,
/// views that overlap, a view past its buffer or not aligned to its type, a buffer or an event of another
/// context), build, out_of_memory.
///
///     clwave::shuffle(queue, x, shuffled, 42);
template <queue_like Queue, view_argument In, view_argument Out>
event shuffle(const Queue& queue, const In& in, const Out& out, std::uint64_t seed,
              const launch_options& options = {}) {
  static_assert(std::is_same_v<viewed<In>, viewed<Out>>, "input and output are of one type");
  return reorder(handle_of<cl_command_queue>(queue),
                 {.in = detail::erase(in), .out = detail::erase_output(out), .shuffle = true, .seed = seed},
                 options);
}

}  // namespace clwave
