// Sorts of segments: what a call is.
#include "primitives/segmented_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "blocks/merge_tiles.hpp"
#include "blocks/segments.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// Kernels number the tiles of a segment in 32 bits.
constexpr std::uint64_t most_sorted_in_segments = std::uint64_t{1} << 40;

// A CPU's tile has up to so many bytes, which stay in a core's own caches with the room that they are merged
// to.
constexpr std::uint64_t cpu_bytes_of_tile = 256 << 10;

// The largest power of two that a CPU's caches hold.
std::uint64_t cpu_tile_of(std::uint64_t element_bytes) {
  return std::max<std::uint64_t>(std::bit_floor(cpu_bytes_of_tile / element_bytes), 16);
}

}  // namespace

program_spec spec_of(const segmented_sort_variant& v) {
  program_spec spec;
  spec.primitive = segmented_sort_variant::primitive;
  add_key_comparison(spec, v.keys);
  add_merged_runs(spec, v.group_size);
  if (v.keeps_first) {
    // Numbers, not the vectors that a value of 8 bytes is moved in.
    const char* const index = v.value_bytes == 8 ? "ulong" : "uint";
    add_word(spec, "KEEPS_FIRST");
    add_word(spec, "CARRIES_INDICES");
    add_word(spec, "CARRIED_PART", index);
    add_word(spec, "CARRIED_WORDS", "1");
  } else {
    add_carried(spec, v.value_bytes);
  }
  add_modules(spec, {"blocks/segments.cl", "primitives/segmented_sort.cl",
                     v.group_size == 1 ? "primitives/segmented_sort_serial.cl"
                                       : "primitives/segmented_sort_tiles.cl"});
  add_word(spec, "OFFSET", v.wide_offsets ? "ulong" : "uint");
  add_word(spec, "SEGMENT_COST", std::to_string(segment_cost));
  add_word(spec, "SEGMENT_TILE", std::to_string(v.tile));
  if (v.counts_bad) add_word(spec, "COUNTS_BAD");
  add_segment_count(spec, v.count_bytes);
  add_word(spec, "GROUP_SIZE", std::to_string(v.group_size));
  add_word(spec, "ITEMS", std::to_string(v.items));
  add_word(spec, "COUNTER_AT", std::to_string(workspace::counter_at));
  add_word(spec, "OWN_AT", std::to_string(workspace::own_at));
  return spec;
}

void choose_sizes(segmented_sort_variant& v, const target& on) {
  const std::uint64_t key_bytes = v.keys.key->size;
  if (is_cpu(on)) {
    v.tile = cpu_tile_of(key_bytes + v.value_bytes);
    return;
  }
  // Beside a tile's keys and places: where segments end and work-items are dealt out, or what waits in a
  // pass, which is at most so much for each work-item.
  constexpr std::uint64_t beside_each = 21;
  const merge_sizes sizes = sizes_of_merge(on, key_bytes, {.beside_item = beside_each, .of_segments = true});
  v.group_size = sizes.group_size;
  v.items = sizes.items;
  v.tile = std::uint64_t{v.group_size} * v.items;
}

void check_sorted_segments(std::string_view primitive, const sort_problem& q) {
  const auto no = [&](const std::string& message, std::string_view advice) {
    throw error(
        failure::bad_call, message, CL_SUCCESS,
        {.primitive = std::string(primitive), .types = q.keys.type->name, .advice = std::string(advice)});
  };
  const element& offset = *q.offsets->type;
  if (offset.opencl_name != "uint" && offset.opencl_name != "ulong")
    no("offsets of " + offset.name, "offsets are of 32 or 64 bits, without a sign");
  if (q.bad && q.bad->type->opencl_name != "ulong")
    no("a number of bad segments of " + q.bad->type->name, "it is of 64 bits, without a sign");
  if (q.offsets->n == 0) no("there are no offsets", "give one offset more than there are segments");
  if (!q.keys_out) no("segments are sorted to an output of the elements", "argsort sorts all as one");
  check_segment_numbers(primitive, q.offsets->n - 1, q.keys.n, most_sorted_in_segments, "sort");
}

// ------------------------------------------------------------------------------------------- the launches

segmented_sort_launches::segmented_sort_launches(const sorted_segments& segments,
                                                 const segmented_sort_variant& v, const target& on,
                                                 workspace_parts& parts)
    : segments_(segments), v_(&v), passes_(passes_of_merges(segments.n, v.tile)) {
  const std::uint64_t at_once =
      std::uint64_t{on.compute_units} * (is_cpu(on) ? on.choice.profile->reduce.groups_per_unit
                                                    : on.choice.profile->merge.segment_groups_per_unit);
  groups_ = groups_of_segments(segments.n, segments.segments, at_once);
  // A GPU's group holds a tile in local memory.
  has_spares_ = is_cpu(on) || passes_ > 0;
  parts.take(1, 4);
}

