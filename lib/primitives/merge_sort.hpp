// Sorts by comparison: what their programs are built from, and what their calls are.
#pragma once

#include <cstdint>
#include <string_view>

#include <clwave/merge_sort.hpp>
#include <clwave/sort.hpp>

#include "blocks/sorted_keys.hpp"
#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct merge_sort_variant {
  static constexpr std::string_view primitive = "merge_sort";
  key_comparison keys = {};
  std::uint64_t value_bytes = 0;  // of a value that goes with each key; 0: none
  unsigned index_bytes = 0;       // of an argsort's indices
  unsigned group_size = 1;
  unsigned items = 1;  // elements of a work-item of a GPU
};

program_spec spec_of(const merge_sort_variant& v);

described<merge_sort_variant> describe(const merge_sort_problem& q, const target& on);

// A sort in the order of an operator.
event sort_by_operator(cl_command_queue queue, const sort_call& call, const op& less,
                       const launch_fields& options);

}  // namespace clwave::detail
