// Sorts by keys of texts: what their programs are built from, and what their calls are.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <clwave/key_sort.hpp>

#include "call/description.hpp"
#include "primitives/segmented_sort.hpp"
#include "primitives/sort.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// A key as a program knows it: the bits that are sorted by come with each launch.
struct key_of_text {
  const map* of = nullptr;
  const element* type = nullptr;
  bool descending = false;
};

struct key_sort_variant {
  static constexpr std::string_view primitive = "key_sort";
  const element* in = nullptr;
  std::vector<key_of_text> keys = {};
  std::size_t gathered_bytes = 0;        // of an element that is brought to its place; 0: an argsort
  std::size_t gathered_value_bytes = 0;  // of a value that goes with it; 0: none
  unsigned index_bytes = 4;
  // Of the keys' numbers, with the elements' indices: of all, or of each segment.
  std::optional<sort_variant> sort = {};
  std::optional<segmented_sort_variant> segments = {};
};

program_spec spec_of(const key_sort_variant& v);

described<key_sort_variant> describe(const key_sort_problem& q, const target& on);

// A sort by keys of texts, of all elements or of each segment; the latter blocks, and throws bad_call where
// segments are bad.
event sort_by_keys(cl_command_queue queue, const sort_call& call, std::span<const sort_key> by,
                   const launch_fields& options);
void checked_sort_by_keys(cl_command_queue queue, const sort_call& call, std::span<const sort_key> by,
                          const launch_fields& options);

}  // namespace clwave::detail
