/// @file
/// any_view: a view whose element type is said at run time. Problems are made of them, and the untyped calls
/// that take problems are what interfaces in other languages stand on.
///
/// Views are values: threads may use one in calls at the same time. To make one asks no queue and no driver,
/// so nothing is flushed, and it works in a child of fork() too.
#pragma once

#include <concepts>
#include <cstdint>

#include <clwave/element.hpp>
#include <clwave/opencl.hpp>
#include <clwave/view.hpp>

namespace clwave {

struct any_lazy;
struct call_plan;
struct plan_target;

/// `n` elements of a type, `offset` elements into a buffer. Owns nothing: the buffer must live until the work
/// on it is done, the type as long as the view. Without a buffer it is good for plan() alone, which asks
/// where the first element lies: `address`, `known` and `alignment` say it, and calls find them out
/// themselves. Made from nothing, it has no buffer, no elements and no_type(), which every call and every
/// plan refuses with bad_call, naming the operand; an operand that may be left out is a std::optional.
///
/// Where `count` is not null, a number on the device says how many of the `n` elements there are
/// (counted_view); of the offsets of segments, how many of the `n` - 1 segments there are (counted_segments).
/// Where `lazy` is not null, the elements lie nowhere, and are made where they are needed
/// (lazy_view). Calls that cannot take such an operand refuse it with bad_call, by its name.
struct any_view {
  /// No elements, of no_type().
  any_view() = default;
  /// `n` elements from element `first` of a buffer on; null stands for no_type(). No reference to the buffer
  /// is taken.
  any_view(cl_mem in, std::uint64_t n_elements, std::uint64_t first, const element* of)
      : buffer(in), n(n_elements), offset(first), type(of != nullptr ? of : &no_type()) {
    place(first * type->size, 0);
  }
  /// The elements of a range that becomes a view, or of a view, of whose type this one is.
  template <viewable R>
    requires(!detail::is_counted<R>::value && !detail::is_lazy<R>::value)
  any_view(const R& range)  // NOLINT(google-explicit-constructor): a view is one of any type
      : any_view(view<const viewed<R>>(range)) {}
  /// The elements of a view, whose type becomes that of this one.
  template <class T>
  any_view(const view<T>& of)  // NOLINT(google-explicit-constructor): a view is one of any type
      : any_view(of.buffer(), of.size(), of.offset(), &element_of<std::remove_const_t<T>>()) {}

  /// The elements of a counted view, which must live as long as this one: one without a name does not
  /// compile.
  template <class T>
  any_view(const counted_view<T>& of);  // NOLINT(google-explicit-constructor): a view is one of any type
  template <class T>
  any_view(const counted_view<T>&& of) = delete;  // it would refer to what is gone

  /// The elements of a lazy view, which must live as long as this one: one without a name does not compile.
  template <class T>
  any_view(const lazy_view<T>& of);  // NOLINT(google-explicit-constructor): a view is one of any type
  template <class T>
  any_view(const lazy_view<T>&& of) = delete;  // it would refer to what is gone

  /// For plans: elements of a type from the beginning of a buffer on, which starts at a multiple of 128
  /// bytes.
  any_view(const element& of)  // NOLINT(google-explicit-constructor): most plans ask for no more
      : type(&of) {}
  /// For plans: `n` elements from element `first` of such a buffer on.
  any_view(const element& of, std::uint64_t n_elements, std::uint64_t first = 0)
      : n(n_elements), offset(first), type(&of) {
    place(first * of.size, 0);
  }
  /// For plans: `n` elements from element `first` on, where the first one lies at the address `at`: in a
  /// sub-buffer, or in memory of the host's own, which starts at the address `host`. Where that is no
  /// multiple of 128, the elements may lie differently on a device that keeps a copy of the memory; then
  /// their address is not known, and only what divides both addresses is.
  any_view(const element& of, std::uint64_t n_elements, std::uint64_t first, std::uint64_t at,
           std::uint64_t host)
      : n(n_elements), offset(first), type(&of) {
    place(at, host);
  }

  /// False for a view that was given no type.
  bool has_type() const noexcept { return type != nullptr && type->size != 0; }

  cl_mem buffer = nullptr;          ///< that the elements lie in; null: the view is good for plans alone
  std::uint64_t n = 0;              ///< how many elements there are
  const any_view* count = nullptr;  ///< one number of 32 or 64 bits without a sign; null: there are n
  /// What the elements are made of; null: they lie in the buffer. Set by the constructor alone: a view with a
  /// buffer or an offset beside it is refused.
  const any_lazy* lazy = nullptr;
  std::uint64_t offset = 0;          ///< of the first element in its buffer, in elements
  const element* type = &no_type();  ///< of the elements; never null
  std::uint64_t address = 0;         ///< of the first element, modulo 128
  bool known = true;              ///< whether `address` is that on the device; else `alignment` alone counts
  std::uint64_t alignment = 128;  ///< the largest power of two, at most 128, that divides the address

