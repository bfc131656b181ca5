// merge and merge_by_key: what their programs are built from, and what their calls are.
#pragma once

#include <cstdint>
#include <string_view>

#include <clwave/merge.hpp>

#include "blocks/sorted_keys.hpp"
#include "blocks/sorted_ranges.hpp"
#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct merge_variant {
  static constexpr std::string_view primitive = "merge";
  key_comparison keys = {};
  std::uint64_t value_bytes = 0;  // of a value that goes with each key; 0: none
  range_counts counts = {};
  unsigned group_size = 1;
  unsigned items = 1;      // elements of a work-item of a GPU
  bool one_tile = false;   // at most
  bool few_tiles = false;  // more, whose groups find all cuts
  unsigned registers = 0;  // the most that one may take; 0: no limit
};

program_spec spec_of(const merge_variant& v);

described<merge_variant> describe(const merge_problem& q, const target& on);

}  // namespace clwave::detail
