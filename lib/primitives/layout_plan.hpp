// How structures are taken apart and put together: which program, how many at a time, how many groups.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/layout.hpp>

#include "program/key.hpp"
#include "program/program.hpp"

namespace clwave {

inline constexpr std::size_t most_fields = 16;
inline constexpr std::size_t most_arrays = 8;  // buffers that one launch takes

// Where a field's first value lies, and how well that is aligned.
struct field_place {
  unsigned array = 0;         // which of the launch's buffers
  std::uint64_t at = 0;       // byte in it
  std::size_t alignment = 1;  // of that byte's address
};

// The question: everything about a call but its buffers.
struct layout_question {
  const layout* fields;
  std::vector<field_place> places;  // one for each field
  unsigned arrays;                  // buffers
  std::uint64_t n;
  std::uint64_t block;    // structures in a block; 0: arrays of their own
  std::size_t alignment;  // of the first structure's address
  bool to_soa;
  unsigned compute_units;
};

// The answer. All but `groups` is fixed by the program.
struct layout_shape {
  unsigned group_size = 1;
  unsigned tile = 1;                          // structures of a group; on a CPU of a piece
  unsigned packet_bytes = 1;                  // of an access to structures
  std::array<unsigned, most_fields> units{};  // of an access to each field's values
  std::array<unsigned, most_fields> runs{};   // how many values are one access
  std::uint64_t groups = 0;
};

// Throws bad_call for a layout that cannot be.
void check_layout(const layout& fields);

// Bytes of a structure's fields together.
std::uint64_t packed_size(const layout& fields);

// Places of fields in blocks of one buffer, which start at byte `offset` with that alignment.
std::vector<field_place> places_in_blocks(const layout& fields, std::uint64_t block, std::uint64_t offset,
                                          std::size_t alignment);

// Bytes of n structures in blocks; nothing where 63 bits cannot count them.
std::optional<std::uint64_t> bytes_in_blocks(const layout& fields, std::uint64_t n, std::uint64_t block);

// The question of n structures, at least one, in blocks that bytes_in_blocks can count, from byte `offset` of
// their buffer on.
layout_question blocks_question(const layout& fields, std::uint64_t n, std::uint64_t block,
                                std::uint64_t offset, std::size_t blocks_alignment, std::size_t alignment,
                                bool to_soa, unsigned compute_units);

layout_shape shape_layout(const layout_question& q, const target& on);
// All that the program is built from.
struct layout_variant {
  const layout* fields;
  std::array<unsigned, most_fields> array_of;  // each field's buffer
  unsigned arrays;
  std::uint64_t block;
  bool to_soa;
  unsigned group_size, tile, packet_bytes;
  std::array<unsigned, most_fields> units, runs;
};
layout_variant variant_of(const layout_question& q, const layout_shape& shape);

program_spec spec_layout(const layout_variant& v);

inline std::string key_layout(const layout_question& q, const layout_shape& shape) {
  return key_of("layout", variant_of(q, shape));
}
inline program_spec spec_layout(const layout_question& q, const layout_shape& shape) {
  return spec_layout(variant_of(q, shape));
}

}  // namespace clwave
