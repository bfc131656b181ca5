// How matrices are transposed: which program, which tiles, how many groups.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <clwave/transpose.hpp>

#include "call/call.hpp"
#include "program/key.hpp"
#include "program/program.hpp"

namespace clwave {

// Where the matrices of one side lie. In elements.
struct matrix_steps {
  std::uint64_t row = 0;     // between the starts of rows
  std::uint64_t matrix = 0;  // between the starts of matrices
  std::uint64_t extent = 0;  // from the first element to the last, both counted; 0: there are none
};

// The question: everything about a call but its buffers. In place, `out` is `in`.
struct transpose_question {
  const element* type;
  matrices size;
  matrix_steps in, out;
  std::size_t in_alignment,
      out_alignment;  // of the first elements' addresses, as call.hpp's check_operand says
  bool in_place;
  unsigned compute_units;
};

// The answer. All but `kernel` and the last two are fixed by the program.
struct transpose_shape {
  std::string_view kernel;
  unsigned group_size = 1;
  unsigned unit_bytes = 1;    // of an access by elements
  unsigned packet_bytes = 0;  // of an access to whole tiles; 0: by elements everywhere
  unsigned block_rows = 0;    // packets a work-item turns over together
  unsigned tile_rows = 1;
  unsigned tile_columns = 1;
  bool in_place = false;
  bool streaming = false;    // stores go past the caches
  std::uint64_t tiles = 0;   // in place: pairs of them
  std::uint64_t groups = 0;  // of a launch; on a GPU one for each tile, and there are launches enough for all
};

// Throws bad_call for elements that are too large, or of two types.
void check_transpose(const element& in, const element& out);

// Resolves pitches of 0. Throws bad_call for rows or matrices that overlap, and for sizes in bytes beyond 63
// bits.
matrix_steps steps_of(std::uint64_t rows, std::uint64_t columns, std::uint64_t batch, const pitches& given,
                      std::uint64_t element_bytes, std::string_view what);

// Whether nothing is to be launched: there are no elements, or none that changes its place.
bool is_nothing(const transpose_question& q);

// Whether the elements only have to be copied: one row or one column, close together on both sides. The
// copy is of a box as wide as a matrix, with a matrix for each row.
bool is_copy(const transpose_question& q);

// That box; its places are not set.
box_question copied_box(const transpose_question& q);

transpose_shape shape_transpose(const transpose_question& q, const target& on);
// Calls launch(first tile, tiles, groups) for each launch there has to be: one, unless there are more tiles
// than a launch can have groups.
void for_each_launch(const transpose_shape& shape,
                     const std::function<void(std::uint64_t, std::uint64_t, std::uint64_t)>& launch);

// All that the program is built from.
struct transpose_variant {
  std::uint64_t element_bytes;
  unsigned group_size, unit_bytes, packet_bytes, block_rows, tile_rows, tile_columns;
  bool in_place, streaming;
};
inline transpose_variant variant_of(const transpose_question& q, const transpose_shape& s) {
  return {q.type->size, s.group_size,   s.unit_bytes, s.packet_bytes, s.block_rows,
          s.tile_rows,  s.tile_columns, s.in_place,   s.streaming};
}

program_spec spec_transpose(const transpose_variant& v);

inline std::string key_transpose(const transpose_question& q, const transpose_shape& shape) {
  return key_of("transpose", variant_of(q, shape));
}
inline program_spec spec_transpose(const transpose_question& q, const transpose_shape& shape) {
  return spec_transpose(variant_of(q, shape));
}

}  // namespace clwave
