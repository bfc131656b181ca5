// aos_to_soa, soa_to_aos and their blocks: what their program is built from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <clwave/layout.hpp>

#include "program/program.hpp"

namespace clwave::detail {

inline constexpr std::size_t most_fields = 16;
inline constexpr std::size_t most_arrays = 8;  // buffers that one launch takes

// How the values of one field are reached.
struct field_access {
  unsigned array = 0;  // which of the launch's buffers
  unsigned unit = 0;   // bytes of an access
  unsigned run = 0;    // values of an access
};

struct layout_variant {
  static constexpr std::string_view primitive = "layout";
  const layout* fields = nullptr;
  unsigned arrays = 1;
  std::uint64_t block = 0;  // structures in a block; 0: arrays of their own
  bool to_soa = true;
  unsigned group_size = 1;
  unsigned tile = 1;          // structures of a group; on a CPU of a piece
  unsigned packet_bytes = 1;  // of an access to structures
  std::array<field_access, most_fields> accesses = {};
};

program_spec spec_of(const layout_variant& v);

}  // namespace clwave::detail
