// How elements are transformed and broadcast: which program, how many groups.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/transform.hpp>

#include "call/call.hpp"
#include "program/key.hpp"
#include "program/program.hpp"

namespace clwave {

// The question: everything about a call but its buffers.
struct transform_question {
  std::vector<const element*> in;  // 1 to 3
  const element* out;
  const map* apply;
  std::uint64_t n;
  std::vector<placement> places;  // of the inputs, then the output
  unsigned compute_units;
};

struct broadcast_question {
  const element *in, *vector, *out;
  const map* apply;
  broadcast_shape size;  // its pitches are not 0
  per which;
  placement in_place, vector_place, out_place;
  unsigned compute_units;
};

// The answer. All but `groups`, `head` and `tile_width` are fixed by the program.
struct transform_shape {
  unsigned group_size = 1;
  unsigned items = 1;   // packets of each input in flight
  unsigned vector = 1;  // elements of a packet
  bool staged = false;  // a row's values go through local memory
  std::uint64_t groups = 0;
  std::uint64_t head = 0;  // elements before the first packet
  std::uint32_t tile_width = 1;
};

// Throws bad_call for types and maps that do not go together.
void check_transform(const transform_question& q);
void check_broadcast(const broadcast_question& q);

// From a matrix's first element to its last, both counted; 0 for none. Throws bad_call for rows that overlap
// and for sizes in bytes beyond 63 bits.
std::uint64_t extent_of_matrix(std::uint64_t rows, std::uint64_t columns, std::uint64_t row,
                               std::uint64_t element_bytes, std::string_view what);

// All that the program is built from.
struct transform_variant {
  std::span<const element* const> in;
  const element* out;
  const map* apply;
  unsigned group_size, vector, items;
};
struct broadcast_variant {
  const element *in, *vector_type, *out;
  const map* apply;
  per which;
  bool staged;
  unsigned group_size, vector, items;
};

transform_shape shape_transform(const transform_question& q, const target& on);
program_spec spec_transform(const transform_variant& v);

transform_shape shape_broadcast(const broadcast_question& q, const target& on);
program_spec spec_broadcast(const broadcast_variant& v);

inline transform_variant variant_of(const transform_question& q, const transform_shape& s) {
  return {q.in, q.out, q.apply, s.group_size, s.vector, s.items};
}
inline broadcast_variant variant_of(const broadcast_question& q, const transform_shape& s) {
  return {q.in, q.vector, q.out, q.apply, q.which, s.staged, s.group_size, s.vector, s.items};
}
inline std::string key_transform(const transform_question& q, const transform_shape& shape) {
  return key_of("transform", variant_of(q, shape));
}
inline program_spec spec_transform(const transform_question& q, const transform_shape& shape) {
  return spec_transform(variant_of(q, shape));
}
inline std::string key_broadcast(const broadcast_question& q, const transform_shape& shape) {
  return key_of("broadcast", variant_of(q, shape));
}
inline program_spec spec_broadcast(const broadcast_question& q, const transform_shape& shape) {
  return spec_broadcast(variant_of(q, shape));
}

}  // namespace clwave
