// reduce: what its programs are built from, and what its calls are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <clwave/reduce.hpp>

#include "blocks/fold.hpp"
#include "call/call.hpp"
#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct reduce_variant {
  static constexpr std::string_view primitive = "reduce";
  fold_variant fold = {};
  bool one_tile = false;     // the program has the kernel for inputs of one tile, and no other
  bool piece = false;        // or the kernel for a piece of a longer input, and no other
  unsigned count_bytes = 0;  // of the number of elements on the device; 0: the host knows it
  bool has_start = false;    // a value is combined before the first element
};

program_spec spec_of(const reduce_variant& v);

// How tiles are dealt out: to so many groups, in units of as many tiles as a group folds at once.
struct dealt {
  std::uint64_t groups = 0;
  std::uint32_t share = 0;  // units that every group folds; some fold one more
};

dealt deal(const reduce_problem& q, std::uint64_t tiles_at_once, std::uint64_t most);

std::uint64_t tiles_of(const reduce_problem& q);

// A power of two that divides the address of both inputs' first elements.
std::uint64_t alignment_of(const reduce_problem& q);

// The numbers of a device with lanes for results of `folded_bytes`, and how the problem's tiles are dealt
// out. `may_shift`: packets may begin before an input that lies between two of them.
dealt shape_for_lanes(const reduce_problem& q, const target& on, std::size_t folded_bytes, bool may_shift,
                      fold_variant& v);

// Throws bad_call where an operand has no type, or the two inputs are of different ones.
void check_reduction_types(const reduce_problem& q);

// Throws bad_call for types, operators and sizes that do not go together.
void check_reduce(const reduce_problem& q);

// Where an indexed value has its index.
inline constexpr std::ptrdiff_t index_at = 8;

// An integer of 8 or 16 bits, whose bits these are, in 32.
std::int32_t widened_value(const element& type, std::uint16_t bits);

described<reduce_variant> describe(const reduce_problem& q, const target& on);
told tell(const reduce_problem& q, const target& on, const described<reduce_variant>& call);

// The problem of a reduction to the host, whose input is checked: throws as the call would, before anything
// is enqueued.
reduce_problem problem_of(const call_site& site, const reduce_problem& asked);

// The problem of a reduction to the host whose one input lies in memory of the call's own, which need not be
// there yet: nothing is asked of its buffer.
reduce_problem problem_of_own(const reduce_problem& asked);

}  // namespace clwave::detail
