// top_k and segmented_top_k: what their programs are built from, and what their calls are.
#pragma once

#include <string_view>

#include <clwave/top_k.hpp>

#include "call/description.hpp"
#include "primitives/segmented_sort.hpp"
#include "primitives/sort.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct top_k_variant {
  static constexpr std::string_view primitive = "top_k";
  const element* key = nullptr;
  unsigned index_bytes = 4;
  bool descending = true;
  unsigned most = 0;  // that one group sorts in local memory; 0: all elements are sorted, by `sort`
  unsigned group_size = 1;
  unsigned items = 1;   // packets of a work-item of a GPU
  unsigned vector = 1;  // keys of a packet
  sort_variant sort = {};
  unsigned count_bytes = 0;  // of the number of elements on the device; 0: the host knows it
};

program_spec spec_of(const top_k_variant& v);

described<top_k_variant> describe(const top_k_problem& q, const target& on);

// Of segments: they are sorted, with the elements' indices, as far as the first elements take.
struct segmented_top_k_variant {
  static constexpr std::string_view primitive = "segmented_top_k";
  segmented_sort_variant sort = {};
};

program_spec spec_of(const segmented_top_k_variant& v);

described<segmented_top_k_variant> describe(const segmented_top_k_problem& q, const target& on);
told tell(const segmented_top_k_problem& q, const target& on, const described<segmented_top_k_variant>& call);

}  // namespace clwave::detail
