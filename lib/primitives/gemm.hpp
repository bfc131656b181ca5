// gemm: what its programs are built from.
#pragma once

#include <string_view>

#include <clwave/element.hpp>
#include <clwave/profile.hpp>

#include "program/program.hpp"

namespace clwave::detail {

enum class gemm_way {
  blocks,  // a CPU: a work-item computes a block of C from packed panels
  tiles,   // a GPU's multiply-adds
  thin,    // the same where C has few rows or columns
  matrix,  // matrix instructions
  wide,    // those that take tiles from local memory
};

struct gemm_numbers {
  unsigned m = 0, n = 0, k = 0;     // of a group's tile
  unsigned item_m = 0, item_n = 0;  // of a work-item's block, or that of a set of lanes
  unsigned stages = 0;              // steps of k that local memory holds at a time
  unsigned group_size = 1;
  unsigned vector = 1;  // elements of a load
};

struct gemm_variant {
  static constexpr std::string_view primitive = "gemm";
  const element *type = nullptr, *out = nullptr;  // of A and B, and of C
  gemm_way way = gemm_way::tiles;
  matrix_unit unit = matrix_unit::none;
  gemm_numbers numbers = {};
  bool in_parts = false;                      // k is cut: the sums go to the workspace, and are added there
  bool whole_steps = false;                   // k has no short step
  bool a_along_k = false, b_along_k = false;  // whether the contiguous runs of A and B go along k
  // Of the wide way (gemm_shape).
  bool rows_are_m = false, rows_from_registers = false, packed_stores = false;
  bool batched = false;
  bool turns_factor = false;
  bool whole_chunks = false;  // of the matrix way: lines end at multiples of loads, too
};

program_spec spec_of(const gemm_variant& v);

}  // namespace clwave::detail
