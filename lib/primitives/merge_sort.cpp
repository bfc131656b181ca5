// Sorts by an operator: what a call is.
#include "primitives/merge_sort.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include <clwave/error.hpp>

#include "blocks/merge_tiles.hpp"
#include "call/counted.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "primitives/sort_operands.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// A CPU's work-item sorts blocks of so many keys one by one (cl_kernels/primitives/merge_sort.cl), and merges
// them in tiles of up to so many bytes, which stay in a core's own caches with the room that they are merged
// to.
constexpr std::uint64_t cpu_block = 16;
constexpr std::uint64_t cpu_tile = 256 << 10;

std::uint64_t tile_of(const merge_sort_variant& v) { return std::uint64_t{v.group_size} * v.items; }

bool is_argsort(const operator_sort& q) { return !q.keys_out; }

std::uint64_t moved_bytes(const operator_sort& q) { return q.values_out ? q.values_out->type->size : 0; }

// Passes of a CPU's work-item over its own tile.
std::uint32_t cpu_passes(const operator_sort& q) {
  const std::uint64_t each = q.keys.type->size + moved_bytes(q);
  std::uint32_t passes = 0;
  while ((cpu_block << (passes + 1)) * each <= cpu_tile && cpu_block << passes < q.keys.n) ++passes;
  return passes;
}

// Where units have more than one tile each, groups are no larger than others are: tiles of as many keys have
// fewer work-items, with more keys each, and share a unit.
merge_sizes few_tiles_of_sort(const target& on, std::uint64_t n, std::uint64_t key_bytes) {
  const merge_sizes alone = sizes_of_merge(on, key_bytes, {.beside_item = 4, .of_few = true});
  const unsigned usual = sizes_of_merge(on, key_bytes).group_size;
  if (alone.group_size <= usual || n <= on.compute_units * std::uint64_t{alone.group_size} * alone.items)
    return alone;
  merge_sizes shared = alone;
  shared.group_size = usual;
  shared.items *= alone.group_size / usual;
  return has_few_tiles(on, n, shared) ? shared : alone;
}

}  // namespace

program_spec spec_of(const merge_sort_variant& v) {
  program_spec spec;
  spec.primitive = merge_sort_variant::primitive;
  add_modules(spec, {"primitives/merge_sort.cl"});
  add_key_comparison(spec, v.keys);
  add_merged_runs(spec, v.group_size);
  add_carried(spec, v.value_bytes);
  if (v.index_bytes != 0) {
    const char* index = v.index_bytes == 8 ? "ulong" : "uint";
    add_word(spec, "CARRIES_INDICES");
    add_word(spec, "CARRIED_PART", index);
    add_word(spec, "CARRIED_WORDS", "1");
  }
  add_word(spec, "GROUP_SIZE", std::to_string(v.group_size));
  add_word(spec, "ITEMS", std::to_string(v.items));
  if (v.few_tiles) add_word(spec, "FEW_TILES");
  add_count(spec, v.count_bytes);
  return spec;
}

