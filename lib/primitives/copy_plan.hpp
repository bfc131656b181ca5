// How elements are copied, converted or filled: which program, which kernel, how many groups.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <clwave/copy.hpp>
#include <clwave/plan.hpp>

#include "call/call.hpp"
#include "call/operands.hpp"
#include "program/key.hpp"
#include "program/program.hpp"

namespace clwave {

// The question: everything about a call but its buffers.
struct copy_question {
  const element* from;
  const element* to;
  bool saturate;
  rounding round;
  std::uint64_t n;
  placement in, out;
  unsigned compute_units;
};

struct box_question {
  const element* type;
  box size;
  pitches in_pitches, out_pitches;
  placement in, out;
  unsigned compute_units;
};

struct fill_question {
  const element* type;
  std::uint64_t n;
  unsigned compute_units;
};

// The answer. All but `kernel` and `groups` are fixed by the program.
struct copy_shape {
  std::string_view kernel;
  unsigned group_size = 1;
  unsigned items = 1;
  unsigned vector_bytes = 1;
  unsigned vector = 1;  // converting: elements in a packet
  unsigned width = 1;   // bytes of an access; of its wider side where elements are converted
  std::uint64_t groups = 0;
};

// A box without pitches that say nothing: rows that follow one another are one row. In bytes.
struct plain_box {
  std::uint64_t width, height, depth;
  std::uint64_t in_row, in_slice, out_row, out_slice;
  bool is_flat() const { return height == 1 && depth == 1; }
};

struct box_shape {
  copy_shape launch;
  std::uint64_t width = 0;  // in packets
  std::uint32_t tile_width = 1;
  std::uint32_t along_rows = 1;
};

// Throws bad_call for types that do not convert into one another.
void check_copy(const element& from, const element& to);

// Whether any element changes on its way. Integers of the same size only change their name.
bool converts(const copy_question& q);

copy_shape shape_copy(const copy_question& q, const target& on);

// All that a program is built from: of copies that move bytes, flat or in boxes, one for all of them; of
// fills; and of copies that convert.
struct move_variant {
  unsigned group_size, items, vector_bytes;
};
struct convert_variant {
  const element *from, *to;
  bool saturate;
  rounding round;
  unsigned group_size, items, vector_bytes, vector;
};
inline move_variant variant_of(const copy_shape& s) { return {s.group_size, s.items, s.vector_bytes}; }
inline convert_variant variant_of(const copy_question& q, const copy_shape& s) {
  return {q.from, q.to, q.saturate, q.round, s.group_size, s.items, s.vector_bytes, s.vector};
}

program_spec spec_convert(const convert_variant& v);
program_spec spec_of_move(const move_variant& v);
program_spec spec_of_fill(const move_variant& v);

inline std::string key_move(const copy_shape& shape) { return key_of("copy", variant_of(shape)); }
inline program_spec spec_move(const copy_shape& shape) { return spec_of_move(variant_of(shape)); }
inline std::string key_fill(const copy_shape& shape) { return key_of("fill", variant_of(shape)); }
inline program_spec spec_fill(const copy_shape& shape) { return spec_of_fill(variant_of(shape)); }
inline std::string key_copy(const copy_question& q, const copy_shape& shape) {
  return converts(q) ? key_of("convert", variant_of(q, shape)) : key_move(shape);
}
inline program_spec spec_copy(const copy_question& q, const copy_shape& shape) {
  return converts(q) ? spec_convert(variant_of(q, shape)) : spec_move(shape);
}

// How many elements lie between a box's first and its last, both counted. 0 for an empty box. Throws
// bad_call for pitches that let rows or slices overlap, and for sizes in bytes beyond 63 bits.
std::uint64_t extent_of_box(const box& size, const pitches& steps, std::uint64_t element_bytes,
                            std::string_view what);

// Of a checked box (extent_of_box).
plain_box simplify(const box_question& q);

// The copy of elements that a flat box is.
copy_question flat_question(const box_question& q, const plain_box& plain);

// The plan of a box's copy, which starts that many elements into its buffers.
call_plan plan_box(const plan_target& on, const element& type, const box& size, const pitches& in_pitches,
                   const pitches& out_pitches, std::uint64_t in_offset, std::uint64_t out_offset);

box_shape shape_box(const box_question& q, const plain_box& plain, const target& on);

copy_shape shape_fill(const fill_question& q, const target& on);

// A value repeated until it is at least 64 bytes long, the period, and on and on through 192 bytes.
struct fill_pattern {
  std::uint32_t period = 0;
  alignas(16) std::array<unsigned char, 192> table{};
};
fill_pattern repeat(const void* value, std::size_t size);

}  // namespace clwave
