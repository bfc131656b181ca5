// A call of gemm as kernels see it: its matrices, sizes and factors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <clwave/gemm.hpp>

#include "primitives/gemm.hpp"

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

// Throws bad_call for types of two factors and their product that do not go together; `names` are those of
// the three operands.
void check_product_types(std::string_view primitive, std::string_view product,
                         std::span<const std::string_view, 3> names, const element& a, const element& b,
                         const element& c);

// Throws bad_call for types, sizes, leading dimensions and strides that cannot be.
gemm_product product_of(const gemm_problem& asked);

// What one element of C is summed in has so many bytes.
inline unsigned accumulator_bytes(const element& type) { return type.size == 8 ? 8 : 4; }

}  // namespace clwave::detail
