// Sorts by an operator: what their programs are built from, and what their calls are.
#pragma once

#include <cstdint>
#include <string_view>

#include <clwave/sort.hpp>

#include "blocks/sorted_keys.hpp"
#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// A sort in the order of an operator, among the kinds of sorts that a problem may ask for.
struct operator_sort : sort_problem {};

struct merge_sort_variant {
  static constexpr std::string_view primitive = "merge_sort";
  key_comparison keys = {};
  std::uint64_t value_bytes = 0;  // of a value that goes with each key; 0: none
  unsigned index_bytes = 0;       // of an argsort's indices
  unsigned group_size = 1;
  unsigned items = 1;        // elements of a work-item of a GPU
  bool few_tiles = false;    // whose groups find all cuts
  unsigned count_bytes = 0;  // of the number of keys on the device; 0: the host knows it
};

program_spec spec_of(const merge_sort_variant& v);

described<merge_sort_variant> describe(const operator_sort& q, const target& on);
told tell(const operator_sort& q, const target& on, const described<merge_sort_variant>& call);

}  // namespace clwave::detail