 private:
  void place(std::uint64_t at, std::uint64_t host) {
    address = at % 128;
    known = host % 128 == 0;
    alignment = (at | host | 128) & (~(at | host | 128) + 1);
  }
};

/// The first elements of a view, as many as a number on the device says when a call runs: all of them where
/// it is larger than the view. The host never reads it, so that a call can go on with what an earlier one has
/// counted. Made by view::first. Owns nothing: both buffers must live until the work on them is done.
///
///     clwave::copy_if(queue, x, kept, count, positive);  // how many are kept only the device knows
///     clwave::inclusive_scan(queue, kept.first(count), sums);
///
/// A call with a counted view gives the bits that it gives for a view of so many elements; what lies behind
/// them is neither read nor written. The host neither waits for the number nor enqueues by it: launches,
/// checks and workspace go by the whole view. Reductions of one view by operators that have an identity,
/// argmin and argmax, transforms (their first input), generate and iota (their output), copies of elements,
/// fills, gathers and scatters (their indices),
/// scans, selections and runs, folds and scans by key (their keys), searches by a predicate, is_sorted, sorts
/// but those of segments (their keys), merges and set operations (either range), histograms, and top_k take
/// counted views; all other calls do not compile with them, or refuse them with bad_call, by the operand's
/// name. Calls of segments take a number of segments, counted_segments. Where there are no elements, a
/// reduction gives the identity; argmin and argmax give the index 2^64 - 1, and throw bad_call where they
/// return a value.
template <class T>
class counted_view {
 public:
  using value_type = T;  ///< the type of an element, with const where the view may only be read

  /// All elements that there may be, and where their number lies: a view of one std::uint32_t or
  /// std::uint64_t. Where that has another length, calls throw bad_call.
  template <viewable Count>
  counted_view(const view<T>& all, const Count& count) : all_(all), count_(count) {
    static_assert(std::same_as<viewed<Count>, std::uint32_t> || std::same_as<viewed<Count>, std::uint64_t>,
                  "a count is a std::uint32_t or a std::uint64_t");
  }

  /// All elements that there may be.
  const view<T>& all() const noexcept { return all_; }
  /// Where their number lies.
  const any_view& count() const noexcept { return count_; }

 private:
  view<T> all_;
  any_view count_;
};

/// The offsets of the first segments, as many as a number on the device says when a call runs: all of them
/// where it is larger than there are. Made by view::first_segments of a view of all offsets, one more than
/// there may be segments, of which the call then reads one more than the number. Owns nothing: both buffers
/// must live until the work on them is done.
///
///     clwave::run_offsets(queue, keys, offsets, count);  // how many runs there are only the device knows
///     clwave::segmented_reduce(queue, x, offsets.first_segments(count), sums);
///
/// segmented_reduce, segmented_argmin, segmented_argmax, segmented_minmax, segmented_mean_and_variance,
/// segmented scans, segmented sorts and segmented_top_k take it for their offsets, and so do their checked_
/// and transform_ forms; no other call does. Such a call gives the bits that it gives for so many segments:
/// elements of other segments are neither read nor written, nor are their results; a sort by keys of texts
/// evaluates these for all elements. Where there are no segments, nothing is written but the number of bad
/// ones, which is 0. The host neither waits for the number nor enqueues by it: launches, checks, outputs and
/// workspace go by all segments that there may be.
template <class T>
class counted_segments {
 public:
  /// All offsets that there may be, and where the number of segments lies: a view of one std::uint32_t or
  /// std::uint64_t. Where that has another length, calls throw bad_call.
  template <viewable Count>
  counted_segments(const view<T>& all, const Count& count) : all_(all), count_(count) {
    static_assert(std::same_as<std::remove_const_t<T>, std::uint32_t> ||
                      std::same_as<std::remove_const_t<T>, std::uint64_t>,
                  "offsets are of std::uint32_t or std::uint64_t");
    static_assert(std::same_as<viewed<Count>, std::uint32_t> || std::same_as<viewed<Count>, std::uint64_t>,
                  "a count is a std::uint32_t or a std::uint64_t");
  }

  /// All offsets that there may be.
  const view<T>& all() const noexcept { return all_; }
  /// Where the number of segments lies.
  const any_view& count() const noexcept { return count_; }

 private:
  view<T> all_;
  any_view count_;
};

template <class T>
any_view::any_view(const counted_view<T>& of) : any_view(of.all()) {
  count = &of.count();
}

template <class T>
template <class Count>
counted_view<T> view<T>::first(const Count& n) const {
  return {*this, n};
}

template <class T>
template <class Count>
counted_segments<T> view<T>::first_segments(const Count& n) const {
  return {*this, n};
}

namespace detail {

template <viewable R>
any_view erase(const R& range) {
  return range;
}

template <viewable R>
any_view erase_output(const R& range) {
  static_assert(is_output<R>::value);
  return erase(range);
}

// The offsets of a call, whose segments may be counted.
template <offset_range R>
any_view erase_offsets(const R& range) {
  static_assert(!is_counted<R>::value,
                "a count of segments is not one of offsets: give offsets.first_segments(count)");
  if constexpr (is_counted_segments<R>::value) {
    any_view all(range.all());
    all.count = &range.count();
    return all;
  } else {
    return range;
  }
}

// An output of a call without inputs, whose elements may be counted.
template <viewable R>
any_view erase_filled(const R& range) {
  if constexpr (is_counted<R>::value)
    static_assert(is_output<view<typename R::value_type>>::value);
  else
    static_assert(is_output<R>::value);
  return erase(range);
}

}  // namespace detail

}  // namespace clwave
