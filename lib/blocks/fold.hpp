// Folds of elements: what one is made of (their type, the type they are folded in, the operator, and the map
// that each element goes through first), and the words of a fold in reduce's order.
#pragma once

#include <cstddef>
#include <string_view>

#include <clwave/element.hpp>
#include <clwave/op.hpp>
#include <clwave/reduce.hpp>

#include "call/lazy_inputs.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct folding {
  const element* value = nullptr;
  const element* accumulator = nullptr;
  const op* fold = nullptr;
  const map* apply = nullptr;
  bool two_inputs = false;
  bool counts = false;  // the map is a predicate, and what is folded of an element is 1 or 0
  bool lazy = false;    // the elements are made where they are needed
};

// Throws bad_call for types, operators and maps that do not go together.
void check_folding(std::string_view primitive, const folding& of, bool two_inputs);

// The words and texts of types, operator and map. A map of clwave's own may have declarations that the
// operator's may name: of a type, and behind a character that no text has, those of the map of a level below.
inline constexpr char between_declarations = '\0';
void add_folding(program_spec& spec, const folding& of);

// Adds how packets of `vector` values are loaded: by one access, or element by element, where `by_element`
// says so or no access has their size.
void add_packets(program_spec& spec, const element& value, unsigned vector, bool by_element);

// Whether 16 elements can be folded side by side, each as if alone: builtin types and operators, which take
// vectors.
bool has_wide_values(const folding& f);
// The words for that.
void add_wide_values(program_spec& spec, const folding& f);

inline bool is_indexed(const op& fold) {
  return fold.kind == op_kind::argmin || fold.kind == op_kind::argmax;
}
inline bool is_logical(const op& fold) {
  return fold.kind == op_kind::logical_and || fold.kind == op_kind::logical_or;
}

// What a tile leaves: a value without its index, which is looked up at the end.
std::size_t result_bytes_of(const op& fold, const element& accumulator);

// The numbers of the fold, from the profile's `fold`. Where a work-item is a group the first three are 1,
// elsewhere the last two are 0.
struct fold_numbers {
  unsigned waiting = 1;        // tiles of a team whose parts wait in local memory together
  unsigned result_items = 1;   // packets of results in flight
  unsigned located = 1;        // values in flight where an index is looked up
  unsigned fetched_ahead = 0;  // bytes
  unsigned block = 0;          // columns at a time where values have no wide form
};

// The product of a matrix and a vector, in what its program is built from.
struct vector_variant {
  bool multiplies = false;                    // whether the fold is one
  bool by_steps = false;                      // elements of the vector lie apart
  const element* out = &element_of<float>();  // of the other vector
};

// What the program of a fold in reduce's order is built from.
struct fold_variant {
  const element* value = nullptr;
  const element* accumulator = nullptr;
  const op* fold = nullptr;
  const map* apply = nullptr;
  bool two_inputs = false;
  unsigned group_size = 1;
  unsigned vector = 1;      // neighbouring columns a work-item holds, loaded as one packet
  unsigned items = 1;       // packets in flight
  unsigned registers = 0;   // the most a work-item may take; 0: no limit
  bool wide = false;        // a CPU's 16-wide values
  bool by_element = false;  // a structure that lies at less than its size: member by member
  bool shifted = false;     // the input begins between two packets: lanes exchange what these have too much
  bool contiguous = false;  // non-commutative: columns are contiguous runs
  unsigned run_packet = 0;  // elements of such a run that are loaded at once; 0: each by itself
  bool to_host = false;     // the result can go straight to page-locked host memory
  fold_numbers numbers = {};
  fold_sizes sizes = {};
  bool counts = false;  // the map is a predicate: 1 where its value is other than 0, else 0
  lazy_variant lazy = {};
  vector_variant times = {};
};

// How argmin and argmax find the index: of one result at the end, or values and indices are folded as pairs.
enum class index_way { looked_up, paired };

// A work-item's registers that elements in flight, or what they are folded to, may take.
constexpr std::size_t held_bytes = 128;

// The words of a fold in reduce's order, for the program of any primitive.
program_spec spec_of_fold(std::string_view primitive, const fold_variant& v, index_way indices);
// The modules that fold tiles, by groups of a GPU or by a CPU's work-items.
void add_fold_of_tiles(program_spec& spec, unsigned group_size);
// The module for results without elements, where the operator of a fold has a value for these.
void add_fold_identities(program_spec& spec, const op& fold);

}  // namespace clwave::detail
