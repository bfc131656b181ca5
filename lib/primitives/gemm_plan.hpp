// How a matrix product is computed: which program and tile, how many groups, whether k is cut.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/gemm.hpp>
#include <clwave/plan.hpp>

#include "program/key.hpp"
#include "program/program.hpp"

namespace clwave {

// A stored matrix as kernels see it: `lines` contiguous runs of `run` elements, `line` apart.
struct gemm_matrix {
  std::uint64_t run = 0, lines = 0;
  std::uint64_t line = 0;         // elements from one run to the next
  std::uint64_t stride = 0;       // elements from one batch to the next
  bool along_k = false;           // a run goes along k (never C)
  std::uint64_t alignment = 128;  // bytes that the first element's address is a multiple of, at most 128

  // Elements from the first to the last of all batches, both counted.
  std::uint64_t extent(std::uint64_t batches) const;
};

// The question: everything about a call but its buffers. Always column-major: a row-major product is the
// column-major one of the transposed matrices, B before A.
struct gemm_question {
  const element* type;
  const element* out;
  std::uint64_t m, n, k, batches;
  gemm_matrix a, b, c;
  bool swapped = false;  // `a` is the caller's B
  double alpha = 1, beta = 0;
  bool allow_tf32 = false;
  unsigned compute_units = 1;
};

enum class gemm_way {
  blocks,  // a CPU: a work-item computes a block of C from packed panels
  tiles,   // a GPU's multiply-adds
  matrix,  // matrix instructions
};

// The answer. `parts` pieces of k of `part` elements each; with more than one a second kernel adds them.
struct gemm_shape {
  gemm_way way = gemm_way::tiles;
  matrix_unit unit = matrix_unit::none;
  gemm_tile tile;
  unsigned group_size = 1;
  unsigned vector = 1;  // elements of a load
  bool whole_steps =
      false;  // k has no short step: the code for one costs registers (H200: 6 % of f32's speed)
  std::uint64_t parts = 1, part = 0;
  std::uint64_t tiles_m = 0, tiles_n = 0;
  std::uint64_t groups = 0;
  std::uint64_t part_line = 0;  // of the workspace
  std::uint64_t workspace_bytes = 0;
  std::uint64_t fold_groups = 0;
  std::uint64_t traffic_bytes = 0;  // that groups read of A and B, and write
  bool too_many = false;            // a tile that fits the device was not taken: more than a launch's groups
  std::vector<rejected_variant> rejected;
};

// Makes the question of a call. Throws bad_call for sizes, leading dimensions and strides that cannot be.
gemm_question question_of(const element& a, const element& b, const element& c, const gemm_size& size,
                          const gemm_options& options);

std::string_view kernel_of(const gemm_shape& shape);

gemm_shape shape_gemm(const gemm_question& q, const target& on);
// All that the program is built from.
struct gemm_variant {
  const element *type, *out;
  gemm_way way;
  matrix_unit unit;
  gemm_tile tile;
  unsigned group_size, vector;
  bool in_parts, whole_steps, a_along_k, b_along_k;
};
inline gemm_variant variant_of(const gemm_question& q, const gemm_shape& s) {
  return {q.type,   q.out,       s.way,         s.unit,      s.tile,     s.group_size,
          s.vector, s.parts > 1, s.whole_steps, q.a.along_k, q.b.along_k};
}

program_spec spec_gemm(const gemm_variant& v);

inline std::string key_gemm(const gemm_question& q, const gemm_shape& shape) {
  return key_of("gemm", variant_of(q, shape));
}
inline program_spec spec_gemm(const gemm_question& q, const gemm_shape& shape) {
  return spec_gemm(variant_of(q, shape));
}

}  // namespace clwave
