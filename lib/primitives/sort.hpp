// sort, sort_by_key and argsort: what their program is built from, and what their calls are.
#pragma once

#include <cstdint>
#include <string_view>

#include <clwave/sort.hpp>

#include "blocks/messages.hpp"
#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct sort_variant {
  static constexpr std::string_view primitive = "sort";
  const element* key = nullptr;
  std::uint64_t value_bytes = 0;  // of a value that goes with each key; 0: none
  unsigned index_bytes = 0;       // of an argsort's indices
  bool descending = false;
  bool many_keys = false;  // counts have 64 bits
  bool small = false;      // the program of a sort in one launch, which has no other kernel
  bool by_ranks = false;   // the program of a sort of few keys by their ranks
  bool in_place = false;   // by ranks
  group_messages messages = {};
  bool wide_messages = false;  // of 64 bits
  unsigned group_size = 1;
  unsigned items = 1;      // keys of a work-item of a GPU
  unsigned registers = 0;  // the most a work-item may take; 0: no limit
};

program_spec spec_of(const sort_variant& v);

described<sort_variant> describe(const sort_question& q, const target& on);

// The same; of an argsort whose indices stay in the workspace, at `*indices_at` bytes, where that is not
// null.
described<sort_variant> describe_sort(const sort_question& q, const target& on, std::uint64_t* indices_at);

}  // namespace clwave::detail
