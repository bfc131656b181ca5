// Keys in an order: what decides it, for all calls on sorted ranges and sorts by comparison
// (cl_kernels/blocks/sorted_keys.cl).
#pragma once

#include <cstdint>
#include <string_view>

#include <clwave/op.hpp>
#include <clwave/sort_order.hpp>

#include "program/program.hpp"

namespace clwave::detail {

// What no text decides: numbers, as `sort` orders them.
const op& by_number();

// What a program is built from of an order.
struct key_comparison {
  const element* key = nullptr;
  const op* less = &by_number();  // whether a comes before b
  bool descending = false;        // of numbers, as are the bits that are compared
  unsigned first_bit = 0, bits = 0;
};

inline bool is_by_text(const key_comparison& v) { return v.less->kind == op_kind::user; }

// Throws bad_call for keys that are no numbers.
void check_key(std::string_view primitive, const element& key);

// Throws bad_call for two ranges and an output that are not of one type.
void check_ranges(std::string_view primitive, const element& a, const element& b, const element& out);

// The bits of a number that are compared. Throws bad_call for bits that a key has not.
struct bit_range {
  unsigned first, count;
};
bit_range bits_of_keys(std::string_view primitive, const element& key, const sort_order& order);

// The order by a text, or where `less` is null by numbers. Throws bad_call for keys that have no such order,
// and for a text that is none.
key_comparison comparison_of(std::string_view primitive, const target& on, const element& key, const op* less,
                             const sort_order& order);

// Throws bad_call where an operator and something of the order of numbers are given; null: no operator.
void check_one_order(std::string_view primitive, const op* less, const sort_order& order);

// The words and texts: KEY and what is read of it, and what compares two.
void add_key_comparison(program_spec& spec, const key_comparison& v);

// The words for `bytes` that go with each key; none where there are none.
void add_carried(program_spec& spec, std::uint64_t bytes);

// For people: "numbers, descending", or the operator's name.
std::string name_of_order(const key_comparison& v);

}  // namespace clwave::detail
