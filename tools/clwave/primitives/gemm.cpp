// What `clwave why` and `clwave emulate` can ask of gemm.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/gemm.hpp>
#include <clwave/plan.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_gemm() {
  struct words_of_gemm {
    std::string type = "f32", result;
    std::string m = "4096", n = "4096", k = "4096", batches = "1";
    bool transpose_a = false, transpose_b = false, column_major = false, allow_tf32 = false,
         same_bits = false, vector = false;
    double beta = 0;
  };
  auto words = std::make_shared<words_of_gemm>();
  const auto result_of = [words]() -> const element& {
    return scalar_type_named(words->result.empty() ? words->type : words->result);
  };
  const auto size_of = [words] {
    return gemm_size{number_of_elements(words->m), number_of_elements(words->n),
                     number_of_elements(words->k)};
  };
  planned_primitive gemm;
  gemm.name = "gemm";
  gemm.help = "A matrix product, m x k by k x n, or by a vector";
  gemm.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Element type of A and B: f32, f64, f16, bf16")
        ->capture_default_str();
    command.add_option("--result", words->result, "Element type of C: the same, or f32 for f16 and bf16");
    command.add_option("--m", words->m, "Rows of C; K, M, G are 2^10, 2^20, 2^30")->capture_default_str();
    command.add_option("--n", words->n, "Columns of C")->capture_default_str();
    command.add_option("--k", words->k, "Length of the sums")->capture_default_str();
    command.add_option("--batches", words->batches, "How many such products")->capture_default_str();
    command.add_option("--beta", words->beta, "Factor of C as it was")->capture_default_str();
    command.add_flag("--transpose-a", words->transpose_a, "A is stored transposed");
    command.add_flag("--transpose-b", words->transpose_b, "B is stored transposed");
    command.add_flag("--column-major", words->column_major, "Columns are contiguous, not rows");
    command.add_flag("--allow-tf32", words->allow_tf32, "f32 may be rounded to tf32");
    command.add_flag("--same-bits", words->same_bits, "f16 and bf16 have the same bits on every device");
    command.add_flag("--vector", words->vector, "gemv: A is m x k, and B and C are vectors");
  };
  gemm.plan = [words, result_of, size_of](const plan_target& on) {
    gemm_options options;
    options.beta = words->beta;
    options.order = words->column_major ? matrix_order::column_major : matrix_order::row_major;
    options.transpose_a = words->transpose_a;
    options.transpose_b = words->transpose_b;
    options.batches = number_of_elements(words->batches);
    options.allow_tf32 = words->allow_tf32;
    options.same_bits = words->same_bits;
    const element& type = scalar_type_named(words->type);
    if (words->vector) {
      const gemv_size size{number_of_elements(words->m), number_of_elements(words->k)};
      return clwave::plan(
          gemv_problem{type,
                       type,
                       result_of(),
                       size,
                       {.beta = words->beta, .order = options.order, .transpose = words->transpose_a}},
          on);
    }
    return clwave::plan(gemm_problem{type, type, result_of(), size_of(), options}, on);
  };
  gemm.problem = [words, result_of, size_of]() -> json {
    const gemm_size size = size_of();
    return {{"primitive", words->vector ? "gemv" : "gemm"},
            {"m", size.m},
            {"n", words->vector ? 1 : size.n},
            {"k", size.k},
            {"batches", number_of_elements(words->batches)},
            {"type", scalar_type_named(words->type).name},
            {"result", result_of().name},
            {"order", words->column_major ? "column_major" : "row_major"},
            {"transpose_a", words->transpose_a},
            {"transpose_b", words->transpose_b}};
  };
  return gemm;
}

const registered_primitives gemm_listed("gemm", {planned_gemm});

}  // namespace
}  // namespace clwave::tool
