// How a matrix product is computed: with which tile, in how many groups, and whether k is cut.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <clwave/plan.hpp>

#include "primitives/gemm.hpp"
#include "primitives/gemm_product.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// The answer. `parts` pieces of k of `part` elements each; with more than one a second kernel adds them.
struct gemm_shape {
  gemm_way way = gemm_way::tiles;
  matrix_unit unit = matrix_unit::none;
  gemm_tile tile;
  unsigned group_size = 1;
  unsigned vector = 1;  // elements of a load
  // k has no short step: the code for one costs registers (H200: 6 % of f32's speed).
  bool whole_steps = false;
  bool whole_chunks = false;  // lines end at multiples of loads, too (matrix instructions)
  std::uint64_t parts = 1, part = 0;
  // By wide instructions: m are the rows of the instruction; the rows come from registers.
  bool rows_are_m = false, rows_from_registers = false;
  bool packed_stores = false;  // C's lines begin at multiples of 16 bytes
  // Neither factor's lines follow k, which must be for one: it is copied first, and taken from the workspace.
  bool turns_factor = false;
  gemm_matrix turned = {};         // the copy; its operand says of which
  std::uint64_t turned_bytes = 0;  // of the workspace, before the sums of parts
  std::uint64_t turn_groups = 0;
  std::uint64_t tiles_m = 0, tiles_n = 0;
  std::uint64_t groups = 0;
  std::uint64_t map_bytes = 0;  // of the workspace, before the sums of parts
  std::uint64_t part_line = 0;  // of the workspace
  std::uint64_t workspace_bytes = 0;
  std::uint64_t fold_groups = 0;
  std::optional<std::uint64_t> local_bytes = {};  // of a group; nothing: the compiler decides
  bool too_many = false;  // a tile that fits the device was not taken: more than a launch's groups
};

// What the product's kernel multiplies: a factor of the call, or its copy.
inline const gemm_matrix& factor_of(const gemm_shape& shape, const gemm_matrix& given) {
  return shape.turns_factor && shape.turned.operand == given.operand ? shape.turned : given;
}

// "128 x 64 x 16"
std::string text_of(const gemm_tile& tile);

// Chooses the tile, and where k is cut. Throws bad_call where no tile fits. The reasons against the others
// are added to `rejected`, if it is given: a call gives none, and builds no texts.
gemm_shape shape_of(const gemm_product& p, const target& on, std::vector<rejected_variant>* rejected);

}  // namespace clwave::detail
