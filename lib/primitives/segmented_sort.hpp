// segmented_sort: what its programs are built from, and what its calls are.
#pragma once

#include <cstdint>
#include <string_view>

#include <clwave/segmented_sort.hpp>

#include "blocks/sorted_keys.hpp"
#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct segmented_sort_variant {
  static constexpr std::string_view primitive = "segmented_sort";
  key_comparison keys = {};
  std::uint64_t value_bytes = 0;  // of a value that goes with each key; 0: none
  bool wide_offsets = false;      // of 64 bits
  bool counts_bad = false;
  unsigned group_size = 1;
  unsigned items = 1;      // keys of a work-item of a GPU
  std::uint64_t tile = 0;  // what one group sorts at a time
};

program_spec spec_of(const segmented_sort_variant& v);

described<segmented_sort_variant> describe(const segmented_sort_question& q, const target& on);

}  // namespace clwave::detail
