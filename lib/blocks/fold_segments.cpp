// The numbers and the words of folds of segments.
#include "blocks/fold_segments.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {}  // namespace

void shape_segments(const any_view& in, const target& on, fold_variant& fold, segment_shape& shape) {
  const fold_sizes& sizes = fold.sizes;
  const std::size_t rows = sizes.tile / sizes.accumulators;
  if (is_cpu(on)) {
    fold.wide =
        has_wide_values({fold.value, fold.accumulator, fold.fold, fold.apply}) && !is_indexed(*fold.fold);
    fold.numbers.fetched_ahead = on.choice.profile->fold.fetched_ahead;
    fold.numbers.block =
        static_cast<unsigned>(std::min<std::size_t>(on.choice.profile->fold.block, sizes.accumulators));
    shape.own = static_cast<unsigned>(fold.contiguous ? std::min<std::size_t>(rows, 16) : 16);
    return;
  }
  const tuning& tuned = on.choice.profile->reduce;
  const std::size_t value_bytes = fold.value->size, folded_bytes = fold.accumulator->size;
  const std::size_t lanes = on.choice.lanes;
  std::size_t vector = 1;
  if (std::has_single_bit(value_bytes) && !fold.contiguous) {
    fold.by_element = in.alignment < std::min<std::size_t>(value_bytes, 16);
    const std::size_t packet = std::min<std::size_t>(tuned.vector_bytes, 16);
    vector =
        std::min<std::size_t>(std::max<std::size_t>(packet / value_bytes, 1), sizes.accumulators / lanes);
    while (vector > 1 && vector * folded_bytes > held_bytes / 2) vector /= 2;
    shape.packets = vector > 1 && in.alignment >= vector * value_bytes;
  }
  fold.vector = static_cast<unsigned>(vector);
  const std::size_t packet_bytes = vector * value_bytes;
  fold.items = static_cast<unsigned>(std::clamp<std::size_t>(
      std::min<std::size_t>(tuned.items, std::bit_floor(held_bytes / packet_bytes)), 1, rows));
  shape.own = static_cast<unsigned>(
      std::clamp<std::size_t>(std::bit_floor(held_bytes / 2 / std::max(value_bytes, folded_bytes)), 1, 16));
  if (fold.contiguous) {
    shape.own = static_cast<unsigned>(std::min<std::size_t>(shape.own, rows));
    return;
  }
  // What a lane holds of several segments; one that takes no more is folded by itself.
  const std::size_t sets = sizes.accumulators / (lanes * vector);
  shape.slots = static_cast<unsigned>(std::min(
      sets, std::max<std::size_t>(std::bit_floor(held_bytes / std::max(packet_bytes, folded_bytes)), 1)));
}

void add_segments(program_spec& spec, const segment_shape& shape) {
  add_modules(spec, {"blocks/segments.cl", "blocks/fold_segments.cl"});
  add_word(spec, "FOLDS_SEGMENTS");
  add_word(spec, "SEGMENT_OWN", std::to_string(shape.own));
  add_word(spec, "SEGMENT_SLOTS", std::to_string(shape.slots));
  if (shape.packets) add_word(spec, "SEGMENT_PACKETS");
}

}  // namespace clwave::detail
