/// @file
/// A view: n elements of one type in a device buffer.
///
/// Views are values: threads may use one in calls at the same time. To make or cut one asks no queue and
/// no driver, so nothing is flushed, and it works in a child of fork() too.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <string_view>
#include <type_traits>

#include <clwave/element.hpp>
#include <clwave/export.hpp>
#include <clwave/handle.hpp>
#include <clwave/opencl.hpp>

namespace clwave {

/// Boost.Compute's vector<T> and everything else that is a whole buffer with a size.
template <class R>
concept buffer_range = requires(const R& range) {
  typename R::value_type;
  { range.get_buffer() } -> buffer_like;
  { range.size() } -> std::convertible_to<std::size_t>;
};

/// Boost.Compute's buffer_iterator<T>.
template <class I>
concept buffer_position = requires(const I& position) {
  typename I::value_type;
  { position.get_buffer() } -> buffer_like;
  { position.get_index() } -> std::convertible_to<std::size_t>;
};

namespace detail {
// Throws bad_call: elements `first` to `first` + `n` - 1 are not all in a view of `size`.
[[noreturn]] CLWAVE_EXPORT void refuse_subview(std::size_t first, std::size_t n, std::size_t size,
                                               std::size_t offset);
}  // namespace detail

template <class T>
class counted_view;
template <class T>
class counted_segments;
template <class T>
class lazy_view;

/// `n` elements of type T, `offset` elements into `buffer`. Owns nothing: the buffer must live until
/// the work on it is done. Whether the elements fit the buffer is checked by each call. 16-bit elements are
/// half or u16: view<cl_half>, which is view<std::uint16_t>, does not compile.
///
/// A view<const T> is good for an input, and a view<T> becomes one where it is asked for. An output of const
/// elements does not compile.
template <class T>
class view {
  static_assert(detail::has_one_meaning<T>::value);

 public:
  using value_type = T;  ///< the type of an element, with const where the view may only be read

  /// `n` elements from element `offset` of a buffer on. No reference to the buffer is taken.
  template <buffer_like Buffer>
  view(const Buffer& buffer, std::size_t n, std::size_t offset = 0)
      : buffer_(handle_of<cl_mem>(buffer)), n_(n), offset_(offset) {}

  /// All elements of a range.
  template <buffer_range Range>
    requires(std::same_as<typename Range::value_type, T> || std::same_as<const typename Range::value_type, T>)
  view(const Range& range)  // NOLINT(google-explicit-constructor): a range is a view of itself
      : view(range.get_buffer(), range.size()) {}

  /// The elements from `first` to before `last`, which lie in one buffer.
  template <buffer_position Position>
    requires(std::same_as<typename Position::value_type, T> ||
             std::same_as<const typename Position::value_type, T>)
  view(const Position& first, const Position& last)
      : view(first.get_buffer(), static_cast<std::size_t>(last.get_index() - first.get_index()),
             static_cast<std::size_t>(first.get_index())) {}

  /// The same elements, of which none may be written through this view.
  template <class U>
    requires(std::same_as<const U, T> && !std::is_const_v<U>)
  view(const view<U>& other)  // NOLINT(google-explicit-constructor): what may be written may be read
      : buffer_(other.buffer()), n_(other.size()), offset_(other.offset()) {}

  /// The buffer that the elements lie in. Not retained.
  cl_mem buffer() const noexcept { return buffer_; }
  /// How many elements the view has.
  std::size_t size() const noexcept { return n_; }
  /// Where in the buffer the first element lies, in elements.
  std::size_t offset() const noexcept { return offset_; }
  /// True where the view has no elements; its buffer may be anything then.
  bool empty() const noexcept { return n_ == 0; }

  /// `n` elements from element `first` of this view. Throws clwave::error (bad_call) where they are not all
  /// in it.
  view subview(std::size_t first, std::size_t n) const {
    // A view may name elements that no buffer can have, of which calls tell; the sum must not wrap before.
    if (first > n_ || n > n_ - first || first + n > static_cast<std::size_t>(-1) - offset_)
      detail::refuse_subview(first, n, n_, offset_);
    return {buffer_, n, offset_ + first};
  }

