// reduce: what its programs are built from, and what its calls are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/op.hpp>
#include <clwave/reduce.hpp>

#include "call/description.hpp"
#include "primitives/folding.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// The numbers of the fold, from the profile's `fold`. Where a work-item is a group the first three are 1,
// elsewhere the last two are 0.
struct fold_numbers {
  unsigned waiting = 1;        // tiles of a team whose parts wait in local memory together
  unsigned result_items = 1;   // packets of results in flight
  unsigned located = 1;        // values in flight where an index is looked up
  unsigned fetched_ahead = 0;  // bytes
  unsigned block = 0;          // columns at a time where values have no wide form
};

struct reduce_variant {
  static constexpr std::string_view primitive = "reduce";
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
  bool contiguous = false;  // non-commutative: columns are contiguous runs
  bool to_host = false;     // the result can go straight to page-locked host memory
  fold_numbers numbers = {};
  detail::fold_sizes sizes = {};
};

// (reduce_texts.cpp)
program_spec spec_of(const reduce_variant& v);

// How argmin and argmax find the index: of one result at the end, or values and indices are folded as pairs.
enum class index_way { looked_up, paired };

// The words of a fold in reduce's order, for the program of any primitive. (reduce_texts.cpp)
program_spec spec_of_fold(std::string_view primitive, const reduce_variant& v, index_way indices);

// How tiles are dealt out: to so many groups, in units of as many tiles as a group folds at once.
struct dealt {
  std::uint64_t groups = 0;
  std::uint32_t share = 0;  // units that every group folds; some fold one more
};

// The numbers of a device with lanes for results of `folded_bytes`, and how the question's tiles are dealt
// out.
dealt shape_for_lanes(const reduce_question& q, const target& on, std::size_t folded_bytes,
                      reduce_variant& v);

// Throws bad_call for types, operators and sizes that do not go together. (reduce_texts.cpp)
void check_reduce(const reduce_question& q);

described<reduce_variant> describe(const reduce_question& q, const target& on);

}  // namespace clwave::detail
