// A call of gemm as kernels see it: checked, without its buffers, always column-major.
#include "primitives/gemm_product.hpp"

#include <string>

#include <clwave/error.hpp>

#include "call/call.hpp"
#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// A matrix as the caller gives it.
struct given_matrix {
  std::size_t operand;
  const any_view& at;
  std::size_t leading;
  const std::optional<std::size_t>& stride;
  bool transposed = false;
};

gemm_matrix matrix_of(const given_matrix& given, std::uint64_t run, std::uint64_t lines,
                      std::uint64_t batches) {
  const std::string_view name = gemm_operand_names[given.operand];
  const counting count{gemm_variant::primitive, name};
  gemm_matrix matrix{.operand = given.operand, .run = run, .lines = lines};
  matrix.line = given.leading != 0 ? given.leading : run;
  if (matrix.line < run)
    refuse(gemm_variant::primitive, std::string(name) + "'s leading dimension is " +
                                        std::to_string(given.leading) + ", less than the " +
                                        std::to_string(run) + " elements of a line");
  const std::uint64_t one = run == 0 || lines == 0 ? 0 : count.plus(count.times(lines - 1, matrix.line), run);
  matrix.stride = given.stride ? *given.stride : count.times(lines, matrix.line);
  if (one != 0 && batches > 0)
    count.times(count.plus(count.times(batches - 1, matrix.stride), one), given.at.type->size);
  matrix.place(given.at);
  return matrix;
}

}  // namespace

void check_product_types(std::string_view primitive, std::string_view product,
                         std::span<const std::string_view, 3> names, const element& a, const element& b,
                         const element& c) {
  const auto no = [&](const std::string& message, std::string_view advice = {}) {
    throw error(failure::bad_call, message, CL_SUCCESS,
                {.primitive = std::string(primitive),
                 .types = a.name + ", " + b.name + " into " + c.name,
                 .advice = std::string(advice)});
  };
  const std::string both = std::string(names[0]) + " and " + std::string(names[1]);
  if (a.opencl_name != b.opencl_name) no(both + " differ in type");
  if (a.components != 1 || (!is_float(a) && !is_storage(a)))
    no(std::string(product) + " takes f32, f64, f16 or bf16", "convert with clwave::copy");
  if (c.opencl_name != a.opencl_name && !(is_storage(a) && c.opencl_name == "float"))
    no(std::string(names[2]) + " is of the type of " + both + ", or f32 for f16 and bf16");
}

std::uint64_t gemm_matrix::extent(std::uint64_t batches) const {
  if (run == 0 || lines == 0 || batches == 0) return 0;
  return (batches - 1) * stride + (lines - 1) * line + run;
}

void gemm_matrix::place(const any_view& at) {
  offset = at.offset;
  alignment = at.alignment;
}

gemm_product product_of(const gemm_problem& asked) {
  const auto& [a, b, c, size, options] = asked;
  check_typed(gemm_variant::primitive,
              {{gemm_operand_names[0], a}, {gemm_operand_names[1], b}, {gemm_operand_names[2], c}});
  check_product_types(gemm_variant::primitive, "a matrix product", gemm_operand_names, *a.type, *b.type,
                      *c.type);
  const bool swapped = options.order == matrix_order::row_major;
  gemm_product p{.type = a.type, .out = c.type, .k = size.k, .batches = options.batches};
  p.m = swapped ? size.n : size.m;
  p.n = swapped ? size.m : size.n;
  // What is 0 to the kernels leaves unread what 0 does.
  const bool as_floats = accumulator_bytes(*a.type) == 4;
  const auto is_zero = [as_floats](double factor) {
    return as_floats ? static_cast<float>(factor) == 0 : factor == 0;
  };
  p.alpha = is_zero(options.alpha) ? 0 : options.alpha;
  p.beta = is_zero(options.beta) ? 0 : options.beta;
  p.allow_tf32 = options.allow_tf32;
  p.same_bits = options.same_bits;
  const given_matrix given_a{0, a, options.lda, options.stride_a, options.transpose_a};
  const given_matrix given_b{1, b, options.ldb, options.stride_b, options.transpose_b};
  const given_matrix& first = swapped ? given_b : given_a;
  const given_matrix& second = swapped ? given_a : given_b;
  p.a = matrix_of(first, first.transposed ? p.k : p.m, first.transposed ? p.m : p.k, p.batches);
  p.b = matrix_of(second, second.transposed ? p.n : p.k, second.transposed ? p.k : p.n, p.batches);
  p.c = matrix_of({2, c, options.ldc, options.stride_c}, p.m, p.n, p.batches);
  p.a.along_k = first.transposed;
  p.b.along_k = !second.transposed;
  const std::uint64_t one = p.c.extent(1);
  if (p.batches > 1 && p.c.stride < one)
    refuse(gemm_variant::primitive, "C's batches overlap: they start " + std::to_string(p.c.stride) +
                                        " elements apart and have " + std::to_string(one));
  if (p.k == 0 || p.alpha == 0 || p.m == 0 || p.n == 0 || p.batches == 0) {
    // Nothing is read of A and B.
    p.k = 0;
    p.alpha = 0;
    (p.a.along_k ? p.a.run : p.a.lines) = 0;
    (p.b.along_k ? p.b.run : p.b.lines) = 0;
  }
  return p;
}

}  // namespace clwave::detail
