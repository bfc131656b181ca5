// How reduce shares out its work: a tile among work-items, and tiles among groups.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "call/planning.hpp"
#include "primitives/reduce.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {

std::uint64_t tiles_of(const reduce_problem& q) { return blocks_of(q.in.n, q.sizes.tile); }

std::uint64_t alignment_of(const reduce_problem& q) {
  return q.in2 ? std::min(q.in.alignment, q.in2->alignment) : q.in.alignment;
}

dealt deal(const reduce_problem& q, std::uint64_t tiles_at_once, std::uint64_t most) {
  const std::uint64_t units = blocks_of(tiles_of(q), tiles_at_once);
  const std::uint64_t groups = std::min(units, std::max<std::uint64_t>(most, 1));
  return {groups, groups == 0 ? 0 : static_cast<std::uint32_t>(units / groups)};
}

namespace {

// A large input goes to many more groups than run at once where the profile asks for that: in many rounds the
// units that are fast take more. In a few, the last, half empty, costs more than is gained.
std::uint64_t in_rounds(std::uint64_t shares, std::uint64_t at_once, std::uint64_t most) {
  constexpr std::uint64_t least_rounds = 8;
  const std::uint64_t groups = std::min(shares, most);
  return groups >= least_rounds * at_once ? groups : at_once;
}

// The fold's numbers for `team` work-items per tile, whose results have `folded_bytes`.
fold_numbers numbers_of_fold(const reduce_problem& q, const target& on, const fold_variant& v,
                             std::uint64_t team, std::size_t folded_bytes) {
  const fold_tuning& tuned = on.choice.profile->fold;
  fold_numbers numbers;
  // A result is folded by one work-item of the group, so that no more tiles wait than a team has.
  const std::uint64_t parts_bytes = v.group_size / team *
                                    (q.sizes.accumulators / (std::uint64_t{on.choice.lanes} * v.vector)) *
                                    folded_bytes;
  numbers.waiting = tuned.waiting_tiles;
  while (numbers.waiting > 1 &&
         (team < numbers.waiting || parts_bytes * numbers.waiting > tuned.waiting_bytes))
    numbers.waiting = std::max(numbers.waiting / 4, 1u);
  // Results narrower than a word are few enough to come one by one: compilers keep the parts of a word in
  // memory. The steps of whole numbers of 8 bytes take more registers, and those of an index that is looked
  // up most.
  unsigned most = tuned.result_items;
  if (folded_bytes < 4 || (is_indexed(*q.fold) && folded_bytes == 8)) most = 1;
  if (is_integer(*q.accumulator) && q.in.type->size == 8) most = std::min(most, 2u);
  numbers.result_items = std::clamp(
      static_cast<unsigned>(std::bit_floor(tuned.result_bytes / (v.vector * folded_bytes))), 1u, most);
  numbers.located = tuned.located_bytes / (folded_bytes > 4 ? 8 : 4);
  return numbers;
}

// Whether lanes can hand one another words by their numbers, for which only shuffles are made, and values of
// a word or more.
bool lanes_have_numbers(const target& on, std::size_t folded_bytes) {
  const lane_exchange by = on.choice.profile->exchange;
  return (by == lane_exchange::shuffle_sync || by == lane_exchange::shuffle) && folded_bytes >= 4;
}

}  // namespace

dealt shape_for_lanes(const reduce_problem& q, const target& on, std::size_t folded_bytes, bool may_shift,
                      fold_variant& v) {
  const tuning& tuned = on.choice.profile->reduce;
  const std::size_t value_bytes = q.in.type->size;
  v.group_size = group_size_within(on, tuned.group_size);

  // The widest packet that the profile loads at once, the input's alignment allows, and whose
  // accumulators leave registers for the loads.
  if (std::has_single_bit(value_bytes) && !v.contiguous) {
    const std::size_t packet = std::min<std::size_t>(tuned.vector_bytes, 16);
    std::size_t vector = std::max<std::size_t>(packet / value_bytes, 1);
    const std::uint64_t alignment = alignment_of(q);
    v.by_element = alignment < std::min<std::size_t>(value_bytes, 16);
    // Either the profile's packet or, where lanes cannot shift it, single elements: two programs a type,
    // whatever the offsets.
    if (alignment < vector * value_bytes) {
      // Sums of bytes in halves of words have no values that lanes could shift.
      v.shifted = may_shift && lanes_have_numbers(on, folded_bytes) && !q.in2 && value_bytes > 1 &&
                  !v.by_element && q.in.lazy == nullptr;
      if (!v.shifted) vector = 1;
    }
    vector = std::min<std::size_t>(vector, q.sizes.accumulators / on.choice.lanes);
    while (vector > 1 && vector * folded_bytes > 128) vector /= 2;
    v.vector = static_cast<unsigned>(vector);
    v.shifted = v.shifted && alignment < vector * value_bytes;
  }
  if (std::has_single_bit(value_bytes) && v.contiguous && lanes_have_numbers(on, folded_bytes) &&
      v.group_size <= q.sizes.accumulators) {
    const std::size_t packet = std::min<std::size_t>(16, q.sizes.tile / q.sizes.accumulators * value_bytes);
    if (packet >= 8 && packet > value_bytes && alignment_of(q) >= packet)
      v.run_packet = static_cast<unsigned>(packet / value_bytes);
  }
  // Two inputs share the packets in flight, and so do those that are shifted and what is loaded besides.
  v.items = static_cast<unsigned>(std::clamp<std::size_t>(
      std::bit_floor(tuned.items / (q.in2 || v.shifted ? 2 : 1)), 1, q.sizes.tile / q.sizes.accumulators));

  const std::uint64_t team = std::min<std::uint64_t>(q.sizes.accumulators / v.vector, v.group_size);
  v.numbers = numbers_of_fold(q, on, v, team, folded_bytes);
  std::uint64_t groups =
      std::uint64_t{on.compute_units} * tuned.groups_per_unit * tuned.group_size / v.group_size;
  // The profile's limit is for 16 bytes of accumulators. Wider ones get half as much again, and two groups
  // have the place of three. Counts of words take no more for all that (H200, 2^28 floats: 244 us, with two
  // groups 255).
  v.registers = tuned.registers;
  const bool counts_words = v.counts && value_bytes == 4;
  if (tuned.registers > 0 && !counts_words && q.sizes.accumulators / team * folded_bytes > 16) {
    v.registers = tuned.registers + tuned.registers / 2;
    groups = groups * 2 / 3;
  }
  if (q.sizes.accumulators / team * folded_bytes > 64) v.registers = 0;
  constexpr std::uint64_t least_share = 128 << 10;  // bytes
  const std::uint64_t tile_bytes = q.sizes.tile * value_bytes * (q.in2 ? 2 : 1);
  groups = in_rounds(tiles_of(q) / std::max<std::uint64_t>(least_share / tile_bytes, 1), groups,
                     std::uint64_t{on.compute_units} * on.choice.profile->groups_in_rounds);
  return deal(q, v.group_size / team, groups);
}

}  // namespace clwave::detail
