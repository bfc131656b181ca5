/// @file
/// Inputs that are no arrays: elements that lie nowhere, and are made where a call needs them. A function of
/// the index (generate), elements that indices point to (gather_of), every so many of a view (strided), a
/// view backwards (reversed), and a function of up to eight of these side by side (zip, transformed).
///
///     clwave::reduce(queue, clwave::gather_of(x, indices));
///     clwave::inclusive_scan(queue, clwave::strided(x, 3), sums);
///     clwave::map pay{.name = "pay", .source = "x > 2 ? y * z : w"};
///     clwave::copy_if(queue, clwave::transformed<float>(clwave::zip(hours, rate, bonus, base), pay), kept,
///                     count, above);
///
/// A call reads what they are made of, and makes no pass over memory for them and keeps no array. Taken by
/// reductions of one input (reduce, transform_reduce, count_if, argmin, argmax, minmax, mean_and_variance; to
/// a value, a future and on the device), of rows and of columns, by scans, by selections and runs (their
/// input or keys), by histograms, and by transforms of one input; transforms take a zip, too. Other calls,
/// searches, sorts and calls on sharded, ranks and host_array among them, do not compile with them or refuse
/// them with bad_call, by the operand's name; a transform into a buffer makes an array of one. A call gives
/// the bits that it gives for an array of these elements, for every operator and on every device. On a
/// device of 32-bit addresses the elements together have less than 4 GiB. Python has them as LazyArray, C as
/// clwave_lazy.
///
/// Elements are read one at a time, by neighbouring work-items of a GPU side by side; an array's are read 16
/// bytes at a time. An element may be made more than once.
///
/// Lazy views are values: threads may use one in calls at the same time. To make one asks no queue and no
/// driver, so nothing is flushed, and it works in a child of fork() too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/export.hpp>
#include <clwave/op.hpp>
#include <clwave/view.hpp>

namespace clwave {

/// What a lazy input reads: of index i the element `first + i * step` of a view, or where there are indices,
/// the element `indices[i]` of it.
struct any_source {
  any_view of;                              ///< the elements; neither counted nor lazy
  std::uint64_t n = 0;                      ///< how many indices there are; of indices their number
  std::uint64_t first = 0;                  ///< the element of index 0
  std::int64_t step = 1;                    ///< from one index to the next
  std::optional<any_view> indices = {};     ///< of 32 or 64 bits without a sign
  std::vector<unsigned char> outside = {};  ///< what an index outside `of` gives; empty: zero bytes
};

/// A lazy input whose types are said at run time.
struct any_lazy {
  /// Side by side, at most 8, all with as many indices as the input has elements.
  std::vector<any_source> sources;
  /// The function that makes an element of theirs; none: the one source's element itself.
  std::optional<map> apply = {};
};

/// `n` elements of type T that are made where they are needed. Refers to buffers, which must live until the
/// work on it is done; owns the text that makes the elements. Made by the functions below.
template <class T>
class lazy_view {
 public:
  using value_type = T;  ///< the type of an element

  /// `n` elements, made so.
  lazy_view(std::size_t n, any_lazy made) : n_(n), made_(std::move(made)) {}

  /// How many elements there are.
  std::size_t size() const noexcept { return n_; }
  /// True where there are none.
  bool empty() const noexcept { return n_ == 0; }
  /// What they are made of.
  const any_lazy& made() const noexcept { return made_; }