  /// As many of the first elements as a number on the device says when a call runs, and all of them where it
  /// is larger. `n` is a view of one std::uint32_t or std::uint64_t, which must live until the work on it is
  /// done; which calls take such a view, counted_view says.
  template <class Count>
  counted_view<T> first(const Count& n) const;

  /// Of offsets, which are one more than there are segments: as many of the first segments as a number on the
  /// device says when a call runs, and all of them where it is larger. `n` is a view of one std::uint32_t or
  /// std::uint64_t, which must live until the work on it is done; which calls take such offsets,
  /// counted_segments says.
  template <class Count>
  counted_segments<T> first_segments(const Count& n) const;

 private:
  cl_mem buffer_;
  std::size_t n_;
  std::size_t offset_;
};

/// A view of a range has its element type: `clwave::view(vector)`.
template <buffer_range Range>
view(const Range&) -> view<typename Range::value_type>;

/// A view between two positions has their element type: `clwave::view(x.begin(), x.end())`.
template <buffer_position Position>
view(const Position&, const Position&) -> view<typename Position::value_type>;

namespace detail {

template <class R>
struct is_counted : std::false_type {};
template <class T>
struct is_counted<counted_view<T>> : std::true_type {};

template <class R>
struct is_counted_segments : std::false_type {};
template <class T>
struct is_counted_segments<counted_segments<T>> : std::true_type {};

template <class R>
struct is_lazy : std::false_type {};
template <class T>
struct is_lazy<lazy_view<T>> : std::true_type {};

}  // namespace detail

/// A view, or a range that becomes one.
template <class R>
concept viewable = buffer_range<R> || detail::is_counted<R>::value || detail::is_lazy<R>::value ||
    requires(const R& range) {
  typename R::value_type;
  requires std::same_as<R, view<typename R::value_type>>;
};

namespace detail {

// Memory that is no view: its type does not say what its elements are, or it is the host's. Not text.
template <class T>
concept memory_without_view =
    !viewable<T> && !std::is_null_pointer_v<T> && !std::is_convertible_v<const T&, std::string_view> &&
    (std::ranges::contiguous_range<const T> || buffer_like<T>);

// Instantiated where such memory stands in place of a view.
template <class T>
struct wrapped : std::true_type {
  static_assert(viewable<T>,
                "calls take views of device memory: wrap the buffer, clwave::view<float>{buffer, n}");
};

}  // namespace detail

/// What calls take as a view. Memory that is none does not compile, and the compiler says how to wrap it.
template <class R>
concept view_argument = viewable<R> ||(detail::memory_without_view<R>&& detail::wrapped<R>::value);

/// The type of its elements, without const.
template <viewable R>
using viewed = std::remove_const_t<typename R::value_type>;

namespace detail {

/// Instantiated for what a call writes.
template <viewable R>
struct is_output : std::true_type {
  static_assert(
      !std::is_const_v<typename R::value_type>,
      "the elements of this output are const: give a view<T>, or a range of elements without const");
  static_assert(!is_counted<R>::value, "an output has no count: give the view that has room for all results");
  static_assert(!is_lazy<R>::value, "an output lies in memory: the elements of a lazy_view lie nowhere");
};

/// A view or range of one count.
template <class Count>
concept counted = viewable<Count> && std::same_as<viewed<Count>, std::uint64_t>;

/// A view or range of indices of keys.
template <class Indices>
concept indices_of_keys = viewable<Indices> &&
    (std::same_as<viewed<Indices>, std::uint32_t> || std::same_as<viewed<Indices>, std::uint64_t>);

/// A view or range of offsets, or those of the first segments.
template <class Offsets>
concept offset_range = is_counted_segments<Offsets>::value ||
    (viewable<Offsets> &&
     (std::same_as<viewed<Offsets>, std::uint64_t> || std::same_as<viewed<Offsets>, std::uint32_t>));

}  // namespace detail

}  // namespace clwave
