/// @file
/// Orders: those of numbers by their bits, of an operator of yours, and of keys that texts of yours make of
/// elements; and the options of the calls that go by them.
///
/// Orders are values: threads may give one to calls at the same time, as long as none changes it. No queue
/// and no driver is asked, so nothing is flushed, and all of it works in a child of fork() too.
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

namespace clwave {

/// In which order a sort brings its keys, and in which order a sorted range has them.
struct sort_order {
  bool descending = false;  ///< the largest key first
  /// Keys are compared by the bits from `first_bit` to before `last_bit` alone, counted from the lowest one;
  /// keys that are equal in these keep their order. The bits are those of a number without a sign that has
  /// the key's order: of integers with a sign the highest bit is inverted, of floats below 0 all bits, of
  /// others the highest; a NaN's are all 1. No bits at all: nothing changes its place.
  unsigned first_bit = 0;
  std::optional<unsigned> last_bit = {};  ///< nothing: all bits of the key
};

/// A number that elements are sorted by.
struct sort_key {
  map of;  ///< an expression in the element `x` and its index `i` in the input; a map of your own
  const element* type = nullptr;  ///< what the expression's value is converted to
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

/// The keys of a sort, the one that decides first: 1 to 8 of them. Default-constructed: none, and elements
/// are their own keys.
class key_list {
 public:
  key_list() = default;
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
  /// As many as there are. Throws bad_call for an empty vector, which says no order.
  CLWAVE_EXPORT explicit key_list(std::vector<sort_key> keys);

  /// True where there are none.
  bool empty() const noexcept { return keys_.empty(); }
  /// In their order. They belong to this object.
  std::span<const sort_key> keys() const noexcept { return keys_; }

 private:
  std::vector<sort_key> keys_;
};

/// The options of sorts.
struct sort_options {
  bool descending = false;                ///< the largest number first: sort_order
  unsigned first_bit = 0;                 ///< the lowest bit that is compared: sort_order
  std::optional<unsigned> last_bit = {};  ///< the bit behind the highest that is: sort_order
  /// The order of an operator of yours in place of that of numbers; without a source: none. Its text is true
  /// where `a` comes before `b`, false where they are equal, and with that a strict weak ordering, as C++'s
  /// sorts ask for. Of the operator, name, source, declarations and values count. It takes neither
  /// `descending` nor bits: its text says all.
  op less = {};
  /// One key or several that are made of the elements, in place of these themselves; each has an order of its
  /// own, so that the fields above are not given with them.
  key_list keys = {};
  wait_list after = {};           ///< what comes before: launch_options
  bool with_event = true;         ///< whether an event is made: launch_options
  workspace_view workspace = {};  ///< memory to work in: launch_options
};

/// The options of calls on sorted ranges: merges, bounds and set operations. The ranges are in this order.
struct ordered_options {
  bool descending = false;                ///< the largest number first: sort_order
  unsigned first_bit = 0;                 ///< the lowest bit that is compared: sort_order
  std::optional<unsigned> last_bit = {};  ///< the bit behind the highest that is: sort_order
  /// The order of an operator of yours in place of that of numbers; without a source: none. Its text is true
  /// where `a` comes before `b`, false where they are equal, and with that a strict weak ordering, as C++'s
  /// sorts ask for. Of the operator, name, source, declarations and values count. It takes neither
  /// `descending` nor bits: its text says all.
  op less = {};
  wait_list after = {};           ///< what comes before: launch_options
  bool with_event = true;         ///< whether an event is made: launch_options
  workspace_view workspace = {};  ///< memory to work in: launch_options
};

static_assert(call_options<sort_options> && call_options<ordered_options>);

/// A number of 128 bits without a sign, as unsigned __int128 lies in the memory of little-endian hosts. For
/// devices it is a structure, of which texts see x.low and x.high.
struct u128 {
  std::uint64_t low = 0;                         ///< the lower 64 bits
  std::uint64_t high = 0;                        ///< the upper 64 bits
  bool operator==(const u128&) const = default;  ///< whether all bits are equal
};

/// A number of 128 bits with a sign, as __int128 lies in the memory of little-endian hosts. For devices it is
/// a structure, of which texts see x.low and x.high.
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

// What numbers are compared by.
template <class Options>
sort_order order_of(const Options& options) {
  return {options.descending, options.first_bit, options.last_bit};
}

// The operator of the order; null: numbers.
template <class Options>
const op* less_of(const Options& options) {
  const op& less = options.less;
  const bool none = less.kind == op_kind::user && less.source.empty() && less.name.empty();
  return none ? nullptr : &less;
}

}  // namespace detail

}  // namespace clwave
