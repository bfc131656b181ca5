/// @file
/// Sorts of elements of any type by keys that texts of yours make of them: structures by a member, numbers by
/// a function; of each of many segments of them; and of numbers of 128 bits. All are stable.
///
/// A key is a number that a map makes of each element, of any type that sort.hpp sorts; elements are put in
/// the order of their keys, which is that of sort.hpp, descending and by some bits, too. Of several keys the
/// first one decides, and each further one among the elements that the ones before it find equal. The result
/// depends on nothing but the elements and their keys: it is the same on every device and in every run, where
/// the texts' own rounding is fixed (OpenCL leaves that of sin or exp open). A text may be evaluated more
/// than once for an element, and the same each time.
///
/// One launch makes the keys, the launches of an argsort (sort.hpp) sort them with the elements' indices, and
/// one gathers the elements: each is read once for each key, and once more to be stored in its place. A call
/// in place takes one launch more, which first copies the elements aside. Several keys are sorted one after
/// the other, the last one first. Keys of segments are sorted by the launches of a segmented_sort
/// (segmented_sort.hpp), with the elements' indices. Kernels: cl_kernels/primitives/key_sort.cl, sort.cl and
/// segmented_sort.cl. What has no number to sort by is sorted by a comparison (merge_sort.hpp).
///
/// Threads may call these functions at the same time, on one queue or on several. The queue may be in-order
/// or out-of-order, with profiling or without. Those called checked_... flush their queue and wait; no other
/// call here blocks or flushes a queue. A child of fork() is refused. In full: event.hpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/event.hpp>
#include <clwave/export.hpp>
#include <clwave/op.hpp>
#include <clwave/options.hpp>
#include <clwave/question.hpp>
#include <clwave/sort_order.hpp>  // IWYU pragma: export
#include <clwave/view.hpp>

namespace clwave {

/// A number that elements are sorted by.
struct sort_key {
  map of;  ///< an expression in the element `x` and its index `i` in the input; a map of your own
  const element* type = nullptr;  ///< what the expression's value becomes, as transform converts it
  sort_order order = {};          ///< of the numbers; its bits are those of `type`
};

/// A key of type Key: a number of 1 to 8 bytes, or bool.
///
///     clwave::by<std::uint32_t>({.name = "cell", .source = "x.cell"})
///     clwave::by<float>({.name = "distance", .source = "hypot(x.x, x.y)"}, {.descending = true})
template <class Key>
sort_key by(map of, const sort_order& order = {}) {
  return {std::move(of), &element_of<Key>(), order};
}

/// The keys of a sort, the one that decides first; 1 to 8 of them.
class key_list {
 public:
  /// One key.
  key_list(sort_key only) {  // NOLINT(google-explicit-constructor): a key is a list of one
    keys_.push_back(std::move(only));
  }
  /// Several keys.
  template <std::same_as<sort_key>... More>
  key_list(sort_key first, sort_key second, More... more) {
    keys_.reserve(2 + sizeof...(more));
    keys_.push_back(std::move(first));
    keys_.push_back(std::move(second));
    (keys_.push_back(std::move(more)), ...);
  }
  /// As many as there are.
  explicit key_list(std::vector<sort_key> keys) : keys_(std::move(keys)) {}

  /// In their order. They belong to this object.
  std::span<const sort_key> keys() const noexcept { return keys_; }

