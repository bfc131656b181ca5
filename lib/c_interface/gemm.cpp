// Matrix products from C: a shell over gemm.hpp's untyped call.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <clwave/c/moves.h>
#include <clwave/gemm.hpp>

#include "c_interface/c_call.hpp"

namespace clwave::detail {
namespace {

// C has no optional: 0 is the stride of batches that follow one another, and `shared` the one of a single
// one.
std::optional<std::size_t> stride_from_c(std::uint64_t stride, bool shared, std::string_view name) {
  if (shared && stride != 0)
    refuse_argument("`" + std::string(name) + "` is " + std::to_string(stride) +
                    ", and the matrix is said to be shared by all batches");
  if (shared) return 0;
  if (stride == 0) return {};
  return size_of(stride, name);
}

gemm_options product_from_c(double alpha, double beta, const clwave_gemm_options* product) {
  gemm_options made{.alpha = alpha, .beta = beta};
  if (product == nullptr) return made;
  const clwave_gemm_options all = sized(*product, "product");
  made.order = all.column_major ? matrix_order::column_major : matrix_order::row_major;
  made.transpose_a = all.transpose_a;
  made.transpose_b = all.transpose_b;
  made.lda = size_of(all.lda, "product->lda");
  made.ldb = size_of(all.ldb, "product->ldb");
  made.ldc = size_of(all.ldc, "product->ldc");
  made.batches = all.batches == 0 ? 1 : size_of(all.batches, "product->batches");
  made.stride_a = stride_from_c(all.stride_a, all.share_a, "product->stride_a");
  made.stride_b = stride_from_c(all.stride_b, all.share_b, "product->stride_b");
  made.stride_c = stride_from_c(all.stride_c, false, "product->stride_c");
  made.allow_tf32 = all.allow_tf32;
  made.same_bits = all.same_bits;
  return made;
}

gemv_options product_of_vector_from_c(double alpha, double beta, const clwave_gemv_options* product) {
  gemv_options made{.alpha = alpha, .beta = beta};
  if (product == nullptr) return made;
  const clwave_gemv_options all = sized(*product, "product");
  made.order = all.column_major ? matrix_order::column_major : matrix_order::row_major;
  made.transpose = all.transpose;
  made.lda = size_of(all.lda, "product->lda");
  made.step_x = all.step_x == 0 ? 1 : size_of(all.step_x, "product->step_x");
  made.step_y = all.step_y == 0 ? 1 : size_of(all.step_y, "product->step_y");
  return made;
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

clwave_status clwave_gemm(cl_command_queue queue, uint64_t m, uint64_t n, uint64_t k, double alpha,
                          const clwave_view* a, const clwave_view* b, double beta, const clwave_view* c,
                          const clwave_gemm_options* product, const clwave_options* options,
                          cl_event* event) {
  return c_enqueue("clwave_gemm", options, event, [&](const clwave::launch_options& launch) {
    return clwave::gemm(
        queue,
        clwave::gemm_problem{.a = view_of(a, "a"),
                             .b = view_of(b, "b"),
                             .c = view_of(c, "c"),
                             .size = {.m = size_of(m, "m"), .n = size_of(n, "n"), .k = size_of(k, "k")},
                             .options = product_from_c(alpha, beta, product)},
        launch);
  });
}

clwave_status clwave_gemv(cl_command_queue queue, uint64_t rows, uint64_t columns, double alpha,
                          const clwave_view* a, const clwave_view* x, double beta, const clwave_view* y,
                          const clwave_gemv_options* product, const clwave_options* options,
                          cl_event* event) {
  return c_enqueue("clwave_gemv", options, event, [&](const clwave::launch_options& launch) {
    return clwave::gemv(
        queue,
        clwave::gemv_problem{.a = view_of(a, "a"),
                             .x = view_of(x, "x"),
                             .y = view_of(y, "y"),
                             .size = {.rows = size_of(rows, "rows"), .columns = size_of(columns, "columns")},
                             .options = product_of_vector_from_c(alpha, beta, product)},
        launch);
  });
}