described<merge_sort_variant> describe(const operator_sort& q, const target& on) {
  check_sort_types(merge_sort_variant::primitive, q);
  const element& key = *q.keys.type;
  const std::uint64_t carried_bytes = moved_bytes(q);
  const bool argsort = is_argsort(q);
  const merge_sizes few_sizes = few_tiles_of_sort(on, q.keys.n, key.size);
  const bool few_tiles = has_few_tiles(on, q.keys.n, few_sizes);
  const merge_sizes sizes = few_tiles ? few_sizes : sizes_of_merge(on, key.size);
  described<merge_sort_variant> call{
      {.keys = comparison_of(merge_sort_variant::primitive, on, key, q.less, {}),
       .value_bytes = argsort ? 0 : carried_bytes,
       .index_bytes = argsort ? static_cast<unsigned>(carried_bytes) : 0,
       .group_size = sizes.group_size,
       .items = sizes.items,
       .few_tiles = few_tiles,
       .count_bytes = count_bytes_of(merge_sort_variant::primitive, q.keys)},
      {.n = q.keys.n}};
  const merge_sort_variant& v = call.variant;
  described_work& work = call.work;
  const sort_places places = add_sort_operands(merge_sort_variant::primitive, work, q);
  const std::size_t counted = work.operands.size();
  if (v.count_bytes != 0) work.operands.push_back(described_count(v.count_bytes));
  const bool cpu = is_cpu(on);
  const std::uint32_t own_passes = cpu ? cpu_passes(q) : 0;
  const std::uint64_t run = cpu ? cpu_block << own_passes : tile_of(v), tiles = blocks_of(q.keys.n, run);
  if (tiles > most_groups)
    refuse(merge_sort_variant::primitive, "more than " + std::to_string(most_groups * run) + " keys");
  if (q.keys.n == 0) return call;

  // The workspace: where tiles end, spare rooms for keys, of an argsort two of them, and one for values.
  const std::uint32_t passes = passes_of_merges(q.keys.n, run);
  workspace_parts parts(merge_sort_variant::primitive);
  const bool searches = !cpu && !v.few_tiles;
  const std::uint64_t ends_at = searches ? parts.take(tiles - 1, 8) : std::uint64_t{workspace::own_at};
  const std::uint64_t spare_n = passes + own_passes > 0 ? q.keys.n : 0;
  const sort_place spare_keys{{}, parts.take(spare_n, key.size)};
  const sort_place keys_out = argsort ? sort_place{{}, parts.take(q.keys.n, key.size)} : places.keys_out;
  const sort_place spare_values{{}, parts.take(carried_bytes != 0 ? spare_n : 0, carried_bytes)};
  work.workspace_bytes = parts.bytes();

  // In turn: to the output last.
  const auto add_rooms = [&](described_launch& launch, bool to_spare) {
    add_place(launch, "keys_to", "keys_to_at", to_spare ? spare_keys : keys_out);
  };
  const auto add_values = [&](described_launch& launch, const sort_place& from, bool to_spare) {
    if (carried_bytes == 0) return;
    add_place(launch, "values", "values_at", from);
    add_place(launch, "values_to", "values_to_at", to_spare ? spare_values : places.values_out);
  };
  const auto add_launch = [&](const char* kernel, std::uint64_t groups) -> described_launch& {
    return work.launch(kernel, groups, v.group_size).values({}, {}, v.keys.less->values);
  };
  if (searches && passes > 0) work.zeroed_bytes = zeroed_for_searches;
  work.launches.reserve(std::size_t{1} + (searches ? 2 : 1) * passes);
  bool to_spare = passes % 2 != 0;
  described_launch& first = add_launch("merge_sort_tiles", tiles);
  add_place(first, "keys", "keys_at", places.keys);
  add_rooms(first, to_spare);
  if (cpu) add_place(first, "keys_spare", "keys_spare_at", to_spare ? keys_out : spare_keys);
  // An argsort reads no values.
  add_values(first, q.values ? places.values : spare_values, to_spare);
  if (cpu && carried_bytes != 0)
    add_place(first, "values_spare", "values_spare_at", to_spare ? places.values_out : spare_values);
  add_elements(first, q.keys, counted);
  if (cpu) first.value("tile", run);
  for (std::uint32_t pass = 0; pass < passes; ++pass) {
    const sort_place from = to_spare ? spare_keys : keys_out;
    const sort_place values_from = to_spare ? spare_values : places.values_out;
    const std::uint64_t runs_of = run << pass;
    to_spare = !to_spare;
    if (searches) {
      described_launch& search =
          add_launch("merge_sort_search", blocks_of(tiles - 1, searches_of(v.group_size)));
      add_place(search, "keys", "keys_at", from);
      add_elements(search, q.keys, counted);
      search.value("run", runs_of).value("ends", static_cast<std::uint32_t>(tiles - 1));
      search.workspace("workspace").value("ends_at", ends_at);
    }
    described_launch& merge = add_launch("merge_sort_pass", cpu ? merge_shares_of(on, q.keys.n) : tiles);
    add_place(merge, "keys", "keys_at", from);
    add_rooms(merge, to_spare);
    add_values(merge, values_from, to_spare);
    add_elements(merge, q.keys, counted);
    merge.value("run", runs_of);
    if (!cpu) merge.workspace("workspace").value("ends_at", ends_at);
  }
  return call;
}

told tell(const operator_sort& q, const target& on, const described<merge_sort_variant>& call) {
  const merge_sort_variant& v = call.variant;
  const bool cpu = is_cpu(on);
  const std::uint64_t run = cpu ? cpu_block << cpu_passes(q) : tile_of(v);
  const std::uint32_t passes = passes_of_merges(q.keys.n, run);
  told people;
  people.variant = name_of_order(v.keys) + ", tiles of " + std::to_string(run) + " keys" +
                   (cpu ? "" : " in local memory") + ", then " + std::to_string(passes) +
                   (passes == 1 ? " pass" : " passes") + " of merges";
  people.variant += words_of_count(v.count_bytes);
  if (passes > 0) people.rejected.push_back({"one launch", "there are more keys than a tile has"});
  people.rejected.push_back({"a radix sort", "a text compares keys, and they have no number"});
  return people;
}

}  // namespace clwave::detail
