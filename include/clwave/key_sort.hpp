/// @file
/// How sorts by keys that texts of yours make of the elements are done (sort.hpp and segmented_sort.hpp:
/// `options.keys`), those of numbers of 128 bits among them, and their plans.
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
/// A problem is a value: threads may read one at the same time. No queue and no driver is asked, so nothing
/// is flushed, and it works in a child of fork() too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/export.hpp>
#include <clwave/sort_order.hpp>  // IWYU pragma: export

namespace clwave {

/// A sort by keys to plan. Refers to all that is pointed to.
struct key_sort_problem {
  any_view keys;                            ///< type and place of the elements
  std::optional<any_view> keys_out = {};    ///< of the sorted elements; nothing: an argsort
  std::optional<any_view> values = {};      ///< of the values, where the elements have some
  std::optional<any_view> values_out = {};  ///< of the sorted values, or of the indices of an argsort
  std::uint64_t n = 0;                      ///< elements
  std::span<const sort_key> by = {};        ///< the keys
  bool keys_in_place = false;               ///< the elements are sorted in place
  bool values_in_place = false;             ///< the values are
  std::optional<any_view> offsets = {};     ///< of segments, each of which is sorted
  std::uint64_t segments = 0;               ///< one less than there are offsets
  bool counts_bad = false;                  ///< whether the number of bad segments is written
  std::uint64_t bad_offset = 0;             ///< of it in its buffer, in elements
  bool wide_counts = false;  ///< counts, of segments indices, have 64 bits where 32 would do; for tests alone
};

/// What a call would do (plan.hpp). Throws as the call itself would.
CLWAVE_EXPORT call_plan plan(const key_sort_problem& asked, const plan_target& on);

}  // namespace clwave
