// Searches that stop early: what their programs are built from, and what their calls are.
#pragma once

#include <string_view>

#include <clwave/search.hpp>

#include "blocks/sorted_keys.hpp"
#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct search_variant {
  static constexpr std::string_view primitive = "search";
  search_kind kind = search_kind::find_if;
  const element* value = &no_type();
  const map* predicate = &identity;  // of searches by a predicate
  const op* same = &by_number();     // of those of two inputs
  key_comparison keys = {};          // of is_sorted
  bool packets = false;              // elements are loaded in packets of `vector`, by one access each
  unsigned group_size = 1;
  unsigned items = 1;        // packets that a work-item has in flight
  unsigned vector = 1;       // elements of a packet
  unsigned count_bytes = 0;  // of the number of elements on the device; 0: the host knows it
};

program_spec spec_of(const search_variant& v);

described<search_variant> describe(const search_problem& q, const target& on);
told tell(const search_problem& q, const target& on, const described<search_variant>& call);

}  // namespace clwave::detail
