// The sizes of tiles that are merged, and the numbers of passes.
#include "blocks/merge_tiles.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {

bool has_few_tiles(const target& on, std::uint64_t n, const merge_sizes& sizes) {
  const std::uint64_t tiles = blocks_of(n, std::uint64_t{sizes.group_size} * sizes.items);
  return !is_cpu(on) &&
         tiles <= std::min<std::uint64_t>(sizes.group_size, 2 * std::uint64_t{on.compute_units});
}

merge_sizes sizes_of_merge(const target& on, std::uint64_t key_bytes, const merge_room& room) {
  if (is_cpu(on)) return {};
  const merge_tuning& tuned = on.choice.profile->merge;
  const std::uint64_t local = local_bytes_of(on);
  const unsigned items = room.of_segments                                       ? tuned.segment_items
                         : room.of_few                                          ? tuned.few_items
                         : room.of_keys_alone && tuned.items_of_keys_alone != 0 ? tuned.items_of_keys_alone
                                                                                : tuned.items;
  // As many bytes as the items of a row are, which are numbers of 4 bytes.
  merge_sizes sizes{
      group_size_within(on, room.of_segments ? tuned.segment_group_size
                            : room.of_few    ? tuned.few_group_size
                                             : tuned.group_size),
      static_cast<unsigned>(std::clamp<std::uint64_t>(items * std::uint64_t{4} / key_bytes, 1, items))};
  // A tile has its keys in local memory, for each a place of 16 bits, one in 32 that is left out, and as many
  // behind it as a work-item has; each work-item a cut of 16 bits; and a group of segments the cuts of its
  // way.
  const auto fits = [&] {
    const std::uint64_t tile = std::uint64_t{sizes.group_size} * sizes.items;
    return (tile + sizes.items) * (key_bytes + 2) * 33 / 32 + sizes.group_size * (room.beside_item + 2) +
                   1024 <=
               local &&
           tile <= 65536;
  };
  if (key_bytes == 8 && !room.of_segments && !room.of_few && tuned.items_of_8 != 0)
    sizes.items = tuned.items_of_8;
  while (!fits() && sizes.items > 1) --sizes.items;
  // An odd number: neighbouring work-items find theirs in different banks of local memory. But a power of two
  // where one was asked for: segments are often such, and then lie where runs do.
  if (std::has_single_bit(items))
    sizes.items = std::bit_floor(sizes.items);
  else if (sizes.items > 1 && sizes.items % 2 == 0)
    --sizes.items;
  while (!fits() && sizes.group_size > on.choice.lanes) sizes.group_size /= 2;
  if (room.limits_registers && key_bytes <= 8) sizes.registers = tuned.registers;
  return sizes;
}

void add_merges(program_spec& spec, unsigned group_size) {
  add_modules(spec, {"blocks/merge_path.cl", "blocks/merge_tile.cl"});
  if (group_size == 1) add_modules(spec, {"blocks/merge_serial.cl"});
  add_word(spec, "SEARCHES_OF_GROUP", std::to_string(searches_of(group_size)));
  // Behind the counters that selections and segments have.
  add_word(spec, "MERGE_COUNTERS_AT", std::to_string(workspace::own_at - 8));
}

void add_merged_runs(program_spec& spec, unsigned group_size) {
  add_merges(spec, group_size);
  add_modules(spec, {"blocks/merge_runs.cl"});
  if (group_size == 1) add_modules(spec, {"blocks/merge_runs_serial.cl"});
  add_word(spec, "SORTS_RUNS");
}

std::uint32_t passes_of_merges(std::uint64_t n, std::uint64_t run) {
  std::uint32_t passes = 0;
  for (std::uint64_t runs = blocks_of(n, run); runs > 1; runs = blocks_of(runs, 2)) ++passes;
  return passes;
}

std::uint64_t merge_shares_of(const target& on, std::uint64_t n) {
  const std::uint64_t most = on.compute_units * std::uint64_t{on.choice.profile->merge.shares};
  return std::clamp<std::uint64_t>(blocks_of(n, least_merge_share), 1, std::max<std::uint64_t>(most, 1));
}

}  // namespace clwave::detail
