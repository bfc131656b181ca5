// How a matrix product is computed: with which tile, in how many groups, and whether k is cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/gemm.hpp>
#include <clwave/plan.hpp>

#include "primitives/gemm.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// A stored matrix as kernels see it: `lines` contiguous runs of `run` elements, `line` apart.
struct gemm_matrix {
  std::size_t operand = 0;  // of the call: 0 for A, 1 for B, 2 for C
  std::uint64_t run = 0, lines = 0;
  std::uint64_t line = 0;         // elements from one run to the next
  std::uint64_t stride = 0;       // elements from one batch to the next
  bool along_k = false;           // a run goes along k (never C)
  std::uint64_t offset = 0;       // of the first element in its buffer
  std::uint64_t alignment = 128;  // bytes that the first element's address is a multiple of, at most 128

  // Elements from the first to the last of all batches, both counted.
  std::uint64_t extent(std::uint64_t batches) const;
  // Sets the offset and the alignment.
  void place(const any_view& at);
};

// A call without its buffers, and always column-major: a row-major product is the column-major one of the
// transposed matrices, B before A. It holds none of the call's events, so no call copies them.
struct gemm_product {
  const element* type = nullptr;  // of A and B
  const element* out = nullptr;   // of C
  std::uint64_t m = 0, n = 0, k = 0, batches = 0;
  gemm_matrix a = {}, b = {}, c = {};
  double alpha = 1, beta = 0;
  bool allow_tf32 = false, same_bits = false;
};

// What errors call the operands, by their numbers.
inline constexpr std::string_view gemm_operand_names[] = {"A", "B", "C"};

// Throws bad_call for types, sizes, leading dimensions and strides that cannot be.
gemm_product product_of(const gemm_problem& asked);

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

// What one element of C is summed in has so many bytes.
inline unsigned accumulator_bytes(const element& type) { return type.size == 8 ? 8 : 4; }

// "128 x 64 x 16"
std::string text_of(const gemm_tile& tile);

// Chooses the tile, and where k is cut. Throws bad_call where no tile fits. The reasons against the others
// are added to `rejected`, if it is given: a call gives none, and builds no texts.
gemm_shape shape_of(const gemm_product& p, const target& on, std::vector<rejected_variant>* rejected);

}  // namespace clwave::detail
