// What the kinds of selections are, by which their programs and their calls differ.
#pragma once

#include <cstdint>

#include <clwave/op.hpp>
#include <clwave/select.hpp>

#include "blocks/fold.hpp"

namespace clwave::detail {

// A predicate is a map to a truth value, and kernels take it as a fold of such.
inline folding folding_of(const element& value, const map& predicate) {
  return {&value, &element_of<bool>(), &logical_or, &predicate};
}

inline bool has_predicate(select_kind kind) {
  return kind == select_kind::copy_if || kind == select_kind::partition ||
         kind == select_kind::partition_copy || kind == select_kind::partition_three;
}

// Of the elements that the predicate does not keep, a second one decides: each has one of three outputs.
inline bool has_three_outputs(select_kind kind) { return kind == select_kind::partition_three; }

inline bool has_flags(select_kind kind) {
  return kind == select_kind::copy_flagged || kind == select_kind::copy_flagged_if;
}

// Each element has a value that is kept with it.
inline bool carries(select_kind kind) { return kind == select_kind::unique_by_key; }

inline bool measures(select_kind kind) { return kind == select_kind::run_lengths; }
inline bool is_of_offsets(select_kind kind) { return kind == select_kind::run_offsets; }

// The elements that are not kept go to the second output.
inline bool has_others_out(select_kind kind) { return kind == select_kind::partition_copy; }

// Neighbours decide.
inline bool compares(select_kind kind) {
  return kind == select_kind::unique || carries(kind) || measures(kind) || is_of_offsets(kind);
}

// What is stored in a second output: something of each kept element, or the others.
inline bool has_second(select_kind kind) {
  return carries(kind) || measures(kind) || has_others_out(kind) || has_three_outputs(kind);
}

// How many numbers the count is.
inline std::uint64_t counts_written(select_kind kind) { return has_three_outputs(kind) ? 2 : 1; }

// The places of a tile's kept elements wait in local memory.
inline bool keeps_places(select_kind kind) { return carries(kind) || measures(kind) || is_of_offsets(kind); }

}  // namespace clwave::detail