 private:
  std::vector<sort_key> keys_;
};

namespace detail {

// One call, without its types. Of an argsort there is no output of the elements, and the values are made.
struct key_sort_call {
  operand keys;
  std::optional<operand> keys_out = {};
  std::optional<operand> values = {};
  std::optional<operand> values_out = {};
  std::span<const sort_key> by = {};
  std::optional<operand> offsets = {}, bad = {};  // of segments
};

CLWAVE_EXPORT event key_sort(cl_command_queue queue, const key_sort_call& call,
                             const launch_options& options);
CLWAVE_EXPORT void checked_segmented_sort(cl_command_queue queue, const key_sort_call& call,
                                          const launch_options& options);

template <viewable In, viewable Out>
key_sort_call key_sort_call_of(const In& in, const Out& out, const key_list& by) {
  static_assert(std::is_same_v<viewed<In>, viewed<Out>>, "sorted elements have the type of the elements");
  return {.keys = erase(in), .keys_out = erase_output(out), .by = by.keys()};
}

template <viewable Keys, viewable Values, viewable KeysOut, viewable ValuesOut>
key_sort_call key_sort_call_of(const Keys& keys, const Values& values, const KeysOut& keys_out,
                               const ValuesOut& values_out, const key_list& by) {
  static_assert(std::is_same_v<viewed<Values>, viewed<ValuesOut>>,
                "sorted values have the type of the values");
  key_sort_call call = key_sort_call_of(keys, keys_out, by);
  call.values = erase(values);
  call.values_out = erase_output(values_out);
  return call;
}

template <offset_range Offsets>
key_sort_call in_segments(key_sort_call call, const Offsets& offsets) {
  call.offsets = erase(offsets);
  return call;
}

template <offset_range Offsets, counted Bad>
key_sort_call in_segments(key_sort_call call, const Offsets& offsets, const Bad& bad) {
  call.offsets = erase(offsets);
  call.bad = erase_output(bad);
  return call;
}

}  // namespace detail

/// Sorts the elements of `in` by one key or several into `out`, which is as long or longer; behind the
/// elements nothing is touched. Elements have any type of up to 128 bytes, structures included. Either range
/// lies apart from the other or exactly in its place, element for element; any other overlap is refused.
///
/// Does not block: returns the event of its last command, started after `options.after`. No elements: nothing
/// is launched, and the event ends with what the call had to wait for (event.hpp). Workspace, pooled and
/// reused, or `options.workspace`: twice the bytes of the keys, all of the size of the largest one, and twice
/// those of indices of 32 bits (64 from 2^32 elements on), half of that where a GPU's group sorts all;
/// what sort.hpp says of tiles and digits; and in place the bytes of the elements. Texts are those of maps
/// (op.hpp). Throws clwave::error: bad_call before anything is enqueued (no key or more than 8, a key that is
/// not a number or has no text, bits that a key has not, a text that could change the kernels, an output that
/// is too short or overlaps, a view past its buffer or not aligned to its type, a key of a type that the
/// device has not, a buffer or an event of another context), build (with the compiler's lines),
/// out_of_memory.
///
///     clwave::sort(queue, particles, sorted,
///                  clwave::by<std::uint32_t>({.name = "cell", .source = "x.cell"}));
///     clwave::sort(queue, particles, particles,  // in place, by cell, and the heaviest of each first
///                  {clwave::by<std::uint32_t>({.name = "cell", .source = "x.cell"}),
///                   clwave::by<float>({.name = "mass", .source = "x.mass"}, {.descending = true})});
template <queue_like Queue, viewable In, viewable Out>
event sort(const Queue& queue, const In& in, const Out& out, const key_list& by,
           const launch_options& options = {}) {
  return detail::key_sort(handle_of<cl_command_queue>(queue), detail::key_sort_call_of(in, out, by), options);
}

/// Sorts elements by keys that are made of them, and brings each value to the place of its element. Values
/// have any element type of up to 128 bytes and are as many as the elements. Elements and values may each be
/// sorted in place, both or one; the workspace then has the bytes of what is. Order, overlap and errors are
/// those of sort by keys. Does not block.
///
///     clwave::sort_by_key(queue, names, records, names_out, records_out,
///                         clwave::by<std::uint64_t>({.name = "hash", .source = "x.hash"}));
template <queue_like Queue, viewable Keys, viewable Values, viewable KeysOut, viewable ValuesOut>
event sort_by_key(const Queue& queue, const Keys& keys, const Values& values, const KeysOut& keys_out,
                  const ValuesOut& values_out, const key_list& by, const launch_options& options = {}) {
  return detail::key_sort(handle_of<cl_command_queue>(queue),
                          detail::key_sort_call_of(keys, values, keys_out, values_out, by), options);
}

/// Writes to `indices` where in `in` the first element by the keys lies, then the next one, and so on; equals
/// in the order they have. Indices have 32 bits, or 64 from 2^32 elements on; there are as many as elements,
/// or more. The elements are only read, and may not overlap the indices. The workspace is that of sort by
/// keys out of place, with indices of the type that is asked for. Errors are those of sort by keys. Does not
/// block.
///
///     clwave::argsort(queue, particles, indices,
///                     clwave::by<float>({.name = "mass", .source = "x.mass"}));
template <queue_like Queue, viewable In, detail::indices_of_keys Indices>
event argsort(const Queue& queue, const In& in, const Indices& indices, const key_list& by,
              const launch_options& options = {}) {
  return detail::key_sort(
      handle_of<cl_command_queue>(queue),
      {.keys = detail::erase(in), .values_out = detail::erase_output(indices), .by = by.keys()}, options);
}

/// Sorts the elements of each of the offsets.size() - 1 segments of `in` by one key or several, to the same
/// places of `out`, which is as long or longer; where no segment is, nothing is touched. Elements have any
/// type of up to 128 bytes, structures included. Segment s is in[offsets[s]] to in[offsets[s + 1] - 1];
/// offsets are std::uint64_t or std::uint32_t, and may begin past 0 and end before in.size(). `out` lies
/// apart from `in` or exactly in its place, element for element; any other overlap is refused, and the
/// offsets overlap no output. Texts see an element's index in `in`, and are evaluated for elements of no
/// segment, too.
///
/// Offsets are checked on the device, and nothing outside `in` is ever read. A segment is bad where it ends
/// before it begins, or ends past `in`. Where any ends before it begins, no result is written at all; else
/// all segments but the bad ones are sorted.
///
/// Does not block: returns the event of its last command, started after `options.after`. No segments: nothing
/// is launched. Workspace, pooled and reused, or `options.workspace`: twice the bytes of the keys, all of the
/// size of the largest one, twice those of indices of 32 bits (64 from 2^32 elements on), and 1024; in place
/// the bytes of the elements, too. Takes up to 2^31 segments and 2^40 elements. Throws clwave::error:
/// bad_call before anything is enqueued (what sort by keys refuses, no offsets), build (with the compiler's
/// lines), out_of_memory.
///
///     clwave::segmented_sort(queue, particles, offsets, sorted,
///                            clwave::by<float>({.name = "mass", .source = "x.mass"}));
template <queue_like Queue, viewable In, detail::offset_range Offsets, viewable Out>
event segmented_sort(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                     const key_list& by, const launch_options& options = {}) {
  return detail::key_sort(handle_of<cl_command_queue>(queue),
                          detail::in_segments(detail::key_sort_call_of(in, out, by), offsets), options);
}
/// The same, and writes how many segments are bad to the first element of `bad`, on the device. Does not
/// block.
///
///     clwave::segmented_sort(queue, particles, offsets, sorted, bad,  // bad: a view of one std::uint64_t
///                            clwave::by<float>({.name = "mass", .source = "x.mass"}));
template <queue_like Queue, viewable In, detail::offset_range Offsets, viewable Out, detail::counted Bad>
event segmented_sort(const Queue& queue, const In& in, const Offsets& offsets, const Out& out, const Bad& bad,
                     const key_list& by, const launch_options& options = {}) {
  return detail::key_sort(handle_of<cl_command_queue>(queue),
                          detail::in_segments(detail::key_sort_call_of(in, out, by), offsets, bad), options);
}
/// segmented_sort by keys that blocks until the results are there, and throws bad_call, with their number,
/// where segments are bad; `out` then is as it is without this check. Starts after `options.after`; without
/// that after all that the queue held when the call was made, on an out-of-order queue too.
///
///     clwave::checked_segmented_sort(queue, particles, offsets, sorted,
///                                    clwave::by<float>({.name = "mass", .source = "x.mass"}));
template <queue_like Queue, viewable In, detail::offset_range Offsets, viewable Out>
void checked_segmented_sort(const Queue& queue, const In& in, const Offsets& offsets, const Out& out,
                            const key_list& by, const launch_options& options = {}) {
  detail::checked_segmented_sort(handle_of<cl_command_queue>(queue),
                                 detail::in_segments(detail::key_sort_call_of(in, out, by), offsets),
                                 options);
}

/// Sorts the elements of each segment by keys that are made of them, and brings each value to the place of
/// its element. Values have any element type of up to 128 bytes and are as many as the elements. Elements and
/// values may each be sorted in place, both or one; the workspace then has the bytes of what is. Order, bad
/// segments and errors are those of segmented_sort by keys. Does not block.
///
///     clwave::segmented_sort_by_key(queue, names, records, offsets, names_out, records_out,
///                                   clwave::by<std::uint64_t>({.name = "hash", .source = "x.hash"}));
template <queue_like Queue, viewable Keys, viewable Values, detail::offset_range Offsets, viewable KeysOut,
          viewable ValuesOut>
event segmented_sort_by_key(const Queue& queue, const Keys& keys, const Values& values,
                            const Offsets& offsets, const KeysOut& keys_out, const ValuesOut& values_out,
                            const key_list& by, const launch_options& options = {}) {
  return detail::key_sort(
      handle_of<cl_command_queue>(queue),
      detail::in_segments(detail::key_sort_call_of(keys, values, keys_out, values_out, by), offsets),
      options);
}
/// The same, and writes how many segments are bad to the first element of `bad`, on the device. Does not
/// block.
template <queue_like Queue, viewable Keys, viewable Values, detail::offset_range Offsets, viewable KeysOut,
          viewable ValuesOut, detail::counted Bad>
event segmented_sort_by_key(const Queue& queue, const Keys& keys, const Values& values,
                            const Offsets& offsets, const KeysOut& keys_out, const ValuesOut& values_out,
                            const Bad& bad, const key_list& by, const launch_options& options = {}) {
  return detail::key_sort(
      handle_of<cl_command_queue>(queue),
      detail::in_segments(detail::key_sort_call_of(keys, values, keys_out, values_out, by), offsets, bad),
      options);
}
/// segmented_sort_by_key by keys with the check of checked_segmented_sort. Blocks.
template <queue_like Queue, viewable Keys, viewable Values, detail::offset_range Offsets, viewable KeysOut,
          viewable ValuesOut>
void checked_segmented_sort_by_key(const Queue& queue, const Keys& keys, const Values& values,
                                   const Offsets& offsets, const KeysOut& keys_out,
                                   const ValuesOut& values_out, const key_list& by,
                                   const launch_options& options = {}) {
  detail::checked_segmented_sort(
      handle_of<cl_command_queue>(queue),
      detail::in_segments(detail::key_sort_call_of(keys, values, keys_out, values_out, by), offsets),
      options);
}

/// A number of 128 bits without a sign, as unsigned __int128 lies in the memory of little-endian hosts. For
/// devices it is a structure, of which texts see x.low and x.high.
struct u128 {
  std::uint64_t low = 0;                         ///< the lower 64 bits
  std::uint64_t high = 0;                        ///< the upper 64 bits
  bool operator==(const u128&) const = default;  ///< whether all bits are equal
};

/// A number of 128 bits with a sign, as __int128 lies there.
struct i128 {
  std::uint64_t low = 0;                         ///< the lower 64 bits
  std::int64_t high = 0;                         ///< the upper 64 bits, with the sign
  bool operator==(const i128&) const = default;  ///< whether all bits are equal
};

}  // namespace clwave

