// Set operations: what their programs are built from, and what their calls are.
#pragma once

#include <string_view>

#include <clwave/set_operations.hpp>

#include "blocks/messages.hpp"
#include "blocks/sorted_keys.hpp"
#include "blocks/sorted_ranges.hpp"
#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct set_variant {
  static constexpr std::string_view primitive = "set_operations";
  set_kind kind = set_kind::set_union;
  key_comparison keys = {};
  range_counts counts = {};
  group_messages messages = {};
  unsigned group_size = 1;
  unsigned items = 1;      // elements of a work-item, on a CPU those of a tile
  unsigned registers = 0;  // the most a work-item may take; 0: no limit
};

program_spec spec_of(const set_variant& v);

described<set_variant> describe(const set_problem& q, const target& on);

}  // namespace clwave::detail
