// How a reduction is done: which program, which kernels, how many groups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <clwave/reduce.hpp>

#include "program/key.hpp"
#include "program/program.hpp"

namespace clwave {

// The question: everything about a call but its buffers.
struct reduce_question {
  const element* value;
  const element* accumulator;
  const op* fold;
  const map* apply;
  bool two_inputs;
  std::uint64_t n;
  std::size_t alignment;  // of the first element (of both inputs), in bytes
  unsigned compute_units;
  detail::fold_sizes sizes = {};
};

// The answer's numbers. All but `groups` and `tiles` are fixed by the program.
struct reduce_shape {
  unsigned group_size = 1;
  unsigned vector = 1;      // neighbouring columns a work-item holds, loaded as one packet
  unsigned items = 1;       // packets in flight
  unsigned registers = 0;   // the most a work-item may take; 0: no limit
  bool wide = false;        // a CPU's 16-wide values
  bool by_element = false;  // a structure that lies at less than its size: member by member
  bool contiguous = false;  // non-commutative: columns are contiguous runs
  bool to_host = false;     // the result can go straight to page-locked host memory
  bool one_tile = false;    // by the kernel for inputs of one tile
  std::uint64_t tiles = 0;
  std::uint64_t groups = 0;
  std::uint32_t share = 0;         // units of tiles that every group folds; some fold one more
  std::uint64_t result_bytes = 0;  // the results of all levels, in the workspace
};

// Throws bad_call for types and operators that do not go together.
void check_reduce(const reduce_question& q);

reduce_shape shape_reduce(const reduce_question& q, const target& on);

// All that the program is built from.
struct reduce_variant {
  const element* value;
  const element* accumulator;
  const op* fold;
  const map* apply;
  bool two_inputs;
  unsigned group_size, vector, items, registers;
  bool wide, by_element, contiguous, to_host;
  detail::fold_sizes sizes;
};
inline reduce_variant variant_of(const reduce_question& q, const reduce_shape& s) {
  return {q.value, q.accumulator, q.fold, q.apply,      q.two_inputs, s.group_size, s.vector,
          s.items, s.registers,   s.wide, s.by_element, s.contiguous, s.to_host,    q.sizes};
}

program_spec spec_reduce(const reduce_variant& v);

inline std::string key_reduce(const reduce_question& q, const reduce_shape& shape) {
  return key_of("reduce", variant_of(q, shape));
}
inline program_spec spec_reduce(const reduce_question& q, const reduce_shape& shape) {
  return spec_reduce(variant_of(q, shape));
}

// The operator's identity as bytes of an accumulator; nothing where only the device's compiler can say
// (a user's text that is no plain number). Throws bad_call where there is none.
std::optional<std::vector<unsigned char>> identity_of(const op& fold, const element& accumulator);

}  // namespace clwave
