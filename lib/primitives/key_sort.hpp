// Sorts by keys of texts: what their programs are built from, and what their calls are.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <clwave/sort.hpp>

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

// A sort by keys of texts, of all elements or of each segment, among the kinds of sorts that a problem may
// ask for.
struct key_sort : sort_problem {};

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

described<key_sort_variant> describe(const key_sort& q, const target& on);
told tell(const key_sort& q, const target& on, const described<key_sort_variant>& call);

// The keys by which numbers of 128 bits are in order: the upper word, and then the lower one. Throws bad_call
// for bits that they have not.
key_list keys_of_128_bits(bool has_sign, const sort_order& order);

}  // namespace clwave::detail