CLWAVE_STRUCTURE(clwave::u128, "u128", "typedef struct { ulong low, high; } u128;")
CLWAVE_STRUCTURE(clwave::i128, "i128", "typedef struct { ulong low; long high; } i128;")

namespace clwave {

// A compiler's own numbers of 128 bits are the same to devices.
#ifdef __SIZEOF_INT128__
namespace detail {
__extension__ typedef unsigned __int128 own_u128;  // NOLINT(modernize-use-using): __extension__
__extension__ typedef __int128 own_i128;           // NOLINT(modernize-use-using): __extension__
}  // namespace detail
template <>
struct element_traits<detail::own_u128> {
  static const element& describe() { return element_of<u128>(); }
};
template <>
struct element_traits<detail::own_i128> {
  static const element& describe() { return element_of<i128>(); }
};
#endif

namespace detail {

template <class T>
inline constexpr bool is_u128 = std::is_same_v<T, u128>;
template <class T>
inline constexpr bool is_i128 = std::is_same_v<T, i128>;
#ifdef __SIZEOF_INT128__
template <>
inline constexpr bool is_u128<own_u128> = true;
template <>
inline constexpr bool is_i128<own_i128> = true;
#endif

template <class T>
concept number_of_128_bits = is_u128<T> || is_i128<T>;
template <class V>
concept view_of_128_bits = viewable<V> && number_of_128_bits<viewed<V>>;

CLWAVE_EXPORT key_list keys_of_128_bits(bool has_sign, const sort_order& order);

}  // namespace detail

/// The keys by which numbers of 128 bits are in order: the upper word, and then the lower one. For questions;
/// the calls that follow have them of their own. Throws clwave::error (bad_call) for bits that such a number
/// has not.
template <detail::number_of_128_bits T>
key_list keys_of_128_bits(const sort_order& order = {}) {
  return detail::keys_of_128_bits(detail::is_i128<T>, order);
}

/// Sorts numbers of 128 bits by `order`, whose bits are 0 to 127: clwave::u128 and clwave::i128, and where
/// the compiler has them unsigned __int128 and __int128. They are sorted by their two words as by two keys;
/// where only bits of one are asked for, by that alone. All else is that of sort by keys. Does not block.
///
///     clwave::sort(queue, wide, wide);  // wide: a view of clwave::u128
template <queue_like Queue, detail::view_of_128_bits In, detail::view_of_128_bits Out>
event sort(const Queue& queue, const In& in, const Out& out, const sort_order& order = {},
           const launch_options& options = {}) {
  return sort(queue, in, out, keys_of_128_bits<viewed<In>>(order), options);
}

/// Sorts keys of 128 bits by `order`, and brings each value to the place of its key. All else is that of
/// sort_by_key by keys of texts. Does not block.
///
///     clwave::sort_by_key(queue, wide, points, wide_out, points_out);
template <queue_like Queue, detail::view_of_128_bits Keys, viewable Values, detail::view_of_128_bits KeysOut,
          viewable ValuesOut>
event sort_by_key(const Queue& queue, const Keys& keys, const Values& values, const KeysOut& keys_out,
                  const ValuesOut& values_out, const sort_order& order = {},
                  const launch_options& options = {}) {
  return sort_by_key(queue, keys, values, keys_out, values_out, keys_of_128_bits<viewed<Keys>>(order),
                     options);
}

/// Writes where the numbers of 128 bits of `in` lie that come first by `order`, and so on. All else is that
/// of argsort by keys of texts. Does not block.
///
///     clwave::argsort(queue, wide, indices);  // indices: a view of std::uint32_t
template <queue_like Queue, detail::view_of_128_bits In, detail::indices_of_keys Indices>
event argsort(const Queue& queue, const In& in, const Indices& indices, const sort_order& order = {},
              const launch_options& options = {}) {
  return argsort(queue, in, indices, keys_of_128_bits<viewed<In>>(order), options);
}

/// A sort by keys to plan. Refers to all that is pointed to.
struct key_sort_question {
  asked_operand keys;                            ///< type and place of the elements
  std::optional<asked_operand> keys_out = {};    ///< of the sorted elements; nothing: an argsort
  std::optional<asked_operand> values = {};      ///< of the values, where the elements have some
  std::optional<asked_operand> values_out = {};  ///< of the sorted values, or of the indices of an argsort
  std::uint64_t n = 0;                           ///< elements
  std::span<const sort_key> by = {};             ///< the keys
  bool keys_in_place = false;                    ///< the elements are sorted in place
  bool values_in_place = false;                  ///< the values are
  std::optional<asked_operand> offsets = {};     ///< of segments, each of which is sorted
  std::uint64_t segments = 0;                    ///< one less than there are offsets
  bool counts_bad = false;                       ///< whether the number of bad segments is written
  std::uint64_t bad_offset = 0;                  ///< of it in its buffer, in elements
  bool wide_counts = false;  ///< counts, of segments indices, have 64 bits where 32 would do; for tests alone
};

/// What a call would do (plan.hpp). Throws as the call itself would.
CLWAVE_EXPORT call_plan plan(const key_sort_question& asked, const plan_target& on);

}  // namespace clwave
