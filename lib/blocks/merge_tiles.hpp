// Tiles of keys that are merged in local memory (cl_kernels/blocks/merge_path.cl): how large they are, and
// how many passes of merges sort what has more.
#pragma once

#include <algorithm>
#include <cstdint>

#include "call/workspace.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// How many work-items a group of a GPU has, and how many keys each, to sort or merge keys in local memory.
struct merge_sizes {
  unsigned group_size = 1, items = 1;
  unsigned registers = 0;  // the most a work-item may take; 0: no limit
};
struct merge_room {
  std::uint64_t beside_item = 0;  // local memory beside keys and their places, for each work-item
  bool limits_registers = false;
  bool of_segments = false;
  bool of_keys_alone = false;  // a merge without values
  bool of_few = false;         // a sort of few tiles
};
merge_sizes sizes_of_merge(const target& on, std::uint64_t key_bytes, const merge_room& room = {});

// Whether `n` elements have so few tiles that all groups run at once and each finds the ends of all, which
// takes no launch of its own. Beside a work-item's keys lie 4 bytes.
bool has_few_tiles(const target& on, std::uint64_t n, const merge_sizes& sizes);

// Searches for where tiles begin are spread over many groups, of which each makes so many, and the next one's
// first to compare with.
inline constexpr unsigned searches_of(unsigned group_size) {
  return group_size <= 32 ? std::max(group_size, 2u) - 1 : 32;
}
// What a call with such searches needs to be 0 in its workspace: the counters (described_work).
inline constexpr std::uint64_t zeroed_for_searches = workspace::own_at - workspace::counter_at;

// The words for programs that merge lists of keys; for those that sort by merges of runs, both.
void add_merges(program_spec& spec, unsigned group_size);
void add_merged_runs(program_spec& spec, unsigned group_size);

// How often runs of `run` elements double until one has all.
std::uint32_t passes_of_merges(std::uint64_t n, std::uint64_t run);

// A CPU's share of the result, or of a pass, has so many elements at least: a search of both its ends costs
// some hundred.
inline constexpr std::uint64_t least_merge_share = 4096;
// So many work-items of a CPU share `n` elements.
std::uint64_t merge_shares_of(const target& on, std::uint64_t n);

}  // namespace clwave::detail
