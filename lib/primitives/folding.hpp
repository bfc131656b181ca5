// What a fold of elements is made of: their type, the type they are folded in, the operator, and the map that
// each element goes through first. (reduce_texts.cpp)
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/op.hpp>

#include "program/program.hpp"

namespace clwave::detail {

struct folding {
  const element* value = nullptr;
  const element* accumulator = nullptr;
  const op* fold = nullptr;
  const map* apply = nullptr;
};

// Throws bad_call for types, operators and maps that do not go together.
void check_folding(std::string_view primitive, const folding& of, bool two_inputs);

// The words and texts of types, operator and map.
void add_folding(program_spec& spec, const folding& of);

// Whether 16 elements can be folded side by side, each as if alone: builtin types and operators, which take
// vectors.
bool has_wide_values(const folding& f);
// The words for that.
void add_wide_values(program_spec& spec, const folding& f);

// The operator's identity as bytes of an accumulator; nothing where only the device's compiler can say
// (a user's text that is no plain number). Throws bad_call where there is none.
std::optional<std::vector<unsigned char>> identity_of(std::string_view primitive, const op& fold,
                                                      const element& accumulator);

inline bool is_indexed(const op& fold) {
  return fold.kind == op_kind::argmin || fold.kind == op_kind::argmax;
}
inline bool is_logical(const op& fold) {
  return fold.kind == op_kind::logical_and || fold.kind == op_kind::logical_or;
}

// What a tile leaves: a value without its index, which is looked up at the end.
std::size_t result_bytes_of(const op& fold, const element& accumulator);

}  // namespace clwave::detail
