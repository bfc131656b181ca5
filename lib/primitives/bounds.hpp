// lower_bound and upper_bound: what their programs are built from, and what their calls are.
#pragma once

#include <string_view>

#include <clwave/bounds.hpp>

#include "blocks/sorted_keys.hpp"
#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct bounds_variant {
  static constexpr std::string_view primitive = "bounds";
  key_comparison keys = {};
  bool upper = false;
  bool wide_indices = false;  // of 64 bits
  unsigned group_size = 1;
  unsigned items = 1;       // needles that a work-item looks for at a time
  unsigned levels = 0;      // of a search's steps that ask in local memory
  bool far_places = false;  // that 32 bits do not hold
};

program_spec spec_of(const bounds_variant& v);

described<bounds_variant> describe(const bounds_problem& q, const target& on);

}  // namespace clwave::detail