void segmented_sort_launches::add(described_work& work, const sort_rooms& rooms,
                                  std::span<const std::span<const named_value>> values,
                                  const first_of_segments* first) const {
  const bool carries = v_->value_bytes != 0;
  const auto in_elements = [](const sort_place& where, std::uint64_t bytes) {
    return sort_place{where.operand, where.at / bytes};
  };
  const auto add_launch = [&](const char* kernel) -> described_launch& {
    return work.launch(kernel, groups_, v_->group_size);
  };
  const auto add_segments = [&](described_launch& launch) {
    launch.value("n", segments_.n).buffer("offsets", segments_.offsets);
    launch.value("offsets_offset", segments_.offsets_offset);
    add_segment_number(launch, segments_.segments, segments_.count, segments_.number);
  };
  const auto add_keys = [&](described_launch& launch, const char* name, const char* at, const sort_place& k) {
    add_place(launch, name, at, in_elements(k, v_->keys.key->size));
  };
  const auto add_values = [&](described_launch& launch, const char* name, const char* at,
                              const sort_place& x) {
    if (carries) add_place(launch, name, at, in_elements(x, v_->value_bytes));
  };
  const auto add_rooms = [&](described_launch& launch) {
    add_keys(launch, "out", "out_offset", rooms.keys_out);
    add_values(launch, "values_out", "values_out_offset", rooms.values_out);
    launch.workspace("workspace").value("spare_at", rooms.keys_spare.at);
    if (carries) launch.value("values_spare_at", rooms.values_spare.at);
    if (first != nullptr) {
      launch.value("kept", first->kept);
      launch.buffer("best", first->values).value("best_offset", first->values_offset);
      launch.buffer("indices", first->indices).value("indices_offset", first->indices_offset);
    }
    for (std::size_t k = 0; k < values.size(); ++k) launch.values_of_map(k, values[k]);
  };
  work.zeroed_bytes = workspace::own_at - workspace::counter_at;
  work.launches.reserve(work.launches.size() + 2 + passes_);
  described_launch& check = add_launch("segmented_sort_check");
  add_segments(check);
  check.workspace("workspace");
  described_launch& tiles = add_launch("segmented_sort_tiles");
  add_keys(tiles, "keys", "keys_offset", rooms.keys);
  if (first == nullptr) add_values(tiles, "values", "values_offset", rooms.values);
  add_segments(tiles);
  add_rooms(tiles);
  if (segments_.bad) tiles.buffer("bad", *segments_.bad).value("bad_offset", segments_.bad_offset);
  for (std::uint32_t pass = 0; pass < passes_; ++pass) {
    described_launch& merges = add_launch("segmented_sort_pass");
    add_segments(merges);
    add_rooms(merges);
    merges.value("pass", pass);
  }
}

// ----------------------------------------------------------------------------------------------- the call

described<segmented_sort_variant> describe(const segment_sort& q, const target& on) {
  constexpr std::string_view primitive = segmented_sort_variant::primitive;
  const element& key = *q.keys.type;
  check_sorted_segments(primitive, q);
  check_sort_types(primitive, q);
  described<segmented_sort_variant> call{{.keys = comparison_of(primitive, on, key, q.less, q.order),
                                          .value_bytes = q.values ? q.values->type->size : 0,
                                          .wide_offsets = q.offsets->type->size == 8,
                                          .counts_bad = q.bad.has_value(),
                                          .count_bytes = count_bytes_of_segments(primitive, *q.offsets)},
                                         {.n = q.keys.n}};
  segmented_sort_variant& v = call.variant;
  choose_sizes(v, on);
  described_work& work = call.work;
  const sort_places places = add_sort_operands(primitive, work, q);
  const sorted_segments segments = add_sorted_segments(primitive, work, q);
  if (segments.segments == 0) return call;

  workspace_parts parts(primitive);
  const segmented_sort_launches sort(segments, v, on, parts);
  const std::uint64_t spare_n = sort.has_spares() ? q.keys.n : 0;
  const sort_rooms rooms{.keys = places.keys,
                         .keys_out = places.keys_out,
                         .keys_spare = {{}, parts.take(spare_n, key.size)},
                         .values = places.values,
                         .values_out = places.values_out,
                         .values_spare = {{}, parts.take(spare_n, v.value_bytes)}};
  work.workspace_bytes = parts.bytes();
  sort.add(work, rooms, std::array{std::span<const named_value>(v.keys.less->values)});
  return call;
}

std::string name_of_segmented_sort(const segmented_sort_variant& v, std::uint64_t n, const target& on) {
  const std::uint32_t passes = passes_of_merges(n, v.tile);
  return name_of_order(v.keys) + ", segments of up to " + std::to_string(v.tile) + " keys " +
         (is_cpu(on) ? "by one work-item" : "in local memory, several at a time") + ", then up to " +
         std::to_string(passes) + (passes == 1 ? " pass" : " passes") + " of merges of longer ones";
}

told tell(const segment_sort& q, const target& on, const described<segmented_sort_variant>& call) {
  told people;
  people.variant = name_of_segmented_sort(call.variant, q.keys.n, on);
  people.variant += words_of_segment_count(call.variant.count_bytes);
  if (passes_of_merges(q.keys.n, call.variant.tile) > 0)
    people.rejected.push_back({"no passes",
                               "the host does not know how long segments are; passes end at once where "
                               "none is as long"});
  return people;
}

}  // namespace clwave::detail
