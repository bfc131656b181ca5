// transpose, also in place: what its program is built from.
#pragma once

#include <cstdint>
#include <string_view>

#include <clwave/transpose.hpp>

#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct transpose_variant {
  static constexpr std::string_view primitive = "transpose";
  std::uint64_t element_bytes = 1;
  unsigned group_size = 1;
  unsigned unit_bytes = 1;    // of an access by elements
  unsigned packet_bytes = 0;  // of an access to whole tiles; 0: by elements everywhere
  unsigned block_rows = 0;    // packets that a work-item transposes together, in registers
  unsigned block_side =
      0;  // elements of no packet's size that a work-item reads of as many rows, as words; 0: none
  unsigned tile_rows = 1;
  unsigned tile_columns = 1;
  bool in_place = false;
  bool streaming = false;  // stores go past the caches
};

program_spec spec_of(const transpose_variant& v);
described<transpose_variant> describe(const transpose_problem& q, const target& on);

}  // namespace clwave::detail