 private:
  std::size_t n_;
  any_lazy made_;
};

/// Several inputs side by side, for a text in x, y, z and w, or in x0 to x7 where there are more than four.
struct zipped_sources {
  std::vector<any_source> sources;  ///< in their order
};

namespace detail {

// Make any_view's fields those of elements that lie nowhere.
CLWAVE_EXPORT void make_lazy(any_view& view, std::uint64_t n, const element& type, const any_lazy& made);
// Throw bad_call for a step of 0, and for a lazy view that is more than one source.
CLWAVE_EXPORT any_source strided_source(const any_view& of, std::size_t step);
CLWAVE_EXPORT any_source source_of_lazy(const any_lazy& made);
CLWAVE_EXPORT any_source reversed_source(const any_view& of);
// Throws bad_call where they are not as many.
CLWAVE_EXPORT std::size_t size_of_sources(const std::vector<any_source>& sources);

template <viewable X>
any_source source_of(const X& x) {
  static_assert(!is_counted<X>::value, "a lazy view is made of views whose size is known");
  if constexpr (is_lazy<X>::value)
    return source_of_lazy(x.made());
  else
    return {.of = erase(x), .n = erase(x).n};
}

template <viewable X>
constexpr bool is_array_input = !is_lazy<X>::value && !is_counted<X>::value;

}  // namespace detail

template <class T>
any_view::any_view(const lazy_view<T>& of) {
  detail::make_lazy(*this, of.size(), element_of<std::remove_const_t<T>>(), of.made());
}

/// `n` elements that are a function of their index: an expression in `i` (ulong) and named values (op.hpp),
/// whose value is converted to T: integers wrap, a float goes towards zero to an integer, and to nearest even
/// to a half or a bfloat16. No memory is read. Asks no device; the text is checked by the call that gets the
/// view.
///
///     clwave::map inverse{.name = "inverse square", .source = "1.0f / ((i + 1.0f) * (i + 1.0f))"};
///     float sum = clwave::reduce(queue, clwave::generate<float>(1000000, inverse));
template <element_type T>
lazy_view<T> generate(std::size_t n, const map& function) {
  return {n, {.sources = {}, .apply = function}};
}

/// The elements of `x` that `indices` point to: element i is x[indices[i]]. Indices are std::uint32_t or
/// std::uint64_t; one that is outside `x` gives `outside`, zero bytes where that is not given, and nothing
/// outside the view is read.
template <view_argument X, detail::indices_of_keys Indices>
  requires(detail::is_array_input<X>&& detail::is_array_input<Indices>)
lazy_view<viewed<X>> gather_of(const X& x, const Indices& indices,
                               const std::optional<std::type_identity_t<viewed<X>>>& outside = {}) {
  any_source source{.of = detail::erase(x), .n = detail::erase(indices).n, .indices = detail::erase(indices)};
  if (outside) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&*outside);
    source.outside.assign(bytes, bytes + sizeof *outside);
  }
  const std::size_t n = source.n;
  return {n, {.sources = {std::move(source)}}};
}

/// Every `step`-th element of `x`, from the first on: x[0], x[step], ..., as many as `x` has of these. A view
/// of a row-major matrix with `step` columns gives its first column. Throws clwave::error (bad_call) for a
/// step of 0.
template <view_argument X>
  requires(detail::is_array_input<X>)
lazy_view<viewed<X>> strided(const X& x, std::size_t step) {
  any_source source = detail::strided_source(detail::erase(x), step);
  const std::size_t n = source.n;
  return {n, {.sources = {std::move(source)}}};
}

/// The elements of `x`, the last one first: element i is x[n - 1 - i].
template <view_argument X>
  requires(detail::is_array_input<X>)
lazy_view<viewed<X>> reversed(const X& x) {
  any_source source = detail::reversed_source(detail::erase(x));
  const std::size_t n = source.n;
  return {n, {.sources = {std::move(source)}}};
}

/// Up to eight inputs of any types side by side: views, gather_of, strided and reversed. A text sees those of
/// one index as x, y, z and w, or as x0, x1, ... x7 where there are more than four. For two views of one type
/// see zip in reduce.hpp. Throws clwave::error (bad_call) where they differ in length.
template <view_argument... X>
  requires(sizeof...(X) >= 2 && sizeof...(X) <= 8)
zipped_sources zip(const X&... x) {
  zipped_sources all{{detail::source_of(x)...}};
  detail::size_of_sources(all.sources);
  return all;
}

/// The elements that a function makes of those of a zip: `function` is an expression in x, y, z and w (x0 to
/// x7 of more than four), in the index `i` (ulong) and in named values, whose value is converted to T:
/// integers wrap, a float goes towards zero to an integer, and to nearest even to a half or a bfloat16. Asks
/// no device; the text is checked by the call that gets the view.
template <element_type T>
lazy_view<T> transformed(const zipped_sources& of, const map& function) {
  return {detail::size_of_sources(of.sources), {.sources = of.sources, .apply = function}};
}
/// The elements that a function makes of those of one input, a view or what gather_of, strided and reversed
/// give: `function` is an expression in `x`, its index `i` (ulong) and named values, whose value is converted
/// to T. Asks no device; the text is checked by the call that gets the view.
template <element_type T, view_argument X>
lazy_view<T> transformed(const X& x, const map& function) {
  any_source source = detail::source_of(x);
  const std::size_t n = source.n;
  return {n, {.sources = {std::move(source)}, .apply = function}};
}

}  // namespace clwave
